//! The way back: v⁺ and impulses from z, and positions moved with the mean velocity.

use vinci_sdk::core::state::integrate;
use vinci_sdk::prelude::*;

use crate::Trapezoidal;

impl Trapezoidal {
    /// The impact, another round with contacts that do not leave after all, or the end of the step: q⁺ = q ⊕ (h/2) N (v + v⁺). Prescribed dofs move with their command, which is the
    /// mean velocity of the step to the bit.
    pub(crate) fn advance(
        &mut self,
        step: &StepView<'_>,
        solution: &Solution<'_>,
    ) -> Result<Update<'_>, StageError> {
        if self.impacts.pending() {
            return self.impacts.update(step, solution);
        }
        let update = self.rigid.update(step, solution)?;
        if update.verdict != Verdict::Accept {
            return Ok(update);
        }
        if self.leaving.is_pushed_back(step, update.v) {
            return Ok(Update { verdict: Verdict::Again, ..update });
        }
        let mean = |i: usize| match DofRole::from_code(step.role[i]) {
            DofRole::Prescribed => step.command[i],
            _ => 0.5 * (step.v[i] + update.v[i]),
        };
        self.mean.clear();
        self.mean.extend((0..step.nv()).map(mean));
        self.q.resize(step.q.len(), 0.0);
        integrate(&step.layout(), step.q, &self.mean, step.h, &mut self.q);
        Ok(Update { q: &self.q, ..update })
    }
}
