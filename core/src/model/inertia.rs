//! Mass properties of bodies.

use nalgebra::{Matrix3, Vector3};

/// Mass and inertia about the centre of mass, body frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MassProperties {
    /// Mass, kg.
    pub mass: f64,
    /// Planar: moment about the out-of-plane axis in entry (2, 2). Spatial: inertia tensor, kg m².
    pub inertia: Matrix3<f64>,
}

/// Mass properties of one planar shape of unit density… filled by [`planar_properties`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Lump {
    pub(crate) measure: f64,
    pub(crate) centre: Vector3<f64>,
    pub(crate) second: Matrix3<f64>,
}
