//! The way back: the solution of the problem becomes the end of the step.

use vinci_sdk::prelude::*;

use crate::StewartTrinkle;

impl StewartTrinkle {
    /// v⁺ and impulses from z; q⁺ = q ⊕ h N v⁺ is the host's. At OR groups a failed solve is answered by another choice of
    /// alternatives; in the end overlaps that the step was to expel are named.
    pub(crate) fn advance(
        &mut self,
        step: &StepView<'_>,
        solution: &Solution<'_>,
    ) -> Result<Update<'_>, StageError> {
        if solution.status != Status::Converged {
            return Ok(self.rigid.unsolved(step, &self.config.correction()));
        }
        self.rigid.update(step, solution)
    }
}
