//! Events during a run: what one says by itself, and their order.

use super::super::experiment::{Experiment, ScheduledEvent};
use super::super::node::{Node, Value};
use super::super::path::{Path, at};
use super::Lint;
use crate::diagnostics::Code;
use vinci_core::clock::seconds;

impl Lint<'_> {
    /// Events and times of states. What events do to scene and plugins is tried before the run.
    pub(super) fn scheduled_events(&mut self, experiment: &Experiment) {
        let mut last = 0.0;
        for (i, event) in experiment.events.iter().enumerate() {
            let path = at!["events", i];
            self.parts_of_event(event, &path);
            let Some(time) = event.at else { continue };
            if time < last {
                let message = format!("the event at {time} s stands behind one at {last} s");
                let help = "write events with `at` in the order of their times";
                self.error(&path.join("at"), Code::Contradiction, message, help);
            }
            last = time;
            self.grid_time(time, experiment, &path.join("at"), "the event");
        }
        for (i, time) in experiment.record.states.iter().enumerate() {
            let path = at!["record", "states", i];
            if *time < 0.0 {
                let help = "a run begins at 0";
                self.error(&path, Code::OutOfRange, format!("there is no state at {time} s"), help);
            }
            self.grid_time(*time, experiment, &path, "the state");
        }
    }

    fn parts_of_event(&mut self, event: &ScheduledEvent, path: &Path) {
        // What stands there and is wrong is told already.
        let has = |key: &str| self.node.find(&path.join(key)).is_some();
        if (has("at") == has("when")) && event.at.is_some() == event.when.is_some() {
            let message = match event.at {
                None => "the event does not say when",
                Some(_) => "the event has both a time and a condition",
            };
            let help = "give `at` (a time, s) or `when` (a condition such as \"cup.y < 0.1\")";
            self.error(path, Code::Contradiction, message, help);
        }
        let swaps = event
            .swap
            .as_ref()
            .is_some_and(|s| [&s.detector, &s.stepper, &s.solver].iter().any(|v| !v.is_null()));
        let told =
            ["set", "swap", "stop"].iter().any(|key| self.node.find(&path.join(*key)).is_some_and(says));
        if event.set.is_empty() && !swaps && event.stop.is_none() && !told {
            let help = "give `set`, `swap` or `stop`";
            self.error(path, Code::MissingKey, "nothing happens at the event", help);
        }
    }

    /// A time between grid times, or behind the end.
    fn grid_time(&mut self, time: f64, experiment: &Experiment, path: &Path, what: &str) {
        let (h, duration) = (experiment.time.step, experiment.time.duration);
        if time > duration {
            let message = format!("{what} at {time} s never comes: the run ends at {duration} s");
            self.warning(path, Code::OutOfRange, message, "make `time.duration` longer, or the time earlier");
            return;
        }
        let k = super::super::change::grid_number(time, h) as f64;
        if (k * h - time).abs() > 1e-9 * h {
            let message = format!("{time} s is no grid time; {what} comes at {} s", seconds(k * h));
            let help = format!("grid times are multiples of `time.step` ({h} s)");
            self.warning(path, Code::OutOfRange, message, help);
        }
    }
}

/// Returns true if something stands there: what is wrong with it is told elsewhere.
fn says(node: &Node) -> bool {
    match &node.value {
        Value::Null => false,
        Value::Object(entries) => {
            !entries.is_empty() && entries.iter().all(|e| !matches!(e.node.value, Value::Null))
        }
        _ => true,
    }
}
