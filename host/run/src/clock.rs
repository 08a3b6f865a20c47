//! Wall time of a run: with what it took before it went on, without what it waited for others.

use std::time::{Duration, Instant};

/// A clock that runs from when it is made.
pub(super) struct Clock {
    started: Instant,
    /// Wall time of the run before it went on, s.
    earlier: f64,
    waited: Duration,
}

impl Clock {
    /// A clock that starts at `earlier` (s).
    pub(super) fn at(earlier: f64) -> Self {
        Self { started: Instant::now(), earlier, waited: Duration::ZERO }
    }

    /// Leaves out a time in which the run only waited.
    pub(super) fn leave_out(&mut self, waited: Duration) {
        self.waited += waited;
    }

    /// Time of the run, s.
    pub(super) fn seconds(&self) -> f64 {
        self.earlier + self.started.elapsed().saturating_sub(self.waited).as_secs_f64()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_it_waited_is_none_of_its_time() {
        let mut clock = Clock::at(7.0);
        let begun = Instant::now();
        std::thread::sleep(Duration::from_millis(50));
        clock.leave_out(begun.elapsed());
        assert!(clock.seconds() >= 7.0 && clock.seconds() < 7.0 + begun.elapsed().as_secs_f64() - 0.04);
    }
}
