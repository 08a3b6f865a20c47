//! The run loop: a simulation from its state to the end of its time, with an observer.

use std::ops::ControlFlow;

use super::scheduled_events::{self};
use crate::prepared::Prepared;
use crate::scheduled_events::FiredEvent;
use vinci_engine::pipeline::{Simulation, StepFailure};

/// Observes a simulation while it runs.
pub trait Observer {
    /// An interval is complete: the accepted steps after number `before`. `row`: number of the grid time it ends at, if it
    /// does. The observer may have seen enough: `Break` ends the loop here, before the events of this time.
    ///
    /// # Errors
    /// Of input and output; they end the run.
    fn interval(
        &mut self,
        simulation: &mut Simulation,
        before: u64,
        row: Option<u64>,
    ) -> std::io::Result<ControlFlow<()>>;

    /// The simulation stands at a grid time, before the events of that time.
    ///
    /// # Errors
    /// As of [`Observer::interval`].
    fn grid(&mut self, _prepared: &Prepared) -> std::io::Result<()> {
        Ok(())
    }

    /// Events have changed the experiment, and made the simulation anew: what an embedding program had put into it is gone, and may be put
    /// back here.
    ///
    /// # Errors
    /// The embedding program cannot put it back.
    fn remade(&mut self, _prepared: &mut Prepared) -> Result<(), StepFailure> {
        Ok(())
    }

    /// An event of the experiment fired.
    ///
    /// # Errors
    /// As of [`Observer::interval`].
    fn fired(&mut self, _fired: &FiredEvent) -> std::io::Result<()> {
        Ok(())
    }
}

/// Steps up to `duration`, to where the observer has seen enough, to an event that stops the run ([`scheduled_events::ScheduledEvents::stopped`]), or to the first step or event that
/// fails, which is returned with the time where the simulation then stands.
///
/// # Errors
/// The observer's.
pub fn run_loop(
    prepared: &mut Prepared,
    duration: f64,
    observer: &mut impl Observer,
) -> std::io::Result<Option<(StepFailure, f64)>> {
    let h = prepared.simulation.settings.step;
    let mut on_grid = true;
    loop {
        if on_grid && let Some(failure) = events(prepared, observer)? {
            return Ok(Some((failure, prepared.simulation.time())));
        }
        let simulation = &mut prepared.simulation;
        let end = simulation.next_end(duration).filter(|_| prepared.scheduled.stopped().is_none());
        let Some(end) = end else { return Ok(None) };
        let before = simulation.step_count();
        if let Err(failure) = simulation.advance_to(end) {
            return Ok(Some((failure, simulation.time())));
        }
        let row = (simulation.time() == end).then(|| (end / h - 1e-9).ceil() as u64);
        on_grid = row.is_some();
        if observer.interval(simulation, before, row)?.is_break() {
            return Ok(None);
        }
    }
}

/// Fires the events of a grid time; the failure of one.
fn events(prepared: &mut Prepared, observer: &mut impl Observer) -> std::io::Result<Option<StepFailure>> {
    observer.grid(prepared)?;
    let (known, versions) = (prepared.scheduled.fired().len(), prepared.scheduled.versions());
    let fired = scheduled_events::fire(prepared);
    prepared.scheduled.fired()[known..].iter().try_for_each(|event| observer.fired(event))?;
    // One of several events may have changed the experiment before another one failed.
    let is_remade = prepared.scheduled.versions() != versions;
    let remade = if is_remade { observer.remade(prepared) } else { Ok(()) };
    Ok(fired.and(remade).err())
}
