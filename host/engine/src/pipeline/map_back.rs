//! Mapping of answers back over every bridge: unknowns, duals, proofs, and the status in front of it.

use vinci_core::bridge::{ConeAsMlcp, ConicAsLinear, ConicAsMlcp, MlcpAsConic, MlcpAsQpcc};
use vinci_core::problem::{Cone, Conic, Mlcp, Problem, Status};

use super::audit::{Answer, Denied};

pub(super) fn from_pairs(bridge: &MlcpAsQpcc, answer: &mut Answer) {
    if answer.proved {
        answer.by_cases = !bridge.expand_certificate(&answer.certificate, &mut answer.spare);
        std::mem::swap(&mut answer.certificate, &mut answer.spare);
        // Weights are mapped as the one leaf of a tree; which side of a row they were on does not matter.
        answer.weight.insert(0, 0.0);
        bridge.expand_certificate(&answer.weight, &mut answer.spare);
        answer.weight.clear();
        answer.weight.extend(answer.spare.iter().map(|w| w.abs()));
    }
    bridge.expand(&answer.z, &mut answer.spare);
    std::mem::swap(&mut answer.z, &mut answer.spare);
    answer.drop_duals();
}

pub(super) fn from_program(bridge: &MlcpAsConic, p: &Mlcp<'_>, answer: &mut Answer) {
    if answer.proved {
        match answer.status {
            Status::Unbounded => bridge.expand_unbounded(&answer.certificate, &mut answer.spare),
            _ => bridge.expand_infeasible(&answer.certificate, &mut answer.spare),
        }
        std::mem::swap(&mut answer.certificate, &mut answer.spare);
        answer.mean(Status::Infeasible);
    }
    answer.spare.clear();
    answer.spare.resize(p.n(), 0.0);
    // An answer that is none may come without duals.
    if answer.dual.len() == bridge.view().m() {
        bridge.expand(&answer.z, &answer.dual, &mut answer.spare);
    }
    std::mem::swap(&mut answer.z, &mut answer.spare);
    answer.drop_duals();
}

pub(super) fn from_conditions(bridge: &ConicAsMlcp, p: &Conic<'_>, answer: &mut Answer) {
    if answer.proved && !answer.by_cases {
        let meaning = bridge.expand_certificate(p, &answer.certificate, &mut answer.spare);
        std::mem::swap(&mut answer.certificate, &mut answer.spare);
        answer.mean(meaning.unwrap_or(Status::NumericalFailure));
        answer.proved = meaning.is_some();
    } else if answer.proved {
        // Cases say that the conditions have no solution, not whether rows or objective are to blame.
        answer.mean(Status::NumericalFailure);
        answer.drop_proof();
        answer.by_cases = false;
    }
    if let Some(Denied::Reach(size)) = answer.denied {
        answer.denied = Some(Denied::ReachOfConditions(size));
    }
    let z = std::mem::take(&mut answer.z);
    bridge.expand(&z, &mut answer.spare, &mut answer.dual);
    answer.z = z;
    std::mem::swap(&mut answer.z, &mut answer.spare);
    answer.bound = f64::NAN;
}

pub(super) fn from_pyramids(bridge: &ConicAsLinear, problem: &Problem<'_>, answer: &mut Answer) {
    if answer.proved && answer.status == Status::Infeasible {
        bridge.expand(&answer.certificate, &mut answer.spare);
        std::mem::swap(&mut answer.certificate, &mut answer.spare);
        // A relaxation without a feasible point: the proof is looked at in front of the bridge.
        answer.audit_again(problem);
    } else if answer.proved {
        answer.drop_proof();
    }
    if answer.dual.len() == bridge.view().m() {
        bridge.expand(&answer.dual, &mut answer.spare);
        std::mem::swap(&mut answer.dual, &mut answer.spare);
    }
}

pub(super) fn from_polygons(bridge: &ConeAsMlcp, p: &Cone<'_>, answer: &mut Answer) {
    // What has no solution on polygons may have one on circles.
    answer.drop_proof();
    answer.by_cases = false;
    answer.spare.clear();
    answer.spare.resize(p.n(), 0.0);
    bridge.expand(&answer.z, &mut answer.spare);
    std::mem::swap(&mut answer.z, &mut answer.spare);
}
