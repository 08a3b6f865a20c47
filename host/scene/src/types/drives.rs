//! Drives: motions and forces of degrees of freedom.

use super::names::SpaceName;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Drives of the degrees of freedom; world axes.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Dofs {
    /// Along x.
    pub x: Option<Dof>,
    /// Along y.
    pub y: Option<Dof>,
    /// Rotation in the plane.
    #[schemars(extend("x-space" = "planar"))]
    pub angle: Option<Dof>,
    /// Along z.
    #[schemars(extend("x-space" = "spatial"))]
    pub z: Option<Dof>,
    /// Rotation about x.
    #[schemars(extend("x-space" = "spatial"))]
    pub rx: Option<Dof>,
    /// Rotation about y.
    #[schemars(extend("x-space" = "spatial"))]
    pub ry: Option<Dof>,
    /// Rotation about z.
    #[schemars(extend("x-space" = "spatial"))]
    pub rz: Option<Dof>,
}

impl Dofs {
    /// Keys and values in the order of the velocity coordinates.
    pub fn in_order(&self, space: SpaceName) -> Vec<(&'static str, Option<&Dof>)> {
        match space {
            SpaceName::Planar => {
                vec![("x", self.x.as_ref()), ("y", self.y.as_ref()), ("angle", self.angle.as_ref())]
            }
            SpaceName::Spatial => vec![
                ("x", self.x.as_ref()),
                ("y", self.y.as_ref()),
                ("z", self.z.as_ref()),
                ("rx", self.rx.as_ref()),
                ("ry", self.ry.as_ref()),
                ("rz", self.rz.as_ref()),
            ],
        }
    }
}

/// Drive of one degree of freedom.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Dof {
    /// Moves under forces.
    Free,
    /// Keeps its initial value.
    Locked,
    /// Follows this value (m or rad) exactly; an expression may use t.
    Position(Drive),
    /// Moves at this velocity (m/s or rad/s) from wherever it is, exactly or as near as the stepper's model lets it; an
    /// expression may use t.
    Velocity(Drive),
    /// Feels this force (N or N m); an expression may use t and the body's own state.
    Force(Drive),
    /// Is pulled towards a commanded value through a stiffness.
    Impedance(Impedance),
}

/// A commanded value behind a stiffness.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Impedance {
    /// Stiffness, N/m or N m/rad.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub stiffness: f64,
    /// Commanded value, m or rad; an expression may use t.
    pub command: Drive,
}

/// A value over time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged, deny_unknown_fields)]
pub enum Drive {
    /// Always the same.
    Constant(f64),
    /// Through given points; constant before the first and after the last.
    Keyframes {
        /// Pairs [time, value] with increasing times.
        #[schemars(length(min = 1))]
        keyframes: Vec<[f64; 2]>,
        /// How to go from point to point; default linear.
        #[serde(default)]
        interpolation: Interpolation,
    },
    /// A formula.
    Expression {
        /// Formula of t (and of the body's own state for forces), with + - * / ^, pi and the usual functions.
        expression: String,
    },
}

/// How to go from keyframe to keyframe.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Interpolation {
    /// Straight lines.
    #[default]
    Linear,
    /// Piecewise cubic with continuous slope.
    Cubic,
    /// The cubic spline, at rest at both ends: curvature is continuous too.
    Spline,
}
