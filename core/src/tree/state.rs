//! State of a tree: frames of links, columns of dofs, composite inertias.

use nalgebra::{Isometry3, Matrix3, Quaternion, UnitQuaternion, Vector3};

use super::link::of_point;
use super::model::{Body, NONE};
use super::spatial::{Composite, LinkMotion, Motion, Pose, Wrench};
use super::{Column, JointKind, Tree};
use crate::state::quaternion_of;

/// A tree at one configuration, and scratch. Keeps its memory: nothing is allocated once it has seen the tree.
///
/// [`TreeState::update`] comes first; everything else is about the configuration it was given, and about the same tree.
/// Slices shorter than nq or nv panic.
#[derive(Debug, Clone, Default)]
pub struct TreeState {
    /// Frames of all links in the world.
    pub(super) frames: Vec<Isometry3<f64>>,
    pub(super) poses: Vec<Pose>,
    /// Inertia of each body with all that it carries.
    pub(super) composites: Vec<Composite>,
    /// Spatial columns about the reference points.
    pub(super) columns: Vec<Column>,
    /// Reference point of each root.
    pub(super) references: Vec<Vector3<f64>>,
    pub(super) link_motions: Vec<LinkMotion>,
    pub(super) motions: Vec<Motion>,
    pub(super) wrenches: Vec<Wrench>,
}

impl TreeState {
    /// Frames, columns and inertias at configuration q (length nq; quaternions are normalised).
    ///
    /// Spatial quantities of a root and what hangs on it stand about the centre of mass of its first body that does more
    /// than slide: a point of the tree, so that nothing cancels where the tree is far from the world's origin.
    pub fn update(&mut self, tree: &Tree, q: &[f64]) {
        self.fit(tree);
        for b in 0..tree.bodies.len() {
            self.place(tree, b, q);
        }
        for (reference, &b) in self.references.iter_mut().zip(&tree.references) {
            *reference = self.poses[b].origin + self.poses[b].arm;
        }
        for attached in &tree.attached {
            self.frames[attached.link] = match attached.body {
                NONE => attached.place,
                body => self.frames[tree.bodies[body].link] * attached.place,
            };
        }
        for b in 0..tree.bodies.len() {
            self.weigh(tree, b);
        }
        for (b, body) in tree.bodies.iter().enumerate().rev() {
            if body.parent != NONE {
                let own = self.composites[b];
                let parent = &mut self.composites[body.parent];
                parent.mass += own.mass;
                parent.first += own.first;
                parent.second += own.second;
            }
        }
    }

    fn fit(&mut self, tree: &Tree) {
        let (links, bodies) = (tree.links.len(), tree.bodies.len());
        self.frames.resize(links, Isometry3::identity());
        self.link_motions.resize(links, LinkMotion::REST);
        self.poses.resize(bodies, Pose::EMPTY);
        self.composites.resize(bodies, Composite::EMPTY);
        self.motions.resize(bodies, Motion::REST);
        self.wrenches.resize(bodies, Wrench::ZERO);
        self.columns.resize(tree.nv(), Column::ZERO);
        self.references.resize(tree.references.len(), Vector3::zeros());
    }

    /// Frame of a body, and its columns: axes of turning, directions of translation.
    fn place(&mut self, tree: &Tree, b: usize, q: &[f64]) {
        let body = &tree.bodies[b];
        let joint = match body.parent {
            NONE => body.place,
            parent => {
                let (pose, rotation) = (&self.poses[parent], self.frames[tree.bodies[parent].link].rotation);
                let at = pose.origin + pose.rotation * body.place.translation.vector;
                Isometry3::from_parts(at.into(), rotation * body.place.rotation)
            }
        };
        let frame = moved(body, &joint, &q[body.q..body.q + body.kind.nq()]);
        let rotation = frame.rotation.to_rotation_matrix().into_inner();
        set_columns(body, &joint, &rotation, &mut self.columns[body.v..body.v + body.kind.nv()]);
        self.frames[body.link] = frame;
        let origin = frame.translation.vector;
        let lever =
            if body.parent == NONE { Vector3::zeros() } else { origin - self.poses[body.parent].origin };
        let pose = &mut self.poses[b];
        (pose.origin, pose.lever) = (origin, lever);
        pose.rotation = rotation;
        pose.arm = rotation * body.lump.com;
    }

