//! What is told of a problem that nobody solved.

use vinci_core::contact::Contacts;
use vinci_core::model::System;
use vinci_core::problem::{Problem, ProblemClass, Status};

use super::naming::{falling, involved, squeezed};
use super::outcome::{FailedSolve, StepFailure};
use super::solvers::Proof;
use super::stored::Stored;

/// The failure of a step whose problem nobody solved, with what its proof says in words.
pub(super) fn unsolved(
    system: &System,
    problem: &Problem<'_>,
    contacts: &Contacts<'_>,
    attempts: Vec<FailedSolve>,
    proof: Option<Proof>,
) -> StepFailure {
    let Some(stored) = Stored::of(problem) else {
        let class = problem.class().name();
        let said: Vec<_> = attempts.iter().map(ToString::to_string).collect();
        return StepFailure::GaveUp(format!(
            "no solver solved its problem of class {class}: {}",
            said.join("; ")
        ));
    };
    let (mut squeezing, mut unbounded, mut leant_on) = (Vec::new(), Vec::new(), Vec::new());
    let certificate = proof.and_then(|Proof { status, certificate: y, weight }| {
        if status == Status::Unbounded {
            unbounded = falling(system, stored.unknown_tags(), &y);
        } else if problem.class() != ProblemClass::Qpcc {
            // A tree is no list of rows, not even one of a single leaf.
            squeezing = squeezed(system, stored.row_tags(), contacts, &y);
        }
        if squeezing.is_empty() {
            leant_on = involved(system, stored.row_tags(), contacts, &weight);
        }
        (!y.is_empty()).then_some(y)
    });
    let problem = Box::new(stored);
    let (squeezed, falling, involved) = (squeezing.into(), unbounded.into(), leant_on.into());
    let advice = "".into();
    StepFailure::Unsolved { problem, attempts, certificate, squeezed, falling, involved, advice }
}
