//! Snapshots of a run with its events: coming back takes back what was changed since, and lets events fire again.

use vinci_core::StageError;
use vinci_engine::pipeline::{Snapshot, StepFailure, Who};
use vinci_scene::Override;

use super::super::assemble::assemble_named;
use super::list::FiredEvent;
use super::put;
use crate::prepared::Prepared;

/// State of a run to come back to: that of its simulation, the values that were changed since its start, and its events.
#[derive(Debug, Clone, Default)]
pub struct RunSnapshot {
    /// State of the simulation.
    pub simulation: Snapshot,
    changes: Vec<Override>,
    done: Vec<bool>,
    fired: Vec<FiredEvent>,
    replayed: Vec<usize>,
    stopped: Option<String>,
    warnings: Vec<String>,
}

impl RunSnapshot {
    /// State of a run as it is now.
    pub fn of(prepared: &Prepared) -> Self {
        let events = &prepared.scheduled;
        Self {
            simulation: prepared.simulation.snapshot(),
            changes: events.changes.clone(),
            done: events.list.iter().map(|event| event.done).collect(),
            fired: events.fired.clone(),
            replayed: events.replayed.clone(),
            stopped: events.stopped.clone(),
            warnings: events.warnings.clone(),
        }
    }

    /// Brings a run back to this state. Where other values hold now, the simulation is made anew from those at the start, and `remade` puts
    /// in what an embedding program had put there.
    ///
    /// # Errors
    /// The run has another number of events; values that cannot be put in here; a plugin that refuses its state. The run stays as it was
    /// unless a plugin refuses.
    pub fn restore(
        &self,
        prepared: &mut Prepared,
        remade: impl FnOnce(&mut Prepared) -> Result<(), StepFailure>,
    ) -> Result<(), String> {
        let events = prepared.scheduled.list.len();
        if events != self.done.len() {
            return Err(format!(
                "the snapshot is of an experiment with {} events, here are {events}",
                self.done.len()
            ));
        }
        if !same(&self.changes, &prepared.scheduled.changes) {
            self.values(prepared)?;
            remade(prepared).map_err(|failure| failure.to_string())?;
        }
        let refused = |error: StageError| StepFailure::Stage { stage: Who::Any, error }.to_string();
        prepared.simulation.restore(&self.simulation).map_err(refused)?;
        let events = &mut prepared.scheduled;
        events.list.iter_mut().zip(&self.done).for_each(|(event, done)| event.done = *done);
        events.fired.clone_from(&self.fired);
        events.replayed.clone_from(&self.replayed);
        events.stopped.clone_from(&self.stopped);
        events.warnings.clone_from(&self.warnings);
        Ok(())
    }

    /// The experiment at the start of the run with the values of this snapshot, in the place of the one that runs.
    fn values(&self, prepared: &mut Prepared) -> Result<(), String> {
        let origin = prepared.scheduled.origin.clone();
        let start = origin.as_deref().unwrap_or(&prepared.loaded);
        let loaded = match self.changes.is_empty() {
            true => Ok(start.clone()),
            false => start.changed(&self.changes),
        };
        let after = loaded.and_then(|loaded| assemble_named(loaded, &prepared.scheduled.registry));
        let mut after = after.map_err(|found| super::first_error(&found))?;
        after.simulation.count_on(&mut prepared.simulation);
        put(prepared, after);
        prepared.scheduled.changes.clone_from(&self.changes);
        Ok(())
    }
}

/// Returns true if two lists put the same values in the same places, in one order.
fn same(a: &[Override], b: &[Override]) -> bool {
    let one = |a: &Override, b: &Override| a.path() == b.path() && a.value().to_json() == b.value().to_json();
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| one(a, b))
}
