//! Seconds per stage.

use std::time::Instant;

use serde::{Deserialize, Serialize};

/// A stage that is timed apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// The detector plugin.
    Detect,
    /// Forces (controllers included), masses, contact kinematics.
    Kinematics,
    /// The stepper's formulate and update.
    Formulate,
    /// The solver plugins.
    Solve,
    /// Moving to the new state, remembering contacts.
    Update,
    /// The referee, residual checks included.
    Referee,
    /// Writing results.
    Record,
}

/// Seconds spent per stage, and in all.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Timing {
    seconds: [f64; 7],
    /// Wall time of the run, s.
    pub total: f64,
}

impl Timing {
    /// Names of the stages as the summary writes them, in order.
    pub const NAMES: [&'static str; 7] =
        ["detect", "kinematics", "formulate", "solve", "update", "referee", "record"];

    /// Stages that make a step. The referee and the recorder are left out: they do the same work for every model.
    pub const OF_A_STEP: [&'static str; 5] = ["detect", "kinematics", "formulate", "solve", "update"];

    /// Adds the time since `*mark` to a stage and moves the mark to now.
    #[inline]
    pub fn lap(&mut self, stage: Stage, mark: &mut Instant) {
        let now = Instant::now();
        self.seconds[stage as usize] += now.duration_since(*mark).as_secs_f64();
        *mark = now;
    }

    /// Seconds of every stage in the order of [`Timing::NAMES`].
    pub fn seconds(&self) -> &[f64; 7] {
        &self.seconds
    }
}
