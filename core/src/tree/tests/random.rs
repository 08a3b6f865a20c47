//! Random trees, the same in every run.

use nalgebra::{Isometry3, Matrix3, Quaternion, Translation3, UnitQuaternion, Vector3};

use crate::tree::{Joint, JointKind, Link, Tree, TreeError};

/// SplitMix64.
pub(super) struct Random(pub(super) u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Below n.
    pub(super) fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    /// Between a and b.
    pub(super) fn uniform(&mut self, a: f64, b: f64) -> f64 {
        a + (b - a) * (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    pub(super) fn vector(&mut self, size: f64) -> Vector3<f64> {
        Vector3::from_fn(|_, _| self.uniform(-size, size))
    }

    pub(super) fn numbers(&mut self, n: usize, size: f64) -> Vec<f64> {
        (0..n).map(|_| self.uniform(-size, size)).collect()
    }

    fn unit(&mut self) -> Vector3<f64> {
        loop {
            let v = self.vector(1.0);
            if v.norm() > 0.1 && v.norm() <= 1.0 {
                return v.normalize();
            }
        }
    }

    fn rotation(&mut self) -> UnitQuaternion<f64> {
        let (axis, angle) = (self.unit(), self.uniform(-3.0, 3.0));
        UnitQuaternion::from_scaled_axis(axis * angle)
    }

    /// A configuration; quaternions of length one.
    pub(super) fn q(&mut self, tree: &Tree) -> Vec<f64> {
        let mut q = self.numbers(tree.nq(), 1.5);
        for (i, _) in tree.quaternions() {
            let Quaternion { coords } = self.rotation().into_inner();
            q[i..i + 4].copy_from_slice(&[coords.w, coords.x, coords.y, coords.z]);
        }
        q
    }

    /// A link with second moments along random axes; one in six without mass.
    fn link(&mut self, i: usize) -> Link {
        if self.below(6) == 0 {
            return Link::massless(format!("link-{i}"));
        }
        let mass = self.uniform(0.1, 2.0);
        let s = Vector3::from_fn(|_, _| self.uniform(1e-3, 2e-2) * mass);
        let principal = Vector3::new(s.y + s.z, s.x + s.z, s.x + s.y);
        let r = self.rotation().to_rotation_matrix();
        let inertia = r.matrix() * Matrix3::from_diagonal(&principal) * r.matrix().transpose();
        let inertia = (inertia + inertia.transpose()) * 0.5;
        Link { name: format!("link-{i}"), mass, com: self.vector(0.3), inertia }
    }

    fn joint(&mut self, i: usize, kinds: &[JointKind]) -> Joint {
        // Rather long branches, sometimes several trees on the world.
        let parent = match i {
            0 => None,
            _ if self.below(12) == 0 => None,
            _ if self.below(3) == 0 => Some(self.below(i)),
            _ => Some(i - 1),
        };
        let frame = Isometry3::from_parts(Translation3::from(self.vector(0.5)), self.rotation());
        let rotor_inertia = if self.below(3) == 0 { self.uniform(0.0, 1e-3) } else { 0.0 };
        let kind = kinds[self.below(kinds.len())];
        let gear_ratio = self.uniform(-10.0, 10.0);
        Joint {
            frame,
            axis: self.unit(),
            rotor_inertia,
            gear_ratio,
            ..Joint::new(format!("joint-{i}"), kind, parent)
        }
    }

    /// A tree of at most `links` links. Where a dof has no inertia, all its links get some.
    pub(super) fn tree(&mut self, links: usize, kinds: &[JointKind]) -> Tree {
        let n = 1 + self.below(links);
        let joints: Vec<Joint> = (0..n).map(|i| self.joint(i, kinds)).collect();
        let links: Vec<Link> = (0..n).map(|i| self.link(i)).collect();
        match Tree::new("random", links.clone(), joints.clone()) {
            Ok(tree) => tree,
            Err(TreeError::NoInertia { .. }) => {
                let heavy = |(i, link): (usize, Link)| match link.mass {
                    0.0 => super::link(&format!("link-{i}"), 0.5, self.vector(0.3), [0.01, 0.012, 0.015]),
                    _ => link,
                };
                let links = links.into_iter().enumerate().map(heavy).collect();
                Tree::new("random", links, joints).unwrap()
            }
            Err(other) => panic!("{other}"),
        }
    }
}
