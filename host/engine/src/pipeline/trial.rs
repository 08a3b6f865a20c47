//! Trials: steps that may be taken back, how one came out, and the memory they are made in.

use super::gaps::Gaps;
use super::predicted_motion::Motion;
use super::refinement::CoarseSolution;
use super::state::Snapshot;
use vinci_core::model::Frames;

/// Scratch of trials. Keeps its memory.
#[derive(Default)]
pub(super) struct TrialScratch {
    /// Gaps at the start of the interval and at its end.
    pub(super) start: Gaps,
    pub(super) end: Gaps,
    pub(super) frames: Frames,
    pub(super) motion: Motion,
    pub(super) from: Snapshot,
    /// State of the stepper before a step that the referee may send back.
    pub(super) stepper: Vec<u8>,
    /// Solution of a step that the referee sent back.
    pub(super) coarse: CoarseSolution,
    pub(super) q_full: Vec<f64>,
    pub(super) q_quarters: Vec<f64>,
}

/// How a trial came out; the simulation stands at its end.
#[derive(Debug, Clone, Copy)]
pub(super) struct Trial {
    /// Time it took, s: less than asked for where the stepper took less, or where it penetrated half way.
    pub(super) taken: f64,
    /// Smallest gap at its end of the contacts that were open at its start, m; ∞ without.
    pub(super) gap: f64,
    /// Estimated error, m; 0 without an accuracy target.
    pub(super) error: f64,
    /// True if all of it was made, so that the error means something.
    pub(super) whole: bool,
    /// Time from its start at which a contact may have been passed that is open again at its end, s.
    pub(super) passed: Option<f64>,
    /// True if it was cut short for an event.
    pub(super) cut: bool,
}
