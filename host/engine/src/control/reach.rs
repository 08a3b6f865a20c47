//! Inverse kinematics: a posture in which a point of a link stands at a pose.

use nalgebra::{Matrix6, UnitQuaternion, Vector3, Vector6};
use vinci_core::tree::{Tree, TreeState};

/// Steps of one descent at most.
const MOST_STEPS: usize = 200;
/// Distance that counts as reached, √(|Δp|² + |Δθ|²), m and rad.
const REACHED: f64 = 1e-10;
/// Postures tried where none is near.
const MOST_STARTS: u32 = 64;

/// Where a point of a link is to be, world frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pose {
    /// Place of the point, m.
    pub position: Vector3<f64>,
    /// Orientation of the link, if it matters.
    pub orientation: Option<UnitQuaternion<f64>>,
}

/// The joints that may move to bring a point of a link to a pose.
pub struct Reach<'a> {
    tree: &'a Tree,
    link: usize,
    point: Vector3<f64>,
    /// (in q, in v, lower, upper) of the joints.
    joints: Vec<(usize, usize, f64, f64)>,
    state: TreeState,
}

impl<'a> Reach<'a> {
    /// Point `point` (link frame, m) of link `link`, moved by joints of one coordinate each, within their limits.
    pub fn new(tree: &'a Tree, link: usize, point: Vector3<f64>, joints: &[usize]) -> Self {
        let place = |&joint: &usize| {
            let limits = tree.joints()[joint].limits;
            let (lower, upper) = limits.map_or((f64::NEG_INFINITY, f64::INFINITY), |l| (l.lower, l.upper));
            (tree.q_range(joint).start, tree.v_range(joint).start, lower, upper)
        };
        Self { tree, link, point, joints: joints.iter().map(place).collect(), state: TreeState::default() }
    }

    /// Moves q by damped least squares (Levenberg and Marquardt) from where it is; `Err` is the distance left,
    /// √(|Δp|² + |Δθ|²), with q at the nearest posture found.
    pub fn solve(&mut self, q: &mut [f64], pose: &Pose) -> Result<(), f64> {
        let mut damping = 1e-3;
        let mut error = self.error(q, pose);
        let mut next = q.to_vec();
        for _ in 0..MOST_STEPS {
            if error.norm() <= REACHED || damping > 1e12 {
                break;
            }
            next.copy_from_slice(q);
            let lambda = damping * error.norm_squared().min(1.0);
            self.descend(&mut next, &error, lambda, pose.orientation.is_some());
            let there = self.error(&next, pose);
            if there.norm() < error.norm() {
                q.copy_from_slice(&next);
                (error, damping) = (there, (0.1 * damping).max(1e-9));
            } else {
                damping *= 10.0;
            }
        }
        if error.norm() <= REACHED { Ok(()) } else { Err(error.norm()) }
    }

    /// [`Reach::solve`], also from other postures within the limits (always the same ones). q stays as it was where none leads
    /// there, and the least distance left is returned.
    pub fn solve_anywhere(&mut self, q: &mut [f64], pose: &Pose) -> Result<(), f64> {
        let start = q.to_vec();
        let mut least = f64::INFINITY;
        for trial in 0..MOST_STARTS {
            q.copy_from_slice(&start);
            for (i, &(at, _, lower, upper)) in self.joints.iter().enumerate().filter(|_| trial > 0) {
                let (from, to) = (lower.max(start[at] - 3.0), upper.min(start[at] + 3.0));
                q[at] = from + (to - from) * halton(trial, i);
            }
            match self.solve(q, pose) {
                Ok(()) => return Ok(()),
                Err(left) => least = least.min(left),
            }
        }
        q.copy_from_slice(&start);
        Err(least)
    }

    /// Pose of the point at q.
    pub fn pose(&mut self, q: &[f64]) -> Pose {
        self.state.update(self.tree, q);
        let frame = self.state.frame(self.link);
        Pose {
            position: frame * nalgebra::Point3::from(self.point) - nalgebra::Point3::origin(),
            orientation: Some(frame.rotation),
        }
    }

    /// (Δp, Δθ) from q to the pose.
    fn error(&mut self, q: &[f64], pose: &Pose) -> Vector6<f64> {
        let here = self.pose(q);
        let moved = pose.position - here.position;
        let turned = match (pose.orientation, here.orientation) {
            (Some(to), Some(from)) => (to * from.inverse()).scaled_axis(),
            _ => Vector3::zeros(),
        };
        Vector6::new(moved.x, moved.y, moved.z, turned.x, turned.y, turned.z)
    }

    /// q += Jᵀ (J Jᵀ + λ 1)⁻¹ e; joints that would leave their limits stop there and take no part.
    fn descend(&mut self, q: &mut [f64], error: &Vector6<f64>, lambda: f64, turns: bool) {
        let columns = self.columns(q, turns);
        let mut rests = vec![false; columns.len()];
        for _ in 0..=columns.len() {
            let moving = || columns.iter().enumerate().filter(|(i, _)| !rests[*i]);
            let mut normal = Matrix6::identity() * lambda.max(1e-14);
            moving().for_each(|(_, c)| normal += c * c.transpose());
            let Some(y) = normal.cholesky().map(|factor| factor.solve(error)) else { return };
            let change: Vec<f64> = columns.iter().map(|c| c.dot(&y)).collect();
            let leaves = |&(i, &(at, _, lower, upper)): &(usize, &(usize, usize, f64, f64))| {
                !rests[i] && (q[at] + change[i] < lower || q[at] + change[i] > upper)
            };
            let out: Vec<usize> = self.joints.iter().enumerate().filter(leaves).map(|(i, _)| i).collect();
            let at_limit = |i: &usize| {
                let (at, _, lower, upper) = self.joints[*i];
                q[at] == lower || q[at] == upper
            };
            if out.iter().any(at_limit) {
                out.into_iter().filter(at_limit).for_each(|i| rests[i] = true);
                continue;
            }
            for (i, &(at, _, lower, upper)) in self.joints.iter().enumerate().filter(|(i, _)| !rests[*i]) {
                q[at] = (q[at] + change[i]).clamp(lower, upper);
            }
            return;
        }
    }

    /// Columns of the Jacobian of the point at the posture last looked at.
    fn columns(&mut self, q: &[f64], turns: bool) -> Vec<Vector6<f64>> {
        let point = self.pose(q).position;
        let mut columns = vec![Vector6::zeros(); self.joints.len()];
        for (dof, column) in self.state.point_columns(self.tree, self.link, &point) {
            let Some(i) = self.joints.iter().position(|j| j.1 == dof) else { continue };
            let (u, w) = (column.linear, if turns { column.angular } else { Vector3::zeros() });
            columns[i] = Vector6::new(u.x, u.y, u.z, w.x, w.y, w.z);
        }
        columns
    }
}

/// Point `index` of the Halton sequence in dimension `d`: evenly spread over 0 … 1.
fn halton(index: u32, d: usize) -> f64 {
    const PRIMES: [u32; 16] = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53];
    let base = PRIMES[d % PRIMES.len()];
    let (mut rest, mut part, mut sum) = (index, 1.0, 0.0);
    while rest > 0 {
        part /= f64::from(base);
        sum += part * f64::from(rest % base);
        rest /= base;
    }
    sum
}
