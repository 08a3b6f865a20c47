//! Progress of commands that take longer than a second, on a terminal: what is done, the time to go, the real-time factor.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::cli::Global;

/// A bar is shown from this time on.
const PATIENCE: Duration = Duration::from_secs(1);

/// Pause between two texts of a bar, and between two pictures of one without an end.
const TICK: Duration = Duration::from_millis(200);

/// The time to go follows from what was done in this time: a run may become a thousand times slower on its way.
const RECENT: Duration = Duration::from_secs(5);

/// Units of a bar over simulated time in a second.
const FINE: f64 = 1e6;

/// A bar.
pub(super) struct Progress {
    bar: ProgressBar,
    begun: Instant,
    is_wanted: bool,
    is_shown: Cell<bool>,
    /// Time at which a simulation began, s; none before its first step.
    start: Cell<Option<f64>>,
    steps: Cell<u64>,
    /// Time since the beginning at which the pace was told last.
    told: Cell<Duration>,
    /// End of the simulated time, s.
    end: Cell<f64>,
    recent: RefCell<Recent>,
}

impl Progress {
    fn new(global: &Global, bar: ProgressBar, template: &str) -> Self {
        let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
        bar.set_draw_target(ProgressDrawTarget::hidden());
        Self {
            bar: bar.with_style(style),
            begun: Instant::now(),
            is_wanted: !global.quiet && std::io::stderr().is_terminal(),
            is_shown: Cell::new(false),
            start: Cell::new(None),
            steps: Cell::new(0),
            told: Cell::new(Duration::ZERO),
            end: Cell::new(f64::NAN),
            recent: RefCell::default(),
        }
    }

    /// Over a simulation from one time to another, s. `name` stands in front of the bar.
    pub(super) fn of_time(global: &Global, name: &str, end: f64) -> Self {
        let bar = ProgressBar::new((end * FINE) as u64).with_prefix(name.to_owned());
        let progress = Self::new(global, bar, "{prefix}{wide_bar} {percent}% of the time simulated, {msg}");
        progress.end.set(end);
        progress
    }

    /// The end of the simulated time is this one, s.
    pub(super) fn until(&self, end: f64) {
        self.bar.set_length((end * FINE) as u64);
        self.end.set(end);
    }

    /// Over units of work.
    pub(super) fn of_units(global: &Global) -> Self {
        Self::new(global, ProgressBar::new(1), "{wide_bar} {pos}/{len}, {eta} left")
    }

    /// Over work of which nobody knows the end.
    pub(super) fn of_search(global: &Global, what: impl Into<Cow<'static, str>>) -> Self {
        let progress = Self::new(
            global,
            ProgressBar::no_length().with_prefix(what),
            "{spinner} {prefix}{msg}, {elapsed}",
        );
        if progress.is_wanted {
            progress.bar.enable_steady_tick(TICK);
        }
        progress
    }

    /// A step that ends at t, s.
    pub(super) fn at(&self, t: f64) {
        let start = self.start.get().unwrap_or(t);
        self.start.set(Some(start));
        self.steps.set(self.steps.get() + 1);
        self.bar.set_position((t * FINE) as u64);
        if self.shows() {
            let now = self.begun.elapsed();
            // A text for every step would cost more than small steps do.
            if now >= self.told.get() + TICK {
                self.told.set(now);
                let left = self.recent.borrow_mut().left(now, t, self.end.get());
                let left = left.map_or_else(String::new, |left| format!(", {:#} left", HumanDuration(left)));
                self.bar.set_message(pace(self.steps.get(), t - start, now) + &left);
            }
        }
    }

    /// Shows how many of all units are done.
    pub(super) fn units(&self, done: u64, all: u64) {
        self.bar.set_length(all);
        self.bar.set_position(done);
        self.shows();
    }

    /// Shows what a search has done so far.
    pub(super) fn found(&self, done: impl Into<Cow<'static, str>>) {
        if self.shows() {
            self.bar.set_message(done);
        }
    }

    /// Shows the bar after a while; returns true if it is there.
    fn shows(&self) -> bool {
        if self.is_wanted && !self.is_shown.get() && self.begun.elapsed() >= PATIENCE {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
            self.is_shown.set(true);
        }
        self.is_shown.get()
    }

    /// Takes the bar away.
    pub(super) fn end(&self) {
        self.bar.finish_and_clear();
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.end();
    }
}

/// Times of the clock since the beginning, and the simulated times, s, to which a run had come then; the oldest is as old as [`RECENT`].
#[derive(Default)]
struct Recent(VecDeque<(Duration, f64)>);

impl Recent {
    /// Time to go to `end`, s, at the pace of late; none before there is one.
    fn left(&mut self, now: Duration, t: f64, end: f64) -> Option<Duration> {
        while self.0.get(1).is_some_and(|(then, _)| *then + RECENT <= now) {
            self.0.pop_front();
        }
        self.0.push_back((now, t));
        let (then, from) = *self.0.front()?;
        let left = (end - t).max(0.0) * (now - then).as_secs_f64() / (t - from);
        Duration::try_from_secs_f64(left).ok()
    }
}

/// Steps, and simulated time by time of the clock.
fn pace(steps: u64, simulated: f64, elapsed: Duration) -> String {
    let factor = simulated / elapsed.as_secs_f64();
    let digits = if factor < 1.0 { 3 } else { 1 };
    format!("{steps} steps, {factor:.digits$} × real time")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A run that made half of its time in a second and then became slow had "0s left" up to its end.
    #[test]
    fn the_time_to_go_follows_a_run_that_slows() {
        let mut recent = Recent::default();
        let at = |k: u32| Duration::from_millis(200) * k;
        assert_eq!(recent.left(at(0), 0.0, 10.0), None);
        for k in 1..=5 {
            recent.left(at(k), f64::from(k), 10.0);
        }
        let mut left = None;
        for k in 1..=30 {
            left = recent.left(at(5 + k), 5.0 + 0.001 * f64::from(k), 10.0);
        }
        // 4.97 s at 5 ms a second.
        assert_eq!(left.map(|left| left.as_secs_f64().round()), Some(994.0));
        assert!(recent.0.len() <= 27, "{}", recent.0.len());
    }

    #[test]
    fn the_factor_is_simulated_time_by_time_of_the_clock() {
        assert_eq!(pace(250, 0.5, Duration::from_secs(4)), "250 steps, 0.125 × real time");
        assert_eq!(pace(7, 9.0, Duration::from_secs(2)), "7 steps, 4.5 × real time");
    }
}
