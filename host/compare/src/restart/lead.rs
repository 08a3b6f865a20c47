//! A leading run, at whose states others begin.

use std::ops::ControlFlow;
use vinci_core::clock::seconds;

use vinci_engine::pipeline::Simulation;
use vinci_run::{Observer, Prepared, SavedState, run_loop};

use super::owners::Stand;

/// Windows of a run: each of `length` grid steps, one every `period` of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Windows {
    pub(super) period: u64,
    pub(super) length: u64,
}

/// Follows a leading run: is told of the state at the start of every window and of that at its end.
pub(super) trait Company {
    /// A window begins at this state, where the leading run stands, and ends at the time `end`, s.
    fn begin(&mut self, state: (&SavedState, &Stand), end: f64);

    /// The window ends: where the leading run has come to.
    fn end(&mut self, leader: &Prepared, stand: &Stand);
}

struct Lead<'a, C> {
    windows: Windows,
    duration: f64,
    /// Grid number of the end of the window that is open.
    open: Option<u64>,
    stop: &'a dyn Fn() -> bool,
    company: &'a mut C,
}

impl<C: Company> Observer for Lead<'_, C> {
    fn interval(
        &mut self,
        _simulation: &mut Simulation,
        _before: u64,
        _row: Option<u64>,
    ) -> std::io::Result<ControlFlow<()>> {
        match (self.stop)() {
            true => Err(std::io::ErrorKind::Interrupted.into()),
            false => Ok(ControlFlow::Continue(())),
        }
    }

    fn grid(&mut self, prepared: &Prepared) -> std::io::Result<()> {
        let simulation = &prepared.simulation;
        let now = simulation.grid_count();
        let at = (simulation.time(), simulation.q(), simulation.v());
        let stand = Stand::of(&simulation.system, at);
        if self.open.is_some_and(|end| now >= end) {
            self.open = None;
            self.company.end(prepared, &stand);
        }
        let (h, end) = (simulation.settings.step, now + self.windows.length);
        let fits = end as f64 * h <= self.duration + 1e-9 * h;
        if self.open.is_none() && fits && now.is_multiple_of(self.windows.period) {
            self.company.begin((&SavedState::of(prepared), &stand), end as f64 * h);
            self.open = Some(end);
        }
        Ok(())
    }
}

/// How a leading run ended before its time.
pub(super) enum Cut {
    /// Somebody asked to stop.
    Stopped,
    /// It failed, in words.
    Failed(String),
}

/// Runs a leading run to its end with company.
pub(super) fn lead<C: Company>(
    prepared: &mut Prepared,
    windows: Windows,
    (stop, company): (&dyn Fn() -> bool, &mut C),
) -> Option<Cut> {
    let duration = prepared.loaded.experiment.time.duration;
    let mut observer = Lead { windows, duration, open: None, stop, company };
    match run_loop(prepared, duration, &mut observer) {
        Ok(None) => None,
        Ok(Some((failure, t))) => Some(Cut::Failed(format!("{failure} at t = {} s", seconds(t)))),
        Err(e) if e.kind() == std::io::ErrorKind::Interrupted => Some(Cut::Stopped),
        Err(e) => Some(Cut::Failed(e.to_string())),
    }
}