    /// Inertia of a body, and its columns, about the reference point.
    fn weigh(&mut self, tree: &Tree, b: usize) {
        let body = &tree.bodies[b];
        let (pose, reference) = (&mut self.poses[b], &self.references[body.root]);
        let from = reference - pose.origin;
        for (column, dof) in self.columns[body.dofs()].iter_mut().zip(&tree.dofs[body.dofs()]) {
            if dof.turns {
                column.linear = column.angular.cross(&from);
            }
        }
        pose.com = pose.arm - from;
        pose.inertia = rotated(&pose.rotation, &body.lump.inertia);
        let mass = body.lump.mass;
        let second = pose.inertia + of_point(mass, &pose.com);
        self.composites[b] = Composite { mass, first: pose.com * mass, second };
    }

    /// Frame of a link in the world.
    #[inline]
    pub fn frame(&self, link: usize) -> &Isometry3<f64> {
        &self.frames[link]
    }

    /// Orientation of a link in the world.
    #[inline]
    pub fn rotation(&self, link: usize) -> &UnitQuaternion<f64> {
        &self.frames[link].rotation
    }

    /// Centre of mass of a link in the world, m.
    #[inline]
    pub fn centre(&self, tree: &Tree, link: usize) -> Vector3<f64> {
        self.frames[link].translation.vector + self.frames[link].rotation * tree.links[link].com
    }
}

/// Frame of a body whose joint frame stands at `joint`.
#[inline]
fn moved(body: &Body, joint: &Isometry3<f64>, q: &[f64]) -> Isometry3<f64> {
    let (at, turned) = (joint.translation.vector, &joint.rotation);
    let (at, rotation) = match body.kind {
        JointKind::Fixed => (at, *turned),
        JointKind::Revolute => (at, turned * turn(&body.axes[2], q[0])),
        JointKind::Prismatic => (at + turned * (body.axes[2] * q[0]), *turned),
        JointKind::Cylindrical => {
            let axis = &body.axes[2];
            (at + turned * (axis * q[0]), turned * turn(axis, q[1]))
        }
        JointKind::Planar => {
            let [x, y, n] = &body.axes;
            (at + turned * (x * q[0] + y * q[1]), turned * turn(n, q[2]))
        }
        JointKind::Ball => (at, turned * quaternion_of(q)),
        JointKind::Free => (at + turned * Vector3::new(q[0], q[1], q[2]), turned * quaternion_of(&q[3..])),
    };
    Isometry3::from_parts(at.into(), rotation)
}

#[inline]
fn turn(axis: &Vector3<f64>, angle: f64) -> UnitQuaternion<f64> {
    let (sin, cos) = (0.5 * angle).sin_cos();
    UnitQuaternion::new_unchecked(Quaternion::from_parts(cos, axis * sin))
}

/// World axes of the dofs of a body; what turning moves comes with the reference point.
#[inline]
fn set_columns(body: &Body, joint: &Isometry3<f64>, rotation: &Matrix3<f64>, columns: &mut [Column]) {
    let zero = Vector3::zeros();
    let turning = |angular| Column { angular, linear: zero };
    let sliding = |linear| Column { angular: zero, linear };
    match body.kind {
        JointKind::Fixed => {}
        // The axis is the same vector in the joint and in the link.
        JointKind::Revolute => columns[0] = turning(rotation * body.axes[2]),
        JointKind::Prismatic => columns[0] = sliding(rotation * body.axes[2]),
        JointKind::Cylindrical => {
            let axis = rotation * body.axes[2];
            columns.copy_from_slice(&[sliding(axis), turning(axis)]);
        }
        JointKind::Planar => {
            let [x, y, n] = body.axes.map(|axis| joint.rotation * axis);
            columns.copy_from_slice(&[sliding(x), sliding(y), turning(n)]);
        }
        JointKind::Ball | JointKind::Free => {
            let axes = joint.rotation.to_rotation_matrix();
            let n = body.kind.n_translations();
            for i in 0..columns.len() {
                let axis = axes.matrix().column(i % 3).into_owned();
                columns[i] = if i < n { sliding(axis) } else { turning(axis) };
            }
        }
    }
}

/// R J Rᵀ, symmetric to the bit.
#[inline]
fn rotated(r: &Matrix3<f64>, j: &Matrix3<f64>) -> Matrix3<f64> {
    let t = r * j;
    let entry = |i: usize, k: usize| t[(i, 0)] * r[(k, 0)] + t[(i, 1)] * r[(k, 1)] + t[(i, 2)] * r[(k, 2)];
    let (xy, xz, yz) = (entry(0, 1), entry(0, 2), entry(1, 2));
    Matrix3::new(entry(0, 0), xy, xz, xy, entry(1, 1), yz, xz, yz, entry(2, 2))
}
