//! The order of a solve: balance, interior point, judgement on the problem as given, polish or proof.

use vinci_linear::conic::{Answer, Balanced, Certificate, Proof, rays, seek_point};
use vinci_sdk::prelude::*;

use crate::config::Config;
use crate::convert::{Attempt, Backend, Ended};
use crate::far::{self, NearBounds};
use crate::standard::Standard;

/// Memory that is kept from problem to problem; no numbers in it bear on the next answer.
#[derive(Debug, Default)]
pub(crate) struct ClarabelWorkspace {
    balanced: Balanced,
    form: Standard,
    backend: Backend,
    answer: Answer,
    certificate: Certificate,
    /// y or d of the proof.
    proof: Vec<f64>,
    note: String,
    iterations: u32,
}

/// Most sets of far bounds that are left out, one after the other.
const LEVELS: usize = 3;

impl ClarabelWorkspace {
    /// Solves `p` to `tolerance`.
    pub(crate) fn solve<'s>(
        &'s mut self,
        p: &Conic<'_>,
        config: &Config,
        tolerance: f64,
    ) -> Result<Solution<'s>, StageError> {
        self.proof.clear();
        let (mut status, mut note) = if p.n() == 0 {
            (self.solve_without_unknowns(p, tolerance), "")
        } else {
            self.attempt(p, config, tolerance)?
        };
        if let Some(end) = self.attempt_near(p, config, tolerance, status)? {
            (status, note) = (end, "found without the bounds that are far away");
        }
        if status == Status::Unbounded && !self.find_point(p, config)? {
            (status, note) =
                (Status::NumericalFailure, "the objective falls for ever, but no point was found");
        }
        if status == Status::NumericalFailure
            && let Some(proof) = self.seek_proof(p, config)?
        {
            status = self.take(proof);
            note = "proved by a program of its own";
        }
        self.note.clear();
        self.note.push_str(note);
        if status == Status::NumericalFailure
            && let Some(reach) = self.certificate.remark()
        {
            self.note = reach;
        }
        let work = self.iterations + self.answer.steps;
        Ok(Solution {
            status,
            z: &self.answer.x,
            dual: &self.answer.y,
            certificate: &self.proof,
            iterations: work,
            factorizations: work,
            residual: self.answer.residual,
            note: &self.note,
            ..Solution::default()
        })
    }

    /// A point from which the objective falls for ever, into the answer; false where none is found.
    fn find_point(&mut self, p: &Conic<'_>, config: &Config) -> Result<bool, StageError> {
        let mut inner = Self::default();
        let found = seek_point(p, &self.balanced, &mut |program| inner.minimum(program, config))?;
        self.iterations += inner.iterations;
        Ok(found.map(|x| self.answer.x = x).is_some())
    }

    /// x of a program of its own.
    fn minimum(&mut self, p: &Conic<'_>, config: &Config) -> Result<Option<Vec<f64>>, StageError> {
        self.attempt(p, config, p.tolerance)?;
        Ok(Some(self.answer.x.clone()))
    }

    /// The program without its far bounds, where there are such and what is known by now is not right in small rows: its answer is
    /// taken where it has a solution that obeys them (their y is 0), or no solution at all.
    fn attempt_near(
        &mut self,
        p: &Conic<'_>,
        config: &Config,
        tolerance: f64,
        status: Status,
    ) -> Result<Option<Status>, StageError> {
        if matches!(status, Status::Infeasible | Status::Unbounded) {
            return Ok(None);
        }
        let limits = far::limits(p, self.balanced.units());
        let is_right =
            |answer: &Answer| p.residual_in_units(&answer.x, &answer.y) <= tolerance.max(p.tolerance);
        // A point that is far away itself leaves those bounds no digits either.
        let d = self.balanced.units().0;
        let is_near =
            |x: &[f64], limit: f64| x.iter().zip(d).all(|(x, d)| (x / d).abs() <= far::reach(limit));
        let is_good = |limit: &f64| is_right(&self.answer) && is_near(&self.answer.x, *limit);
        if status == Status::Converged && limits.first().is_none_or(is_good) {
            return Ok(None);
        }
        let (mut bounds, mut inner) = (NearBounds::default(), Self::default());
        for limit in limits.into_iter().take(LEVELS) {
            let Some(near) = bounds.of(p, self.balanced.units().1, limit) else { continue };
            let (status, _) = inner.attempt(&near, config, tolerance)?;
            self.iterations += inner.iterations;
            let holds = match status {
                Status::Converged => bounds.obeys_far(p, &inner.answer.x) && is_right(&inner.answer),
                other => other == Status::Infeasible,
            };
            if holds {
                self.iterations += self.answer.steps;
                (self.answer, self.proof) = (inner.answer, inner.proof);
                return Ok(Some(status));
            }
        }
        Ok(None)
    }

    fn take(&mut self, proof: Proof) -> Status {
        match proof {
            Proof::Infeasible(y) => {
                self.proof = y;
                Status::Infeasible
            }
            Proof::Unbounded { direction, point } => {
                (self.proof, self.answer.x) = (direction, point);
                Status::Unbounded
            }
        }
    }

    /// The interior point method until it leads somewhere. A claim that there is no solution whose proof does not hold is no
    /// end: it comes again from a new solver, then from other settings. Those follow at once where the iterations came to their limit.
    fn attempt(
        &mut self,
        p: &Conic<'_>,
        config: &Config,
        tolerance: f64,
    ) -> Result<(Status, &'static str), StageError> {
        self.begin(p);
        let mut first = None;
        for attempt in Attempt::ALL {
            if attempt == Attempt::Anew && matches!(first, Some((Status::MaxIterations, _))) {
                continue;
            }
            let ended = self.run(config, attempt)?;
            let judged = self.judge(p, config, tolerance, ended);
            if matches!(judged.0, Status::Converged | Status::Infeasible | Status::Unbounded) {
                return Ok(judged);
            }
            // Where no attempt leads anywhere, the first one's end is told.
            first = first.or(Some(judged));
        }
        Ok(first.unwrap_or((Status::NumericalFailure, "")))
    }

    /// Readies everything for a problem.
    fn begin(&mut self, p: &Conic<'_>) {
        self.balanced.build(p);
        self.form.build(p, &self.balanced);
        self.answer.begin(p);
        self.certificate.begin();
        self.iterations = 0;
    }

    /// The interior point method; leaves (x̂, ŷ), which is a ray where there is no solution.
    fn run(&mut self, config: &Config, attempt: Attempt) -> Result<Ended, StageError> {
        let ended = self.backend.solve(&self.form, &self.balanced.c, config, attempt);
        let ended = ended.map_err(|message| StageError::new(ErrorKind::Other, message))?;
        let (x, z, iterations) = self.backend.result();
        self.answer.x_hat.copy_from_slice(x);
        self.form.duals(z, &mut self.answer.y_hat);
        let numbers = self.answer.x_hat.iter_mut().chain(self.answer.y_hat.iter_mut());
        numbers.filter(|v| !v.is_finite()).for_each(|v| *v = 0.0);
        self.iterations += iterations;
        if attempt == Attempt::Careful {
            self.backend.forget();
        }
        Ok(ended)
    }

    /// Judges the end of the interior point method: a point by its residual, however the method ended; a ray only as a proof that
    /// core's check accepts.
    fn judge(
        &mut self,
        p: &Conic<'_>,
        config: &Config,
        tolerance: f64,
        ended: Ended,
    ) -> (Status, &'static str) {
        if matches!(ended, Ended::Infeasible | Ended::Unbounded) {
            return self.prove(p, ended);
        }
        self.answer.offer(p, &self.balanced);
        let met = self.answer.residual <= tolerance;
        let polish = config.polish && (!met || self.answer.wants_polish(p, tolerance));
        if polish && self.answer.polish(p, &self.balanced, tolerance, config.dense_limit) {
            return (Status::Converged, "finished by Newton steps");
        }
        match ended {
            _ if met => (Status::Converged, ""),
            Ended::Limit => (Status::MaxIterations, "the interior point method reached its iteration limit"),
            Ended::Solved => {
                (Status::NumericalFailure, "solved in balanced units, not to the tolerance in the given ones")
            }
            _ => (Status::NumericalFailure, "the interior point method made no progress"),
        }
    }

    fn prove(&mut self, p: &Conic<'_>, ended: Ended) -> (Status, &'static str) {
        let (mut x, mut y) = (Vec::new(), Vec::new());
        self.balanced.expand(&self.answer.x_hat, &self.answer.y_hat, &mut x, &mut y);
        let (d, e) = self.balanced.units();
        if ended == Ended::Infeasible && self.certificate.infeasible(p, e, &mut y) {
            self.proof = y;
            return (Status::Infeasible, "");
        }
        if ended == Ended::Unbounded && self.certificate.unbounded(p, d, &mut x) {
            self.proof = x;
            return (Status::Unbounded, "");
        }
        (Status::NumericalFailure, "seems to have no solution, but the proof does not hold")
    }

    /// Programs that look for a proof, each solved by an instance of its own.
    fn seek_proof(&mut self, p: &Conic<'_>, config: &Config) -> Result<Option<Proof>, StageError> {
        let mut inner = Self::default();
        self.certificate.seek(p, &self.balanced, &mut |program| inner.minimum(program, config))
    }

    /// s = g is what it is: y = 0, or the first row or cone that is violated is a proof by itself.
    fn solve_without_unknowns(&mut self, p: &Conic<'_>, tolerance: f64) -> Status {
        self.iterations = 0;
        self.balanced.build(p);
        self.answer.begin(p);
        self.answer.offer(p, &self.balanced);
        if self.answer.residual <= tolerance {
            return Status::Converged;
        }
        self.proof.resize(p.m(), 0.0);
        rays::point_outside(p, &mut self.proof);
        Status::Infeasible
    }
}
