//! The audit of a solver's answer, and what of it is believed: residuals and proofs are recomputed here, whatever it claims.

use std::borrow::Cow;

use vinci_core::lists::copy;
use vinci_core::problem::{LIMIT_IN_UNITS, Problem, Solution, Status};

use super::audited::{Audited, audited};
use super::proof_weights::proof_weights;

/// Answer of a solver after the audit, in terms of the original problem.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Answer {
    /// Status that the audit found.
    pub status: Status,
    /// Status that the solver claimed, in terms of the original; it differs from `status` only where the audit denies it.
    pub claimed: Status,
    /// Unknowns.
    pub z: Vec<f64>,
    /// Duals where the class has them.
    pub dual: Vec<f64>,
    /// Proof, where the class has a form for it.
    pub certificate: Vec<f64>,
    /// Proved lower bound of the objective; NaN: none.
    pub bound: f64,
    /// True if `status` is proved of the original: no solution, or no lowest value.
    pub proved: bool,
    /// Where it is proved to rounding only: a solution of the exact numbers would have an unknown above this. ∞ for an exact proof.
    pub reach: f64,
    /// True if that proof is one by cases, checked on the bridged problem; there is no certificate then.
    pub by_cases: bool,
    /// How much a proof by cases rests on each row, 0 … 1: the largest share over its leaves; empty without cases.
    pub weight: Vec<f64>,
    /// The check that the solver's claim did not pass, if one of them.
    pub denied: Option<Denied>,
    /// Residual recomputed, of the problem that was audited last.
    pub residual: f64,
    /// Largest residual that the tolerance allows in one row of that problem: tolerance · |q|∞.
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
        let found = audited(problem, solution, &mut self.spare);
        (self.claimed, self.denied) = (solution.status, denied(problem, solution, &found));
        self.believe(&found);
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
        self.reach = f64::INFINITY;
        (self.residual, self.slack) = (0.0, 0.0);
        for list in [&mut self.z, &mut self.dual, &mut self.certificate, &mut self.weight] {
            list.clear();
        }
        self.note.clear();
    }

    /// The solution that those of all islands make; all of them were audited.
    pub(super) fn take_islands(&mut self, z: &[f64], iterations: u64) {
        self.take_nothing();
        copy(&mut self.z, z);
        self.iterations = iterations;
    }

    /// The audit of what was mapped back, on the problem in front of the bridge.
    pub(super) fn audit_again(&mut self, problem: &Problem<'_>) {
        self.slack = slack(problem);
        if self.proved && self.by_cases {
            return;
        }
        let mut scratch = std::mem::take(&mut self.spare);
        let found = audited(problem, &self.solution(), &mut scratch);
        self.spare = scratch;
        self.denied = self.denied.or(denied(problem, &self.solution(), &found));
        self.believe(&found);
    }

    fn believe(&mut self, found: &Audited) {
        (self.status, self.residual) = (found.status, found.residual);
        self.proved = matches!(found.status, Status::Infeasible | Status::Unbounded);
        self.reach = if self.proved { found.reach } else { f64::INFINITY };
    }

    /// Reach of a proof that holds to rounding only, if it is one.
    pub fn to_rounding(&self) -> Option<f64> {
        (self.proved && self.reach.is_finite()).then_some(self.reach)
    }

    /// Denies a solution whose residual is small beside the largest numbers of the problem only. In a run the referee judges each
    /// row in its own unit; a problem that stands alone has nobody else to do it.
    pub fn audit_in_units(&mut self, problem: &Problem<'_>) {
        if self.status != Status::Converged {
            return;
        }
        let exact = match problem {
            Problem::Mlcp(p) => p.exact_residual(&self.z),
            Problem::Conic(p) => p.exact_residual(&self.z, &self.dual),
            Problem::Qpcc(p) => p.exact_residual(&self.z, &self.dual),
            _ => 0.0,
        };
        self.residual = self.residual.max(exact);
        let is_program = matches!(problem, Problem::Conic(_) | Problem::Qpcc(_));
        if is_program && !(exact <= LIMIT_IN_UNITS * problem.tolerance()) {
            // Where no numbers of this precision do better, the objective may still be far off.
            (self.status, self.denied) = (Status::NumericalFailure, Some(Denied::Exact(exact)));
            return;
        }
        let residual = problem.residual_in_units(&self.z, &self.dual);
        if !(residual <= LIMIT_IN_UNITS * problem.tolerance()) {
            (self.status, self.denied) = (Status::NumericalFailure, Some(Denied::Units(residual)));
            return;
        }
        if let Problem::Qpcc(p) = problem
            && !(p.gap_in_units(&self.z, self.bound) <= LIMIT_IN_UNITS * problem.tolerance())
        {
            (self.status, self.denied) = (Status::NumericalFailure, Some(Denied::Gap));
        }
    }

    /// Takes back that there is no solution, or none that is lowest, where an approximation was solved and the host has no proof: the
    /// problem itself may have one.
    pub fn doubt_approximation(&mut self) {
        if !self.proved && matches!(self.status, Status::Infeasible | Status::Unbounded) {
            (self.status, self.denied) = (Status::NumericalFailure, Some(Denied::Approximation));
        }
    }

    /// Objective of the point and its proved lower bound, where both are numbers and the point is lawful: of programs with pairs that
    /// ended without a proof.
    pub fn gap(&self, problem: &Problem<'_>) -> Option<[f64; 2]> {
        let Problem::Qpcc(p) = problem else { return None };
        if self.proved || !p.is_point(&self.z) {
            return None;
        }
        let both = [p.qp.objective(&self.z), self.bound];
        (both[0].is_finite() && !both[1].is_nan()).then_some(both)
    }

    /// The answer as a solution.
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

    /// Drops the proof: it holds behind the bridge, not in front of it.
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

