//! Surfaces on a canvas: meshes at their places, lit by the camera's lamp.

use nalgebra::{UnitQuaternion, Vector3};

use crate::camera::Camera;
use crate::canvas::Canvas;
use crate::mesh::Mesh;
use crate::motion::Pose;

/// Light that falls on every side, that of the lamp, and more of it for sides that look upwards.
const LIGHT: [f64; 3] = [0.50, 0.42, 0.08];
/// Factor on inverse distances of what stands before everything else.
pub(crate) const BEFORE: f64 = 1e3;

/// The turn that brings z to a direction.
pub(crate) fn along(direction: &Vector3<f64>) -> UnitQuaternion<f64> {
    UnitQuaternion::rotation_between(&Vector3::z(), direction)
        .unwrap_or_else(|| UnitQuaternion::from_axis_angle(&Vector3::x_axis(), std::f64::consts::PI))
}

/// Draws a mesh at a place; inverse distances times `before`; a triangle's colour by its number.
pub(crate) fn fill(
    canvas: &mut Canvas,
    camera: &Camera,
    (mesh, place): (&Mesh, &Pose),
    before: f64,
    colour: impl Fn(usize) -> [f64; 3],
) {
    let light = camera.light();
    let seen: Vec<_> = mesh.positions.iter().map(|p| camera.project(&place.apply(p))).collect();
    let lit: Vec<f64> = mesh
        .normals
        .iter()
        .map(|n| {
            let n = place.rotation * n;
            LIGHT[0] + LIGHT[1] * n.dot(&light).max(0.0) + LIGHT[2] * n.z
        })
        .collect();
    for (k, triangle) in mesh.triangles.iter().enumerate() {
        let own = colour(k);
        let [a, b, c] = triangle.map(|v| v as usize);
        // A triangle that reaches behind the eye is not drawn: the camera stands outside of everything it shows.
        let (Some(p), Some(q), Some(r)) = (seen[a], seen[b], seen[c]) else { continue };
        let corner =
            |[x, y, near]: [f64; 3], v: usize| ([x, y, near * before], own.map(|c| (c * lit[v]).min(1.0)));
        canvas.triangle(&[corner(p, a), corner(q, b), corner(r, c)]);
    }
}
