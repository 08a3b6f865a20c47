//! Kinds of the scene format as kinds of core.

use crate::types::{self, SpaceName};
use vinci_core::model::{Interpolation, MotionModel, Space};

/// The space of core.
pub(crate) fn core_space(space: SpaceName) -> Space {
    match space {
        SpaceName::Planar => Space::Planar,
        SpaceName::Spatial => Space::Spatial,
    }
}

pub(super) fn core_motion(motion: types::Motion) -> MotionModel {
    match motion {
        types::Motion::Dynamic => MotionModel::Dynamic,
        types::Motion::FirstOrder => MotionModel::FirstOrder,
        types::Motion::QuasiStatic => MotionModel::QuasiStatic,
        types::Motion::QuasiDynamic => MotionModel::QuasiDynamic,
    }
}

pub(super) fn core_interpolation(interpolation: types::Interpolation) -> Interpolation {
    match interpolation {
        types::Interpolation::Linear => Interpolation::Linear,
        types::Interpolation::Cubic => Interpolation::Cubic,
        types::Interpolation::Spline => Interpolation::Spline,
    }
}
