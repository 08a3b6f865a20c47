//! The normal row of Anitescu and Potra; everything else is the assembly all rigid steppers share.

use vinci_sdk::prelude::*;

use crate::AnitescuPotra;
use crate::config::Config;

impl AnitescuPotra {
    /// The problem of an impact, where one comes first; then that of the step on the level of velocities, with the closed
    /// contacts only.
    pub(crate) fn assemble(&mut self, step: &StepView<'_>) -> Result<Problem<'_>, StageError> {
        if self.impacts.due(step) {
            return self.impacts.formulate(step);
        }
        let config = &self.config;
        self.rigid.formulate(step, |_, i| normal_rate(config, step, i))
    }
}

/// g_n of contact i, ∞ where it is open: ρ_n = Wnᵀ v⁺ + g_n ≥ 0.
///
/// Closed (ψ ≤ tolerance): g_n = 0, or γ ψ/h in penetration where stabilization is asked for. Restitution is not
/// here: it belongs to impacts, which come before the step.
fn normal_rate(config: &Config, step: &StepView<'_>, i: usize) -> f64 {
    let contacts = &step.contacts;
    let psi = contacts.gap[i];
    if psi > config.contact_tolerance {
        return f64::INFINITY;
    }
    config.stabilization * psi.min(0.0) / step.h
}
