//! Certificates in the form of the page: why a step has no solution, as forces that squeeze and motions that nothing holds.

use serde_json::{Value, json};

use super::run_files::{RunFiles, State};
use vinci_scene::diagnostics::Diagnostics;

/// The certificate of the step that ended the run, if there is one; it stands in the last state.
///
/// # Errors
/// Bodies that the scene does not have.
pub(super) fn of_run(run: &RunFiles, states: &[State], origin: &[f64; 3]) -> Result<Vec<Value>, Diagnostics> {
    let failure = run.failure();
    let list = |key: &str| failure[key].as_array().map_or(&[][..], Vec::as_slice);
    let (mut held, mut forces) = (Vec::new(), Vec::new());
    for squeeze in list("squeeze") {
        let bodies = [body(run, &squeeze["bodies"][0])?, body(run, &squeeze["bodies"][1])?];
        let (point, force) = (vector(&squeeze["point"]), vector(&squeeze["force"]));
        let point: [f64; 3] = std::array::from_fn(|k| point[k] - origin[k]);
        forces.push(json!({ "bodies": bodies, "point": point, "force": force }));
        held.extend(bodies.into_iter().filter(|b| {
            let own = &run.system.bodies[*b as usize];
            own.is_static || own.is_held()
        }));
    }
    let mut motions = Vec::new();
    for free in list("free") {
        let (linear, angular) = (vector(&free["linear"]), vector(&free["angular"]));
        if linear.iter().chain(&angular).any(|x| *x != 0.0) {
            motions.push(json!({ "body": body(run, &free["body"])?, "linear": linear, "angular": angular }));
        }
    }
    if forces.is_empty() && motions.is_empty() {
        return Ok(Vec::new());
    }
    held.sort_unstable();
    held.dedup();
    let (time, text) = (states.last().map_or(0.0, |state| state.t), failure["message"].as_str());
    Ok(vec![
        json!({ "time": time, "text": text.unwrap_or_default(), "held": held, "forces": forces, "motions": motions }),
    ])
}

fn body(run: &RunFiles, name: &Value) -> Result<u32, Diagnostics> {
    let name = name.as_str().unwrap_or_default();
    let at = run.system.bodies.iter().position(|body| body.name == name);
    at.map(|at| at as u32).ok_or_else(|| run.damaged("summary.json", &format!("there is no body `{name}`")))
}

fn vector(value: &Value) -> [f64; 3] {
    std::array::from_fn(|k| value[k].as_f64().unwrap_or(0.0))
}
