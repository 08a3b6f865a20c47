//! Options that steppers with regularised friction share.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use vinci_core::regularized::FrictionCurve;

/// Curve of the friction coefficient below the stiction velocity v_s, over s = |v_t|/v_s.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Law {
    /// μ min(s, 1): the papers'.
    #[default]
    Linear,
    /// μ s (2 − s): that of Drake.
    Quadratic,
}

impl From<Law> for FrictionCurve {
    fn from(law: Law) -> Self {
        match law {
            Law::Linear => Self::Linear,
            Law::Quadratic => Self::Quadratic,
        }
    }
}
