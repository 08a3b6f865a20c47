//! Turns: runs that go forward side by side, one at a time, so that a machine that becomes slower on the way becomes so for all of them.
//!
//! The turn goes to the run that has come least far in its own time. It is kept for a while, since a run that takes over finds the caches of the
//! processor full of others.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long a turn is kept at least: long beside a change of threads (some 10 µs), short beside what a machine does.
const SLICE: Duration = Duration::from_millis(2);

/// Runs that share one processor.
#[derive(Debug)]
struct Shared {
    queue: Mutex<Queue>,
    passed: Condvar,
}

#[derive(Debug)]
struct Queue {
    /// Part of its time that each run has come to, from 0 to 1; none where it has ended.
    reached: Vec<Option<f64>>,
    /// The run whose turn it is.
    holder: usize,
}

impl Queue {
    /// The run that has come least far; the first one of several.
    fn least(&self) -> Option<usize> {
        let running = self.reached.iter().enumerate().filter_map(|(k, reached)| Some((k, (*reached)?)));
        running.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(k, _)| k)
    }

    /// The turn goes on; where no run is left, nobody looks who has it.
    fn pass(&mut self) {
        self.holder = self.least().unwrap_or(self.holder);
    }
}

impl Shared {
    fn queue(&self) -> MutexGuard<'_, Queue> {
        // A thread that panicked in here left numbers that are whole.
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A run's place among those that take turns. It ends where this is dropped.
#[derive(Debug)]
pub struct Turn {
    shared: Arc<Shared>,
    place: usize,
    /// When it was passed here.
    since: Instant,
}

impl Turn {
    /// Turns of so many runs, each for a thread of its own; the first run has it.
    pub fn of(runs: usize) -> Vec<Self> {
        let queue = Mutex::new(Queue { reached: vec![Some(0.0); runs], holder: 0 });
        let shared = Arc::new(Shared { queue, passed: Condvar::new() });
        (0..runs).map(|place| Self { shared: shared.clone(), place, since: Instant::now() }).collect()
    }

    /// Waits for the turn; a run does so before it does anything else.
    pub fn begin(&mut self) {
        let shared = self.shared.clone();
        self.wait(&shared, shared.queue());
    }

    /// The run has come to this part of its time. Returns true if the turn is due to another one.
    pub(super) fn is_due(&self, reached: f64) -> bool {
        if self.since.elapsed() < SLICE {
            return false;
        }
        let mut queue = self.shared.queue();
        queue.reached[self.place] = Some(reached);
        queue.least() != Some(self.place)
    }

    /// Passes the turn on and waits until it comes back; for how long.
    pub(super) fn pass(&mut self) -> Duration {
        let (begun, shared) = (Instant::now(), self.shared.clone());
        let mut queue = shared.queue();
        queue.pass();
        shared.passed.notify_all();
        self.wait(&shared, queue);
        begun.elapsed()
    }

    fn wait(&mut self, shared: &Shared, queue: MutexGuard<'_, Queue>) {
        let is_others = |queue: &mut Queue| queue.holder != self.place;
        drop(shared.passed.wait_while(queue, is_others).unwrap_or_else(PoisonError::into_inner));
        self.since = Instant::now();
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let mut queue = self.shared.queue();
        queue.reached[self.place] = None;
        if queue.holder == self.place {
            queue.pass();
        }
        drop(queue);
        self.shared.passed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

    use super::*;

    /// Runs of so many steps, ms each, side by side; which of them made a step, in order. A run of no steps panics in its first one.
    fn made(runs: &[(u32, u64)]) -> Vec<usize> {
        let (steps, inside) = (Mutex::new(Vec::new()), AtomicUsize::new(0));
        let run = |k: usize, mut turn: Turn| {
            let (n, pause) = runs[k];
            turn.begin();
            assert!(n > 0, "the run that dies");
            for i in 1..=n {
                assert_eq!(inside.fetch_add(1, SeqCst), 0, "two at once");
                std::thread::sleep(Duration::from_millis(pause));
                steps.lock().unwrap().push(k);
                inside.fetch_sub(1, SeqCst);
                let reached = f64::from(i) / f64::from(n);
                if turn.is_due(reached) {
                    turn.pass();
                }
            }
        };
        let turns = Turn::of(runs.len());
        std::thread::scope(|scope| {
            let threads = turns.into_iter().enumerate().map(|(k, turn)| scope.spawn(move || run(k, turn)));
            threads.collect::<Vec<_>>().into_iter().for_each(|thread| drop(thread.join()));
        });
        steps.into_inner().unwrap()
    }

    #[test]
    fn runs_of_unlike_pace_go_forward_together_one_at_a_time() {
        let steps = made(&[(20, 3), (20, 6), (40, 3)]);
        for (run, of) in [(0, 20), (1, 20), (2, 40)] {
            assert_eq!(steps.iter().filter(|k| **k == run).count(), of);
        }
        // Nobody is more than two slices ahead of another.
        let mut reached = [0.0; 3];
        for k in steps {
            reached[k] += if k == 2 { 1.0 / 40.0 } else { 1.0 / 20.0 };
            let [least, most] = [f64::min, f64::max].map(|of| reached.into_iter().reduce(of).unwrap());
            assert!(most - least < 0.1 + 1e-9, "{reached:?}");
        }
    }

    #[test]
    fn a_run_that_dies_keeps_nobody_waiting() {
        let steps = made(&[(0, 0), (3, 3), (0, 0), (2, 3)]);
        assert_eq!(steps.len(), 5);
    }

    #[test]
    fn one_alone_never_waits() {
        assert_eq!(made(&[(5, 3)]), [0; 5]);
    }
}
