//! In which things two experiments differ: values that belong together are one thing.

use std::collections::BTreeMap;

use serde_json::Value;

use super::paths::differing;
use super::side::{Side, find};

/// Kind of the difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// The detector, or an option of it.
    Detector,
    /// The stepper itself.
    Stepper,
    /// The solver and its fallbacks, or an option.
    Solver,
    /// Friction by cones or polygons, and how many directions they have.
    Friction,
    /// The motion model.
    Motion,
    /// A speed, length or weight that makes a hard law soft.
    Regularisation,
    /// Another option of the stepper.
    Option,
    /// h.
    Step,
    /// How steps are controlled and contacts located.
    StepControl,
    /// Something else of the experiment.
    Experiment,
    /// Where the bodies begin and how fast.
    Start,
    /// A value of the scene.
    Scene,
}

impl Kind {
    /// Name for people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Detector => "detector",
            Self::Stepper => "stepper",
            Self::Solver => "solver",
            Self::Friction => "cone or polygon",
            Self::Motion => "motion",
            Self::Regularisation => "regularisation",
            Self::Option => "option of the stepper",
            Self::Step => "step",
            Self::StepControl => "step control",
            Self::Experiment => "setting",
            Self::Start => "start",
            Self::Scene => "scene value",
        }
    }
}

/// Something in which two experiments differ.
#[derive(Debug, Clone, PartialEq)]
pub struct Factor {
    /// Its kind.
    pub kind: Kind,
    /// Where it stands: `scene.materials.ice.friction`, `stepper`.
    pub name: String,
    /// Its values in both, as JSON; null where there is none.
    pub values: [Value; 2],
    /// The places that are exchanged together.
    pub(super) paths: Vec<Vec<String>>,
}

/// Options of steppers by which circles become polygons.
const FRICTION: [&str; 2] = ["friction", "friction_directions"];
/// Options by which a hard law is made soft.
const SOFT: [&str; 8] = [
    "stiction_velocity",
    "slip_velocity",
    "smoothing",
    "regularisation",
    "compliance",
    "relaxation",
    "kappa",
    "penetration_correction",
];
/// Keys of an experiment that say nothing of its motion.
const SILENT: [&str; 7] = ["name", "description", "record", "format", "extends", "seed", "$schema"];
/// Keys of bodies that are of their start.
const START: [&str; 6] = ["position", "orientation", "angle", "velocity", "angular_velocity", "start"];

/// Factors in which the two experiments differ, in a fixed order.
pub fn factors(a: &Side, b: &Side) -> Vec<Factor> {
    let paths = differing(&a.json, &b.json);
    let whole =
        ["detector", "stepper", "solver"].map(|role| a.json[role]["plugin"] != b.json[role]["plugin"]);
    let mut groups: BTreeMap<(Kind, String), Vec<Vec<String>>> = BTreeMap::new();
    for path in paths {
        if let Some(key) = group(&path, whole) {
            groups.entry(key).or_default().push(path);
        }
    }
    let factor = |((kind, name), paths): ((Kind, String), Vec<Vec<String>>)| {
        let values = [a, b].map(|side| shown(&side.json, (kind, &name), &paths));
        let name = if is_whole(kind, &name) || paths.len() > 1 { name } else { spoken(&a.json, &paths[0]) };
        Factor { kind, values, name, paths }
    };
    groups.into_iter().map(factor).collect()
}

/// Returns true of a plugin that is another one, with all that belongs to it.
fn is_whole(kind: Kind, name: &str) -> bool {
    matches!(kind, Kind::Detector | Kind::Stepper | Kind::Solver) && !name.contains('.')
}

/// The value of a factor in one experiment: of a plugin its name, of what stands at several places each with its last word.
fn shown(json: &Value, (kind, name): (Kind, &str), paths: &[Vec<String>]) -> Value {
    let at = |path: &[String]| find(json, path).cloned().unwrap_or_default();
    match paths {
        _ if is_whole(kind, name) => at(&[name.to_owned(), "plugin".to_owned()]),
        [path] => at(path),
        several => several.iter().filter_map(|path| Some((path.last()?.clone(), at(path)))).collect(),
    }
}

