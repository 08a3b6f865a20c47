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
