//! Signals of drives, what they mean, and what is told where one is no number.

use crate::expression::Expression;
use vinci_core::clock::seconds;
use vinci_core::model::Keyframes;

/// A value over time (and state, for forces).
#[derive(Debug, Clone, PartialEq)]
pub enum Signal {
    /// Always the same.
    Constant(f64),
    /// Through keyframes.
    Keyframes(Keyframes),
    /// A formula.
    Expression(Expression),
}

impl Signal {
    /// Value at time t and state.
    pub fn at(&self, t: f64, state: &[f64]) -> f64 {
        match self {
            Self::Constant(value) => *value,
            Self::Keyframes(frames) => frames.at(t),
            Self::Expression(formula) => formula.at(t, state),
        }
    }

    /// Value, first and second derivative at time t of a signal of t alone.
    pub fn jet(&self, t: f64) -> [f64; 3] {
        match self {
            Self::Constant(value) => [*value, 0.0, 0.0],
            Self::Keyframes(frames) => frames.jet(t),
            Self::Expression(formula) => formula.jet(t),
        }
    }
}

/// Quantity that a signal gives for its degree of freedom.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DriveKind {
    /// The coordinate follows it exactly.
    Position,
    /// The coordinate moves at this velocity, from wherever it is.
    Velocity,
    /// It is a force or torque.
    Force,
    /// It is the commanded coordinate behind a stiffness.
    Impedance,
}

/// A drive gave something that is not a number.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("the drive of {of} gives {value} at t = {} s", seconds(*.t))]
pub struct DriveError {
    /// Body and degree of freedom, or joint.
    pub of: String,
    /// The value.
    pub value: f64,
    /// Time, s.
    pub t: f64,
}
