//! Refusals that a run would meet on its way: every two bodies that can ever meet are made to, before anything is written.

use vinci_core::error::ErrorKind;
use vinci_core::model::Pair;

use super::failure::unstartable;
use super::physics::{self, Meeting, meetings};
use super::route::accepted;
use crate::prepared::Prepared;
use vinci_engine::pipeline::Bridges;
use vinci_engine::registry::classes;
use vinci_engine::system_views::SystemViews;
use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics};

/// Most pairs that are made to meet; those of equal parameters count once.
const MOST: usize = 64;

/// Refuses a scene that uses what the stepper's manifest refuses.
///
/// # Errors
/// All of it; with nothing but warnings among them they go to the run's.
pub fn refuse_declared(prepared: &mut Prepared) -> Result<(), Diagnostics> {
    let mut diagnostics = Diagnostics::new();
    let simulation = &prepared.simulation;
    let scene = (&simulation.system, &simulation.drives);
    physics::refusals(&prepared.loaded, &prepared.stepper, scene, &mut diagnostics);
    diagnostics.accept(|warnings| prepared.warnings.append(warnings))
}

/// Refuses scenes where two bodies may meet, and the stepper then refuses the step, or writes a problem that reaches no solver.
///
/// # Errors
/// One finding for every kind of pair, with the names of two bodies.
pub(super) fn refuse_provoked(prepared: &mut Prepared) -> Result<(), Diagnostics> {
    let list = kinds(&meetings(&prepared.simulation.system, &prepared.simulation.drives));
    if list.is_empty() {
        return Ok(());
    }
    let mut diagnostics = Diagnostics::new();
    for (meeting, why) in provoked(prepared, &list)? {
        let between = meeting.between(&prepared.simulation.system);
        let message = format!("the run would end where {between} meet: {why}");
        let help = "choose another stepper or solver, or name the two in `ignore_contacts`";
        let place = prepared.loaded.place(&prepared.stepper.path.join("plugin"));
        diagnostics.push(Diagnostic::error(Code::Contradiction, message).help(help).at(place));
    }
    diagnostics.accept(|_| ())
}

/// One meeting for every set of parameters.
fn kinds(met: &[Meeting]) -> Vec<Meeting> {
    let mut list: Vec<Meeting> = Vec::new();
    let bits = |p: &Pair| p.map(f64::to_bits);
    for meeting in met {
        if list.len() < MOST && !list.iter().any(|known| bits(&known.pair) == bits(&meeting.pair)) {
            list.push(*meeting);
        }
    }
    list
}

/// Meetings that end the run, and why.
fn provoked(prepared: &mut Prepared, list: &[Meeting]) -> Result<Vec<(Meeting, String)>, Diagnostics> {
    let Prepared { simulation, stepper, solvers, .. } = prepared;
    let views = SystemViews::new(&simulation.system)
        .accepting(accepted(stepper, solvers))
        .driven_by(&simulation.drives);
    // One that was made already is made again.
    let Ok(mut instance) = stepper.plugin.create_stepper(&stepper.options, &views.view()) else {
        return Ok(Vec::new());
    };
    let bridges = Bridges::new(simulation.solvers.directions()).unwrap_or_default();
    let takes: Vec<u32> = solvers.iter().map(|s| classes(&s.manifest)).collect();
    let (mut ends, id) = (Vec::new(), stepper.manifest.id.clone());
    let pairs: Vec<[u32; 2]> = list.iter().map(|m| m.shapes).collect();
    let looked = simulation.rehearse_contacts(&mut instance, &pairs, |k, problem| match problem {
        Ok(problem) => {
            let why: Vec<String> = takes.iter().filter_map(|t| bridges.refusal(problem, *t)).collect();
            if why.len() == takes.len() {
                ends.extend(
                    why.first().map(|why| (list[k], format!("no solver can be given its problem: {why}"))),
                );
            }
        }
        // Other refusals may be of the imagined place.
        Err(error) if error.kind == ErrorKind::Unsupported => {
            ends.push((list[k], format!("{id} refuses: {}", error.message)));
        }
        Err(_) => {}
    });
    looked.map_err(|failure| unstartable(prepared, &failure))?;
    Ok(ends)
}
