//! Materials and how the values of two become one. The parameters are those of the table in core.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use vinci_core::model::PairValues;
use vinci_core::pair_parameters;

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

/// Two bodies that meet in patches: nodes on a grid in the place of a few contacts. Under a ball the grid is on the flat side it touches;
/// of two faces that lie on one another it is on the smaller one; what stands on an edge or a corner has nodes on all its faces that look
/// towards the side. What meets in another way is a node of one cell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Patch {
    /// The two bodies.
    pub bodies: [String; 2],
    /// Side of the cells of the grid, m. A face is divided into equal cells of at most this side.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub cell: f64,
    /// Stiffness of the layer between them per area, N/m³; takes the place of the stiffness of the pair.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub stiffness: f64,
    /// Damping of the layer per area, N s/m³; default 0.
    #[serde(default)]
    #[schemars(range(min = 0))]
    pub damping: f64,
}

macro_rules! formats {
    ($($name:ident {
        unit: $unit:literal, rule: $rule:ident, neutral: $neutral:expr, absent: $absent:expr, of: $of:ident,
        schema: ($($schema:tt)+), many: $many:literal, material: $material:literal, rules: $rules:literal, pair: $pair:literal,
    })+) => {
        /// Contact parameters of one material.
        #[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(default, deny_unknown_fields)]
        pub struct Material {
            $(
                #[doc = $material]
                #[schemars($($schema)+)]
                pub $name: Option<f64>,
            )+
        }

        /// Rule by parameter.
        #[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(default, deny_unknown_fields)]
        pub struct Combination {
            $(
                #[doc = $rules]
                pub $name: Option<Rule>,
            )+
        }

        /// Contact parameters of a pair of materials or of bodies; what is absent follows the combination rule.
        #[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(default, deny_unknown_fields)]
        pub struct Pair {
            /// The two materials this holds for (give either `materials` or `bodies`).
            pub materials: Option<[String; 2]>,
            /// The two bodies this holds for.
            pub bodies: Option<[String; 2]>,
            $(
                #[doc = $pair]
                #[schemars($($schema)+)]
                pub $name: Option<f64>,
            )+
        }

        impl Material {
            /// Contact parameters that it gives.
            pub fn values(&self) -> PairValues<Option<f64>> {
                PairValues { $($name: self.$name,)+ }
            }
        }

        impl Combination {
            /// Combination rules that it gives.
            pub fn rules(&self) -> PairValues<Option<Rule>> {
                PairValues { $($name: self.$name,)+ }
            }
        }

        impl Pair {
            /// Contact parameters that it gives.
            pub fn values(&self) -> PairValues<Option<f64>> {
                PairValues { $($name: self.$name,)+ }
            }
        }
    };
}

pair_parameters!(formats);
