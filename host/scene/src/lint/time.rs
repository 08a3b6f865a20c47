//! The time grid and how its steps are divided.

use super::super::experiment::{ContactEventLocation, Time};
use super::super::path::at;
use super::Lint;
use crate::diagnostics::Code;
use vinci_engine::pipeline::EVENT_TOLERANCE;

impl Lint<'_> {
    /// Numbers of `time` that contradict each other.
    pub(super) fn time(&mut self, time: &Time) {
        self.grid(time.step, time.duration);
        self.division(time);
    }

    fn grid(&mut self, step: f64, duration: f64) {
        if step > 0.0 && duration > 0.0 && duration < step {
            let message = format!("`time.duration` ({duration} s) is shorter than one step ({step} s)");
            let help = "make the duration a multiple of the step";
            self.error(&at!["time", "duration"], Code::Contradiction, message, help);
        }
        // 2^53: the last number of steps that time keeps apart.
        if step > 0.0 && duration / step > 9.0e15 {
            let message = format!("{:.1e} steps of {step} s are needed for {duration} s", duration / step);
            let help = "take a larger step or a shorter duration";
            self.error(&at!["time", "step"], Code::OutOfRange, message, help);
        }
    }

    fn division(&mut self, time: &Time) {
        let divided = time.events != ContactEventLocation::None || time.tolerance.is_some();
        if let Some(least) = time.min_step
            && least > time.step
        {
            let message = format!("`time.min_step` ({least} s) is longer than the step ({} s)", time.step);
            let help = "`min_step` bounds the parts a step is divided into: make it shorter than `step`";
            self.error(&at!["time", "min_step"], Code::Contradiction, message, help);
        }
        if time.min_step.is_some() && !divided {
            let help = "ask for `events` (backup, predict) or a `tolerance`, or leave `min_step` out";
            let message = "`time.min_step` says nothing where no step is divided";
            self.error(&at!["time", "min_step"], Code::Contradiction, message, help);
        }
        if time.event_tolerance.is_some() && time.events == ContactEventLocation::None {
            let help = "choose `events` (backup, predict), or leave `event_tolerance` out";
            let message = "`time.event_tolerance` says nothing where no events are located";
            self.error(&at!["time", "event_tolerance"], Code::Contradiction, message, help);
        }
        let band = time.event_tolerance.unwrap_or(EVENT_TOLERANCE);
        if let Some(tolerance) = time.tolerance
            && time.events != ContactEventLocation::None
            && tolerance < band
        {
            let message = format!(
                "`time.tolerance` ({tolerance} m) is finer than the gap up to which contacts count as closed ({band} m)"
            );
            let help = "steps cannot be more exact than the events between them: set `time.event_tolerance` to this or less";
            self.error(&at!["time", "tolerance"], Code::Contradiction, message, help);
        }
    }
}
