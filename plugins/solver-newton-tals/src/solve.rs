//! The method: J(v) Δv = −r(v), α = limit(v, Δv), v ← v + α Δv.

use vinci_sdk::prelude::*;

use crate::config::Config;
use crate::linear::Linear;

/// An iteration, with its memory.
#[derive(Debug, Default)]
pub(crate) struct Newton {
    /// The iterate; at the end the best one.
    pub(crate) v: Vec<f64>,
    /// max |r_i|/scale_i there.
    pub(crate) residual: f64,
    /// Newton steps made.
    pub(crate) iterations: u32,
    /// What stopped it, where it did not converge.
    pub(crate) note: &'static str,
    pub(crate) linear: Linear,
    r: Vec<f64>,
    /// (v, Δv), as the limiter takes them.
    update: Vec<f64>,
    best: Vec<f64>,
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
        self.open(p);
        self.evaluate(p)?;
        let mut best = self.residual;
        let mut polished = 0;
        loop {
            if !self.residual.is_finite() {
                return Ok(self.settle(best, tolerance, "r is no number"));
            }
            if self.residual <= tolerance && (polished == config.polish || self.residual == 0.0) {
                return Ok(Status::Converged);
            }
            if self.iterations == config.max_iterations {
                let converged = best <= tolerance;
                self.end(best, "the iteration limit came first");
                return Ok(if converged { Status::Converged } else { Status::MaxIterations });
            }
            polished += u32::from(self.residual <= tolerance);
            if !self.linear.factor(p, &self.v, config.sparse_from)? {
                return Ok(self.settle(best, tolerance, "the Jacobian is singular"));
            }
            let alpha = self.step(p)?;
            if !(alpha > 0.0 && alpha <= 1.0) {
                return Ok(self.settle(best, tolerance, "the limiter allows no step"));
            }
            self.iterations += 1;
            self.evaluate(p)?;
            if best <= tolerance && !(self.residual <= 0.5 * best) {
                return Ok(self.settle(best, tolerance, ""));
            }
            if !(self.residual > best) {
                best = self.residual;
                self.best.clone_from(&self.v);
            }
        }
    }

    fn open(&mut self, p: &Root<'_>) {
        self.v.clear();
        self.v.extend_from_slice(p.start);
        self.best.clone_from(&self.v);
        self.r.resize(p.start.len(), 0.0);
        (self.iterations, self.linear.factorizations, self.note) = (0, 0, "");
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

    /// v ← v + α Δv; α.
    fn step(&mut self, p: &Root<'_>) -> Result<f64, StageError> {
        let n = self.v.len();
        self.update.clear();
        self.update.extend_from_slice(&self.v);
        self.update.extend(self.r.iter().map(|r| -r));
        self.linear.solve(&mut self.update[n..]);
        if self.update.iter().any(|x| !x.is_finite()) {
            return Ok(f64::NAN);
        }
        let mut alpha = [f64::NAN];
        p.oracle.call(Root::LIMIT, &self.update, &mut alpha)?;
        let dv = &self.update[n..];
        self.v.iter_mut().zip(dv).for_each(|(v, d)| *v += alpha[0] * d);
        Ok(alpha[0])
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