/// Tolerance times the size of the data of a problem: what the tolerance may amount to in any one row.
pub(super) fn slack(problem: &Problem<'_>) -> f64 {
    match problem {
        Problem::Mlcp(p) => p.tolerance * p.q_norm(),
        Problem::Cone(c) => c.rows.tolerance * c.scale(),
        Problem::Conic(p) => p.tolerance * p.scale(),
        Problem::Qpcc(p) => p.qp.tolerance * p.qp.scale(),
        Problem::Root(p) => p.tolerance * p.scale.iter().fold(0.0, |m: f64, s| m.max(*s)),
        _ => 0.0,
    }
}

/// Which check an answer did not pass.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Denied {
    /// The residual, recomputed, is above the tolerance.
    Residual,
    /// The residual in balanced units is above the tolerance: it hides in a row or an unknown of small numbers.
    Units(f64),
    /// The residual in twice the working precision is far above the tolerance: terms cancel that are too large for the precision of x.
    Exact(f64),
    /// Objective and proved bound are farther apart than the tolerance allows.
    Gap,
    /// No proof that holds.
    Proof,
    /// True of the approximation that was solved, and not proved of the problem.
    Approximation,
    /// A direction that falls for ever, and no point to start from.
    NoPoint,
    /// A proof that holds up to rounding only: it rules out what is smaller than this in every unknown, and nothing else.
    Reach(f64),
    /// Reach in unknowns and multipliers: the proof speaks of the conditions of a minimum.
    ReachOfConditions(f64),
}

impl Denied {
    /// Text of the denial, to follow "it claimed …,".
    pub fn text(self) -> Cow<'static, str> {
        match self {
            Self::Residual => {
                "which the host's check denies: the residual, recomputed, is above the tolerance".into()
            }
            Self::Units(residual) => {
                format!("which the host's check denies: in units in which rows and unknowns are of size one, the residual is {residual:.1e}").into()
            }
            Self::Exact(residual) => {
                format!("which the host's check denies: summed in twice the working precision, the residual is {residual:.1e} of the data's size").into()
            }
            Self::Gap => {
                "which the host's check denies: objective and bound are farther apart than the tolerance"
                    .into()
            }
            Self::Proof => "for which it gave no proof that the host can check".into(),
            Self::Approximation => "which is said of the approximation, not of the problem".into(),
            Self::NoPoint => {
                "whose direction holds, but no point is known that obeys the rows: there may be no solution".into()
            }
            Self::Reach(size) => reach_text("unknowns", size).into(),
            Self::ReachOfConditions(size) => reach_text("unknowns and multipliers", size).into(),
        }
    }
}

fn reach_text(of: &str, size: f64) -> String {
    format!("its proof holds up to rounding only: no solution with {of} below {size:.1e}")
}

/// Which check denied a claim, if one did: `found` is what [`audited`] made of the solution.
fn denied(problem: &Problem<'_>, solution: &Solution<'_>, found: &Audited) -> Option<Denied> {
    match (problem, solution.status) {
        (_, claimed) if claimed == found.status => None,
        (_, Status::Unbounded) if found.no_point => Some(Denied::NoPoint),
        (_, Status::Infeasible | Status::Unbounded) => {
            Some(found.told_reach.map_or(Denied::Proof, Denied::Reach))
        }
        (Problem::Qpcc(p), _) if p.residual(solution.z, solution.dual).natural <= p.qp.tolerance => {
            Some(Denied::Gap)
        }
        _ => Some(Denied::Residual),
    }
}
