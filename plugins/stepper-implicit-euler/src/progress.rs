//! Progress of a step, and what the host is told of it.

use vinci_sdk::core::lists::copy;
use vinci_sdk::prelude::{Deserialize, Serialize};

/// Part of the step that is being solved for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Stage {
    /// The whole step.
    #[default]
    Whole,
    /// Its first half, to know the error of the whole.
    First,
    /// Its second half.
    Second,
    /// A half that is known, to be evaluated and accepted.
    Known,
}

/// Solution of half a step over the free velocities: its length, displacements and velocities.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(crate = "vinci_sdk::serde")]
pub(crate) struct Half {
    pub(crate) h: f64,
    pub(crate) u: Vec<f64>,
    pub(crate) v: Vec<f64>,
}

/// Where a step stands. Keeps its memory between steps.
#[derive(Debug, Default)]
pub(crate) struct StepProgress {
    pub(crate) stage: Stage,
    /// The step that is tried (with its halves), s.
    pub(crate) h: f64,
    /// Start of what is being solved: time after the step's start, positions, velocities.
    pub(crate) offset: f64,
    pub(crate) q: Vec<f64>,
    pub(crate) v: Vec<f64>,
    /// Start of the step.
    pub(crate) q_start: Vec<f64>,
    pub(crate) v_start: Vec<f64>,
    pub(crate) whole: Half,
    pub(crate) first: Half,
    /// Displacements and the place asked for.
    pub(crate) u: Vec<f64>,
    pub(crate) q_asked: Vec<f64>,
    pub(crate) v_asked: Vec<f64>,
    pub(crate) a: Vec<f64>,
    pub(crate) size: Vec<f64>,
}

/// Report on an accepted step. Keeps its memory between steps.
#[derive(Debug, Default)]
pub(crate) struct StepReport {
    pub(crate) impulse: Vec<f64>,
    pub(crate) support_impulse: Vec<f64>,
    pub(crate) effort: Vec<f64>,
    pub(crate) normal_rate: Vec<f64>,
    pub(crate) motion: Vec<u8>,
    /// M (v − v_0) − h f.
    pub(crate) residual: Vec<f64>,
    pub(crate) reason: String,
}

impl StepProgress {
    /// Length of what is being solved, s.
    pub(crate) fn span(&self) -> f64 {
        if self.stage == Stage::Whole || self.stage == Stage::Known { self.h } else { 0.5 * self.h }
    }
}

impl Half {
    pub(crate) fn take(&mut self, h: f64, u: &[f64], v: &[f64]) {
        self.h = h;
        copy(&mut self.u, u);
        copy(&mut self.v, v);
    }
}
