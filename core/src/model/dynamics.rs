//! Masses, forces and implicit matrices: quantities that depend on (q, v) but not on contacts, and how they are asked for.

use super::Frames;
use super::point::PointJacobian;
use crate::sparse::CsrBuf;

/// Treatment of the velocity-product torque −ω × J ω of spatial bodies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Gyroscopic {
    /// One Newton step on J_b (ω⁺ − ω) + h ω⁺ × J_b ω⁺ = 0 in body axes: does not gain energy at fast spin.
    #[default]
    Implicit,
    /// −ω × J ω at the start of the step: gains energy for fast spin.
    Explicit,
    /// Left out.
    None,
}

/// How forces are prepared for a stepper.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Method {
    /// Treatment of gyroscopic torques.
    pub gyroscopic: Gyroscopic,
    /// Step size, s.
    pub h: f64,
    /// True if the stepper is of second order: springs are then implicit along themselves only, and everything that turns
    /// is an explicit rate.
    pub second_order: bool,
}

/// Everything that depends on (q, v) but not on contacts. Keeps its memory between steps.
#[derive(Debug, Clone, Default)]
pub struct Dynamics {
    /// Mass matrix blocks, dense, one after another.
    pub mass: Vec<f64>,
    /// Drag blocks D of the first-order model, like `mass`.
    pub drag: Vec<f64>,
    /// Explicit forces without velocity products, nv.
    pub force: Vec<f64>,
    /// Velocity-product forces (gyroscopic), nv.
    pub bias: Vec<f64>,
    /// −∂f/∂q N of springs, or no rows.
    pub stiffness: CsrBuf,
    /// −∂f/∂v of dampers, or no rows.
    pub viscosity: CsrBuf,
    /// Rates of forces along the motion that `stiffness` does not account for, nv, N/s; only with [`Method::second_order`].
    pub force_rate: Vec<f64>,
    /// q ⊕ t N v, and frames at such places for differences along the motion.
    pub(super) beside: Vec<f64>,
    pub(super) frames_beside: [Frames; 4],
    pub(super) jacobian: PointJacobian,
    pub(super) triplets: [Vec<(u32, u32, f64)>; 2],
}

/// Forces and gains that drives and controllers apply to the velocities.
#[derive(Debug, Clone, Copy, Default)]
pub struct Applied<'a> {
    /// Forces, nv, N and N m.
    pub force: &'a [f64],
    /// −∂f/∂q of them, diagonal, nv, to be taken implicitly, or empty: none.
    pub stiffness: &'a [f64],
    /// −∂f/∂v of them, as `stiffness`.
    pub viscosity: &'a [f64],
}
