//! From a way of a link through space to motion of joints.

use nalgebra::{UnitQuaternion, Vector3};
use vinci_core::model::{Interpolation, Keyframes};
use vinci_core::tree::Tree;

use super::error::PathError;
use super::reach::{Pose, Reach};

/// Largest distance, rotation and time between two postures that are computed.
const SPACING: [f64; 3] = [0.005, 0.02, 0.01];
/// Postures between two keyframes: at least, at most.
const POSTURES: [f64; 2] = [16.0, 10000.0];

/// A pose at one time, world frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PoseKey {
    /// Time, s.
    pub t: f64,
    /// The pose; orientations in all keys or in none.
    pub pose: Pose,
}

/// Motion of `joints` (of one coordinate each) that takes the point `point` (link frame, m) of a link along the keys: the
/// position by a cubic spline at rest at both ends, the orientation by the shortest turn between keys with the speed
/// 6 s (1 − s). The first key is reached from `q` (nq), or where no posture near it leads there from another; every posture
/// after it from the one before. Between postures, at most [`SPACING`] apart, joints go by splines.
///
/// # Errors
/// Keys whose times do not increase; a key, or a place on the way, that the joints do not reach within their limits.
pub fn joint_path(
    tree: &Tree,
    link: usize,
    point: Vector3<f64>,
    joints: &[usize],
    keys: &[PoseKey],
    q: &[f64],
) -> Result<Vec<Keyframes>, PathError> {
    let path = LinkPath::new(keys)?;
    let mut reach = Reach::new(tree, link, point, joints);
    let mut q = q.to_vec();
    let name = || tree.links()[link].name.clone();
    reach.solve_anywhere(&mut q, &keys[0].pose).map_err(|left| PathError::OutOfReach {
        keyframe: 0,
        link: name(),
        left,
    })?;
    let mut times = vec![keys[0].t];
    let mut postures = vec![q.clone()];
    for keyframe in 1..keys.len() {
        let (from, to) = (&keys[keyframe - 1], &keys[keyframe]);
        let n = path.postures(keyframe);
        for i in 1..=n {
            let t = if i == n { to.t } else { from.t + (to.t - from.t) * i as f64 / n as f64 };
            let pose = if i == n { to.pose } else { path.at(keyframe, t) };
            reach.solve(&mut q, &pose).map_err(|left| match i == n {
                true => PathError::OutOfReach { keyframe, link: name(), left },
                false => reach.why(&postures[0], keys, keyframe, t, left, name()),
            })?;
            times.push(t);
            postures.push(q.clone());
        }
    }
    let curve = |joint: &usize| {
        let at = tree.q_range(*joint).start;
        let points = times.iter().zip(&postures).map(|(t, q)| (*t, q[at])).collect();
        Keyframes::new(points, Interpolation::Spline).map_err(PathError::Keyframes)
    };
    joints.iter().map(curve).collect()
}

impl Reach<'_> {
    /// A way that ends at a key out of reach is called so; else it is the way that is out of reach.
    fn why(
        &mut self,
        q: &[f64],
        keys: &[PoseKey],
        keyframe: usize,
        t: f64,
        left: f64,
        link: String,
    ) -> PathError {
        match self.solve_anywhere(&mut q.to_vec(), &keys[keyframe].pose) {
            Err(left) => PathError::OutOfReach { keyframe, link, left },
            Ok(()) => PathError::PathOutOfReach { keyframe, link, t, left },
        }
    }
}

/// The way through the keys.
struct LinkPath<'a> {
    keys: &'a [PoseKey],
    position: [Keyframes; 3],
}

impl<'a> LinkPath<'a> {
    fn new(keys: &'a [PoseKey]) -> Result<Self, PathError> {
        let turning = keys.iter().filter(|k| k.pose.orientation.is_some()).count();
        if turning != 0 && turning != keys.len() {
            let message =
                format!("{turning} of {} keyframes have an orientation: all or none need one", keys.len());
            return Err(PathError::Keyframes(message));
        }
        let along = |axis: usize| {
            let points = keys.iter().map(|k| (k.t, k.pose.position[axis])).collect();
            Keyframes::new(points, Interpolation::Spline).map_err(PathError::Keyframes)
        };
        Ok(Self { keys, position: [along(0)?, along(1)?, along(2)?] })
    }

    /// Number of postures on the way to a key.
    fn postures(&self, key: usize) -> usize {
        let (from, to) = (&self.keys[key - 1], &self.keys[key]);
        let far = (to.pose.position - from.pose.position).norm() / SPACING[0];
        let turned = self.turn(key).angle() / SPACING[1];
        let long = (to.t - from.t) / SPACING[2];
        far.max(turned).max(long).ceil().clamp(POSTURES[0], POSTURES[1]) as usize
    }

    /// The turn from the key before to a key.
    fn turn(&self, key: usize) -> UnitQuaternion<f64> {
        match (self.keys[key - 1].pose.orientation, self.keys[key].pose.orientation) {
            (Some(from), Some(to)) => to * from.inverse(),
            _ => UnitQuaternion::identity(),
        }
    }

    /// The pose at time t between the key before `key` and `key`.
    fn at(&self, key: usize, t: f64) -> Pose {
        let (from, to) = (&self.keys[key - 1], &self.keys[key]);
        let s = (t - from.t) / (to.t - from.t);
        let part = s * s * (3.0 - 2.0 * s);
        let [x, y, z] = [0, 1, 2].map(|axis| self.position[axis].at(t));
        let turned = UnitQuaternion::from_scaled_axis(self.turn(key).scaled_axis() * part);
        Pose { position: Vector3::new(x, y, z), orientation: from.pose.orientation.map(|o| turned * o) }
    }
}
