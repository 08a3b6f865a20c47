//! The way of a simulation from its state to the end of its time, whoever looks on.

use crate::pipeline::{Simulation, StepFailure};

/// Who looks on while a simulation runs.
pub trait Onlooker {
    /// A piece of the way is made: the accepted steps after number `before`. `row`: number of the grid time it ends at, if it does.
    ///
    /// # Errors
    /// Of input and output; they end the run.
    fn piece(&mut self, simulation: &mut Simulation, before: u64, row: Option<u64>) -> std::io::Result<()>;
}

/// Steps up to `duration`, or to the first step that fails, which is returned with the time where the simulation then stands.
///
/// # Errors
/// The onlooker's.
pub fn course(
    simulation: &mut Simulation,
    duration: f64,
    onlooker: &mut impl Onlooker,
) -> std::io::Result<Option<(StepFailure, f64)>> {
    let h = simulation.settings.step;
    while let Some(end) = simulation.next_end(duration) {
        let before = simulation.step_count();
        if let Err(failure) = simulation.proceed(end) {
            return Ok(Some((failure, simulation.time())));
        }
        let row = (simulation.time() == end).then(|| (end / h - 1e-9).ceil() as u64);
        onlooker.piece(simulation, before, row)?;
    }
    Ok(None)
}
