//! The way of a simulation from its state to the end of its time, whoever looks on.

use std::ops::ControlFlow;

use super::changes::{self, Happened};
use super::prepare::Prepared;
use crate::pipeline::{Simulation, StepFailure};

/// Who looks on while a simulation runs.
pub trait Onlooker {
    /// A piece of the way is made: the accepted steps after number `before`. `row`: number of the grid time it ends at, if it does.
    /// The onlooker may have seen enough: `Break` ends the course here, before the events of this time.
    ///
    /// # Errors
    /// Of input and output; they end the run.
    fn piece(
        &mut self,
        simulation: &mut Simulation,
        before: u64,
        row: Option<u64>,
    ) -> std::io::Result<ControlFlow<()>>;

    /// The simulation stands at a grid time, before the events of that time.
    ///
    /// # Errors
    /// As of [`Onlooker::piece`].
    fn grid(&mut self, _prepared: &Prepared) -> std::io::Result<()> {
        Ok(())
    }

    /// An event of the experiment happened.
    ///
    /// # Errors
    /// As of [`Onlooker::piece`].
    fn changed(&mut self, _happened: &Happened) -> std::io::Result<()> {
        Ok(())
    }
}

/// Steps up to `duration`, to where the onlooker has seen enough, to an event that stops the run ([`changes::Changes::stopped`]), or to the first step or event that
/// fails, which is returned with the time where the simulation then stands.
///
/// # Errors
/// The onlooker's.
pub fn course(
    prepared: &mut Prepared,
    duration: f64,
    onlooker: &mut impl Onlooker,
) -> std::io::Result<Option<(StepFailure, f64)>> {
    let h = prepared.simulation.settings.step;
    let mut on_grid = true;
    loop {
        if on_grid && let Some(failure) = events(prepared, onlooker)? {
            return Ok(Some((failure, prepared.simulation.time())));
        }
        let simulation = &mut prepared.simulation;
        let end = simulation.next_end(duration).filter(|_| prepared.changes.stopped().is_none());
        let Some(end) = end else { return Ok(None) };
        let before = simulation.step_count();
        if let Err(failure) = simulation.advance_to(end) {
            return Ok(Some((failure, simulation.time())));
        }
        let row = (simulation.time() == end).then(|| (end / h - 1e-9).ceil() as u64);
        on_grid = row.is_some();
        if onlooker.piece(simulation, before, row)?.is_break() {
            return Ok(None);
        }
    }
}

/// What happens at a grid time; the failure of an event.
fn events(prepared: &mut Prepared, onlooker: &mut impl Onlooker) -> std::io::Result<Option<StepFailure>> {
    onlooker.grid(prepared)?;
    let known = prepared.changes.happened().len();
    let made = changes::happen(prepared);
    prepared.changes.happened()[known..].iter().try_for_each(|event| onlooker.changed(event))?;
    Ok(made.err())
}
