//! Paths of the values in which two experiments differ: as deep as a value can be exchanged alone.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

/// How deep all values are told apart: `scene.bodies.box.mass`. Below, those that can be exchanged one by one are.
const COARSE: usize = 4;

/// Most values below one such place that are told apart: each costs two runs. More of them are exchanged as one.
const MOST: usize = 16;

/// Lists below that depth whose entries are told apart.
const LISTS: [&str; 3] = ["joints", "links", "shapes"];

/// Objects at that depth whose entries have nothing to do with each other, and such ones below.
const MAPS: [&str; 6] = ["dofs", "drives", "start", "velocity", "joint_values", "materials"];
const DEEP_MAPS: [&str; 2] = ["limits", "options"];

/// Keys by whose values objects are of one kind.
const KINDS: [&str; 2] = ["type", "plugin"];

/// Paths of all values that differ.
pub(super) fn differing(a: &Value, b: &Value) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    collect(a, b, &mut Vec::new(), &mut found);
    gathered(&found)
}

/// The place of [`COARSE`] depth at or above which a path ends.
fn place(path: &[String]) -> &[String] {
    &path[..path.len().min(COARSE)]
}

/// These paths, with those below one place as that place where they are too many.
fn gathered(paths: &[Vec<String>]) -> Vec<Vec<String>> {
    let mut out = Vec::new();
    for below in paths.chunk_by(|a, b| place(a) == place(b)) {
        match below {
            [first, ..] if below.len() > MOST => out.push(place(first).to_vec()),
            few => out.extend_from_slice(few),
        }
    }
    out
}

fn collect(a: &Value, b: &Value, at: &mut Vec<String>, found: &mut Vec<Vec<String>>) {
    if a == b {
        return;
    }
    // No options are as none of them; elsewhere an empty object may say something.
    let empty = Value::Object(Map::new());
    let is_options = at.last().is_some_and(|key| key == "options");
    let filled = |value: &Value| if is_options && value.is_null() { empty.clone() } else { value.clone() };
    let (a, b) = (&filled(a), &filled(b));
    let is_split = is_split(at, a, b);
    let mut below = |key: String, a: &Value, b: &Value| {
        at.push(key);
        collect(a, b, at, found);
        at.pop();
    };
    match (a, b) {
        (Value::Object(x), Value::Object(y)) if is_split => {
            let keys: BTreeSet<&String> = x.keys().chain(y.keys()).collect();
            for key in keys {
                below(key.clone(), a.get(key).unwrap_or(&Value::Null), b.get(key).unwrap_or(&Value::Null));
            }
        }
        (Value::Array(x), Value::Array(y)) if is_split && is_aligned(x, y) => {
            for (k, (x, y)) in x.iter().zip(y).enumerate() {
                below(k.to_string(), x, y);
            }
        }
        _ => found.push(at.clone()),
    }
}

/// Returns true if the parts of these values at a path are exchanged one by one. Below [`COARSE`] depth that is so where each of them
/// means something without the others: a drive is a velocity or a position, and half of either is none.
fn is_split(at: &[String], a: &Value, b: &Value) -> bool {
    let key = |back: usize| at.len().checked_sub(back).map_or("", |k| at[k].as_str());
    match (a, b) {
        _ if at.len() < COARSE => true,
        (Value::Array(_), Value::Array(_)) => LISTS.contains(&key(1)),
        (Value::Object(x), Value::Object(y)) => {
            let same_keys = || x.len() == y.len() && x.keys().all(|key| y.contains_key(key));
            let is_joint = key(2) == "joints" || key(2) == "joint_values";
            let is_map = at.len() == COARSE && MAPS.contains(&key(1)) || DEEP_MAPS.contains(&key(1));
            KINDS.iter().all(|kind| x.get(*kind) == y.get(*kind)) && (is_map || is_joint || same_keys())
        }
        _ => false,
    }
}

/// Returns true if entries stand for the same things: objects with the same names, bodies or materials in the same order.
fn is_aligned(x: &[Value], y: &[Value]) -> bool {
    const IDENTITY: [&str; 3] = ["name", "bodies", "materials"];
    let same = |(x, y): (&Value, &Value)| {
        x.is_object() && y.is_object() && IDENTITY.iter().all(|key| x.get(key) == y.get(key))
    };
    x.len() == y.len() && x.iter().zip(y).all(same)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// Paths of what differs in the first body, from there on.
    fn told(a: Value, b: Value) -> Vec<String> {
        let scene = |body: Value| json!({ "scene": { "bodies": [body] } });
        differing(&scene(a), &scene(b)).into_iter().map(|path| path[3..].join(".")).collect()
    }

    #[test]
    fn what_says_something_only_together_is_one_value() {
        let drive = |x: Value| json!({ "dofs": { "x": x, "y": "locked" } });
        let velocity = |v: f64| json!({ "velocity": v });
        assert_eq!(told(drive(velocity(1.0)), drive(velocity(2.0))), ["dofs.x.velocity"]);
        assert_eq!(told(drive(velocity(1.0)), drive(json!({ "position": 1.0 }))), ["dofs.x"]);
        assert_eq!(told(drive(velocity(1.0)), json!({ "dofs": { "y": "locked" } })), ["dofs.x"]);
        let shape = |shape: Value| json!({ "shapes": [shape] });
        let disc = |r: f64| shape(json!({ "type": "disc", "radius": r }));
        assert_eq!(told(disc(1.0), disc(2.0)), ["shapes.0.radius"]);
        assert_eq!(told(disc(1.0), shape(json!({ "type": "box", "size": [1, 2] }))), ["shapes.0"]);
    }

    #[test]
    fn too_many_values_below_one_place_are_one() {
        let joints = |n: usize, friction: f64| {
            let joint = |k: usize| json!({ "name": format!("j{k}"), "friction": friction });
            json!({ "joints": (0..n).map(joint).collect::<Vec<_>>() })
        };
        assert_eq!(told(joints(MOST, 0.1), joints(MOST, 0.2)).len(), MOST);
        assert_eq!(told(joints(MOST + 1, 0.1), joints(MOST + 1, 0.2)), ["joints"]);
        // One side may not say it at all.
        assert_eq!(told(json!({ "joints": [{ "name": "j0" }] }), joints(1, 0.2)), ["joints.0.friction"]);
    }
}
