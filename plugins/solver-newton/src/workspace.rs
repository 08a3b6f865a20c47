//! The workspace that all stages of a solve share: balanced problem, iterate, linear system, best point so far.

use vinci_linear::RowState;
use vinci_sdk::core::problem::{Mlcp, MlcpResidual};

use crate::linear::Linear;
use crate::map::Map;
use crate::multipliers::Multipliers;
use crate::scaled::Scaled;

/// Buffers and bookkeeping of one solve; memory is kept between solves.
#[derive(Debug, Default)]
pub(crate) struct NewtonWorkspace {
    pub(crate) p: Scaled,
    pub(crate) linear: Linear,
    pub(crate) map: Map,
    /// Iterate z and w = M z + q, balanced.
    pub(crate) z: Vec<f64>,
    pub(crate) w: Vec<f64>,
    /// Step and right side of the linear system.
    pub(crate) d: Vec<f64>,
    pub(crate) r: Vec<f64>,
    /// Diagonals of the linear system.
    pub(crate) a: Vec<f64>,
    pub(crate) b: Vec<f64>,
    /// Trial point of a line search.
    pub(crate) trial_z: Vec<f64>,
    pub(crate) trial_w: Vec<f64>,
    pub(crate) gradient: Vec<f64>,
    pub(crate) state: Vec<RowState>,
    pub(crate) mult: Multipliers,
    pub(crate) saved: Vec<f64>,
    /// Best point so far, in the units of the problem, and its residual.
    pub(crate) best: Vec<f64>,
    pub(crate) best_residual: f64,
    /// Proof of infeasibility, in the units of the problem, or empty.
    pub(crate) certificate: Vec<f64>,
    outward: Vec<f64>,
    /// Iterations of all stages so far, and the most allowed.
    pub(crate) iterations: u32,
    pub(crate) budget: u32,
}

impl NewtonWorkspace {
    /// Sizes every buffer for the loaded problem.
    pub(crate) fn start(&mut self, budget: u32) {
        let n = self.p.n();
        for x in [
            &mut self.z,
            &mut self.w,
            &mut self.d,
            &mut self.r,
            &mut self.a,
            &mut self.b,
            &mut self.trial_z,
            &mut self.trial_w,
            &mut self.gradient,
            &mut self.outward,
            &mut self.best,
        ] {
            x.clear();
            x.resize(n, 0.0);
        }
        self.state.clear();
        self.state.resize(n, RowState::default());
        self.best_residual = f64::INFINITY;
        self.iterations = 0;
        self.budget = budget;
    }

    /// w = M z + q at the iterate.
    pub(crate) fn refresh(&mut self) {
        self.p.w(&self.z, &mut self.w);
    }

    /// Counts an iteration; false when none is left.
    pub(crate) fn tick(&mut self) -> bool {
        self.iterations += 1;
        self.iterations <= self.budget
    }

    /// Judges the iterate in the problem's own units and keeps it if it is the best so far; true when it meets the
    /// tolerance.
    pub(crate) fn judge(&mut self, problem: &Mlcp<'_>) -> bool {
        self.p.outward(&self.z, &mut self.outward);
        let MlcpResidual { natural, .. } = problem.residual(&self.outward);
        if natural < self.best_residual {
            self.best_residual = natural;
            self.best.copy_from_slice(&self.outward);
        }
        natural <= problem.tolerance
    }
}
