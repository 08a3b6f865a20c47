//! What of a solver's answer is believed: residuals and proofs are recomputed here, whatever it claims.

use vinci_core::problem::{
    Conic, Mlcp, Problem, Qpcc, Root, Solution, Status, check_conic_infeasible, check_conic_unbounded,
    check_farkas, proves_no_mode,
};

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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Denied {
    /// The residual, recomputed, is above the tolerance.
    Residual,
    /// Objective and proved bound are farther apart than the tolerance allows.
    Gap,
    /// No proof that holds.
    Proof,
}

impl Denied {
    /// What it says after "it claimed …,".
    pub fn text(self) -> &'static str {
        match self {
            Self::Residual => {
                "which the host's check denies: the residual, recomputed, is above the tolerance"
            }
            Self::Gap => {
                "which the host's check denies: objective and bound are farther apart than the tolerance"
            }
            Self::Proof => "for which it gave no proof that the host can check",
        }
    }
}

/// Which check denied a claim, if one did: `status` is what [`audit`] made of the solution.
pub(super) fn denied(problem: &Problem<'_>, solution: &Solution<'_>, status: Status) -> Option<Denied> {
    match (problem, solution.status) {
        (_, claimed) if claimed == status => None,
        (_, Status::Infeasible | Status::Unbounded) => Some(Denied::Proof),
        (Problem::Qpcc(p), _) if p.residual(solution.z, solution.dual).natural <= p.qp.tolerance => {
            Some(Denied::Gap)
        }
        _ => Some(Denied::Residual),
    }
}

/// Status that deserves belief, and the residual recomputed here. A claim of infeasibility needs a proof that holds.
pub fn audit(problem: &Problem<'_>, solution: &Solution<'_>) -> (Status, f64) {
    audit_in(problem, solution, &mut Vec::new())
}

/// [`audit`] with scratch that is kept from step to step.
pub(super) fn audit_in(
    problem: &Problem<'_>,
    solution: &Solution<'_>,
    scratch: &mut Vec<f64>,
) -> (Status, f64) {
    match problem {
        Problem::Mlcp(mlcp) => audit_mlcp(mlcp, solution),
        Problem::Cone(cone) => {
            // No proof of infeasibility is known for this class, so none is believed.
            let (status, residual) = cone.audited_status(proven(solution.status, false), solution.z);
            (status, residual.natural)
        }
        Problem::Conic(conic) => audit_conic(conic, solution),
        Problem::Qpcc(qpcc) => audit_qpcc(qpcc, solution),
        Problem::Root(root) => audit_root(root, solution, scratch),
        // Classes to come bring their own audit; until then nothing of them is believed.
        _ => (Status::NumericalFailure, f64::INFINITY),
    }
}

/// A proof of infeasibility or unboundedness that does not hold is a numerical failure.
fn proven(claimed: Status, proof: bool) -> Status {
    match claimed {
        Status::Infeasible | Status::Unbounded if !proof => Status::NumericalFailure,
        other => other,
    }
}

fn audit_mlcp(p: &Mlcp<'_>, solution: &Solution<'_>) -> (Status, f64) {
    if solution.status == Status::Infeasible {
        return (proven(solution.status, check_farkas(p, solution.certificate).proves()), f64::INFINITY);
    }
    let (status, residual) = p.audited_status(solution.status, solution.z);
    (status, residual.natural)
}

fn audit_conic(p: &Conic<'_>, solution: &Solution<'_>) -> (Status, f64) {
    match solution.status {
        Status::Infeasible => {
            (proven(solution.status, check_conic_infeasible(p, solution.certificate).proves()), f64::INFINITY)
        }
        Status::Unbounded => {
            (proven(solution.status, check_conic_unbounded(p, solution.certificate).proves()), f64::INFINITY)
        }
        claimed => {
            let (status, residual) = p.audited_status(claimed, solution.z, solution.dual);
            (status, residual.natural)
        }
    }
}

fn audit_qpcc(p: &Qpcc<'_>, solution: &Solution<'_>) -> (Status, f64) {
    match solution.status {
        Status::Infeasible => {
            (proven(solution.status, proves_no_mode(p, solution.certificate)), f64::INFINITY)
        }
        // No proof is known: the direction would have to be lawful in a mode.
        Status::Unbounded => (Status::NumericalFailure, f64::INFINITY),
        claimed => {
            let (status, residual) = p.audited_status(claimed, solution.z, solution.dual, solution.bound);
            (status, residual.natural)
        }
    }
}

fn audit_root(p: &Root<'_>, solution: &Solution<'_>, scratch: &mut Vec<f64>) -> (Status, f64) {
    let residual = p.residual_in(solution.z, scratch);
    let denied = solution.status == Status::Converged && residual > p.tolerance;
    (if denied { Status::NumericalFailure } else { proven(solution.status, false) }, residual)
}
