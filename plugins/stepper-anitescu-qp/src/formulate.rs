//! The way there: the step becomes a program.

use vinci_sdk::prelude::*;

use crate::AnitescuQp;
use crate::config::{Config, Repair};
use crate::equilibrium;
use crate::rows::Parts;

impl AnitescuQp {
    /// The convex program of the step (or of this pass of its repair), or the root problem of its barrier.
    pub(crate) fn assemble(&mut self, step: &StepView<'_>) -> Result<Problem<'_>, StageError> {
        check(step)?;
        let config = &self.config;
        self.balance
            .assemble(step, config.motion.into(), config.mass_scale)
            .map_err(|error| self.freedom.named(error))?;
        self.constant.clear();
        self.constant.extend((0..step.contacts.len()).map(|i| gap_constant(config, step, i).0));
        self.shift(step);
        self.freedom.check(step, &self.balance.momentum, &self.constant)?;
        let parts =
            Parts { step, momentum: &self.balance.momentum, freedom: &self.freedom, constant: &self.shifted };
        self.program.write(&parts)?;
        equilibrium::check(&self.program, step, &self.balance.momentum, &self.freedom)?;
        match &mut self.smooth {
            Some(smooth) => smooth.formulate(&self.program, step),
            None => Ok(Problem::Conic(self.program.conic.view())),
        }
    }

    /// φ/h + s. The repair starts from the slip at the start of the step, which in steady sliding is that at its end.
    fn shift(&mut self, step: &StepView<'_>) {
        let n = step.contacts.len();
        let goes_on = self.repair.running && step.pass > 0 && self.repair.shift.len() == n;
        if !goes_on {
            let (program, asked) = (&self.program, self.config.repair != Repair::None);
            let slip = |i: usize| step.contacts.pair.friction[i] * program.slip(step, i, step.v);
            self.repair.start((0..n).map(|i| if asked { slip(i) } else { 0.0 }));
        }
        self.shifted.clear();
        self.shifted.extend(self.constant.iter().zip(&self.repair.shift).map(|(c, s)| c + s));
    }
}

/// The constant φ/h of contact i, m/s, and its derivative by the gap, 1/s. A penetration leaves by a part β per step and
/// not faster than v_corr: max(β φ/h, −v_corr).
pub(crate) fn gap_constant(config: &Config, step: &StepView<'_>, i: usize) -> (f64, f64) {
    let (phi, h) = (step.contacts.gap[i], step.h);
    if phi >= 0.0 {
        return (phi / h, 1.0 / h);
    }
    let corrected = config.penetration_correction * phi / h;
    if corrected > -config.correction_speed {
        (corrected, config.penetration_correction / h)
    } else {
        (-config.correction_speed, 0.0)
    }
}

fn check(step: &StepView<'_>) -> Result<(), StageError> {
    if !step.supports.is_empty() {
        return Err(StageError::unsupported(
            "support points of 2.5D parts are not known to the convex stepper: choose stepper stewart-trinkle",
        ));
    }
    match step.contacts.pair.friction.iter().position(|mu| !(*mu >= 0.0 && mu.is_finite())) {
        None => Ok(()),
        Some(i) => Err(StageError::bad_input(format!(
            "contact {i} has the friction coefficient {}, which is not a number of 0 or more",
            step.contacts.pair.friction[i]
        ))),
    }
}
