//! Snapshots of a run with its events: coming back takes back what was changed since, and lets events fire again.

use sha2::{Digest, Sha256};
use vinci_core::StageError;
use vinci_engine::pipeline::{Snapshot, StepFailure, Who};
use vinci_scene::Override;

use super::super::assemble::assemble_named;
use super::list::FiredEvent;
use super::{layout, put};
use crate::prepared::Prepared;
use crate::sealed::hex;

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
    /// The run has another number of events; values that cannot be put in here; a plugin that refuses its state. The run stays as it was.
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
        if same(&self.changes, &prepared.scheduled.changes) {
            self.state(prepared)?;
        } else {
            let mut after = self.values(prepared)?;
            remade(&mut after).map_err(|failure| failure.to_string())?;
            after.simulation.restore(&self.simulation).map_err(refused)?;
            after.simulation.count_on(&mut prepared.simulation);
            put(prepared, after);
            prepared.scheduled.changes.clone_from(&self.changes);
        }
        let events = &mut prepared.scheduled;
        events.list.iter_mut().zip(&self.done).for_each(|(event, done)| event.done = *done);
        events.fired.clone_from(&self.fired);
        events.replayed.clone_from(&self.replayed);
        events.stopped.clone_from(&self.stopped);
        events.warnings.clone_from(&self.warnings);
        Ok(())
    }

    /// The state of the simulation, or again the one that it has where a plugin refuses its own.
    fn state(&self, prepared: &mut Prepared) -> Result<(), String> {
        let before = prepared.simulation.snapshot();
        prepared.simulation.restore(&self.simulation).map_err(|error| {
            match prepared.simulation.restore(&before) {
                Ok(()) => refused(error),
                Err(again) => format!("{}; nor its state of before: {}", refused(error), again.message),
            }
        })
    }

    /// The experiment at the start of the run with the values of this snapshot.
    fn values(&self, prepared: &Prepared) -> Result<Prepared, String> {
        let origin = prepared.scheduled.origin.clone();
        let start = origin.as_deref().unwrap_or(&prepared.loaded);
        let loaded = match self.changes.is_empty() {
            true => Ok(start.clone()),
            false => start.changed(&self.changes),
        };
        let after = loaded.and_then(|loaded| assemble_named(loaded, &prepared.scheduled.registry));
        after.map_err(|found| super::first_error(&found))
    }
}

/// Everything that a snapshot of a run belongs to, a line for each: layout, plugins with options, step, events, and a digest of the scene.
pub fn identity(prepared: &Prepared) -> Vec<String> {
    let (loaded, events) = (&prepared.loaded, prepared.scheduled.list.len());
    let plugins = [&prepared.detector, &prepared.stepper].into_iter().chain(&prepared.solvers);
    let plugins = plugins.chain(&prepared.controllers);
    let mut lines = layout(&prepared.simulation);
    lines
        .extend(plugins.map(|used| format!("the plugin {} with options {}", used.manifest.id, used.options)));
    lines.push(format!("steps of {} s", loaded.experiment.time.step));
    let digest = |text: String| hex(&Sha256::digest(text.as_bytes())[..6]);
    let listed = loaded.experiment_node.get("events").map_or_else(String::new, |e| e.to_json().to_string());
    lines.push(format!("{events} events ({})", digest(listed)));
    lines.push(format!("a scene of these values ({})", digest(loaded.scene_node.to_json().to_string())));
    lines
}

fn refused(error: StageError) -> String {
    StepFailure::Stage { stage: Who::Any, error }.to_string()
}

/// Returns true if two lists put the same values in the same places, in one order.
fn same(a: &[Override], b: &[Override]) -> bool {
    let one = |a: &Override, b: &Override| a.path() == b.path() && a.value().to_json() == b.value().to_json();
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| one(a, b))
}
