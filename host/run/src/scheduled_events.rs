//! Scheduled events: the experiment changed during a run and prepared anew, the state carried over.
//!
//! Everything that an event can do wrong is looked for before the run ([`plan`]); what depends on the state of the run
//! (a drive that is to begin where a body stands) is looked at when it fires.

mod jumps;
mod layout;
mod list;
mod plan;
mod snapshot;

pub use layout::difference;
pub(super) use layout::layout;
pub(super) use list::before;
pub use list::{FiredEvent, ScheduledEvents};
pub(super) use plan::plan;
pub use snapshot::{RunSnapshot, identity};

use std::sync::Arc;
use vinci_core::clock::seconds;

use vinci_engine::pipeline::{Carried, Snapshot, StepFailure, Who};
use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics, Severity};
use vinci_scene::{Loaded, Override, may_change};

use super::assemble::assemble_named;
use super::overlap;
use crate::prepared::Prepared;
use crate::used::Used;
use list::{Planned, Trigger};

/// Fires all events that are due where the simulation stands.
///
/// # Errors
/// An event asks for something that cannot be done.
pub(super) fn fire(prepared: &mut Prepared) -> Result<(), StepFailure> {
    loop {
        let (simulation, scheduled) = (&prepared.simulation, &mut prepared.scheduled);
        let (grid, t) = (simulation.grid_count(), simulation.time());
        let Some(event) = scheduled.due(grid, t, simulation.q(), simulation.v()) else { return Ok(()) };
        scheduled.list[event].done = true;
        if let Err(failure) = effect(prepared, event, t) {
            // It is still to come, for who goes on from here.
            prepared.scheduled.list[event].done = false;
            return Err(failure);
        }
        let Planned { stop, text: [when, what], trigger, .. } = &prepared.scheduled.list[event];
        let by_state = matches!(trigger, Trigger::When(_));
        let text = if by_state { format!("{what} ({when})") } else { what.clone() };
        let stop = stop.clone();
        prepared.scheduled.fired.push(FiredEvent { event, t, text });
        if stop.is_some() {
            prepared.scheduled.stopped = stop;
            return Ok(());
        }
    }
}

/// Puts the values of an event into the experiment.
fn effect(prepared: &mut Prepared, event: usize, t: f64) -> Result<(), StepFailure> {
    let Planned { overrides, told, .. } = prepared.scheduled.list[event].clone();
    if !overrides.is_empty() {
        let place = prepared.loaded.event(event).map_or_else(String::new, |(_, at)| format!(" ({at})"));
        let failed = |why: String| StepFailure::Event(format!("event {}{place}: {why}", event + 1));
        let after = changed(prepared, &overrides).map_err(|diagnostics| failed(first_error(&diagnostics)))?;
        jumps::now(&prepared.simulation, &after.simulation).map_err(failed)?;
        let overlaps = hand_over(prepared, after, &overrides);
        for overlap in overlaps.map_err(|failure| failed(failure.to_string()))? {
            let text = format!("event {} at t = {} s: {overlap}", event + 1, seconds(t));
            tracing::warn!("{text}");
            prepared.scheduled.warnings.push(text);
        }
    }
    let new = told.iter().filter(|told| !prepared.physics.told.contains(told));
    prepared
        .scheduled
        .warnings
        .extend(new.map(|told| format!("event {} at t = {} s: {told}", event + 1, seconds(t))));
    Ok(())
}

/// Changes a run where it stands, as an event does: the state is carried over. Gives pairs of bodies that overlap by that, in words.
///
/// # Errors
/// Everything that is wrong with the experiment after the changes, or with changing it now; it is then as it was before.
pub fn change(prepared: &mut Prepared, overrides: &[Override]) -> Result<Vec<String>, Diagnostics> {
    let mut diagnostics = Diagnostics::new();
    let refused = overrides.iter().filter_map(|one| may_change(one.path(), one.path_place()).err());
    diagnostics.extend(refused);
    if diagnostics.has_errors() {
        return Err(diagnostics);
    }
    let after = changed(prepared, overrides)?;
    let now = |why: String| Diagnostics::from(Diagnostic::error(Code::Contradiction, why));
    jumps::now(&prepared.simulation, &after.simulation).map_err(now)?;
    hand_over(prepared, after, overrides).map_err(|failure| now(failure.to_string()))
}

