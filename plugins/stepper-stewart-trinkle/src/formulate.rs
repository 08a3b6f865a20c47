//! The normal row of Stewart and Trinkle; everything else is the assembly all rigid steppers share.

use vinci_sdk::core::rigid::gap_rate;
use vinci_sdk::prelude::*;

use crate::StewartTrinkle;
use crate::config::Config;

impl StewartTrinkle {
    /// The mixed LCP of the step, eq. (11) of Berard et al. 2007, with all reported contacts.
    pub(crate) fn assemble(&mut self, step: &StepView<'_>) -> Result<Problem<'_>, StageError> {
        let config = &self.config;
        self.rigid.formulate(step, |_, i| normal_rate(config, step, i))
    }
}

/// g_n of contact i: the linearised gap at the end of the step, divided by h, is ρ_n = Wnᵀ v⁺ + g_n ≥ 0.
///
/// - separated: g_n = ψ/h;
/// - separated by no more than the resting gap: 0;
/// - penetrating: max(β (ψ + ε)/h, −v_corr) instead of ψ/h, so that a penetration leaves without a kick; down to
///   −ε it stays, g_n = 0, so that rounding asks nothing of a jammed body;
/// - alternatives of an OR group: ψ/h as long as one is open; where all penetrate, all are moved by what the
///   correction gives back of the most open one, so that their order stays what it is;
/// - closing within this step faster than the threshold, e > 0: Newton's law ν⁺ ≥ −e ν⁻, g_n = e ν⁻. Only in
///   the step that closes the contact (of alternatives all of them), otherwise it would be launched again every step.
fn normal_rate(config: &Config, step: &StepView<'_>, i: usize) -> f64 {
    let contacts = &step.contacts;
    let (psi, e, h) = (contacts.gap[i], contacts.pair.restitution[i], step.h);
    if e > 0.0 {
        let nu = gap_rate(step, i);
        let closes = |j: usize| contacts.gap[j] + h * gap_rate(step, j) <= 0.0;
        if nu < -config.restitution_threshold && contacts.alternatives(i).all(closes) {
            return e * nu;
        }
    }
    let open = contacts.open_gap(i);
    if open > config.resting_gap || open == 0.0 {
        psi / h
    } else {
        (psi - open) / h + config.correction().rate(open.min(0.0), h)
    }
}
