//! Reasons why a step has no derivative.

use thiserror::Error;
use vinci_core::problem::{NoEquations, OTHER_FORM};

use super::failure::StepFailure;

/// Reason why a step has no derivative by this way.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum NoDerivative {
    /// The problem has no equations of one mode.
    #[error("{0}")]
    Equations(NoEquations),
    /// Its equations are singular.
    #[error("the equations of the active set are singular")]
    Singular,
    /// Contact forces that the problem leaves open move the bodies: its solution is one of many.
    #[error("the contacts may share their forces in many ways, and each moves the bodies otherwise")]
    Open,
    /// The solution does not obey the equations of its modes.
    #[error(
        "a solution does not obey its own equations: it is that of an approximation, or was found to a coarse tolerance"
    )]
    Approximate,
    /// The stepper does something else beside the state.
    #[error("the stepper goes another way beside the state")]
    Parted,
    /// Times of contact are located, or the accuracy of steps is controlled.
    #[error("where the step size depends on the state, its derivatives are not known")]
    StepSize,
    /// A body is so far from the origin that differences drown in the rounding of its place.
    #[error(
        "a body is more than 100 m from the origin, where rounding of its place hides differences of a step"
    )]
    Far,
    /// Something is remembered from step to step beside positions and velocities.
    #[error("{0} remembers more than positions and velocities")]
    Memory(&'static str),
    /// The step beside cannot be evaluated.
    #[error("a step beside the state cannot be evaluated: {0}")]
    Failed(String),
    /// No step was kept.
    #[error("no step was kept")]
    Nothing,
}

impl NoDerivative {
    /// Returns true if the step does something else beside the state: a threshold lies between both.
    pub fn is_parted(&self) -> bool {
        matches!(self, Self::Parted) || *self == Self::Equations(OTHER_FORM)
    }
}

impl From<StepFailure> for NoDerivative {
    fn from(failure: StepFailure) -> Self {
        Self::Failed(failure.to_string())
    }
}
