//! The audit of an answer, class by class: residuals and proofs are recomputed from the problem, each proof once.

use vinci_core::problem::{
    Conic, FarkasCheck, Mlcp, Problem, Qpcc, Root, Solution, Status, check_conic_infeasible,
    check_conic_unbounded, check_farkas, reach_of_cases,
};

/// Findings of the audit of an answer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Audited {
    /// Status that deserves belief.
    pub(super) status: Status,
    /// Residual recomputed; infinite where the answer is a proof.
    pub(super) residual: f64,
    /// How far a proof that holds reaches: ∞, or where it holds to rounding only [`FarkasCheck::rounding_reach`].
    pub(super) reach: f64,
    /// How far a vector reaches that proves nothing: [`FarkasCheck::told_reach`].
    pub(super) told_reach: Option<f64>,
    /// True if a direction falls for ever, and no point is known to start from.
    pub(super) no_point: bool,
}

impl Audited {
    /// The audit of an answer that is a point, or nothing.
    fn point((status, residual): (Status, f64)) -> Self {
        Self { status, residual, reach: f64::INFINITY, told_reach: None, no_point: false }
    }

    /// The audit of a claim that there is no solution, or no lowest value: without a proof that holds it is a numerical failure.
    fn proof(claimed: Status, check: FarkasCheck) -> Self {
        let reach = check.rounding_reach().unwrap_or(f64::INFINITY);
        let status = if check.proves() { claimed } else { Status::NumericalFailure };
        Self { reach, told_reach: check.told_reach(), ..Self::point((status, f64::INFINITY)) }
    }

    /// The audit of a proof by cases, which reaches as far as `reach`, or proves nothing.
    fn cases(reach: Option<f64>) -> Self {
        let status = if reach.is_some() { Status::Infeasible } else { Status::NumericalFailure };
        Self { reach: reach.unwrap_or(f64::INFINITY), ..Self::point((status, f64::INFINITY)) }
    }
}

/// The audit of an answer, with scratch that is kept from step to step. A claim of infeasibility needs a proof that holds.
pub(super) fn audited(problem: &Problem<'_>, solution: &Solution<'_>, scratch: &mut Vec<f64>) -> Audited {
    match problem {
        Problem::Mlcp(p) => audit_mlcp(p, solution),
        Problem::Cone(cone) => {
            // No proof of infeasibility is known for this class, so none is believed.
            let (status, residual) = cone.audited_status(unproved(solution.status), solution.z);
            Audited::point((status, residual.natural))
        }
        Problem::Conic(p) => audit_conic(p, solution),
        Problem::Qpcc(p) => audit_qpcc(p, solution),
        Problem::Root(root) => Audited::point(audit_root(root, solution, scratch)),
        // Classes to come bring their own audit; until then nothing of them is believed.
        _ => Audited::point((Status::NumericalFailure, f64::INFINITY)),
    }
}

/// A claim of infeasibility or unboundedness without a form of proof is a numerical failure.
fn unproved(claimed: Status) -> Status {
    match claimed {
        Status::Infeasible | Status::Unbounded => Status::NumericalFailure,
        other => other,
    }
}

fn audit_mlcp(p: &Mlcp<'_>, solution: &Solution<'_>) -> Audited {
    if solution.status == Status::Infeasible {
        return Audited::proof(solution.status, check_farkas(p, solution.certificate));
    }
    let (status, residual) = p.audited_status(solution.status, solution.z);
    Audited::point((status, residual.natural))
}

fn audit_conic(p: &Conic<'_>, solution: &Solution<'_>) -> Audited {
    match solution.status {
        Status::Infeasible => {
            Audited::proof(Status::Infeasible, check_conic_infeasible(p, solution.certificate))
        }
        Status::Unbounded => audit_unbounded(p, solution),
        claimed => {
            let (status, residual) = p.audited_status(claimed, solution.z, solution.dual);
            Audited::point((status, residual.natural))
        }
    }
}

/// A direction that falls for ever says that there is no lowest value where there is a point: the solver's, the guess, or x = 0.
fn audit_unbounded(p: &Conic<'_>, solution: &Solution<'_>) -> Audited {
    let found = Audited::proof(Status::Unbounded, check_conic_unbounded(p, solution.certificate));
    let has_point = || [solution.z, p.guess, &vec![0.0; p.n()]].iter().any(|x| p.is_point(x));
    if found.status != Status::Unbounded || has_point() {
        return found;
    }
    Audited { no_point: true, ..Audited::point((Status::NumericalFailure, f64::INFINITY)) }
}

fn audit_qpcc(p: &Qpcc<'_>, solution: &Solution<'_>) -> Audited {
    match solution.status {
        Status::Infeasible => Audited::cases(reach_of_cases(p, solution.certificate)),
        // No proof is known: the direction would have to be lawful in a mode.
        Status::Unbounded => Audited::point((Status::NumericalFailure, f64::INFINITY)),
        claimed => {
            let (status, residual) = p.audited_status(claimed, solution.z, solution.dual, solution.bound);
            Audited::point((status, residual.natural))
        }
    }
}

fn audit_root(p: &Root<'_>, solution: &Solution<'_>, scratch: &mut Vec<f64>) -> (Status, f64) {
    let residual = p.residual_in(solution.z, scratch);
    let denied = solution.status == Status::Converged && residual > p.tolerance;
    (if denied { Status::NumericalFailure } else { unproved(solution.status) }, residual)
}
