//! Solvers that race: whether they can, and the race of them.

use super::elsewhere::MadeElsewhere;
use super::maker::Maker;
use crate::used::Used;
use vinci_engine::pipeline::SolverRoute;
use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics};
use vinci_scene::experiment::Solver;
use vinci_scene::{Loaded, Path};

/// The solver of an experiment that asks for a race.
fn racing(loaded: &Loaded) -> Option<&Solver> {
    loaded.experiment.solver.as_ref().filter(|solver| solver.race)
}

impl Maker<'_> {
    /// A race is one of at least two solvers, and of whole problems.
    pub(super) fn check_race(&self, solvers: &[Used], diagnostics: &mut Diagnostics) {
        let Some(solver) = racing(self.loaded) else { return };
        let (message, help) = if self.loaded.chosen_for.is_some() {
            ("`auto` chooses solvers by size, and a race asks all of them", "name the solvers that race")
        } else if solvers.len() < 2 {
            ("one solver alone cannot race", "name others in `solver.fallback`, or leave `race` out")
        } else if solver.islands || solver.sleeping.is_some() {
            (
                "solvers race for whole problems, and `islands` or `sleeping` divides them",
                "leave out one or the other",
            )
        } else {
            return;
        };
        let place = self.loaded.place(&Path::root().join("solver").join("race"));
        diagnostics.push(Diagnostic::error(Code::Contradiction, message).help(help).at(place));
    }

    /// The chain as a race where the experiment wants one; `made`: what its solvers are made of.
    ///
    /// # Errors
    /// Solvers without processes, or no thread for one.
    pub(super) fn racing(
        &self,
        chain: SolverRoute,
        made: impl FnOnce() -> MadeElsewhere,
    ) -> Result<SolverRoute, Diagnostics> {
        if racing(self.loaded).is_none() {
            return Ok(chain);
        }
        let place = self.loaded.place(&Path::root().join("solver").join("race"));
        let refused = |message: String| Diagnostic::error(Code::Plugin, message).at(place.clone());
        let entrants = made()
            .entrants()
            .map_err(|id| refused(format!("{id} has no process of its own, so that it cannot race")))?;
        Ok(chain.racing(entrants).map_err(|error| refused(error.message))?)
    }
}
