//! Trying every event before the run: each over those that stand before it.

use super::super::foresight::refuse_declared;
use super::list::{Planned, Trigger};
use super::{changed, jumps};
use crate::prepared::Prepared;
use crate::settle::settle;
use vinci_engine::pipeline::StepFailure;
use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics, Severity};
use vinci_scene::experiment::ScheduledEvent;
use vinci_scene::formula::{self, Formula};
use vinci_scene::{Override, grid_number};

/// Tries the events of an experiment in the order of the file and takes them into the run.
///
/// # Errors
/// Everything that is wrong with any of them.
pub(crate) fn plan(prepared: &mut Prepared) -> Result<(), Diagnostics> {
    let events = prepared.loaded.experiment.events.clone();
    let (mut diagnostics, mut list) = (Diagnostics::new(), Vec::new());
    let (mut reached, mut timed): (Option<Prepared>, Vec<Override>) = (None, Vec::new());
    for (i, event) in events.iter().enumerate() {
        let before = reached.as_ref().unwrap_or(prepared);
        let mut tried = attempt(before, i, event);
        if event.at.is_some() && events[..i].iter().any(|earlier| earlier.when.is_some()) {
            let (other, doubts) = with_conditions_late(prepared, &timed, i, event, &tried);
            diagnostics.extend(doubts.into_iter().map(|d| about(before, i, event, d)).collect::<Vec<_>>());
            tried = tried.or_else(|errors| other.map(|planned| (planned, None)).ok_or(errors));
        }
        match tried {
            Ok((planned, after)) => {
                let new = |d: &&Diagnostic| !prepared.warnings.iter().any(|known| known == *d);
                let warnings = after.iter().flat_map(|p| p.warnings.iter()).filter(new).cloned();
                diagnostics.extend(warnings.map(|d| about(before, i, event, d)).collect::<Vec<_>>());
                timed.extend(event.at.iter().flat_map(|_| planned.overrides.clone()));
                list.push(planned);
                reached = after.or(reached);
            }
            Err(errors) => diagnostics.extend(errors.iter().cloned().map(|d| about(before, i, event, d))),
        }
    }
    prepared.scheduled.list = list;
    diagnostics.accept(|warnings| prepared.warnings.append(warnings))
}

type Tried = Result<(Planned, Option<Prepared>), Diagnostics>;

/// An event with a time, where those with conditions before it in the file have not happened by then: over the changes `timed` of those
/// with times alone. What is wrong in one of the two cases only is a doubt: none can tell before the run which it will be.
fn with_conditions_late(
    prepared: &Prepared,
    timed: &[Override],
    index: usize,
    event: &ScheduledEvent,
    in_order: &Tried,
) -> (Option<Planned>, Vec<Diagnostic>) {
    let alone: Tried = match timed {
        [] => attempt(prepared, index, event),
        _ => changed(prepared, timed).and_then(|base| attempt(&base, index, event)),
    };
    let (errors, when) = match (in_order, &alone) {
        (Ok(_), Err(errors)) => (errors, "have not happened by then"),
        (Err(errors), Ok(_)) => (errors, "have happened by then"),
        _ => return (None, Vec::new()),
    };
    let doubt = |finding: &Diagnostic| {
        let message = format!("{}, where events with conditions before it {when}", finding.message);
        Diagnostic { severity: Severity::Warning, message, ..finding.clone() }
    };
    let doubts = errors.iter().map(doubt).collect();
    (alone.ok().map(|(planned, _)| planned), doubts)
}

/// One event over the experiment as it is before; the experiment after it, where it changes that.
fn attempt(before: &Prepared, index: usize, event: &ScheduledEvent) -> Tried {
    let trigger = trigger(before, index, event)?;
    let overrides = before.loaded.overrides_of(index)?;
    let text = text(event, &overrides);
    let mut planned =
        Planned { trigger, stop: event.stop.clone(), text, told: Vec::new(), done: false, overrides };
    if planned.overrides.is_empty() {
        return Ok((planned, None));
    }
    let mut after = changed(before, &planned.overrides)?;
    if planned.overrides.iter().any(|one| !one.is_for_scene()) {
        try_route(&mut after)?;
    }
    planned.told.clone_from(&after.physics.told);
    if let Trigger::Grid(k) = planned.trigger {
        let t = k as f64 * before.simulation.settings.step;
        let help = "a drive that goes on from the old one has its value at the time of the event";
        let jump = |why: String| Diagnostic::error(Code::Contradiction, why).help(help);
        jumps::known(&before.simulation, &after.simulation, t).map_err(jump)?;
    }
    Ok((planned, Some(after)))
}

fn trigger(before: &Prepared, index: usize, event: &ScheduledEvent) -> Result<Trigger, Diagnostic> {
    if let Some(time) = event.at {
        return Ok(Trigger::Grid(grid_number(time, before.simulation.settings.step)));
    }
    let text = event.when.as_deref().unwrap_or_default();
    Formula::condition(text, &formula::names(&before.simulation.system)).map(Trigger::When).map_err(|error| {
        let path = vinci_scene::Path::root().join("events").join(index).join("when");
        formula::finding(error, text, before.loaded.place(&path))
    })
}

/// Checks that the first problem of new plugins reaches a solver; the scene stands at its start for that.
fn try_route(after: &mut Prepared) -> Result<(), Diagnostics> {
    refuse_declared(after)?;
    let registry = after.scheduled.registry.clone();
    let class = after.simulation.rehearse().map_err(|failure: StepFailure| {
        let message = format!("a step cannot be made: {failure}");
        Diagnostic::error(Code::Contradiction, message)
    })?;
    settle(after, &registry, class)
}

/// A finding, as one about the event.
fn about(before: &Prepared, index: usize, event: &ScheduledEvent, finding: Diagnostic) -> Diagnostic {
    let place = finding.place.clone().or_else(|| before.loaded.event(index).map(|(_, place)| place));
    let message = format!("event {} ({}): {}", index + 1, when(event), finding.message);
    Diagnostic { message, place, ..finding }
}

fn when(event: &ScheduledEvent) -> String {
    match (&event.at, &event.when) {
        (Some(time), _) => format!("at {time} s"),
        (None, condition) => format!("when {}", condition.as_deref().unwrap_or_default()),
    }
}

/// "at 1.2 s" and "scene.gravity = [0,0]; solver = newton".
fn text(event: &ScheduledEvent, overrides: &[Override]) -> [String; 2] {
    let value = |one: &Override| match one.value().get("plugin").and_then(vinci_scene::Node::as_str) {
        Some(plugin) => plugin.to_owned(),
        None => one.value().to_json().to_string(),
    };
    let mut parts: Vec<String> =
        overrides.iter().map(|one| format!("{} = {}", one.path(), value(one))).collect();
    parts.extend(event.stop.iter().map(|reason| format!("stop: {reason}")));
    [when(event), parts.join("; ")]
}
