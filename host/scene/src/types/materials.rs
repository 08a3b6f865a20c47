//! Materials and how the values of two become one.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Contact parameters of one material.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Material {
    /// Coefficient of Coulomb friction; default 0.5.
    #[schemars(range(min = 0))]
    pub friction: Option<f64>,
    /// Coefficient of restitution, 0 (no bounce) to 1; default 0.
    #[schemars(range(min = 0, max = 1))]
    pub restitution: Option<f64>,
    /// Contact stiffness, N/m; absent: rigid.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub stiffness: Option<f64>,
    /// Contact damping, N s/m; default 0.
    #[schemars(range(min = 0))]
    pub damping: Option<f64>,
    /// Dissipation d of the Hunt–Crossley law k (1 + d δ̇) δ, s/m; default 0.
    #[schemars(range(min = 0))]
    pub dissipation: Option<f64>,
}

/// Rule by parameter.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Combination {
    /// Rule for friction; default `geometric-mean`.
    pub friction: Option<Rule>,
    /// Rule for restitution; default `max`.
    pub restitution: Option<Rule>,
    /// Rule for stiffness; default `series` (a rigid partner drops out).
    pub stiffness: Option<Rule>,
    /// Rule for damping; default `series`.
    pub damping: Option<Rule>,
    /// Rule for dissipation; default `mean`.
    pub dissipation: Option<Rule>,
}

/// How the values a and b of two materials become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Rule {
    /// a b
    Product,
    /// max(a, b)
    Max,
    /// min(a, b)
    Min,
    /// (a + b) / 2
    Mean,
    /// sqrt(a b)
    GeometricMean,
    /// a b / (a + b)
    Series,
}

/// Contact parameters of a pair of materials or of bodies; what is absent follows the combination rule.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Pair {
    /// The two materials this holds for (give either `materials` or `bodies`).
    pub materials: Option<[String; 2]>,
    /// The two bodies this holds for.
    pub bodies: Option<[String; 2]>,
    /// Coefficient of Coulomb friction.
    #[schemars(range(min = 0))]
    pub friction: Option<f64>,
    /// Coefficient of restitution, 0 to 1.
    #[schemars(range(min = 0, max = 1))]
    pub restitution: Option<f64>,
    /// Contact stiffness, N/m.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub stiffness: Option<f64>,
    /// Contact damping, N s/m.
    #[schemars(range(min = 0))]
    pub damping: Option<f64>,
    /// Dissipation of the Hunt–Crossley law, s/m.
    #[schemars(range(min = 0))]
    pub dissipation: Option<f64>,
}
