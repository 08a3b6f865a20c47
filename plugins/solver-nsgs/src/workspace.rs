//! The workspace that all stages of a solve share: balanced problem, iterate, linear system, best point so far.

use vinci_sdk::core::problem::Cone;

use crate::leap::Leap;
use crate::linear::Linear;
use crate::map::Jet;
use crate::scaled::Scaled;
use crate::sweep::Sweeps;

/// Buffers and bookkeeping of one solve; memory is kept between solves.
#[derive(Debug, Default)]
pub(crate) struct NsgsWorkspace {
    pub(crate) p: Scaled,
    pub(crate) sweeps: Sweeps,
    pub(crate) linear: Linear,
    pub(crate) leap: Leap,
    /// Maps of all units and the step lengths ρ they are made with.
    pub(crate) jets: Vec<Jet>,
    pub(crate) rho: Vec<f64>,
    /// Iterate z and w = M z + q, balanced.
    pub(crate) z: Vec<f64>,
    pub(crate) w: Vec<f64>,
    /// Step and right side of the linear system.
    pub(crate) d: Vec<f64>,
    pub(crate) r: Vec<f64>,
    pub(crate) trial: Vec<f64>,
    pub(crate) saved: Vec<f64>,
    /// Best point so far, in the units of the problem, and its residual.
    pub(crate) best: Vec<f64>,
    pub(crate) best_residual: f64,
    outward: Vec<f64>,
    /// Sweeps and linear systems so far, and the most allowed.
    pub(crate) swept: u32,
    pub(crate) systems: u32,
    pub(crate) max_sweeps: u32,
    pub(crate) max_systems: u32,
}

impl NsgsWorkspace {
    /// Sizes every buffer for the loaded problem.
    pub(crate) fn start(&mut self, max_sweeps: u32, max_systems: u32) {
        let n = self.p.n();
        for x in [
            &mut self.z,
            &mut self.w,
            &mut self.d,
            &mut self.r,
            &mut self.trial,
            &mut self.saved,
            &mut self.best,
            &mut self.outward,
        ] {
            x.clear();
            x.resize(n, 0.0);
        }
        self.jets.clear();
        self.jets.resize(self.p.units.len(), Jet::default());
        self.rho.clear();
        self.rho.resize(self.p.units.len(), 1.0);
        self.best_residual = f64::INFINITY;
        (self.swept, self.systems) = (0, 0);
        (self.max_sweeps, self.max_systems) = (max_sweeps, max_systems);
    }

    /// Judges the iterate in the problem's own units and keeps it if it is the best so far; true when it meets the
    /// tolerance.
    pub(crate) fn judge(&mut self, problem: &Cone<'_>) -> bool {
        self.p.outward(&self.z, &mut self.outward);
        let natural = problem.residual_marked(&self.outward, &self.p.in_block).natural;
        if natural < self.best_residual {
            self.best_residual = natural;
            self.best.copy_from_slice(&self.outward);
        }
        natural <= problem.rows.tolerance
    }

    /// Back to the best point so far.
    pub(crate) fn recall_best(&mut self) {
        for i in 0..self.z.len() {
            self.z[i] = self.p.inward(i, self.best[i]);
        }
    }
}
