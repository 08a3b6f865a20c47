//! The normal row of Anitescu and Potra; everything else is the assembly all rigid steppers share.

use vinci_sdk::core::rigid::gap_rate;
use vinci_sdk::prelude::*;

use crate::AnitescuPotra;
use crate::config::Config;

impl AnitescuPotra {
    /// The mixed LCP of the step on the level of velocities, with the closed contacts only.
    pub(crate) fn assemble(&mut self, step: &StepView<'_>) -> Result<Problem<'_>, StageError> {
        let config = &self.config;
        self.rigid.formulate(step, |_, i| normal_rate(config, step, i))
    }
}

/// g_n of contact i, ∞ where it is open: ρ_n = Wnᵀ v⁺ + g_n ≥ 0.
///
/// - closed (ψ ≤ tolerance): g_n = ∂ψ/∂t, plus γ ψ/h in penetration where stabilization is asked for;
/// - approaching faster than the threshold, e > 0: Newton's law ν⁺ ≥ −e ν⁻, g_n = ∂ψ/∂t + e ν⁻.
fn normal_rate(config: &Config, step: &StepView<'_>, i: usize) -> f64 {
    let contacts = &step.contacts;
    let (psi, e) = (contacts.gap[i], contacts.restitution[i]);
    if psi > config.contact_tolerance {
        return f64::INFINITY;
    }
    let d_psi_dt = contacts.rate[contacts.row(i)];
    if e > 0.0 {
        let nu = gap_rate(step, i);
        if nu < -config.restitution_threshold {
            return d_psi_dt + e * nu;
        }
    }
    d_psi_dt + config.stabilization * psi.min(0.0) / step.h
}
