//! The events of a run: those to come, when they fire, and those that fired.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use vinci_engine::registry::Registry;
use vinci_scene::formula::Formula;
use vinci_scene::{Loaded, Override};

/// When an event fires.
#[derive(Debug, Clone)]
pub(super) enum Trigger {
    /// At the grid time of this number.
    Grid(u64),
    /// At the first grid time at which this holds.
    When(Formula),
}

/// An event that was tried.
#[derive(Debug, Clone)]
pub(super) struct Planned {
    pub(super) trigger: Trigger,
    pub(super) overrides: Vec<Override>,
    pub(super) stop: Option<String>,
    /// "at 1.2 s", and what it does.
    pub(super) text: [String; 2],
    /// Warnings about what the stepper makes of the scene from then on.
    pub(super) told: Vec<String>,
    pub(super) done: bool,
}

/// An event that fired.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FiredEvent {
    /// Its number among the experiment's events, from 0.
    pub event: usize,
    /// When, s.
    pub t: f64,
    /// Its effect, as text.
    pub text: String,
}

/// The events of a run: those to come, and those that fired.
#[derive(Debug, Clone, Default)]
pub struct ScheduledEvents {
    pub(super) registry: Registry,
    pub(super) list: Vec<Planned>,
    pub(super) fired: Vec<FiredEvent>,
    /// Numbers of events that fired before the run began, where it goes on from a saved state.
    pub(super) replayed: Vec<usize>,
    pub(super) stopped: Option<String>,
    pub(super) warnings: Vec<String>,
    /// How often the simulation was made anew.
    pub(super) versions: u64,
    /// The experiment before anything was changed, where something was.
    pub(super) origin: Option<Arc<Loaded>>,
    /// Everything that was changed since, by events and from outside, in its order.
    pub(super) changes: Vec<Override>,
    pub(super) scratch: Vec<f64>,
}

impl ScheduledEvents {
    /// No events; plugins are found in `registry`.
    pub(crate) fn none(registry: &Registry) -> Self {
        Self { registry: registry.clone(), ..Self::default() }
    }

    /// How often the simulation was made anew since the run was prepared.
    pub(crate) fn versions(&self) -> u64 {
        self.versions
    }

    /// Descriptions of all events: time or condition, and effect.
    pub fn texts(&self) -> impl Iterator<Item = String> {
        self.list.iter().map(|event| event.text.join(": "))
    }

    /// Events that fired, in their order.
    pub fn fired(&self) -> &[FiredEvent] {
        &self.fired
    }

    /// Numbers of the events that fired before a run that goes on from a saved state.
    pub fn replayed(&self) -> &[usize] {
        &self.replayed
    }

    /// Reason why an event ended the run.
    pub fn stopped(&self) -> Option<&str> {
        self.stopped.as_deref()
    }

    /// Warnings of events that fired, as text.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Notes changes; one whose value is put in again, with nothing put into it between, is left out.
    pub(super) fn note(&mut self, overrides: &[Override]) {
        let changes = &mut self.changes;
        for one in overrides {
            let path = one.path().segments();
            if let Some(at) = changes.iter().rposition(|earlier| earlier.path() == one.path())
                && !changes[at + 1..].iter().any(|between| between.path().segments().starts_with(path))
            {
                changes.remove(at);
            }
            changes.push(one.clone());
        }
    }

    /// Puts the events that a stopped run reported in the place of what was replayed.
    pub(crate) fn go_on(&mut self, fired: Vec<FiredEvent>, replayed: Vec<usize>, warnings: Vec<String>) {
        (self.fired, self.replayed, self.warnings) = (fired, replayed, warnings);
    }

    /// The next event that is due at grid time number `grid`, in the order of the file.
    pub(super) fn due(&mut self, grid: u64, t: f64, q: &[f64], v: &[f64]) -> Option<usize> {
        let Self { list, scratch, .. } = self;
        list.iter().position(|event| {
            !event.done
                && match &event.trigger {
                    Trigger::Grid(k) => grid >= *k,
                    Trigger::When(condition) => condition.holds(t, q, v, scratch),
                }
        })
    }
}

/// Numbers of the events at grid times before number `grid`.
pub(crate) fn before(scheduled: &ScheduledEvents, grid: u64) -> Vec<usize> {
    let is_past = |event: &Planned| matches!(event.trigger, Trigger::Grid(k) if k < grid);
    (0..scheduled.list.len()).filter(|i| is_past(&scheduled.list[*i])).collect()
}
