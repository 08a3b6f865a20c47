//! Names of bodies, materials and springs, and those of spaces.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Names of bodies, materials and springs.
pub const NAME_PATTERN: &str = "^[A-Za-z_][A-Za-z0-9_-]*$";

/// Dimension of the world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SpaceName {
    /// Bodies (x, y, angle).
    Planar,
    /// Bodies with position and orientation in three dimensions.
    Spatial,
}
