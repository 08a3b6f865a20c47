//! The way back: the solution of the problem becomes the end of the step.

use vinci_sdk::prelude::*;

use crate::AnitescuPotra;

impl AnitescuPotra {
    /// The impact, or v⁺ and impulses from z; q⁺ = q ⊕ h N v⁺ is the host's.
    pub(crate) fn advance(
        &mut self,
        step: &StepView<'_>,
        solution: &Solution<'_>,
    ) -> Result<Update<'_>, StageError> {
        if self.impacts.pending() {
            return self.impacts.update(step, solution);
        }
        self.rigid.update(step, solution)
    }
}
