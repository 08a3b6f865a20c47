//! A solver that whoever embeds a run brings along, in the place of those that the experiment names.

use vinci_core::StageError;
use vinci_core::problem::ProblemClass;
use vinci_engine::pipeline::{NamedSolver, StepFailure, Who};
use vinci_engine::system_views::SystemViews;

use crate::prepared::Prepared;
use crate::route::accepted_of;

/// Puts a solver in the place of the experiment's: the stepper is made anew, for it chooses the class of its problems by what solvers
/// take, and the first problem is tried. The simulation must stand at its start. Gives the class of the first problem.
///
/// # Errors
/// The stepper refuses to be made; the first problem does not reach the solver.
pub fn solved_by(prepared: &mut Prepared, solver: NamedSolver) -> Result<ProblemClass, StepFailure> {
    let Prepared { stepper, simulation, .. } = prepared;
    let accepted = accepted_of(&stepper.manifest, &[solver.takes]);
    let views = SystemViews::new(&simulation.system).accepting(accepted).driven_by(&simulation.drives);
    let made = stepper.plugin.create_stepper(&stepper.options, &views.view());
    let of_stepper = |error| StepFailure::Stage { stage: Who::Stepper, error };
    simulation.stepper = Box::new(made.map_err(of_stepper)?);
    let id = solver.id.clone();
    simulation.solvers.swap(solver, Vec::new());
    let class = simulation.rehearse()?;
    let refusal = simulation.solvers.refusals().first().map(|(_, why)| why.clone());
    let unreached = simulation.solvers.unreached(class).map(|_| "no bridge leads to it".to_owned());
    match unreached.or(refusal) {
        None => Ok(class),
        Some(why) => {
            let message = format!("{id} cannot be given the step's problem of class {}: {why}", class.name());
            let error = StageError::unsupported(message).by(&id);
            Err(StepFailure::Stage { stage: Who::Solver, error })
        }
    }
}
