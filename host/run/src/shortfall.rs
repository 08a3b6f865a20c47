//! Reasons why a run did not succeed, in the words that people read after it.

use crate::execute::RunEnd;
use crate::exit;
use vinci_core::clock::seconds;
use vinci_scene::diagnostics::{Code, Diagnostic};

/// Advice for a check that is not fulfilled.
fn advice(check: &str) -> &'static str {
    match check {
        "solution" | "rows" => {
            "try another solver or a smaller `tolerance`: where they differ, the equations of the step are not solved; where \
             all agree, the stepper does not keep the law that it declares"
        }
        "penetration" => {
            "a smaller `time.step` or `time.events` helps, or a stepper on the level of positions; `referee.penetration` \
             sets the limit"
        }
        "passing_through" => {
            "a smaller `time.step` or `time.events` helps, or a stepper on the level of positions"
        }
        "work" => {
            "bodies that overlap or joints that are open at the start get energy when they are put right: close them; nodes of \
             patches that come into being pressed bring some: smaller cells, or a ground without steps and gaps"
        }
        _ => "the stepper or the detector has a fault: report it to its author",
    }
}

/// The finding that tells why a run did not succeed; none of one that did.
pub fn shortfall(end: &RunEnd) -> Option<Diagnostic> {
    if [exit::STOPPED, exit::STOPPED_ANEW].contains(&end.code) {
        let (t, directory) = (end.summary.time_end, end.directory.display());
        let message = format!("the run was stopped from outside at t = {} s", seconds(t));
        let help = match end.code {
            exit::STOPPED => format!("`vinci run --resume {directory}` goes on to the same results"),
            _ => "it came to no grid time and has no checkpoint to go on from: run it again; --checkpoint-every writes some"
                .into(),
        };
        return Some(Diagnostic::error(Code::Stopped, message).help(help));
    }
    if let Some(f) = &end.summary.failure {
        let mut message = format!("{} at t = {} s", f.message, seconds(f.time));
        if !f.squeezed.is_empty() {
            message.push_str(&format!(
                "; nothing can move where these contacts squeeze: {}",
                f.squeezed.join(", ")
            ));
        }
        if !f.falling.is_empty() {
            message.push_str(&format!("; nothing holds {}", f.falling.join(", ")));
        }
        if !f.involved.is_empty() {
            message.push_str(&format!("; these rows contradict one another: {}", f.involved.join(", ")));
        }
        if let Some(refusal) = &end.summary.referee.refusal {
            message.push_str(&format!("; before that the referee refused {refusal}"));
        }
        let help = match &f.problem {
            Some(file) => {
                let path = end.directory.join(file);
                format!(
                    "the run up to this step is kept; `vinci solve {} --solver ID` tries the problem alone",
                    path.display()
                )
            }
            None => "the run up to this step is kept".to_string(),
        };
        return Some(Diagnostic::error(Code::Run, message).help(help));
    }
    (end.code == exit::NOT_ACCEPTED).then(|| {
        let refusal = end.summary.referee.refusal.as_ref().map(ToString::to_string).unwrap_or_default();
        let message = format!("the referee does not accept the result: {refusal}");
        let check = end.summary.referee.refusal.as_ref().map_or("", |refusal| refusal.check.as_str());
        Diagnostic::error(Code::Run, message).help(advice(check))
    })
}
