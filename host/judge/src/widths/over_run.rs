//! Looks at chosen times of a run.

use std::ops::ControlFlow;
use vinci_core::clock::seconds;

use vinci_engine::pipeline::Simulation;
use vinci_run::{Observer, Prepared, run_loop};

use super::{Look, look};

/// Times at which forces are looked at, ascending.
pub(crate) struct Due {
    times: Vec<f64>,
    next: usize,
}

impl Due {
    pub(crate) fn new(times: &[f64]) -> Self {
        let mut times = times.to_vec();
        times.sort_by(f64::total_cmp);
        Self { times, next: 0 }
    }

    /// Returns true if one of the times, or several, lie in the step that ended at t, s; `h` is its size.
    pub(crate) fn is_at(&mut self, t: f64, h: f64) -> bool {
        let before = self.next;
        while self.times.get(self.next).is_some_and(|due| *due <= t + 1e-9 * h) {
            self.next += 1;
        }
        self.next > before
    }
}

struct Watch<'a> {
    due: Due,
    looks: Vec<Look>,
    failure: Option<String>,
    stop: &'a dyn Fn() -> bool,
}

impl Observer for Watch<'_> {
    fn interval(
        &mut self,
        simulation: &mut Simulation,
        _before: u64,
        _row: Option<u64>,
    ) -> std::io::Result<ControlFlow<()>> {
        if (self.stop)() {
            return Err(std::io::ErrorKind::Interrupted.into());
        }
        if self.due.is_at(simulation.time(), simulation.settings.step) {
            match look(simulation) {
                Ok(look) => self.looks.push(look),
                Err(why) => {
                    self.failure = Some(why);
                    return Ok(ControlFlow::Break(()));
                }
            }
        }
        let is_done = self.due.next == self.due.times.len();
        Ok(if is_done { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    }
}

/// Makes a run and looks at the contacts at the ends of the steps that contain these times, s. Gives the looks, and why the run ended
/// before them if it did.
///
/// # Errors
/// A request to stop, as interrupted.
pub fn over_run(
    prepared: &mut Prepared,
    times: &[f64],
    stop: &dyn Fn() -> bool,
) -> std::io::Result<(Vec<Look>, Option<String>)> {
    let duration = prepared.loaded.experiment.time.duration;
    let mut watch = Watch { due: Due::new(times), looks: Vec::new(), failure: None, stop };
    let failed = run_loop(prepared, duration, &mut watch)?;
    let failed = failed.map(|(failure, t)| format!("{failure} at t = {} s", seconds(t)));
    Ok((watch.looks, watch.failure.or(failed)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_is_looked_at_once_however_many_times_lie_in_it() {
        let mut due = Due::new(&[0.25, 0.1, 0.2]);
        let seen: Vec<bool> = (1..=4).map(|k| due.is_at(0.1 * f64::from(k), 0.1)).collect();
        assert_eq!(seen, [true, true, true, false]);
        let mut due = Due::new(&[0.11, 0.12, 0.19]);
        assert_eq!([due.is_at(0.1, 0.1), due.is_at(0.2, 0.1), due.is_at(0.3, 0.1)], [false, true, false]);
    }
}
