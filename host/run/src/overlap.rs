//! The start: bodies that overlap, joints that are open.

use std::collections::BTreeMap;

use vinci_core::model::{Coupler, System};
use vinci_core::tree::JointKind;
use vinci_engine::pipeline::{Simulation, StepFailure, Who};
use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics};
use vinci_scene::{Loaded, Path};

/// Depth below which two bodies only touch, m: rounding of positions a metre away from the origin.
const TOUCH: f64 = 1e-9;

/// Distance below which a joint is closed, m: anchors are written with a few digits.
const CLOSED: f64 = 1e-6;

/// Pairs of bodies that overlap at the present state, with the deepest of their contacts, m.
fn depths(simulation: &mut Simulation) -> Result<Vec<(u32, u32, f64)>, StepFailure> {
    let mut deepest: Vec<(u32, u32, f64)> = Vec::new();
    let mut index = BTreeMap::new();
    let contacts = simulation.contacts_now()?;
    for i in 0..contacts.len() {
        let (a, b, depth) = (contacts.body_a[i], contacts.body_b[i], -contacts.open_gap(i));
        if depth <= TOUCH {
            continue;
        }
        let at = *index.entry((a, b)).or_insert(deepest.len());
        match deepest.get_mut(at) {
            Some(entry) => entry.2 = entry.2.max(depth),
            None => deepest.push((a, b, depth)),
        }
    }
    Ok(deepest)
}

/// Pairs of bodies that overlap and are named, the deepest; of the others there is one warning with their number.
const NAMED: usize = 8;

/// Warnings about the pairs of bodies that overlap at the present state, the deepest with their depth at the second body's position.
pub fn overlaps(loaded: &Loaded, simulation: &mut Simulation) -> Result<Diagnostics, StepFailure> {
    let mut diagnostics = Diagnostics::new();
    let mut pairs = depths(simulation)?;
    let named = pairs.len().min(NAMED);
    // Few pairs stay in the order of the contacts, and so do pairs of equal depth.
    if pairs.len() > named {
        pairs.sort_by(|x, y| y.2.total_cmp(&x.2));
    }
    for &(a, b, depth) in &pairs[..named] {
        let name = |body: u32| &simulation.system.bodies[body as usize].name;
        let message = format!("bodies `{}` and `{}` overlap by {depth:.3e} m at the start", name(a), name(b));
        let moved = if simulation.system.bodies[b as usize].is_static { a } else { b };
        let place = loaded.scene_place(&Path::root().join("bodies").join(moved as usize).join("position"));
        let help = "move one of them, or let the stepper push them apart";
        diagnostics.push(Diagnostic::warning(Code::Overlap, message).help(help).at(place));
    }
    if let Some(rest) = pairs.get(named..).filter(|rest| !rest.is_empty()) {
        let message = format!(
            "{} more pairs of bodies overlap at the start, by {:.3e} m at most",
            rest.len(),
            rest[0].2
        );
        diagnostics.push(
            Diagnostic::warning(Code::Overlap, message).at(loaded.scene_place(&Path::root().join("bodies"))),
        );
    }
    Ok(diagnostics)
}

/// Pairs of bodies that overlap deeper after a change of shapes than before it, in words. Both simulations stand at the same state, and
/// `after` has no trace of the look.
pub(super) fn grown(before: &mut Simulation, after: &mut Simulation) -> Result<Vec<String>, StepFailure> {
    let was = depths(before)?;
    let begin = after.snapshot();
    let is = depths(after)?;
    after.restore(&begin).map_err(|error| StepFailure::Stage { stage: Who::Any, error })?;
    let earlier = |a: u32, b: u32| was.iter().find(|(x, y, _)| (*x, *y) == (a, b)).map_or(0.0, |p| p.2);
    let name = |body: u32| &after.system.bodies[body as usize].name;
    Ok(is
        .iter()
        .filter(|(a, b, depth)| *depth > earlier(*a, *b) + TOUCH)
        .map(|(a, b, depth)| format!("bodies `{}` and `{}` overlap by {depth:.3e} m", name(*a), name(*b)))
        .collect())
}

/// One warning per joint whose points are apart at the present state, and per coupler that does not hold.
pub fn open_joints(loaded: &Loaded, simulation: &Simulation) -> Diagnostics {
    let (system, mut diagnostics) = (&simulation.system, Diagnostics::new());
    for (i, distance) in system.joint_drifts(simulation.q()).enumerate().filter(|(_, d)| !(*d <= CLOSED)) {
        let message = format!("joint `{}` is open by {distance:.3e} m at the start", system.joints[i].name);
        let place = loaded.scene_place(&Path::root().join("joints").join(i).join("anchors"));
        let help = "move a body or an anchor; as it is the first steps pull the points together, with the speed that takes";
        diagnostics.push(Diagnostic::warning(Code::OpenJoint, message).help(help).at(place));
    }
    for (i, coupler) in system.couplers.iter().enumerate() {
        let error = system.coupler_error(i, simulation.q());
        if error.abs() <= CLOSED {
            continue;
        }
        let message = format!(
            "coupler `{}` is off by {error:.3e} {} at the start",
            coupler.name,
            unit_of(system, coupler)
        );
        let place = loaded.scene_place(&Path::root().join("couplers").join(i));
        let help = "change `start` of one of its joints, or its `offset`; as it is the steps pull it back, by `stabilization`";
        diagnostics.push(Diagnostic::warning(Code::OpenJoint, message).help(help).at(place));
    }
    diagnostics
}

/// Unit of a coupler's error: that of its first joint.
fn unit_of(system: &System, coupler: &Coupler) -> &'static str {
    let (tree, dof) = coupler.joints[0];
    let tree = &system.trees[tree as usize].tree;
    match tree.joints()[tree.joint_of_v(dof as usize)].kind {
        JointKind::Prismatic => "m",
        _ => "rad",
    }
}
