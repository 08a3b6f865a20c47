//! Options.

use vinci_sdk::prelude::*;

/// Rows of a vertex that lies before the end of an edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize, JsonSchema)]
#[serde(crate = "vinci_sdk::serde", rename_all = "kebab-case")]
#[schemars(crate = "vinci_sdk::schemars")]
pub enum PolygonCorners {
    /// The edge before which it stands, or the corner where it stands beyond the ends: one row. A step that takes the vertex
    /// past the end finds a wall there: the edge's line goes on beyond it.
    #[default]
    Nearest,
    /// The edges that may part the bodies in this step as alternatives (OR groups): no wall beyond the end. Polygons, and
    /// segments against polygons.
    Or,
}

/// Options of the planar detector.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(crate = "vinci_sdk::serde", default, deny_unknown_fields)]
#[schemars(crate = "vinci_sdk::schemars")]
pub struct Config {
    /// How far two places may be apart and still count as one, as a fraction of the smaller shape's size (0 < x ≤ 1e-3).
    ///
    /// Decides where the end of an edge is and which contacts are duplicates. Far above the rounding of poses (1e-16 of
    /// the coordinates), far below any motion that matters.
    #[schemars(range(max = 1e-3), extend("exclusiveMinimum" = 0))]
    pub merge_tolerance: f64,
    /// Rotation that one step may bring, rad (0 ≤ x ≤ π/4): a vertex is a candidate for an edge when turning it by this
    /// much could make it the foremost one.
    ///
    /// Half a radian per step is beyond what any stepper resolves; π/4 and more would let the sides of a box count as
    /// facing what the box stands on.
    #[schemars(range(min = 0.0, max = std::f64::consts::FRAC_PI_4))]
    pub angle_tolerance: f64,
    /// `nearest`: one row per vertex at convex corners; `or`: the edges that may part the bodies as alternatives, for steppers
    /// that know OR groups (others get the most open one).
    pub corners: PolygonCorners,
}

impl Default for Config {
    fn default() -> Self {
        Self { merge_tolerance: 1e-9, angle_tolerance: 0.5, corners: PolygonCorners::Nearest }
    }
}

impl Config {
    /// Refuses values outside the stated ranges.
    pub fn check(&self) -> Result<(), StageError> {
        let within = |name: &str, x: f64, ok: bool, range: &str| {
            if ok {
                Ok(())
            } else {
                Err(StageError::bad_option(format!("options: `{name}` is {x}; give {range}")))
            }
        };
        let (m, a) = (self.merge_tolerance, self.angle_tolerance);
        within(
            "merge_tolerance",
            m,
            m > 0.0 && m <= 1e-3,
            "a number above 0 and at most 1e-3 (default 1e-9)",
        )?;
        within(
            "angle_tolerance",
            a,
            (0.0..=std::f64::consts::FRAC_PI_4).contains(&a),
            "0 to π/4 rad (default 0.5)",
        )
    }
}
