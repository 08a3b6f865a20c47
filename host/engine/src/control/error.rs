//! Errors of controllers.

use thiserror::Error;
use vinci_core::StageError;
use vinci_core::clock::seconds;

/// Reason why controllers stop a run.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum ControlError {
    /// A reference or force that is no number.
    #[error(
        "controller `{controller}` gives {value} for {of} at t = {} s: its formula must be finite at all times",
        seconds(*.t)
    )]
    NotFinite {
        /// Name of the controller.
        controller: String,
        /// Joint, or what else was computed.
        of: String,
        /// The value that came out.
        value: f64,
        /// Time, s.
        t: f64,
    },
    /// A law from outside that could not be computed.
    #[error("controller `{controller}` gives no force at t = {} s: {why}", seconds(*.t))]
    Refused {
        /// Name of the controller.
        controller: String,
        /// Reason that it gives.
        why: String,
        /// Time, s.
        t: f64,
    },
}

/// Reason why a law that is asked at grid times gives no answer.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum AskError {
    /// A reference that is no number.
    #[error(transparent)]
    Reference(#[from] ControlError),
    /// The stage refuses, or broke its contract.
    #[error(transparent)]
    Stage(StageError),
}

/// Reason why a way of a link cannot be turned into motion of joints.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum PathError {
    /// A keyframe that no posture within the joints' limits reaches.
    #[error("keyframe {keyframe} is out of reach of link `{link}`: {left:.3e} (m and rad) are left")]
    OutOfReach {
        /// Index of the keyframe.
        keyframe: usize,
        /// Name of the link.
        link: String,
        /// Distance left, √(|Δp|² + |Δθ|²), m and rad.
        left: f64,
    },
    /// The way between two keyframes leaves what can be reached, or would need a jump to another posture.
    #[error(
        "link `{link}` cannot follow the path to keyframe {keyframe}: at t = {} s it is {left:.3e} (m and rad) away",
        seconds(*.t)
    )]
    PathOutOfReach {
        /// Index of the keyframe at its end.
        keyframe: usize,
        /// Name of the link.
        link: String,
        /// When, s.
        t: f64,
        /// Distance left, see [`PathError::OutOfReach`].
        left: f64,
    },
    /// Keyframes that are none.
    #[error("{0}")]
    Keyframes(String),
}
