//! The model, which does not change during a step: space, bodies, shapes, materials, roles of degrees of freedom.

mod body;
mod build;
mod combination;
mod dynamics;
mod energy;
mod forces;
mod frames;
mod inertia;
mod joint;
mod loads;
mod margins;
mod material;
mod motion;
mod pair_parameters;
mod parts;
pub(crate) mod point;
mod shape;
mod spring;
mod superquadric;
mod support;
mod system;

pub use body::{Body, DofRole, MotionModel};
pub use combination::Combination;
pub use dynamics::{Applied, Dynamics, Gyroscopic, Method};
pub use frames::Frames;
pub use inertia::{
    Lump, MassProperties, check_inertia, planar_properties, spatial_properties, world_inertia,
};
pub use joint::{JointRows, RowOwner, RowStep};
pub use loads::{LoadError, load_point, support_loads};
pub use margins::{ActiveMargins, Foresight};
pub use material::{Material, MaterialTable, PatchLaw};
pub use motion::{Interpolation, Keyframes};
pub use pair_parameters::{Pair, PairColumns, PairOverride, PairValues};
pub use parts::{Coupler, ModelError, MotionSource, Parts, PointJoint, SupportPoint, TreePart};
pub use shape::{NO_COORDINATE, Shape, ShapeKind, ShapeView, SystemView};
pub use spring::{Anchor, Spring, SpringForce, TorsionSpring};
pub use support::SupportBuf;
pub use system::System;

/// Dimension of the world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[repr(u32)]
pub enum Space {
    /// Bodies (x, y, θ).
    #[default]
    Planar = 2,
    /// Bodies (p, quaternion).
    Spatial = 3,
}

impl Space {
    /// Position coordinates per body: (x, y, θ) or (p, quaternion wxyz).
    #[inline]
    pub fn nq(self) -> usize {
        match self {
            Self::Planar => 3,
            Self::Spatial => 7,
        }
    }

    /// Velocity coordinates per body: (ẋ, ẏ, θ̇) or (linear, angular), world axes, at the centre of mass.
    #[inline]
    pub fn nv(self) -> usize {
        match self {
            Self::Planar => 3,
            Self::Spatial => 6,
        }
    }

    /// Dimension of positions: 2 or 3.
    #[inline]
    pub fn dim(self) -> usize {
        self as usize
    }

    /// Tangential rows per contact: 1 or 2.
    #[inline]
    pub fn n_t(self) -> usize {
        match self {
            Self::Planar => 1,
            Self::Spatial => 2,
        }
    }

    /// The space of a code (2 or 3), if there is one.
    pub fn from_code(code: u32) -> Option<Self> {
        match code {
            2 => Some(Self::Planar),
            3 => Some(Self::Spatial),
            _ => None,
        }
    }

    /// Name as scenes write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Planar => "planar",
            Self::Spatial => "spatial",
        }
    }
}
