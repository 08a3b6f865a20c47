//! Motion of a body from one pose to another within a step.

use nalgebra::{UnitQuaternion, Vector3};

use crate::geometry::{Frame, Solid};
use crate::model::Space;
use crate::state::{quaternion_of, rotation_exp};

/// A motion from one pose to another: a point of the body goes straight, and the body turns evenly about a fixed axis through
/// it. The point is the centre of a free body, and lies on the axis of the screw between the poses for a link, which its joint
/// carries round. Times are shares of the step, 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Motion {
    /// Where the point begins, m.
    from: Vector3<f64>,
    start: UnitQuaternion<f64>,
    /// Displacement of the point, m.
    pub(super) shift: Vector3<f64>,
    /// Axis times angle, world, rad.
    pub(super) turn: Vector3<f64>,
    /// The centre at the start, from the point, m.
    arm: Vector3<f64>,
    /// |turn|, rad, and |turn| |arm|, m: how far the centre goes round.
    angle: f64,
    round: f64,
}

/// Sine of half a turn below which there is no telling where its axis lies.
const WHOLE: f64 = 1e-6;

impl Motion {
    /// Motion from one pose to another. `spin` = h ω tells how many times a spatial body goes round; only the part along the axis of
    /// the turn between the poses counts.
    pub fn new(space: Space, from: &[f64], to: &[f64], spin: &Vector3<f64>) -> Self {
        let of = |x: &[f64]| Vector3::new(x[0], x[1], if space == Space::Planar { 0.0 } else { x[2] });
        let (start, turn) = match space {
            Space::Planar => (rotation_exp(&(Vector3::z() * from[2])), Vector3::z() * (to[2] - from[2])),
            Space::Spatial => {
                let (start, end) = (quaternion_of(&from[3..7]), quaternion_of(&to[3..7]));
                (start, wound((end * start.inverse()).scaled_axis(), spin))
            }
        };
        let (from, shift) = (of(from), of(to) - of(from));
        Self { from, start, shift, turn, arm: Vector3::zeros(), angle: turn.norm(), round: 0.0 }
    }

    /// The screw between the same poses: the centre goes round, with the body. As it was where the turn is none, or whole.
    #[must_use]
    pub fn screw(self) -> Self {
        let angle = self.angle;
        let (sin, cos) = (0.5 * angle).sin_cos();
        if sin.abs() < WHOLE {
            return self;
        }
        let axis = self.turn / angle;
        let along = axis * self.shift.dot(&axis);
        let across = self.shift - along;
        // Rodrigues: the centre of a turn by φ that moves a point by d across the axis.
        let point = 0.5 * (across + axis.cross(&across) * (cos / sin));
        let round = angle * point.norm();
        Self { from: self.from + point, shift: along, arm: -point, round, ..self }
    }

    /// Where the body stands after a share of the step.
    pub fn at(&self, share: f64) -> Frame {
        let turn = rotation_exp(&(self.turn * share));
        let turned = turn * self.start;
        let at = self.from + self.shift * share + turn * self.arm;
        Frame { at, turn: turned.to_rotation_matrix().into_inner() }
    }

    /// How far a point of the body at most `reach` from its centre goes, at most, m.
    pub(super) fn length(&self, reach: f64) -> f64 {
        self.shift.norm() + self.angle * reach + self.round
    }

    /// Bound on the way of any point of the shape over the whole step, relative to the point that goes straight, m.
    pub(super) fn swing(&self, solid: &Solid) -> f64 {
        self.angle * solid.lever() + self.round
    }
}

/// A bound of how far a point at most `reach` from the centre goes between two poses, m; spatial bodies that spin by more than
/// `spin` = h ω tells go farther. Cheaper than the motion itself.
pub(super) fn displacement(space: Space, from: &[f64], to: &[f64], spin: &Vector3<f64>, reach: f64) -> f64 {
    let apart = |range: std::ops::Range<usize>, sign: f64| {
        range.map(|k| (to[k] - sign * from[k]).powi(2)).sum::<f64>().sqrt()
    };
    let turned = match space {
        Space::Planar => (to[2] - from[2]).abs(),
        // An angle φ is 4 asin(c/2) for the shorter chord c ≤ √2 between the quaternions, and that at most π c/√2.
        Space::Spatial => apart(3..7, 1.0).min(apart(3..7, -1.0)) * std::f64::consts::PI * 0.5_f64.sqrt(),
    };
    apart(0..space.dim(), 1.0) + turned.max(spin.norm()) * reach
}

/// The rotation vector among those of the same rotation whose angle is nearest to that of `spin` about its axis.
fn wound(turn: Vector3<f64>, spin: &Vector3<f64>) -> Vector3<f64> {
    let whole = std::f64::consts::TAU;
    let axis = match turn.try_normalize(1e-9) {
        Some(axis) => axis,
        None if spin.norm() > 0.5 * whole => spin.normalize(),
        None => return turn,
    };
    let times = ((spin.dot(&axis) - turn.dot(&axis)) / whole).round();
    turn + axis * (whole * times)
}
