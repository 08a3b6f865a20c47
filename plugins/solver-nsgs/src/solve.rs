//! The order of the stages. Every stage reports to the same judge; the first that satisfies it ends the solve.
//!
//! 1. Sweeps in batches of growing length; after each batch Newton's method tries to finish from where they stand.
//! 2. Proximal points from the best point. Where the free rows cannot be eliminated this comes first.
//! 3. More sweeps, as many as are left.
//!
//! Where the start was a guess and nothing of this helped, all of it once more from zero: a guess may lead into a corner that nothing leads out of.

use vinci_sdk::core::problem::{Cone, Status};

use crate::config::Config;
use crate::workspace::NsgsWorkspace;

/// Sweeps of the first batch; every further one is twice as long.
const FIRST_BATCH: u32 = 10;
/// Sweeps before proximal points are tried.
const BEFORE_PROXIMAL: u32 = 150;
/// Relative change of a sweep that counts as standing still.
const STILL: f64 = 1e-15;
/// Newton rounds after a batch.
const ROUNDS: u32 = 20;
/// Proximal points at most.
const POINTS: u32 = 150;

impl NsgsWorkspace {
    /// Solves the problem; the best point, its residual and the counts are left in `self`.
    pub(crate) fn solve(&mut self, problem: &Cone<'_>, config: &Config) -> (Status, &'static str) {
        let guess = problem.rows.guess;
        let warm = config.warm_start && !guess.is_empty() && guess.iter().all(|x| x.is_finite());
        let first = self.attempt(problem, config, warm);
        if first.0 == Status::Converged || !warm {
            return first;
        }
        let (best, residual) = (std::mem::take(&mut self.best), self.best_residual);
        let (swept, systems) = (self.swept, self.systems);
        let (status, note) = self.attempt(problem, config, false);
        (self.swept, self.systems) = (self.swept + swept, self.systems + systems);
        if residual < self.best_residual {
            (self.best, self.best_residual) = (best, residual);
        }
        (status, if status == Status::Converged { "from zero" } else { note })
    }

    /// The stages from the guess or from zero.
    fn attempt(&mut self, problem: &Cone<'_>, config: &Config, warm: bool) -> (Status, &'static str) {
        self.p.load(problem);
        self.start(config.max_sweeps, config.max_newton);
        if config.polish {
            self.linear.start(problem, &self.p, config.dense_limit);
        }
        self.begin(problem, warm);
        if self.judge(problem) {
            return (Status::Converged, "the guess holds");
        }
        let regular = self.sweeps.reduce(&self.p);
        if regular {
            self.sweeps.steps(&self.p, &mut self.rho);
            if self.sweep_and_polish(problem, config, BEFORE_PROXIMAL) {
                return (Status::Converged, "by sweeps");
            }
        } else if !config.polish {
            return (Status::NumericalFailure, "the free rows cannot be eliminated, and the polish is off");
        }
        if config.polish {
            self.recall_best();
            if self.proximal_points(problem, config, POINTS) {
                return (Status::Converged, "by proximal points");
            }
        }
        if regular {
            self.recall_best();
            self.sweeps.reduce(&self.p);
            if self.sweep_and_polish(problem, config, u32::MAX) {
                return (Status::Converged, "by sweeps");
            }
        }
        let exhausted = self.swept >= self.max_sweeps || self.systems >= self.max_systems;
        (if exhausted { Status::MaxIterations } else { Status::NumericalFailure }, "best point")
    }

    /// The iterate at the guess, or at zero inside the bounds.
    fn begin(&mut self, problem: &Cone<'_>, warm: bool) {
        let guess = problem.rows.guess;
        for i in 0..self.p.n() {
            let z = if warm { self.p.inward(i, guess[i]) } else { 0.0 };
            self.z[i] = z.max(self.p.lower[i]).min(self.p.upper[i]);
        }
    }

    /// Sweeps until `limit` in all or until they stand still; true when the tolerance is met.
    fn sweep_and_polish(&mut self, problem: &Cone<'_>, config: &Config, limit: u32) -> bool {
        self.sweeps.restrict(&self.z);
        let limit = limit.min(self.max_sweeps);
        let mut batch = FIRST_BATCH;
        while self.swept < limit {
            let mut still = true;
            for k in 0..batch.min(limit - self.swept) {
                let change = self.sweeps.sweep(config.omega, k % 2 == 1);
                self.swept += 1;
                still = change <= STILL;
                if still {
                    break;
                }
            }
            batch = batch.saturating_mul(2);
            self.sweeps.expand(&mut self.z);
            let good = self.judge(problem);
            if config.polish && self.polish(problem, ROUNDS) || good {
                return true;
            }
            if still {
                return false;
            }
        }
        false
    }
}