/// A path as `--set` takes it: entries of lists by their names, `scene.bodies.box.mass`, or by their places, `scene.pairs[0].friction`.
fn spoken(json: &Value, path: &[String]) -> String {
    let mut out = String::new();
    for (k, word) in path.iter().enumerate() {
        let (list, entry) = (find(json, &path[..k]), find(json, &path[..=k]));
        let name = entry.and_then(|entry| entry["name"].as_str());
        match (list.is_some_and(Value::is_array), name) {
            (true, None) => out.push_str(&format!("[{word}]")),
            (is_list, name) => {
                let separator = if k == 0 { "" } else { "." };
                let word = name.filter(|_| is_list).unwrap_or(word);
                out.push_str(&format!("{separator}{word}"));
            }
        }
    }
    out
}

/// Group that a path belongs to; none where that has no part in the motion. `whole`: whether detector, stepper and solver are other plugins.
fn group(path: &[String], [detector, stepper, solver]: [bool; 3]) -> Option<(Kind, String)> {
    let word = |k: usize| path.get(k).map_or("", String::as_str);
    let named = |kind: Kind| Some((kind, path.join(".")));
    match (word(0), word(1), word(2)) {
        (silent, ..) if SILENT.contains(&silent) => None,
        ("detector", ..) if detector => Some((Kind::Detector, "detector".to_owned())),
        ("detector", ..) => named(Kind::Detector),
        ("stepper", ..) if stepper => Some((Kind::Stepper, "stepper".to_owned())),
        ("stepper", "options", option) if FRICTION.contains(&option) => {
            Some((Kind::Friction, "stepper.options.friction".to_owned()))
        }
        ("stepper", "options", "motion") => named(Kind::Motion),
        ("stepper", "options", option) if SOFT.contains(&option) => named(Kind::Regularisation),
        ("stepper", ..) => named(Kind::Option),
        ("solver", "directions", _) => named(Kind::Friction),
        ("solver", ..) if solver => Some((Kind::Solver, "solver".to_owned())),
        ("solver", ..) => named(Kind::Solver),
        ("time", "step", _) => named(Kind::Step),
        ("time", "duration", _) => None,
        ("time", "gyroscopic", _) => named(Kind::Option),
        ("time", ..) => named(Kind::StepControl),
        ("scene", "description" | "name" | "format", _) => None,
        ("scene", "bodies" | "trees", _) => match word(3) {
            "motion" => named(Kind::Motion),
            start if START.contains(&start) => named(Kind::Start),
            _ => named(Kind::Scene),
        },
        ("scene", ..) => named(Kind::Scene),
        _ => named(Kind::Experiment),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::path::PathBuf;

    fn side(json: Value) -> Side {
        Side { path: PathBuf::new(), json }
    }

    #[test]
    fn what_belongs_together_is_one_thing_and_what_says_nothing_is_none() {
        let a = side(json!({
            "name": "a", "time": { "step": 0.01, "duration": 1 }, "record": { "every": 1 },
            "stepper": { "plugin": "st", "options": { "friction": "cone", "motion": "dynamic" } },
            "solver": { "plugin": "lemke" },
            "scene": { "materials": { "ice": { "friction": 0.1 } }, "bodies": [{ "name": "x", "mass": 1, "velocity": [1, 0] }] }
        }));
        let b = side(json!({
            "name": "b", "time": { "step": 0.02, "duration": 2 }, "record": { "every": 2 },
            "stepper": { "plugin": "st", "options": { "friction": "pyramid", "friction_directions": 4, "motion": "dynamic" } },
            "solver": { "plugin": "newton", "options": { "tolerance": 1 } },
            "scene": { "materials": { "ice": { "friction": 0.2 } }, "bodies": [{ "name": "x", "mass": 2, "velocity": [1, 1] }] }
        }));
        let told: Vec<(&str, String)> =
            factors(&a, &b).into_iter().map(|f| (f.kind.name(), f.name)).collect();
        let expected = [
            ("solver", "solver"),
            ("cone or polygon", "stepper.options.friction"),
            ("step", "time.step"),
            ("start", "scene.bodies.x.velocity"),
            ("scene value", "scene.bodies.x.mass"),
            ("scene value", "scene.materials.ice.friction"),
        ];
        assert_eq!(told, expected.map(|(kind, name)| (kind, name.to_owned())));
        // Exchanging all of it makes one of the other.
        let paths: Vec<_> = factors(&a, &b).into_iter().flat_map(|f| f.paths).collect();
        let mixed = a.with(&paths, &b).json;
        assert_eq!((&mixed["solver"], &mixed["scene"]), (&b.json["solver"], &b.json["scene"]));
        assert!(factors(&side(mixed), &b).is_empty());
    }

    /// "`stepper.options.friction`: not given in A, 16 in B" was said of 16 directions, and `scene.bodies.5.mass` of a body that has a name.
    #[test]
    fn a_thing_is_named_as_set_names_it_with_its_own_values() {
        let of = |directions: u32, mass: f64, mu: f64| {
            side(json!({ "stepper": { "plugin": "st", "options": { "friction_directions": directions } },
                "scene": { "bodies": [{ "name": "box", "mass": mass }], "pairs": [{ "bodies": ["a", "b"], "friction": mu }] } }))
        };
        let found = factors(&of(8, 1.0, 0.1), &of(16, 2.0, 0.2));
        let told: Vec<&str> = found.iter().map(|f| f.name.as_str()).collect();
        assert_eq!(
            told,
            ["stepper.options.friction_directions", "scene.bodies.box.mass", "scene.pairs[0].friction"]
        );
        assert_eq!(found[0].values, [json!(8), json!(16)]);
        let cone = side(json!({ "stepper": { "plugin": "st", "options": { "friction": "cone" } } }));
        let eight = side(
            json!({ "stepper": { "plugin": "st", "options": { "friction": "pyramid", "friction_directions": 8 } } }),
        );
        let both = factors(&cone, &eight);
        assert_eq!(both[0].values[1], json!({ "friction": "pyramid", "friction_directions": 8 }));
        assert_eq!(both[0].name, "stepper.options.friction");
    }

    /// The joints of a tree and the drives of a body were one thing each, told as the beginning of a list.
    #[test]
    fn values_of_joints_and_drives_are_named_one_by_one() {
        let of = |friction: f64, speed: f64| {
            side(json!({ "scene": {
                "bodies": [{ "name": "pusher", "dofs": { "x": { "velocity": speed }, "y": "locked" } }],
                "trees": [{ "name": "left", "joints": [{ "name": "a", "type": "revolute" },
                    { "name": "b", "type": "revolute", "friction": friction }] }] } }))
        };
        let (a, b) = (of(0.1, 0.25), of(0.2, 0.21));
        let found = factors(&a, &b);
        let told: Vec<&str> = found.iter().map(|f| f.name.as_str()).collect();
        assert_eq!(told, ["scene.bodies.pusher.dofs.x.velocity", "scene.trees.left.joints.b.friction"]);
        assert_eq!(found[1].values, [json!(0.1), json!(0.2)]);
        let paths: Vec<_> = found.into_iter().flat_map(|f| f.paths).collect();
        assert_eq!(a.with(&paths, &b).json, b.json);
    }

    #[test]
    fn another_plugin_takes_its_options_along() {
        let a = side(json!({ "stepper": { "plugin": "st", "options": { "motion": "dynamic" } } }));
        let b = side(json!({ "stepper": { "plugin": "qp", "options": { "kappa": 3 } } }));
        let found = factors(&a, &b);
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].kind, found[0].paths.len()), (Kind::Stepper, 3));
        assert_eq!(found[0].values, [json!("st"), json!("qp")]);
    }
}
