//! The end of a run that failed: its exit code, its message, the problem that was not solved.

use std::path::Path;

use vinci_core::StageError;

use super::repro;
use crate::exit;
use crate::prepared::Prepared;
use crate::summary::{FailureSummary, FreeMotion, Squeeze};
use crate::used::{Used, is_fault};
use vinci_engine::pipeline::{FailedSolve, StepFailure, Who};
use vinci_scene::diagnostics::{Code, Diagnostic};

/// The exit code of a run that ended so.
pub(super) fn code_of(failure: &StepFailure) -> u8 {
    match failure {
        StepFailure::Unsolved { .. }
        | StepFailure::GaveUp(_)
        | StepFailure::TooManyRounds(_)
        | StepFailure::TooManyEvaluations(_)
        | StepFailure::TooManySubsteps(_)
        | StepFailure::TooManyShortSteps(_) => exit::SOLVER,
        StepFailure::Stage { error, .. } => stage_code(error),
        StepFailure::Contacts(_) | StepFailure::NotFinite { .. } => exit::PLUGIN_FAULT,
        StepFailure::Drive(_)
        | StepFailure::Control(_)
        | StepFailure::Event(_)
        | StepFailure::TooLarge { .. } => exit::INVALID,
    }
}

/// Returns true if a plugin broke the contract (rather than refusing, or not solving).
pub fn is_plugin_fault(failure: &StepFailure) -> bool {
    code_of(failure) == exit::PLUGIN_FAULT
}

/// A refusal says that the experiment asks for something the plugin cannot do; a fault is the plugin's.
fn stage_code(error: &StageError) -> u8 {
    if is_fault(error) { exit::PLUGIN_FAULT } else { exit::INVALID }
}

/// Describes the failure for the summary; a problem that was not solved is written beside the run.
pub(super) fn describe(
    prepared: &Prepared,
    directory: &Path,
    failure: StepFailure,
    time: f64,
) -> std::io::Result<FailureSummary> {
    let simulation = &prepared.simulation;
    let step = simulation.step_count() + 1;
    let plain = |kind: &str, message: String| FailureSummary::plain(kind, message, time);
    Ok(match failure {
        StepFailure::Unsolved { problem, attempts, certificate, squeezed, falling, involved, advice } => {
            let name = prepared.loaded.path.file_stem().unwrap_or_default().to_string_lossy();
            let contacts = simulation.contact_bodies();
            let file =
                repro::write(directory, &name, step, &simulation.system, &contacts, &problem, certificate)?;
            let tried = |a: &&FailedSolve| a.refusal.is_none();
            let last = attempts.iter().rfind(tried);
            let outcome = last.map_or("", |a| a.status.name());
            let residual = last.map(|a| a.residual).filter(|residual| residual.is_finite());
            // The cause as the stepper sees it first: it says what to change.
            let cause = Some(advice.to_string()).filter(|words| !words.is_empty());
            let why: Vec<String> = cause.into_iter().chain(attempts.iter().map(|a| a.to_string())).collect();
            FailureSummary {
                outcome: outcome.into(),
                residual,
                squeezed: squeezed.iter().map(|s| s.to_string()).collect(),
                squeeze: squeezed.iter().map(Squeeze::from).collect(),
                falling: falling.iter().map(|f| f.to_string()).collect(),
                free: falling.iter().map(FreeMotion::from).collect(),
                involved: involved.iter().map(|i| i.to_string()).collect(),
                problem: Some(file),
                ..plain("solver", format!("step {step} was not solved: {}", why.join("; ")))
            }
        }
        StepFailure::GaveUp(_)
        | StepFailure::TooManyRounds(_)
        | StepFailure::TooManyEvaluations(_)
        | StepFailure::TooManySubsteps(_)
        | StepFailure::TooManyShortSteps(_) => plain("stepper", failure.to_string()),
        StepFailure::Stage { ref error, .. } if !is_fault(error) => {
            plain("refused", format!("step {step}: {} refuses: {failure}", id_of(prepared, &failure)))
        }
        StepFailure::Stage { .. } => plain("plugin", format!("step {step}: {failure}")),
        StepFailure::Contacts(_) => {
            plain("plugin", format!("step {step}: {}: {failure}", id_of(prepared, &failure)))
        }
        StepFailure::NotFinite { .. } | StepFailure::TooLarge { .. } => {
            plain("state", format!("step {step}: {failure}"))
        }
        StepFailure::Drive(_) => plain("drive", failure.to_string()),
        StepFailure::Control(_) => plain("controller", failure.to_string()),
        StepFailure::Event(_) => plain("event", failure.to_string()),
    })
}

/// Reason why a run cannot begin, at the plugin that is at fault, else at the experiment.
pub fn unstartable(prepared: &Prepared, failure: &StepFailure) -> Diagnostic {
    let code = if is_plugin_fault(failure) { Code::PluginFault } else { Code::Contradiction };
    let used = blamed(prepared, failure);
    let who = used.map_or_else(String::new, |used| format!(" ({})", used.manifest.id));
    let message = format!("the first step cannot be made{who}: {failure}");
    let place = match used {
        Some(used) => prepared.loaded.place(&used.path.join("plugin")),
        None => prepared.loaded.place(&vinci_scene::Path::root()).part(0, 1),
    };
    Diagnostic::error(code, message).at(place)
}

/// The plugin that a failure comes from, where it is a plugin's.
fn blamed<'a>(prepared: &'a Prepared, failure: &StepFailure) -> Option<&'a Used> {
    let Prepared { detector, others, stepper, solvers, controllers, .. } = prepared;
    match failure {
        StepFailure::Stage { stage, error } => {
            let mut all = [detector, stepper].into_iter().chain(others).chain(solvers).chain(controllers);
            let named = all.find(|used| error.plugin.as_ref() == Some(&used.manifest.id));
            named.or(match stage {
                Who::Detector => Some(detector),
                Who::Stepper => Some(stepper),
                Who::Solver => solvers.first(),
                Who::Controller => controllers.first(),
                Who::Any => None,
            })
        }
        StepFailure::Contacts(_) => Some(detector),
        StepFailure::GaveUp(_)
        | StepFailure::NotFinite { .. }
        | StepFailure::TooManyRounds(_)
        | StepFailure::TooManyEvaluations(_)
        | StepFailure::TooManySubsteps(_)
        | StepFailure::TooManyShortSteps(_) => Some(stepper),
        StepFailure::Unsolved { .. }
        | StepFailure::Drive(_)
        | StepFailure::Control(_)
        | StepFailure::Event(_)
        | StepFailure::TooLarge { .. } => None,
    }
}

fn id_of<'a>(prepared: &'a Prepared, failure: &StepFailure) -> &'a str {
    blamed(prepared, failure).map_or("a plugin", |used| &used.manifest.id)
}
