//! The layout that must stay through a run, and between a saved state and the run that goes on from it: which numbers of q and v mean
//! what.

use vinci_engine::pipeline::Simulation;
use vinci_scene::diagnostics::{Code, Diagnostic};

/// One line for everything that q, v and what is remembered beside them depend on.
pub(crate) fn layout(simulation: &Simulation) -> Vec<String> {
    let system = &simulation.system;
    let mut lines = vec![format!("{} scene", system.space.name())];
    for (i, body) in system.bodies.iter().enumerate() {
        let shapes = system.shapes.iter().filter(|s| s.body as usize == i).count();
        let supports = system.supports.iter().filter(|s| s.body as usize == i).count();
        let kind = if body.is_static { "static" } else { "moving" };
        lines.push(format!("{kind} body `{}`: {shapes} shapes, {supports} support points", body.name));
    }
    for part in &system.trees {
        let joints: Vec<&str> = part.tree.joints().iter().map(|j| j.name.as_str()).collect();
        let (name, nq, nv) = (part.tree.name(), part.q.len(), part.v.len());
        lines.push(format!("tree `{name}`: joints {}; {nq} coordinates, {nv} velocities", joints.join(", ")));
    }
    lines.push(format!("controllers that remember {} numbers", simulation.controllers.state().len()));
    lines
}

/// The first line in which two layouts differ: what was there, and what is.
pub fn difference(before: &[String], after: &[String]) -> Option<(String, String)> {
    let line = |list: &[String], i: usize| list.get(i).map_or("nothing", String::as_str).to_owned();
    let n = before.len().max(after.len());
    (0..n).find(|i| before.get(*i) != after.get(*i)).map(|i| (line(before, i), line(after, i)))
}

/// Checks that an event leaves the layout and the start as they are.
pub(super) fn check_same(before: &Simulation, after: &Simulation) -> Result<(), Diagnostic> {
    if let Some((was, is)) = difference(&layout(before), &layout(after)) {
        let message = format!("the event changes what the scene consists of: {was} became {is}");
        let help = "bodies, their shapes, joints of trees and controllers stay through a run; give values that they have, and \
                    keep aside what is to come later (a body far away, a drive that holds it)";
        return Err(Diagnostic::error(Code::Contradiction, message).help(help));
    }
    let system = (&before.system, &after.system);
    if system.0.initial_q() != system.1.initial_q() || system.0.initial_velocity != system.1.initial_velocity
    {
        let message = "the event changes where bodies begin or how fast, which says nothing during a run";
        let help = "leave `position`, `orientation`, `velocity` and `start` as they are; move bodies with drives and forces";
        return Err(Diagnostic::error(Code::Contradiction, message).help(help));
    }
    Ok(())
}
