//! Convex programs: balance, run, judge on the problem as given, polish or prove.

use vinci_linear::conic::{Answer, Balanced, Certificate, Proof, rays};
use vinci_sdk::core::bridge::QpccAsMilp;
use vinci_sdk::prelude::*;

use crate::config::Config;
use crate::convert::{Ended, Outcome, Program, TOLERANCES, run};

/// Memory that is kept from problem to problem; no numbers in it bear on the next answer.
#[derive(Debug, Default)]
pub(crate) struct HighsWorkspace {
    pub(crate) balanced: Balanced,
    pub(crate) answer: Answer,
    pub(crate) certificate: Certificate,
    pub(crate) bridge: QpccAsMilp,
    /// y, d or a tree.
    pub(crate) proof: Vec<f64>,
    pub(crate) note: String,
    pub(crate) iterations: u32,
}

/// The backend's refusal as an error.
pub(crate) fn refused(message: String) -> StageError {
    StageError::new(ErrorKind::Other, message)
}

impl HighsWorkspace {
    /// Solves `p` to `tolerance`.
    pub(crate) fn solve<'s>(
        &'s mut self,
        p: &Conic<'_>,
        config: &Config,
        tolerance: f64,
    ) -> Result<Solution<'s>, StageError> {
        let status = self.run_conic(p, config, tolerance)?;
        Ok(self.solution(status, f64::NAN))
    }

    /// The solution that stands in the workspace.
    pub(crate) fn solution(&self, status: Status, bound: f64) -> Solution<'_> {
        Solution {
            status,
            z: &self.answer.x,
            dual: &self.answer.y,
            certificate: &self.proof,
            bound,
            iterations: self.iterations + self.answer.steps,
            factorizations: self.answer.steps,
            residual: self.answer.residual,
            note: &self.note,
        }
    }

    /// Solves a convex program; the best point and the proof are left in the workspace.
    pub(crate) fn run_conic(
        &mut self,
        p: &Conic<'_>,
        config: &Config,
        tolerance: f64,
    ) -> Result<Status, StageError> {
        if !p.cones.is_empty() {
            return Err(StageError::unsupported(
                "HiGHS has no second-order cones; take vinci.solver.clarabel, or friction as a pyramid",
            ));
        }
        self.proof.clear();
        self.note.clear();
        self.iterations = 0;
        self.balanced.build(p);
        self.answer.begin(p);
        if p.n() == 0 {
            return Ok(self.without_unknowns(p, tolerance));
        }
        let mut last = Status::NumericalFailure;
        for attempt in TOLERANCES {
            let program = Program::continuous(self.balanced.view(p));
            let outcome = run(&program, config, attempt).map_err(refused)?;
            self.iterations += outcome.iterations;
            last = self.judge(p, &outcome, config, tolerance);
            if last == Status::Converged {
                return Ok(last);
            }
            if outcome.ended == Ended::Hopeless {
                break;
            }
        }
        self.seek_proof(p, config, last)
    }

    /// A point is believed by its residual, an end of the iterations for what it is.
    fn judge(&mut self, p: &Conic<'_>, outcome: &Outcome, config: &Config, tolerance: f64) -> Status {
        if outcome.x.len() == p.n() && outcome.y.len() == p.m() {
            self.answer.x_hat.copy_from_slice(&outcome.x);
            self.answer.y_hat.copy_from_slice(&outcome.y);
            self.answer.offer(p, &self.balanced);
            let met = outcome.ended == Ended::Optimal && self.answer.residual <= tolerance;
            let polish = !met || self.answer.wants_polish(p, tolerance);
            if polish && self.answer.polish(p, &self.balanced, tolerance, config.dense_limit) {
                self.note.push_str("finished by Newton steps");
                return Status::Converged;
            }
            if met {
                return Status::Converged;
            }
        }
        match outcome.ended {
            Ended::Limit => Status::MaxIterations,
            Ended::Time => Status::TimeLimit,
            _ => Status::NumericalFailure,
        }
    }

    /// Seeks a proof for a program that HiGHS calls hopeless: the claim alone proves nothing. Linear programs that always have a solution
    /// give a proof, or the status stays as it is.
    fn seek_proof(&mut self, p: &Conic<'_>, config: &Config, without: Status) -> Result<Status, StageError> {
        self.certificate.begin();
        let proof = self.certificate.seek(p, &self.balanced, &mut |program| minimum(program, config))?;
        Ok(match proof {
            Some(Proof::Infeasible(y)) => {
                self.proof = y;
                Status::Infeasible
            }
            Some(Proof::Unbounded { direction, point }) => {
                (self.proof, self.answer.x) = (direction, point);
                Status::Unbounded
            }
            None => {
                let reach = self.certificate.remark();
                self.note.push_str(
                    reach
                        .as_deref()
                        .unwrap_or("the point misses the tolerance, and nothing proves that there is none"),
                );
                without
            }
        })
    }

    /// s = g is what it is: y = 0, or the first row that is violated is a proof by itself.
    fn without_unknowns(&mut self, p: &Conic<'_>, tolerance: f64) -> Status {
        self.answer.offer(p, &self.balanced);
        if self.answer.residual <= tolerance {
            return Status::Converged;
        }
        self.proof.resize(p.m(), 0.0);
        rays::point_outside(p, &mut self.proof);
        Status::Infeasible
    }
}

/// x of a program that has a solution, in its own units; None where HiGHS finds none.
pub(crate) fn minimum(p: &Conic<'_>, config: &Config) -> Result<Option<Vec<f64>>, StageError> {
    let mut balanced = Balanced::default();
    balanced.build(p);
    let outcome = run(&Program::continuous(balanced.view(p)), config, TOLERANCES[0]).map_err(refused)?;
    if outcome.ended != Ended::Optimal || outcome.x.len() != p.n() {
        return Ok(None);
    }
    let (mut x, mut y) = (Vec::new(), Vec::new());
    balanced.expand(&outcome.x, &outcome.y, &mut x, &mut y);
    Ok(Some(x))
}
