//! The method: J(v) Δv = −r(v), α = limit(v, Δv), v ← v + α Δv.

use vinci_sdk::prelude::*;
use vinci_sdk::tracing::debug;

use crate::config::{Config, Stop};
use crate::linear::Linear;

/// Record of one Newton step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Iteration {
    /// max |r_i|/scale_i where it began.
    pub residual: f64,
    /// Size of the undamped update, as the problem measures it; NaN where it does not.
    pub update: f64,
    /// α, the part of the update that was taken.
    pub alpha: f64,
}

/// Part of the smallest residual so far below which a smaller one is progress.
const PROGRESS: f64 = 0.9;

/// Progress of an iteration: the best residual, and the steps since.
#[derive(Debug, Clone, Copy)]
struct Progress {
    /// The residual that was progress last.
    least: f64,
    /// Steps since then.
    idle: u32,
}

impl Progress {
    fn note(&mut self, residual: f64) {
        if residual < PROGRESS * self.least {
            *self = Self { least: residual, idle: 0 };
        } else {
            self.idle += 1;
        }
    }
}

/// An iteration, with its memory.
#[derive(Debug, Default)]
pub(crate) struct Newton {
    /// The iterate; at the end the best one.
    pub(crate) v: Vec<f64>,
    /// max |r_i|/scale_i there.
    pub(crate) residual: f64,
    /// Newton steps made.
    pub(crate) iterations: u32,
    /// Reason of the end, where it did not converge.
    pub(crate) note: &'static str,
    /// The steps.
    pub(crate) history: Vec<Iteration>,
    pub(crate) linear: Linear,
    r: Vec<f64>,
    /// (v, Δv), as the limiter takes them.
    update: Vec<f64>,
    best: Vec<f64>,
    /// True if the problem measures its updates.
    measures: bool,
}

impl Newton {
    /// Solves; the answer stands in `v`.
    ///
    /// Errors: those of the problem's functions.
    pub(crate) fn solve(
        &mut self,
        p: &Root<'_>,
        tolerance: f64,
        config: &Config,
    ) -> Result<Status, StageError> {
        self.open(p)?;
        self.evaluate(p)?;
        let mut best = self.residual;
        let mut polished = 0;
        let mut progress = Progress { least: best, idle: 0 };
        loop {
            if let Some(status) = self.ending((best, polished, progress.idle), tolerance, config) {
                return Ok(status);
            }
            polished += u32::from(self.residual <= tolerance);
            if !self.linear.factor(p, &self.v, config.sparse_from)? {
                return Ok(self.settle(best, tolerance, "the Jacobian is singular"));
            }
            let step = self.step(p)?;
            if !(step.alpha > 0.0 && step.alpha <= 1.0) {
                return Ok(self.settle(best, tolerance, "the limiter allows no step"));
            }
            self.record(step);
            self.evaluate(p)?;
            if best <= tolerance && !(self.residual <= 0.5 * best) {
                return Ok(self.settle(best, tolerance, ""));
            }
            if !(self.residual > best) {
                best = self.residual;
                self.best.clone_from(&self.v);
            }
            progress.note(self.residual);
        }
    }

    /// How the iteration ends where it stands, if it does, with its best residual, the steps beyond the tolerance and those
    /// without progress.
    fn ending(
        &mut self,
        (best, polished, idle): (f64, u32, u32),
        tolerance: f64,
        config: &Config,
    ) -> Option<Status> {
        if !self.residual.is_finite() {
            return Some(self.settle(best, tolerance, "r is no number"));
        }
        if self.residual <= tolerance && self.may_stop(polished, config) {
            return Some(Status::Converged);
        }
        if self.iterations == config.max_iterations {
            let converged = best <= tolerance;
            self.end(best, "the iteration limit came first");
            return Some(if converged { Status::Converged } else { Status::MaxIterations });
        }
        (idle >= config.patience).then(|| self.settle(best, tolerance, "the residual does not fall any more"))
    }

    fn open(&mut self, p: &Root<'_>) -> Result<(), StageError> {
        self.v.clear();
        self.v.extend_from_slice(p.start);
        self.best.clone_from(&self.v);
        self.r.resize(p.start.len(), 0.0);
        self.history.clear();
        (self.iterations, self.note) = (0, "");
        let mut traits = [0.0; 2];
        match p.oracle.call(Root::TRAITS, p.start, &mut traits) {
            Err(error) if error.kind != ErrorKind::Unsupported => return Err(error),
            // A problem need not have any.
            Err(_) => traits = [0.0; 2],
            Ok(()) => {}
        }
        self.measures = traits[0] == 1.0;
        self.linear.open(traits[1] == 1.0);
        Ok(())
    }

    /// Returns true if an iterate within the tolerance is the last one.
    fn may_stop(&self, polished: u32, config: &Config) -> bool {
        if !self.measures {
            return polished == config.polish || self.residual == 0.0;
        }
        config.stop == Stop::Residual || self.history.last().is_some_and(|last| last.update < 1.0)
    }

    fn record(&mut self, step: Iteration) {
        self.iterations += 1;
        self.history.push(step);
        debug!(
            iteration = self.iterations,
            residual = step.residual,
            update = step.update,
            alpha = step.alpha
        );
    }

    /// r(v) and its size.
    fn evaluate(&mut self, p: &Root<'_>) -> Result<(), StageError> {
        p.oracle.call(Root::RESIDUAL, &self.v, &mut self.r)?;
        let size = |i: usize| p.scale.get(i).copied().unwrap_or(1.0);
        // NaN must not pass for a small number.
        let worse = |m: f64, x: f64| if x.is_nan() || x > m { x.abs() } else { m };
        self.residual = self.r.iter().enumerate().fold(0.0, |m, (i, r)| worse(m, r.abs() / size(i)));
        if self.residual.is_nan() {
            self.residual = f64::INFINITY;
        }
        Ok(())
    }

    /// v ← v + α Δv; α NaN where Δv is no vector of numbers.
    fn step(&mut self, p: &Root<'_>) -> Result<Iteration, StageError> {
        let n = self.v.len();
        self.update.clear();
        self.update.extend_from_slice(&self.v);
        self.update.extend(self.r.iter().map(|r| -r));
        self.linear.solve(&mut self.update[n..]);
        let (mut alpha, mut size) = ([f64::NAN], [f64::NAN]);
        if self.update.iter().all(|x| x.is_finite()) {
            p.oracle.call(Root::LIMIT, &self.update, &mut alpha)?;
            if self.measures {
                p.oracle.call(Root::UPDATE_SIZE, &self.update, &mut size)?;
            }
            let dv = &self.update[n..];
            self.v.iter_mut().zip(dv).for_each(|(v, d)| *v += alpha[0] * d);
        }
        Ok(Iteration { residual: self.residual, update: size[0], alpha: alpha[0] })
    }

    /// Back to the best iterate.
    fn end(&mut self, best: f64, note: &'static str) -> Status {
        self.v.clone_from(&self.best);
        (self.residual, self.note) = (best, note);
        Status::NumericalFailure
    }

    /// The best iterate is the answer if it is good enough.
    fn settle(&mut self, best: f64, tolerance: f64, note: &'static str) -> Status {
        let status = self.end(best, note);
        if best <= tolerance { Status::Converged } else { status }
    }
}
