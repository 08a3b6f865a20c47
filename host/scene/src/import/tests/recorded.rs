//! Numbers that other programs told, and how near ours must be.

use nalgebra::{DMatrix, DVector};
use serde_json::Value as Json;
use vinci_core::model::{System, TreePart};
use vinci_core::tree::TreeState;

/// Largest difference to the numbers of another program, relative to the largest of them.
const SAME: f64 = 1e-9;

pub(super) fn numbers(json: &Json) -> Vec<f64> {
    match json {
        Json::Array(list) => list.iter().flat_map(numbers).collect(),
        number => vec![number.as_f64().unwrap_or_else(|| panic!("{number} is no number"))],
    }
}

#[track_caller]
pub(super) fn same(ours: &[f64], theirs: &[f64], what: &str) {
    assert_eq!(ours.len(), theirs.len(), "{what}");
    let scale = theirs.iter().fold(1e-12_f64, |m, x| m.max(x.abs()));
    let worst = ours.iter().zip(theirs).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
    assert!(worst <= SAME * scale, "{what}: off by {worst:e} of {scale:e}");
}

/// Coordinates or velocities of all joints, in the order of the tree.
pub(super) fn in_order(part: &TreePart, by_joint: &Json) -> Vec<f64> {
    part.tree.joints().iter().filter(|j| j.kind.nv() > 0).flat_map(|j| numbers(&by_joint[&j.name])).collect()
}

/// T of v = T v' with v' the velocities of the other program; the identity where they are ours.
fn between(part: &TreePart, state: &Json) -> DMatrix<f64> {
    let n = part.tree.nv();
    if state["T"].is_null() {
        return DMatrix::identity(n, n);
    }
    let rows = in_order(part, &state["T"]);
    DMatrix::from_row_slice(n, rows.len() / n, &rows)
}

/// M, bias forces, places and axes of links at a state of the first tree are those told.
pub(super) fn check_state(system: &System, state: &Json, name: &str) {
    let (part, mut at) = (&system.trees[0], TreeState::default());
    let (tree, n) = (&part.tree, part.tree.nv());
    at.update(tree, &in_order(part, &state["q"]));
    let (mut mass, mut bias, mut gravity) = (vec![0.0; n * n], vec![0.0; n], vec![0.0; n]);
    at.mass(tree, &mut mass);
    at.gravity(tree, &system.gravity, &mut gravity);
    at.bias(tree, &in_order(part, &state["v"]), &mut bias);
    let t = between(part, state);
    // Both are symmetric: rows and columns are the same.
    let mass = t.transpose() * DMatrix::from_row_slice(n, n, &mass) * &t;
    same(mass.as_slice(), &numbers(&state["M"]), &format!("{name}: M"));
    let bias = DVector::from_iterator(n, bias.iter().zip(&gravity).map(|(c, g)| -c - g));
    same((t.transpose() * bias).as_slice(), &numbers(&state["bias"]), &format!("{name}: bias"));
    for (body, centre) in state["centres"].as_object().unwrap() {
        let link = tree.links().iter().position(|l| l.name == *body).unwrap();
        same(at.centre(tree, link).as_slice(), &numbers(centre), &format!("{name}: centre of {body}"));
        let r = at.rotation(link).to_rotation_matrix().matrix().transpose();
        same(r.as_slice(), &numbers(&state["rotations"][body]), &format!("{name}: axes of {body}"));
    }
}
