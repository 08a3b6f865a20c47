//! Proximal points: regularised problems whose solutions converge to a solution of the problem itself.
//!
//! z_{k+1} solves the problem with (M + ε I, q − ε z_k), all in equilibrated units, by Lemke's method from the basis of z_k
//! (Rockafellar 1976 for monotone problems). A large ε makes short paths and small steps, a small ε the opposite, so ε falls
//! while steps are easy and rises when one fails. The residual of z_{k+1} on the problem itself is at most ε |z_{k+1} − z_k|;
//! once the right basis is found the iteration contracts by about ε per step.

use crate::config::Config;
use crate::solve::{LemkeWorkspace, Run, rules};
use crate::sparse::path;
use std::fmt::Write as _;
use vinci_sdk::core::problem::Mlcp;

/// Steps at most.
const STEPS: usize = 300;
/// Failures at most since the last progress.
const FAILURES: usize = 40;
/// Factors of ε after an easy and after a failed step.
const EASIER: f64 = 0.5;
const HARDER: f64 = 3.0;
/// A step that multiplies the residual by more than this has run to a far solution and does not count.
const LEAP: f64 = 30.0;
/// Below this residual the basis of a proximal point is tried on the problem itself.
const CLOSE: f64 = 1e-4;

impl LemkeWorkspace {
    /// Proximal points from z_0 = 0.
    pub(crate) fn try_proximal(&mut self, p: &Mlcp<'_>, config: &Config) -> Run {
        let Some(&largest) = config.regularization.first() else { return Run::Undecided };
        let smallest = config.regularization[config.regularization.len() - 1].min(largest);
        let (mut eps, mut failures, mut last) = (largest, 0, f64::INFINITY);
        self.prox.clear();
        self.prox.resize(p.n(), 0.0);
        for step in 1..=STEPS {
            let before = self.path.pivots;
            let first = last == f64::INFINITY;
            match self.proximal_point(p, config, eps, first).filter(|&residual| residual <= LEAP * last) {
                None => {
                    failures += 1;
                    if first || failures > FAILURES {
                        break;
                    }
                    eps = (HARDER * eps).min(largest);
                }
                Some(residual) => {
                    last = residual;
                    if self.take_point(p, config, residual) {
                        let _ = write!(self.note, "proximal points: {step} steps, last ε {eps:.0e}; ");
                        return Run::Solved;
                    }
                    if residual <= self.best_residual {
                        failures = 0;
                    }
                    if self.path.pivots - before < p.n() as u32 / 8 + 5 {
                        eps = (EASIER * eps).max(smallest);
                    }
                }
            }
        }
        let _ = write!(self.note, "proximal points: best residual {:.0e}; ", self.best_residual);
        Run::Undecided
    }

    /// Computes z_{k+1} into `z` and returns its residual on the problem itself; nothing if the path did not end well.
    fn proximal_point(&mut self, p: &Mlcp<'_>, config: &Config, eps: f64, first: bool) -> Option<f64> {
        self.path.m.load(p, eps);
        self.path.m.q.iter_mut().zip(&self.prox).for_each(|(q, z)| *q -= eps * z);
        let n = p.n() as u32;
        let limit = if first { 10 * n + 100 } else { n + 50 };
        let rules = path::Rules { max_pivots: config.max_pivots.min(limit), ..rules(config, 0) };
        let begun = if first {
            self.path.begin_cold()
        } else {
            self.path.recall();
            self.path.resume()
        };
        if !begun || self.path.follow(rules) != path::End::Solved {
            return None;
        }
        self.path.restore_q();
        if !self.path.refactor() {
            return None;
        }
        self.path.write_z(p, &mut self.z);
        Some(p.residual(&self.z).natural)
    }

    /// Makes the point in `z` the centre of the next step; true if it, or its basis on the problem itself, is a solution.
    fn take_point(&mut self, p: &Mlcp<'_>, config: &Config, residual: f64) -> bool {
        self.path.scaled_z(&mut self.prox);
        self.path.remember();
        let closer = residual < self.best_residual;
        self.accept(p) || (closer && residual < CLOSE && self.cross_over(p, config))
    }

    /// Brings the basis of a proximal point to the problem itself.
    fn cross_over(&mut self, p: &Mlcp<'_>, config: &Config) -> bool {
        self.path.m.load(p, 0.0);
        let few =
            path::Rules { max_pivots: config.max_pivots.min(p.n() as u32 / 4 + 50), ..rules(config, 0) };
        self.path.resume() && self.settle(p, few)
    }
}
