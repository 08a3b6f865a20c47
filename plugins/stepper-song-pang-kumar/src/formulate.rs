//! The problem of a step: nodes, their layers, and the rows all rigid steppers share.

use vinci_sdk::prelude::*;

use crate::SongPangKumar;
use crate::config::{Config, Form};
use crate::seams::refuse_seams;

impl SongPangKumar {
    /// The mixed LCP or cone problem of the step, or of a first part of it.
    pub(crate) fn assemble(&mut self, step: &StepView<'_>) -> Result<Problem<'_>, StageError> {
        self.state.begin(step);
        self.nodes.build(&step.contacts, self.config.nodes, &self.state);
        let whole = StepView { contacts: self.nodes.contacts(&step.contacts), ..*step };
        if self.config.half_space.is_some() {
            refuse_seams(&whole, &self.nodes)?;
        }
        self.layers.build(&whole, &self.nodes, &self.state, &self.config)?;
        let h = self.step_size.choose(&whole, &self.config, &self.layers);
        // What an impedance pulls at depends on the step, and the step is the host's: it is asked to try a shorter one.
        let pulled = step.role.iter().any(|&role| DofRole::from_code(role) == DofRole::Impedance);
        self.retry = if h < step.h && pulled { h } else { 0.0 };
        self.h = if self.retry > 0.0 { step.h } else { h };
        let view = StepView { h: self.h, ..whole };
        if self.h != step.h {
            self.layers.build(&view, &self.nodes, &self.state, &self.config)?;
        }
        let (config, soft) = (&self.config, &self.layers.soft);
        let compliance = self.layers.compliance().filter(|_| config.form == Form::Reduced);
        self.rigid.formulate_compliant(&view, compliance, |_, i| normal_rate(config, &view, soft[i], i))?;
        if self.config.form == Form::Reduced {
            return Ok(self.rigid.problem());
        }
        let Problem::Mlcp(rigid) = self.rigid.problem() else {
            return Err(StageError::unsupported("form `full` is a mixed LCP: choose friction pyramid"));
        };
        Ok(Problem::Mlcp(self.full.build(&rigid, &self.layers, &view, self.rigid.friction_directions())))
    }
}

/// g_n of node i: ψ/h, so that the gap of the *deformed* surfaces at the end of the step,
/// h ρ_n = ψ + h Wnᵀ v⁺ + δ_n⁺, is non-negative. Pairs without compliance are left slowly where they penetrate:
/// max(β (ψ + ε)/h, −v_corr), down to −ε not at all.
fn normal_rate(config: &Config, step: &StepView<'_>, soft: bool, i: usize) -> f64 {
    let (psi, h) = (step.contacts.gap[i], step.h);
    if soft || psi >= 0.0 { psi / h } else { config.correction().rate(psi, h) }
}
