//! Poses.

use super::super::shapes::Placement;
use super::super::types::{Body, Orientation};
use nalgebra::{Quaternion, UnitQuaternion, Vector3};
use vinci_core::model::Space;
use vinci_core::state::quaternion_of;

/// This direction with the largest component ±1, so that its length neither over- nor underflows. A vector of usual size
/// (largest component between 1/2 and 2) keeps its bits, and so does zero.
pub(crate) fn scaled<const N: usize>(v: [f64; N]) -> [f64; N] {
    let largest = v.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    if largest == 0.0 || (0.5..=2.0).contains(&largest) { v } else { v.map(|x| x / largest) }
}

/// The rotation an orientation describes.
pub(crate) fn orientation(given: &Orientation) -> UnitQuaternion<f64> {
    match given {
        Orientation::Quaternion { quaternion } => quaternion_of(&scaled(*quaternion)),
        // Fixed axes x, y, z in this order: R = Rz(yaw) Ry(pitch) Rx(roll).
        Orientation::Rpy { rpy: [roll, pitch, yaw] } => {
            UnitQuaternion::from_euler_angles(*roll, *pitch, *yaw)
        }
        Orientation::AxisAngle { axis, angle } => {
            let axis = Vector3::from(scaled(*axis));
            match axis.norm() {
                0.0 => UnitQuaternion::identity(),
                length => UnitQuaternion::from_scaled_axis(axis * (angle / length)),
            }
        }
    }
}

fn pose(
    position: Option<&Vec<f64>>,
    angle: Option<f64>,
    turned: Option<&Orientation>,
    space: Space,
) -> Vec<f64> {
    let mut pose = position.cloned().unwrap_or_else(|| vec![0.0; space.dim()]);
    match space {
        Space::Planar => pose.push(angle.unwrap_or(0.0)),
        Space::Spatial => {
            let q = turned.map_or_else(UnitQuaternion::identity, orientation);
            pose.extend([q.w, q.i, q.j, q.k]);
        }
    }
    pose
}

/// Initial pose of a body: (x, y, θ) or (p, quaternion wxyz).
pub(crate) fn body_pose(body: &Body, space: Space) -> Vec<f64> {
    pose(body.position.as_ref(), body.angle, body.orientation.as_ref(), space)
}

/// Pose of a shape in the frame it is given in.
pub(super) fn shape_pose(placement: &Placement, space: Space) -> Vec<f64> {
    pose(placement.position.as_ref(), placement.angle, placement.orientation.as_ref(), space)
}

/// The pose `inner`, given in the frame `outer`, in the frame of `outer`. An outer pose at rest changes no bit.
pub(super) fn compose(outer: &[f64], inner: &[f64], space: Space) -> Vec<f64> {
    match space {
        Space::Planar => {
            if *outer == [0.0; 3] {
                return inner.to_vec();
            }
            let (sin, cos) = outer[2].sin_cos();
            let (x, y) = (inner[0], inner[1]);
            vec![outer[0] + cos * x - sin * y, outer[1] + sin * x + cos * y, outer[2] + inner[2]]
        }
        Space::Spatial => {
            if *outer == [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0] {
                return inner.to_vec();
            }
            let turn = Quaternion::new(outer[3], outer[4], outer[5], outer[6]);
            let turn = UnitQuaternion::new_normalize(turn);
            let p = turn * Vector3::new(inner[0], inner[1], inner[2]);
            let q = turn * quaternion_of(&inner[3..7]);
            vec![outer[0] + p.x, outer[1] + p.y, outer[2] + p.z, q.w, q.i, q.j, q.k]
        }
    }
}
