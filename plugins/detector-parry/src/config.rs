//! Options.

use vinci_sdk::core::error::StageError;

/// Faces and edges that hold a vertex before the end of a face, or an edge before the end of another.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Default,
    vinci_sdk::serde::Deserialize,
    vinci_sdk::serde::Serialize,
    vinci_sdk::schemars::JsonSchema,
)]
#[serde(crate = "vinci_sdk::serde", rename_all = "kebab-case")]
#[schemars(crate = "vinci_sdk::schemars")]
pub enum ConvexCorners {
    /// One row. A step that goes past the end finds a wall there: the face's plane goes on beyond it.
    #[default]
    Nearest,
    /// The faces beyond the end as alternatives (an OR group): no wall. Boxes and hulls only.
    Or,
}

/// Options of `vinci.detector.parry`.
#[derive(Debug, Clone, vinci_sdk::serde::Deserialize, vinci_sdk::schemars::JsonSchema)]
#[serde(crate = "vinci_sdk::serde", default, deny_unknown_fields)]
#[schemars(crate = "vinci_sdk::schemars")]
pub struct Config {
    /// Contacts of one pair that are this close (as a fraction of the smaller shape's size) and have the same normal
    /// are merged; a vertex this far outside a face still stands on it. Between 0 and 0.01. Default 1e-5.
    #[schemars(range(min = 0.0, max = 0.01))]
    pub merge_tolerance: f64,
    /// Largest number of contacts of one pair of shapes; of more, the deepest and the most spread out are kept. At least
    /// 4. Default 8.
    #[schemars(range(min = 4, max = 256))]
    pub max_points: u32,
    /// Fixed points on the rim of a cylinder or cone that a flat face can rest on. 3 to 64. Default 8.
    #[schemars(range(min = 3, max = 64))]
    pub rim_points: u32,
    /// `nearest`: one row per pair of features at convex edges and corners; `or`: the faces around as alternatives, for
    /// steppers that know OR groups (others get the most open one).
    pub corners: ConvexCorners,
}

impl Default for Config {
    fn default() -> Self {
        Self { merge_tolerance: 1e-5, max_points: 8, rim_points: 8, corners: ConvexCorners::Nearest }
    }
}

impl Config {
    /// Checks the ranges.
    pub(crate) fn limits(&self) -> Result<Limits, StageError> {
        if !(0.0..=0.01).contains(&self.merge_tolerance) {
            let found = self.merge_tolerance;
            return Err(StageError::bad_option(format!(
                "merge_tolerance = {found} must lie between 0 and 0.01 (a fraction of the shape's size); leave it out for 1e-5"
            )));
        }
        if self.max_points < 4 {
            let found = self.max_points;
            return Err(StageError::bad_option(format!(
                "max_points = {found} cannot hold a resting box; give at least 4, or leave it out for 8"
            )));
        }
        if !(3..=64).contains(&self.rim_points) {
            let found = self.rim_points;
            return Err(StageError::bad_option(format!(
                "rim_points = {found} must be 3 to 64; leave it out for 8"
            )));
        }
        Ok(Limits {
            merge_tolerance: self.merge_tolerance,
            max_points: self.max_points as usize,
            corners: self.corners,
        })
    }
}

/// Limits of a pair, from the options.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    pub(crate) merge_tolerance: f64,
    pub(crate) max_points: usize,
    pub(crate) corners: ConvexCorners,
}
