//! How far a run comes from grid time to grid time: a stepper that takes next to nothing of what it may would keep it going for ever.

use super::failure::StepFailure;
use super::step_control::MIN_STEP;

/// Steps that are tried from one grid time to the next.
pub(super) const MAX_STEPS: u32 = 1_000_000;

/// Steps in a row, each a smaller part of the grid's step than [`MIN_STEP`], that are waited for: steps so short do not reach the next grid
/// time within [`MAX_STEPS`].
pub(super) const MAX_SHORT: u32 = 1000;

/// Evaluations elsewhere per velocity that a stepper may ask for in one step, whatever it tries in it: an implicit integrator that takes
/// derivatives by differences needs some for every velocity, iteration and shorter step.
const EVALUATIONS: u32 = 10_000;

/// Most evaluations in a step, however many velocities there are.
const MAX_EVALUATIONS: u32 = 1_000_000;

/// Counts of the steps since the last grid time.
#[derive(Debug, Default)]
pub(super) struct Headway {
    /// Number of that grid time.
    grid: u64,
    /// Steps that were tried since.
    pub(super) steps: u32,
    /// Short steps in a row up to here.
    pub(super) short: u32,
}

impl Headway {
    /// Counts a step that is tried behind a grid time.
    pub(super) fn begin(&mut self, grid: u64) -> Result<(), StepFailure> {
        if self.grid != grid {
            *self = Self { grid, ..Self::default() };
        }
        self.steps += 1;
        match (self.steps > MAX_STEPS, self.short > MAX_SHORT) {
            (true, _) => Err(StepFailure::TooManySubsteps(MAX_STEPS)),
            (_, true) => Err(StepFailure::TooManyShortSteps(MAX_SHORT)),
            _ => Ok(()),
        }
    }

    /// Looks at a step of h (s) that was made, on a grid of steps of `whole` (s).
    pub(super) fn came(&mut self, h: f64, whole: f64) {
        self.short = if h < MIN_STEP * whole { self.short + 1 } else { 0 };
    }
}

/// Evaluations elsewhere that a stepper may ask for in one step of so many velocities.
pub(super) fn most_evaluations(velocities: usize) -> u32 {
    let all = u64::from(EVALUATIONS) * (velocities as u64 + 1);
    u32::try_from(all).map_or(MAX_EVALUATIONS, |all| all.min(MAX_EVALUATIONS))
}
