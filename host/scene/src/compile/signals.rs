//! Signals of drives, and the variables that their formulas may use.

use super::kinds::core_interpolation;
use crate::types::{Drive, SpaceName};
use vinci_core::model::Keyframes;
use vinci_engine::drives::{Expression, PLANAR_STATE, SPATIAL_STATE, Signal};

/// Names of the variables a force may use.
pub(crate) fn state_names(space: SpaceName) -> &'static [&'static str] {
    match space {
        SpaceName::Planar => &PLANAR_STATE,
        SpaceName::Spatial => &SPATIAL_STATE,
    }
}

/// The signal of a drive; `state` are the variables its formula may use beside t.
pub(crate) fn signal(drive: &Drive, state: &[&str]) -> Result<Signal, String> {
    Ok(match drive {
        Drive::Constant(value) => Signal::Constant(*value),
        Drive::Keyframes { keyframes, interpolation } => {
            let points = keyframes.iter().map(|[t, value]| (*t, *value)).collect();
            Signal::Keyframes(Keyframes::new(points, core_interpolation(*interpolation))?)
        }
        Drive::Expression { expression } => {
            Signal::Expression(Expression::parse(expression, state).map_err(|e| e.to_string())?)
        }
    })
}
