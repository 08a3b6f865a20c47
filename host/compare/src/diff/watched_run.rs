//! A run that is watched at times that another one has too.

use std::ops::ControlFlow;
use vinci_core::clock::seconds;

use vinci_core::model::Frames;
use vinci_engine::pipeline::Simulation;
use vinci_run::{Observer, Prepared, run_loop};

use super::sample::Sample;

/// A run as it was watched: samples at the times of interest, and how it failed if it did.
#[derive(Debug, Default)]
pub(super) struct WatchedRun {
    pub(super) samples: Vec<Sample>,
    /// Reason why it ended before its time.
    pub(super) failure: Option<String>,
}

/// Watches every `every`-th grid time; the run ends where `look` has seen enough.
struct Watch<L: FnMut(usize, &Sample) -> bool> {
    every: u64,
    samples: Vec<Sample>,
    frames: Frames,
    look: L,
}

impl<L: FnMut(usize, &Sample) -> bool> Observer for Watch<L> {
    fn interval(
        &mut self,
        simulation: &mut Simulation,
        _before: u64,
        row: Option<u64>,
    ) -> std::io::Result<ControlFlow<()>> {
        if !row.is_some_and(|row| row.is_multiple_of(self.every)) {
            return Ok(ControlFlow::Continue(()));
        }
        let sample = Sample::of(&simulation.system, &simulation.last(), &mut self.frames);
        let seen_enough = (self.look)(self.samples.len(), &sample);
        self.samples.push(sample);
        Ok(if seen_enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    }
}

/// Watches a run up to `end`, s, at every `every`-th grid time. It stops where `look`, which is told the number of the sample from 0,
/// has seen enough.
pub(super) fn watch_run(
    prepared: &mut Prepared,
    (end, every): (f64, u64),
    look: impl FnMut(usize, &Sample) -> bool,
) -> WatchedRun {
    let mut watch = Watch { every, samples: Vec::new(), frames: Frames::default(), look };
    let failure = match run_loop(prepared, end, &mut watch) {
        Ok(failure) => failure.map(|(failure, t)| format!("{failure} at t = {} s", seconds(t))),
        Err(error) => Some(error.to_string()),
    };
    WatchedRun { samples: watch.samples, failure }
}
