//! Certificates of a run, read from its summary, and in the form of the page.

use serde_json::{Value, json};

use super::run_files::{RunFiles, State};
use crate::certificate::{Certificate, FreeDirection, SqueezingForce};
use vinci_scene::diagnostics::Diagnostics;

impl RunFiles {
    /// The certificate of the step that ended the run, if there is one; it stands in the last of these states.
    ///
    /// # Errors
    /// Bodies that the scene does not have.
    pub fn certificate(&self, states: &[State]) -> Result<Option<Certificate>, Diagnostics> {
        let failure = self.failure();
        let list = |key: &str| failure[key].as_array().map_or(&[][..], Vec::as_slice);
        let force = |squeeze: &Value| {
            let bodies = [body(self, &squeeze["bodies"][0])?, body(self, &squeeze["bodies"][1])?];
            Ok(SqueezingForce { bodies, point: vector(&squeeze["point"]), force: vector(&squeeze["force"]) })
        };
        let forces: Vec<_> = list("squeeze").iter().map(force).collect::<Result<_, Diagnostics>>()?;
        let motion = |free: &Value| {
            let [linear, angular] = ["linear", "angular"].map(|key| vector(&free[key]));
            Ok(FreeDirection { body: body(self, &free["body"])?, linear, angular })
        };
        let motions: Vec<_> = list("free").iter().map(motion).collect::<Result<_, Diagnostics>>()?;
        let moves = |m: &FreeDirection| m.linear.iter().chain(&m.angular).any(|x| *x != 0.0);
        let motions: Vec<_> = motions.into_iter().filter(moves).collect();
        let held = held(self, &forces);
        let time = states.last().map_or(0.0, |state| state.t);
        let text = failure["message"].as_str().unwrap_or_default().to_owned();
        let is_empty = forces.is_empty() && motions.is_empty();
        Ok((!is_empty).then_some(Certificate { time, text, held, forces, motions }))
    }
}

/// Bodies under the forces that drives or the ground hold.
fn held(run: &RunFiles, forces: &[SqueezingForce]) -> Vec<u32> {
    let is_held = |b: &u32| {
        let own = &run.system.bodies[*b as usize];
        own.is_static || own.is_held()
    };
    let mut held: Vec<u32> = forces.iter().flat_map(|f| f.bodies).filter(is_held).collect();
    held.sort_unstable();
    held.dedup();
    held
}

/// The certificate as the page has it: a list of one, or of none.
pub(super) fn of_run(run: &RunFiles, states: &[State], origin: &[f64; 3]) -> Result<Vec<Value>, Diagnostics> {
    let told = |c: Certificate| {
        let place = |p: [f64; 3]| -> [f64; 3] { std::array::from_fn(|k| p[k] - origin[k]) };
        let force =
            |f: &SqueezingForce| json!({ "bodies": f.bodies, "point": place(f.point), "force": f.force });
        let motion = |m: &FreeDirection| json!({ "body": m.body, "linear": m.linear, "angular": m.angular });
        let forces: Vec<Value> = c.forces.iter().map(force).collect();
        let motions: Vec<Value> = c.motions.iter().map(motion).collect();
        json!({ "time": c.time, "text": c.text, "held": c.held, "forces": forces, "motions": motions })
    };
    Ok(run.certificate(states)?.map(told).into_iter().collect())
}

fn body(run: &RunFiles, name: &Value) -> Result<u32, Diagnostics> {
    let name = name.as_str().unwrap_or_default();
    let at = run.system.bodies.iter().position(|body| body.name == name);
    at.map(|at| at as u32).ok_or_else(|| run.damaged("summary.json", &format!("there is no body `{name}`")))
}

fn vector(value: &Value) -> [f64; 3] {
    std::array::from_fn(|k| value[k].as_f64().unwrap_or(0.0))
}
