//! Control of the step size.

use vinci_sdk::prelude::{Deserialize, Serialize};

/// Steps in a row that must succeed before a shortened step grows.
const SUCCESSES: u32 = 2;

/// Part of a step by which the rest of the way may be longer and still be one step.
const ROUNDING: f64 = 1e-9;

/// The largest step that is tried.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(crate = "vinci_sdk::serde")]
pub(crate) struct Control {
    /// It, s; ∞: whatever the host asks for.
    pub(crate) limit: f64,
    pub(crate) successes: u32,
}

impl Default for Control {
    fn default() -> Self {
        Self { limit: f64::INFINITY, successes: 0 }
    }
}

impl Control {
    /// The step to try where `rest` is asked for: equal steps that reach its end.
    pub(crate) fn propose(&self, rest: f64) -> f64 {
        if self.limit >= rest * (1.0 - ROUNDING) { rest } else { rest / (rest / self.limit).ceil() }
    }

    /// Returns true if a step of h fits into the rest.
    pub(crate) fn fits(h: f64, rest: f64) -> bool {
        h <= rest * (1.0 + ROUNDING)
    }

    /// Newton's method has failed: half of h. Returns it.
    pub(crate) fn halve(&mut self, h: f64) -> f64 {
        *self = Self { limit: 0.5 * h, successes: 0 };
        self.limit
    }

    /// A step was made: after some of them, twice the length.
    pub(crate) fn succeed(&mut self) {
        self.successes += 1;
        if self.successes >= SUCCESSES {
            *self = Self { limit: 2.0 * self.limit, successes: 0 };
        }
    }

    /// The error of a step was too large: h · clip(0.9 √(a/err), 0.1, 0.9). Returns it.
    pub(crate) fn reject(&mut self, h: f64, error: f64, accuracy: f64) -> f64 {
        let factor = (0.9 * (accuracy / error).sqrt()).clamp(0.1, 0.9);
        *self = Self { limit: factor * h, successes: 0 };
        self.limit
    }

    /// The error of a step was small enough: h · clip(0.9 √(a/err), 0.2, 5) for the next. One that was cut short by the end
    /// of the way lowers nothing.
    pub(crate) fn accept(&mut self, h: f64, error: f64, accuracy: f64) {
        let factor = 0.9 * (accuracy / error).sqrt();
        let next = h * if factor.is_nan() { 5.0 } else { factor.clamp(0.2, 5.0) };
        let cut = h < self.limit * (1.0 - ROUNDING);
        self.limit = if cut { next.max(self.limit) } else { next };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_halve_and_successes_double() {
        let mut c = Control::default();
        assert_eq!(c.propose(0.01), 0.01);
        assert_eq!(c.halve(0.01), 0.005);
        assert_eq!(c.propose(0.01), 0.005);
        assert_eq!(c.halve(0.005), 0.0025);
        c.succeed();
        assert_eq!(c.propose(0.0075), 0.0025);
        c.succeed();
        assert_eq!(c.propose(0.005), 0.005);
        assert_eq!(c.propose(0.012), 0.004, "equal steps reach the end");
    }

    #[test]
    fn errors_rescale_within_limits() {
        let mut c = Control::default();
        assert_eq!(c.reject(0.01, 4e-5, 1e-5), 0.45 * 0.01);
        assert_eq!(c.reject(0.01, 1.0, 1e-5), 0.1 * 0.01);
        c.accept(0.001, 0.0, 1e-5);
        assert_eq!(c.limit, 0.005);
        c.accept(0.002, 4e-5, 1e-5);
        assert_eq!(c.limit, 0.005, "a step that was cut says little");
    }
}
