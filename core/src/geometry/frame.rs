//! Rigid placements: a place and a rotation.

use nalgebra::{Matrix3, Vector3};

use crate::model::Space;
use crate::state::quaternion_of;

/// A rigid placement x = R x' + p, with x' in its own axes; planar ones turn about z and stay at z = 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Frame {
    /// Place of the origin, m.
    pub at: Vector3<f64>,
    /// Rotation, own axes to outer ones.
    pub turn: Matrix3<f64>,
}

impl Frame {
    /// The outer axes themselves.
    pub fn identity() -> Self {
        Self { at: Vector3::zeros(), turn: Matrix3::identity() }
    }

    /// Frame of a pose: planar (x, y, θ), spatial (p, quaternion wxyz).
    pub fn of_pose(space: Space, pose: &[f64]) -> Self {
        match space {
            Space::Planar => {
                let (sin, cos) = pose[2].sin_cos();
                let turn = Matrix3::new(cos, -sin, 0.0, sin, cos, 0.0, 0.0, 0.0, 1.0);
                Self { at: Vector3::new(pose[0], pose[1], 0.0), turn }
            }
            Space::Spatial => Self {
                at: Vector3::new(pose[0], pose[1], pose[2]),
                turn: quaternion_of(&pose[3..7]).to_rotation_matrix().into_inner(),
            },
        }
    }

    /// A placement given in this one's axes, in the outer axes.
    #[inline]
    pub fn then(&self, inner: &Self) -> Self {
        let [x, y, z] = [0, 1, 2].map(|k| times(&self.turn, &inner.turn.column(k).into()));
        Self { at: self.point(&inner.at), turn: Matrix3::from_columns(&[x, y, z]) }
    }

    /// A point, own axes to outer ones.
    #[inline]
    pub fn point(&self, x: &Vector3<f64>) -> Vector3<f64> {
        times(&self.turn, x) + self.at
    }

    /// A point, outer axes to own ones.
    #[inline]
    pub fn point_back(&self, x: &Vector3<f64>) -> Vector3<f64> {
        self.turn.tr_mul(&(x - self.at))
    }

    /// A direction, own axes to outer ones.
    #[inline]
    pub fn dir(&self, d: &Vector3<f64>) -> Vector3<f64> {
        times(&self.turn, d)
    }

    /// A direction, outer axes to own ones.
    #[inline]
    pub fn dir_back(&self, d: &Vector3<f64>) -> Vector3<f64> {
        self.turn.tr_mul(d)
    }
}

/// m x, written out: the library's general product is a loop over columns, several times as slow, with the same bits.
#[inline]
fn times(m: &Matrix3<f64>, x: &Vector3<f64>) -> Vector3<f64> {
    let row = |k: usize| m[(k, 0)] * x[0] + m[(k, 1)] * x[1] + m[(k, 2)] * x[2];
    Vector3::new(row(0), row(1), row(2))
}
