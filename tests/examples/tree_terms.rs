//! Mass matrix, bias forces and places of links of the trees of a scene at given states, as JSON: what other engines are
//! compared with (`tests/peers/mjcf_models.py`).
//!
//! `tree_terms SCENE STATES`: STATES is `{"states": [{"q": {JOINT: [..]}, "v": {JOINT: [..]}}]}`; joints that it does not name
//! are where the scene starts them.

use serde_json::{Value, json};
use std::error::Error;
use std::io::Write;
use vinci_core::model::{System, TreePart};
use vinci_core::tree::TreeState;
use vinci_scene::{compile, load_scene};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [scene, states] = &arguments[..] else { return Err("usage: tree_terms SCENE STATES".into()) };
    let loaded = load_scene(scene.as_ref()).map_err(|found| found.to_string())?;
    let (system, _) = compile(&loaded.scene, &loaded.node).map_err(|found| found.to_string())?;
    let states: Value = serde_json::from_str(&std::fs::read_to_string(states)?)?;
    let Some(part) = system.trees.first() else { return Err("the scene has no tree".into()) };
    let terms: Vec<Value> =
        states["states"].as_array().into_iter().flatten().map(|state| terms(&system, part, state)).collect();
    let joints: Vec<Value> =
        moving(part).map(|i| json!([part.tree.joints()[i].name, part.tree.v_range(i).len()])).collect();
    let masses = part.tree.links().iter().map(|link| (link.name.clone(), json!(link.mass)));
    let masses: serde_json::Map<String, Value> = masses.collect();
    let told = json!({ "joints": joints, "masses": masses, "states": terms });
    writeln!(std::io::stdout(), "{told}")?;
    Ok(())
}

fn moving(part: &TreePart) -> impl Iterator<Item = usize> {
    (0..part.tree.joints().len()).filter(|i| !part.tree.v_range(*i).is_empty())
}

/// Numbers of the joints, where they are given in the places of others.
fn set(values: &mut [f64], given: &Value) {
    for (x, number) in values.iter_mut().zip(given.as_array().into_iter().flatten()) {
        *x = number.as_f64().unwrap_or(f64::NAN);
    }
}

fn terms(system: &System, part: &TreePart, state: &Value) -> Value {
    let tree = &part.tree;
    let (mut q, mut v) = (part.q.clone(), part.v.clone());
    for i in moving(part) {
        let name = tree.joints()[i].name.as_str();
        set(&mut q[tree.q_range(i)], &state["q"][name]);
        set(&mut v[tree.v_range(i)], &state["v"][name]);
    }
    let n = tree.nv();
    let mut at = TreeState::default();
    let (mut mass, mut bias, mut gravity) = (vec![0.0; n * n], vec![0.0; n], vec![0.0; n]);
    at.update(tree, &q);
    at.mass(tree, &mut mass);
    at.gravity(tree, &system.gravity, &mut gravity);
    at.bias(tree, &v, &mut bias);
    // MuJoCo's bias is what is subtracted: velocity products and weight together.
    let bias: Vec<f64> = bias.iter().zip(&gravity).map(|(c, g)| -c - g).collect();
    let rows: Vec<&[f64]> = mass.chunks(n.max(1)).collect();
    let centres: serde_json::Map<String, Value> = (0..tree.links().len())
        .map(|i| (tree.links()[i].name.clone(), json!(at.centre(tree, i).as_slice())))
        .collect();
    let rotations: serde_json::Map<String, Value> = (0..tree.links().len())
        .map(|i| {
            let r = at.rotation(i).to_rotation_matrix();
            (tree.links()[i].name.clone(), json!(r.matrix().transpose().as_slice()))
        })
        .collect();
    json!({ "M": rows, "bias": bias, "centres": centres, "rotations": rotations })
}
