//! The times that two runs have in common, and the sizes that their differences are held against.

use vinci_core::model::{MotionSource, System};
use vinci_core::referee::Sizes;
use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics};

use crate::motion::Gap;

/// Most steps of one run between two common times.
const LONGEST: u32 = 1000;
/// Part of the common interval within which two times are one.
const SAME: f64 = 1e-9;

/// Common times: multiples of `interval`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Clock {
    /// H, s.
    pub(super) interval: f64,
    /// Number of intervals up to the end of the shorter run.
    pub(super) count: usize,
}

impl Clock {
    /// Scale of two runs with these steps and durations, s: H is the least common multiple of the steps.
    pub(super) fn new(steps: [f64; 2], durations: [f64; 2]) -> Result<Self, Diagnostics> {
        let [a, b] = steps;
        let common = (1..=LONGEST).map(|n| f64::from(n) * a).find(|t| {
            let m = t / b;
            m >= 1.0 - SAME && (m - m.round()).abs() <= SAME * m && m.round() <= f64::from(LONGEST)
        });
        let count = |interval: f64| (durations[0].min(durations[1]) / interval + SAME).floor() as usize;
        match common.map(|interval| Self { interval, count: count(interval) }) {
            Some(clock) if clock.count > 0 => Ok(clock),
            _ => {
                let message = format!("steps of {a} s and {b} s have no grid time in common");
                let help = "choose steps whose ratio is simple, and a duration that both divide";
                Err(Diagnostic::error(Code::Contradiction, message).help(help).into())
            }
        }
    }

    /// Grid steps of a run between two common times.
    pub(super) fn every(&self, step: f64) -> u64 {
        (self.interval / step).round().max(1.0) as u64
    }

    /// The time after so many intervals, s.
    pub(super) fn time(&self, n: usize) -> f64 {
        n as f64 * self.interval
    }
}

/// Sizes that make gaps numbers without unit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Scale {
    /// Width of the thinnest body that moves, m; 1 where none has a shape.
    pub(super) length: f64,
    /// H, s.
    interval: f64,
}

impl Scale {
    pub(super) fn new(system: &System, clock: &Clock) -> Self {
        let widths = Sizes::of(system).width;
        let moving = (0..system.bodies.len())
            .filter(|&b| !matches!(system.motion_source(b as u32), MotionSource::Fixed));
        let length =
            moving.map(|b| widths[b]).filter(|w| w.is_finite() && *w > 0.0).fold(f64::INFINITY, f64::min);
        Self { length: if length.is_finite() { length } else { 1.0 }, interval: clock.interval }
    }

    /// |Δx|/L, Δθ, |Δv| H/L and |Δω| H: what is seen at this time, or will be after one more interval.
    pub(super) fn sizes(&self, gap: &Gap) -> [f64; 4] {
        let (l, h) = (self.length, self.interval);
        [gap.position.value / l, gap.rotation.value, gap.velocity.value * h / l, gap.spin.value * h]
    }

    /// The largest of them; what is no number is beyond any.
    pub(super) fn size(&self, gap: &Gap) -> f64 {
        let larger = |most: f64, x: f64| if x.is_nan() { f64::INFINITY } else { most.max(x) };
        self.sizes(gap).into_iter().fold(0.0, larger)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_times_are_those_of_both_grids() {
        let clock = |a: f64, b: f64, t: f64| Clock::new([a, b], [t, 1.0]).map(|c| (c.interval, c.count));
        assert_eq!(clock(0.01, 0.01, 1.0), Ok((0.01, 100)));
        assert_eq!(clock(0.01, 0.005, 1.0), Ok((0.01, 100)));
        assert_eq!(clock(0.005, 0.01, 0.5), Ok((0.01, 50)));
        let (interval, count) = clock(0.002, 0.003, 1.0).unwrap();
        assert!((interval - 0.006).abs() < 1e-15 && count == 166);
        assert!(clock(0.01, 0.01 * std::f64::consts::PI, 1.0).is_err());
        assert!(clock(0.3, 0.7, 1.0).is_err(), "the first common time lies behind the end");
        let clock = Clock::new([0.002, 0.003], [1.0, 1.0]).unwrap();
        assert_eq!([0.002, 0.003].map(|h| clock.every(h)), [3, 2]);
    }
}
