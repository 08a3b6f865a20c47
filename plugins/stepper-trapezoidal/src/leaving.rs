//! Closed contacts that just leave. Their rows would stop them after they have moved with half their speed.

use vinci_sdk::core::momentum::{Momentum, NOT_FREE};
use vinci_sdk::core::rigid::gap_rate;
use vinci_sdk::prelude::*;

/// Which contacts leave within a step. It keeps nothing between steps.
#[derive(Debug, Default)]
pub(crate) struct Leaving {
    /// (step, attempt, pass) of the round that follows the one that was formulated last.
    next: Option<(u64, u32, u32)>,
    /// Marks of contacts that were left out of the round.
    left: Vec<bool>,
    /// Marks of those that others push back: they take part from the next round on.
    back: Vec<bool>,
}

impl Leaving {
    /// Begins a round; what was pushed back is known in the rounds that follow at the same place alone.
    pub(crate) fn begin(&mut self, step: &StepView<'_>) {
        let n = step.contacts.len();
        if self.next != Some((step.step, step.attempt, step.pass)) || self.back.len() != n {
            self.back.clear();
        }
        self.back.resize(n, false);
        self.left.clear();
        self.left.resize(n, false);
    }

    /// Returns true if closed contact i is left out.
    pub(crate) fn lets_go(
        &mut self,
        step: &StepView<'_>,
        momentum: &Momentum,
        i: usize,
        slowest: f64,
    ) -> bool {
        self.left[i] = !self.back[i] && leaves(step, momentum, i, slowest);
        self.left[i]
    }

    /// Returns true if contacts that were left out close within the step all the same, because the impulses of others push them
    /// back: ν⁺ < 0 and ψ/h + (ν + ν⁺)/2 < 0. The next round has them.
    pub(crate) fn is_pushed_back(&mut self, step: &StepView<'_>, v: &[f64]) -> bool {
        let mut any = false;
        for i in (0..step.contacts.len()).filter(|&i| self.left.get(i) == Some(&true)) {
            let row = step.contacts.row(i);
            let after = step.contacts.jacobian.row_dot(row, v);
            let mean = 0.5 * (gap_rate(step, i) + after);
            if after < 0.0 && step.contacts.gap[i].max(0.0) / step.h + mean < 0.0 {
                self.back[i] = true;
                any = true;
            }
        }
        self.next = any.then_some((step.step, step.attempt, step.pass + 1));
        any
    }
}

/// Returns true if a closed contact separates and, left alone, has not returned by the end of the step: ν > 0 and ν + ν⁺ ≥ 0 with
/// ν⁺ from forces alone.
fn leaves(step: &StepView<'_>, momentum: &Momentum, i: usize, slowest: f64) -> bool {
    let nu = gap_rate(step, i);
    if nu <= slowest {
        return false;
    }
    let a = momentum.a.view();
    let free = |dof: usize| match momentum.index[dof] {
        NOT_FREE => momentum.prescribed[dof],
        _ => momentum.b[dof] / a.entries(dof).find(|e| e.0 == dof).map_or(f64::INFINITY, |e| e.1),
    };
    let row = step.contacts.row(i);
    let after: f64 = step.contacts.jacobian.entries(row).map(|(dof, x)| x * free(dof)).sum();
    nu + after >= 0.0
}
