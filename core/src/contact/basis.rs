//! Friction bases: orthonormal tangents at a contact, transported from step to step.

use nalgebra::Vector3;

/// Where the friction basis of a new spatial contact begins; later it is carried along.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum FirstTangent {
    /// Along the slip: a pyramid is exact for the first slip, and its bias shows when the slip turns.
    #[default]
    Slip,
    /// Along a world axis: the same for every contact on one face, whatever moves.
    Axes,
}

/// First tangent orthogonal to the unit normal, along `along` where that has a tangential part (the slip), otherwise
/// along the world axis least aligned with the normal. Deterministic, and independent of the length of `along`.
pub fn tangent_basis(normal: &Vector3<f64>, along: &Vector3<f64>) -> Vector3<f64> {
    let slip = along - normal * normal.dot(along);
    let length = slip.norm();
    if length > 1e-9 {
        return slip / length;
    }
    let axis = normal.iamin();
    let t = Vector3::ith(axis, 1.0) - normal * normal[axis];
    t / t.norm()
}

/// Last step's tangent carried to the new normal by the smallest rotation that takes the old normal there.
///
/// With a = n_old, b = n_new and t ⟂ a: t' = t − (t·b)/(1 + a·b) (a + b), which is orthogonal to b and of length one.
/// Opposite normals have no smallest rotation; then the tangent is only made orthogonal.
pub fn transport(
    tangent: &Vector3<f64>,
    old_normal: &Vector3<f64>,
    new_normal: &Vector3<f64>,
) -> Vector3<f64> {
    let denominator = 1.0 + old_normal.dot(new_normal);
    if denominator < 1e-6 {
        return tangent_basis(new_normal, tangent);
    }
    let moved = tangent - (old_normal + new_normal) * (tangent.dot(new_normal) / denominator);
    // Rounding accumulates over many steps: keep it a basis.
    tangent_basis(new_normal, &moved)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bases_are_orthonormal_and_follow_the_slip() {
        let n = Vector3::new(1.0, 2.0, -0.5).normalize();
        for along in [Vector3::zeros(), Vector3::x(), n * 3.0, Vector3::new(1e-3, 0.0, 2e-3)] {
            let t = tangent_basis(&n, &along);
            assert!(t.dot(&n).abs() < 1e-15 && (t.norm() - 1.0).abs() < 1e-15);
        }
        let slip = Vector3::new(0.3, -0.4, 0.0);
        assert!((tangent_basis(&Vector3::z(), &slip) - slip / 0.5).norm() < 1e-15);
    }

    #[test]
    fn transport_is_a_rotation_without_twist() {
        let (a, b) = (Vector3::z(), Vector3::new(0.1, 0.2, 1.0).normalize());
        let rotation = nalgebra::UnitQuaternion::rotation_between(&a, &b).unwrap();
        let t = Vector3::new(0.6, 0.8, 0.0);
        assert!((transport(&t, &a, &b) - rotation * t).norm() < 1e-14);
        // There and back again is the same tangent.
        let there = transport(&t, &a, &b);
        assert!((transport(&there, &b, &a) - t).norm() < 1e-14);
    }
}
