//! Bodies, roles of their degrees of freedom, motion models.

use super::MassProperties;

/// Role of one velocity coordinate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[repr(u8)]
pub enum DofRole {
    /// Moves under forces.
    #[default]
    Free = 0,
    /// Follows a prescribed motion exactly (locked: the motion is rest); its drive effort is an outcome.
    Prescribed = 1,
    /// Driven through a stiffness: force K (commanded − actual).
    Impedance = 2,
}

impl DofRole {
    /// The role of a code; unknown codes are free.
    #[inline]
    pub fn from_code(code: u8) -> Self {
        match code {
            1 => Self::Prescribed,
            2 => Self::Impedance,
            _ => Self::Free,
        }
    }
}

/// How a body answers to impulses: (A, b) of A v⁺ = b + W p.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[repr(u8)]
pub enum MotionModel {
    /// A = M, b = M v + h f.
    #[default]
    Dynamic = 1,
    /// Generalized damper: A = h D, b = h f.
    FirstOrder = 2,
    /// Equilibrium at every instant: A = 0, b = h f.
    QuasiStatic = 3,
    /// Momentum discarded every step: A = M, b = h f.
    QuasiDynamic = 4,
    /// Dynamic, with forces at the middle of the step (linearly implicit trapezoidal): A = M + (h/2) C + (h²/4) K.
    Trapezoidal = 5,
}

impl MotionModel {
    /// All models in the order of their codes.
    pub const ALL: [Self; 5] =
        [Self::Dynamic, Self::FirstOrder, Self::QuasiStatic, Self::QuasiDynamic, Self::Trapezoidal];

    /// The model of a code, if there is one.
    #[inline]
    pub fn from_code(code: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|m| *m as u8 == code)
    }

    /// Returns true if bodies keep their velocity from step to step; others begin each without one.
    pub fn keeps_velocity(self) -> bool {
        matches!(self, Self::Dynamic | Self::Trapezoidal)
    }

    /// Name as experiments and scenes write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Dynamic => "dynamic",
            Self::FirstOrder => "first-order",
            Self::QuasiStatic => "quasi-static",
            Self::QuasiDynamic => "quasi-dynamic",
            Self::Trapezoidal => "trapezoidal",
        }
    }

    /// The model of a name, if there is one.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|m| m.name() == name)
    }
}

/// One body. The frame's origin is the centre of mass.
#[derive(Debug, Clone, PartialEq)]
pub struct Body {
    /// Unique name.
    pub name: String,
    /// Mass and inertia in the body frame (of no effect for static bodies).
    pub mass: MassProperties,
    /// Never moves and has no degrees of freedom that count; all its dofs are prescribed at rest.
    pub is_static: bool,
    /// Role of each dof: 3 (ẋ, ẏ, θ̇) or 6 (linear, angular).
    pub role: Vec<DofRole>,
    /// Stiffness of impedance dofs (0 elsewhere), N/m or N m/rad.
    pub impedance: Vec<f64>,
    /// Motion model of this body, or the experiment's default.
    pub motion: Option<MotionModel>,
    /// Diagonal of the drag matrix D of the first-order model, per dof (0: none), N s/m, N m s.
    pub drag: Vec<f64>,
    /// Diagonal of linear damping that acts in every motion model, per dof (implicit), N s/m, N m s.
    pub damping: Vec<f64>,
    /// True if gravity pulls at it.
    pub gravity: bool,
}

impl Body {
    /// A body that moves freely: no drag, no damping, no drive; gravity pulls at it. `dofs` is 3 in the plane and 6 in space.
    pub fn free(name: impl Into<String>, mass: MassProperties, dofs: usize) -> Self {
        Self {
            name: name.into(),
            mass,
            is_static: false,
            role: vec![DofRole::Free; dofs],
            impedance: vec![0.0; dofs],
            motion: None,
            drag: vec![0.0; dofs],
            damping: vec![0.0; dofs],
            gravity: true,
        }
    }

    /// A body that never moves. `dofs` is 3 in the plane and 6 in space.
    pub fn fixed(name: impl Into<String>, dofs: usize) -> Self {
        let mass = MassProperties { mass: 0.0, inertia: nalgebra::Matrix3::zeros() };
        Self { is_static: true, role: vec![DofRole::Prescribed; dofs], ..Self::free(name, mass, dofs) }
    }

    /// Returns true if forces move it in no direction: all its velocities are locked or driven. Links of trees have none of their own.
    pub fn is_held(&self) -> bool {
        !self.role.is_empty() && self.role.iter().all(|role| *role != DofRole::Free)
    }
}
