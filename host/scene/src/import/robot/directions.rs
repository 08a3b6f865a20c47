//! Directions and rotations from numbers of any length.

use crate::compile::scaled;
use nalgebra::{Quaternion, UnitQuaternion, Vector3};

/// Vectors shorter than this have no direction.
const SHORTEST: f64 = 1e-14;

/// A direction, unless it is too small to be one.
pub(crate) fn normal(v: Vector3<f64>) -> Option<Vector3<f64>> {
    (v.amax() >= SHORTEST).then(|| Vector3::from(scaled(v.into())).normalize())
}

/// A quaternion of any length, unless it is too small to be one.
pub(crate) fn quaternion(given: [f64; 4]) -> Option<UnitQuaternion<f64>> {
    let [w, x, y, z] = scaled(given);
    let large = given.iter().any(|c| c.abs() >= SHORTEST);
    large.then(|| UnitQuaternion::new_normalize(Quaternion::new(w, x, y, z)))
}

/// The shortest rotation of z to a direction.
pub(crate) fn turned_z(z: Vector3<f64>) -> UnitQuaternion<f64> {
    let axis = Vector3::z().cross(&z);
    let (sin, axis) = (axis.norm(), normal(axis).unwrap_or_else(Vector3::x));
    let (s, c) = (0.5 * sin.atan2(z.z)).sin_cos();
    UnitQuaternion::new_normalize(Quaternion::from_parts(c, axis * s))
}
