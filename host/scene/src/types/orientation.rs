//! Orientations of frames.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Orientation of a frame.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged, deny_unknown_fields)]
pub enum Orientation {
    /// Quaternion [w, x, y, z]; it is normalised.
    Quaternion {
        /// Components, w first.
        quaternion: [f64; 4],
    },
    /// Roll, pitch, yaw about the fixed axes x, y, z, in this order, rad.
    Rpy {
        /// Roll, pitch, yaw, rad.
        rpy: [f64; 3],
    },
    /// Rotation about an axis.
    AxisAngle {
        /// Axis of any length but zero.
        axis: [f64; 3],
        /// Angle, rad.
        angle: f64,
    },
}
