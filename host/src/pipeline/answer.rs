//! What a solver answered, in terms of the problem in front of the bridges it has come back over so far.

use vinci_core::problem::{Problem, Solution, Status};

use super::audit::{Denied, audit, audit_in, denied, slack};
use super::proof_weights::proof_weights;
use super::step_record::copy;

/// What came back, in terms of the original problem.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Answer {
    /// What deserves belief.
    pub status: Status,
    /// What the solver claimed, in terms of the original: differs from `status` only where the audit denies it.
    pub claimed: Status,
    /// Unknowns.
    pub z: Vec<f64>,
    /// Duals where the class has them.
    pub dual: Vec<f64>,
    /// Proof, where the class has a form for it.
    pub certificate: Vec<f64>,
    /// Proved lower bound of the objective; NaN: none.
    pub bound: f64,
    /// Whether `status` is proved of the original: no solution, or no lowest value.
    pub proved: bool,
    /// Whether that proof is one by cases, checked on the bridged problem; there is no certificate then.
    pub by_cases: bool,
    /// How much a proof by cases rests on each row, 0 … 1: the largest share over its leaves; empty without cases.
    pub weight: Vec<f64>,
    /// The check that the solver's claim did not pass, if one of them.
    pub denied: Option<Denied>,
    /// Residual recomputed, of the problem that was audited last.
    pub residual: f64,
    /// What the tolerance may amount to in any one row of that problem.
    pub slack: f64,
    /// Iterations of all calls.
    pub iterations: u64,
    /// Calls of the solver.
    pub solves: u32,
    /// The solver's note.
    pub note: String,
    pub(super) spare: Vec<f64>,
}

impl Answer {
    pub(super) fn begin(&mut self) {
        (self.iterations, self.solves, self.by_cases) = (0, 0, false);
    }

    /// A solver's answer, audited on the problem it was given.
    pub(super) fn take(&mut self, problem: &Problem<'_>, solution: &Solution<'_>) {
        let (status, residual) = audit_in(problem, solution, &mut self.spare);
        (self.status, self.claimed, self.residual) = (status, solution.status, residual);
        self.proved = matches!(status, Status::Infeasible | Status::Unbounded);
        self.denied = denied(problem, solution, status);
        self.slack = slack(problem);
        self.weight.clear();
        if let (Problem::Qpcc(p), true) = (problem, self.proved) {
            proof_weights(p, solution.certificate, &mut self.weight);
        }
        self.bound = solution.bound;
        self.iterations += u64::from(solution.iterations);
        self.solves += 1;
        copy(&mut self.z, solution.z);
        copy(&mut self.dual, solution.dual);
        copy(&mut self.certificate, solution.certificate);
        self.note.clear();
        self.note.push_str(solution.note);
    }

    /// The solution of a problem without unknowns.
    pub(super) fn take_nothing(&mut self) {
        (self.status, self.claimed) = (Status::Converged, Status::Converged);
        (self.proved, self.denied, self.bound) = (false, None, f64::NAN);
        (self.residual, self.slack) = (0.0, 0.0);
        for list in [&mut self.z, &mut self.dual, &mut self.certificate, &mut self.weight] {
            list.clear();
        }
        self.note.clear();
    }

    /// The audit of what was mapped back, on the problem in front of the bridge.
    pub(super) fn audit_again(&mut self, problem: &Problem<'_>) {
        self.slack = slack(problem);
        if self.proved && self.by_cases {
            return;
        }
        let (status, residual) = audit(problem, &self.solution());
        self.denied = self.denied.or(denied(problem, &self.solution(), status));
        self.proved = matches!(status, Status::Infeasible | Status::Unbounded);
        (self.status, self.residual) = (status, residual);
    }

    /// Objective of the point and its proved lower bound, where both are numbers: of programs with pairs that ended without
    /// a proof.
    pub fn gap(&self, problem: &Problem<'_>) -> Option<[f64; 2]> {
        let Problem::Qpcc(p) = problem else { return None };
        if self.proved || self.z.len() != p.qp.n() {
            return None;
        }
        let both = [p.qp.objective(&self.z), self.bound];
        (both[0].is_finite() && !both[1].is_nan()).then_some(both)
    }

    /// As a solution.
    pub fn solution(&self) -> Solution<'_> {
        Solution {
            status: self.status,
            z: &self.z,
            dual: &self.dual,
            certificate: &self.certificate,
            bound: self.bound,
            iterations: u32::try_from(self.iterations).unwrap_or(u32::MAX),
            note: &self.note,
            ..Solution::default()
        }
    }

    /// The bridge says what the solver's word means in front of it.
    pub(super) fn mean(&mut self, status: Status) {
        if self.claimed == self.status {
            self.claimed = status;
        }
        self.status = status;
    }

    /// Nothing is proved in front of the bridge.
    pub(super) fn drop_proof(&mut self) {
        self.certificate.clear();
        self.weight.clear();
        self.proved = false;
    }

    /// The class in front has no duals and no bound.
    pub(super) fn drop_duals(&mut self) {
        self.dual.clear();
        self.bound = f64::NAN;
    }
}