/// Replays events that fired before the time the experiment begins at: those of these numbers.
///
/// # Errors
/// An event asks for something that cannot be done.
pub(super) fn replay(prepared: &mut Prepared, fired: &[usize]) -> Result<(), Diagnostics> {
    for event in fired {
        let Some(planned) = prepared.scheduled.list.get_mut(*event) else { continue };
        planned.done = true;
        let overrides = planned.overrides.clone();
        prepared.scheduled.replayed.push(*event);
        if !overrides.is_empty() {
            let after = changed(prepared, &overrides)?;
            put(prepared, after);
            prepared.scheduled.note(&overrides);
        }
    }
    Ok(())
}

/// The experiment after some changes, prepared, of the same layout and at its own start.
fn changed(before: &Prepared, overrides: &[Override]) -> Result<Prepared, Diagnostics> {
    let loaded: Loaded = before.loaded.changed(overrides)?;
    let after = assemble_named(loaded, &before.scheduled.registry)?;
    layout::check_same(&before.simulation, &after.simulation)?;
    Ok(after)
}

/// State of every plugin that stays as it is: detector, stepper, solvers, controllers.
pub(super) fn carried_state(before: &Prepared, after: &Prepared, snapshot: &Snapshot) -> Carried {
    let same_shapes = before.simulation.system.shapes == after.simulation.system.shapes;
    let bytes = |place: usize| snapshot.plugins.get(place).cloned();
    let same_detectors = before.detector.is_same(&after.detector)
        && before.others.len() == after.others.len()
        && before.others.iter().zip(&after.others).all(|(old, new)| old.is_same(new));
    let detector = (same_shapes && same_detectors).then(|| bytes(0)).flatten();
    let stepper = before.stepper.is_same(&after.stepper).then(|| bytes(1)).flatten();
    let of_solver = |used: &Used| {
        let place = before.solvers.iter().position(|old| old.is_same(used))?;
        bytes(2 + place)
    };
    let of_controller = |(k, used): (usize, &Used)| {
        let same = before.controllers.get(k).is_some_and(|old| old.is_same(used));
        same.then(|| snapshot.stages.get(k).cloned()).flatten()
    };
    Carried {
        plugins: [detector, stepper].into_iter().chain(after.solvers.iter().map(of_solver)).collect(),
        stages: after.controllers.iter().enumerate().map(of_controller).collect(),
    }
}

/// The simulation of `after` goes on where the one of `prepared` stands, in its place; pairs of bodies that overlap by that, in words.
fn hand_over(
    prepared: &mut Prepared,
    mut after: Prepared,
    overrides: &[Override],
) -> Result<Vec<String>, StepFailure> {
    let snapshot = prepared.simulation.snapshot();
    let plugins = carried_state(prepared, &after, &snapshot);
    let refused = |error| StepFailure::Stage { stage: Who::Any, error };
    after.simulation.adopt(&snapshot, plugins).map_err(refused)?;
    let overlaps = match prepared.simulation.system.shapes == after.simulation.system.shapes {
        true => Vec::new(),
        false => overlap::grown(&mut prepared.simulation, &mut after.simulation)?,
    };
    after.simulation.count_on(&mut prepared.simulation);
    put(prepared, after);
    prepared.scheduled.note(overrides);
    Ok(overlaps)
}

/// Everything of `after` but its events and pictures. The experiment that was there first is kept.
fn put(prepared: &mut Prepared, after: Prepared) {
    let mut scheduled = std::mem::take(&mut prepared.scheduled);
    let warnings = std::mem::take(&mut prepared.warnings);
    let pictures = std::mem::take(&mut prepared.pictures);
    let physics = std::mem::take(&mut prepared.physics);
    let after = Prepared { scheduled: ScheduledEvents::default(), warnings, pictures, physics, ..after };
    let before = std::mem::replace(prepared, after);
    scheduled.versions += 1;
    scheduled.origin.get_or_insert_with(|| Arc::new(before.loaded));
    prepared.scheduled = scheduled;
}

/// The first error of a list, as one sentence with its place.
fn first_error(diagnostics: &Diagnostics) -> String {
    let Some(error) = diagnostics.iter().find(|d| d.severity == Severity::Error) else {
        return String::new();
    };
    match &error.place {
        Some(place) => format!("{} ({place})", error.message),
        None => error.message.clone(),
    }
}
