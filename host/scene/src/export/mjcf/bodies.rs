//! Bodies that stand, and bodies that move by themselves.

use nalgebra::{Matrix3, Vector3};
use vinci_core::model::{Body, DofRole};
use vinci_core::state::quaternion_of;

use super::super::poses::{Place, at_start, flat};
use super::super::xml::numbers;
use super::Writing;

/// Names of the directions of a body's degrees of freedom.
const DOFS: [&str; 6] = ["x", "y", "z", "rx", "ry", "rz"];

impl Writing<'_> {
    /// A body that never moves.
    pub(super) fn fixed(&mut self, body: u32) {
        let (position, turn) = at_start(self.subject.system, body);
        let name = self.subject.system.bodies[body as usize].name.clone();
        self.xml.open("body", &[("name", name), ("pos", numbers(&position)), ("quat", numbers(&turn))]);
        self.shapes_of(body, Vector3::zeros());
        self.sites_of(body, Vector3::zeros());
        self.xml.close();
    }

    /// A body with a block of its own.
    pub(super) fn moving(&mut self, body: u32) {
        let of = self.subject.system.bodies[body as usize].clone();
        let (position, turn) = at_start(self.subject.system, body);
        let told = of.role.iter().all(|role| *role == DofRole::Prescribed);
        let mut attributes = vec![("name", of.name.clone())];
        // A planar body's joints carry its pose.
        let rests = if self.is_planar() && !told { self.planar_rest(body, &of) } else { (position, turn) };
        attributes.extend([("pos", numbers(&rests.0)), ("quat", numbers(&rests.1))]);
        if !of.gravity {
            attributes.push(("gravcomp", "1".into()));
        }
        if told {
            attributes.push(("mocap", "true".into()));
            self.mocap[0].extend(position);
            self.mocap[1].extend(turn);
        }
        self.xml.open("body", &attributes);
        if !told {
            self.joints(body, &of);
            self.inertial(of.mass.mass, Vector3::zeros(), &of.mass.inertia);
        }
        self.shapes_of(body, Vector3::zeros());
        self.sites_of(body, Vector3::zeros());
        self.xml.close();
    }

    fn joints(&mut self, body: u32, of: &Body) {
        let system = self.subject.system;
        let at = system.first_velocity(body).unwrap_or(0);
        let v = system.initial_velocity[at..at + of.role.len()].to_vec();
        for (k, role) in of.role.iter().enumerate().filter(|(_, role)| **role == DofRole::Impedance) {
            let stiffness = of.impedance[k];
            let dof = dof_name(self.is_planar(), k);
            self.unsaid(format!("`{}` is driven along {dof} through {stiffness} N/m ({role:?})", of.name));
        }
        if self.is_planar() {
            return self.planar_joints(body, of, &v);
        }
        let (position, turn) = at_start(self.subject.system, body);
        let rotation = quaternion_of(&turn);
        if of.role.iter().all(|role| *role != DofRole::Prescribed) {
            self.xml.leaf("freejoint", &[("name", format!("{}.free", of.name))]);
            if of.damping.iter().any(|d| *d != 0.0) {
                self.unsaid(format!("`{}` has damping, which free joints have not", of.name));
            }
            self.qpos.extend(position.into_iter().chain(turn));
            // MuJoCo has angular velocities in the axes of the body.
            let spin = rotation.inverse() * Vector3::new(v[3], v[4], v[5]);
            self.qvel.extend([v[0], v[1], v[2], spin.x, spin.y, spin.z]);
            return;
        }
        let turns = (3..6).filter(|k| of.role[*k] != DofRole::Prescribed).count();
        if turns > 1 {
            self.unsaid(format!("`{}` turns about {turns} of three axes: its hinges turn with it", of.name));
        }
        for k in (0..6).filter(|k| of.role[*k] != DofRole::Prescribed) {
            let axis = rotation.inverse() * Vector3::ith(k % 3, 1.0);
            self.single(of, k, axis, (0.0, v[k]));
        }
    }

    /// Which of a planar body's degrees of freedom are locked: prescribed, and no drive moves them.
    fn locked(&self, body: u32, of: &Body) -> [bool; 3] {
        let driven = |k: usize| self.subject.drives.list.iter().any(|d| d.body == body && d.dof == k);
        std::array::from_fn(|k| of.role[k] == DofRole::Prescribed && !driven(k))
    }

    /// Where a planar body stands that its joints do not say: along what is locked.
    fn planar_rest(&self, body: u32, of: &Body) -> Place {
        let pose = &self.subject.system.initial_pose[3 * body as usize..3 * body as usize + 3];
        let locked = self.locked(body, of);
        flat(&std::array::from_fn::<f64, 3, _>(|k| if locked[k] { pose[k] } else { 0.0 }))
    }

    /// (x, y, angle) as three joints about the origin of the world; what is locked has none.
    fn planar_joints(&mut self, body: u32, of: &Body, v: &[f64]) {
        let pose = self.subject.system.initial_pose[3 * body as usize..3 * body as usize + 3].to_vec();
        let (locked, (_, turn)) = (self.locked(body, of), self.planar_rest(body, of));
        for k in (0..3).filter(|k| !locked[*k]) {
            let axis = if k < 2 { Vector3::ith(k, 1.0) } else { Vector3::z() };
            let axis = quaternion_of(&turn).inverse() * axis;
            let dof = if k < 2 { k } else { 5 };
            self.single(of, dof, axis, (pose[k], v[k]));
        }
        let driven: Vec<&str> = (0..3)
            .filter(|k| of.role[*k] == DofRole::Prescribed && !locked[*k])
            .map(|k| dof_name(true, k))
            .collect();
        if !driven.is_empty() {
            let ways = driven.join(", ");
            self.unsaid(format!("`{}` is driven along {ways}: the joint there is free", of.name));
        }
    }

    fn single(&mut self, of: &Body, k: usize, axis: Vector3<f64>, (q, v): (f64, f64)) {
        let damping = of.damping[if self.is_planar() { k.min(2) } else { k }];
        let mut attributes = vec![
            ("name", format!("{}.{}", of.name, DOFS[k])),
            ("type", if k < 3 { "slide" } else { "hinge" }.to_owned()),
            ("axis", numbers(axis.as_slice())),
        ];
        if damping != 0.0 {
            attributes.push(("damping", numbers(&[damping])));
        }
        self.xml.leaf("joint", &attributes);
        self.qpos.push(q);
        self.qvel.push(v);
    }

    /// Mass and inertia about the centre of mass, which stands at `com` in the frame of the body.
    pub(super) fn inertial(&mut self, mass: f64, com: Vector3<f64>, inertia: &Matrix3<f64>) {
        let i = inertia;
        let full = if self.is_planar() {
            // Only the moment about z is felt; the others are those of a flat thing, with room for rounding.
            let j = i[(2, 2)];
            [0.6 * j, 0.6 * j, j, 0.0, 0.0, 0.0]
        } else {
            [i[(0, 0)], i[(1, 1)], i[(2, 2)], i[(0, 1)], i[(0, 2)], i[(1, 2)]]
        };
        let attributes =
            [("pos", numbers(com.as_slice())), ("mass", numbers(&[mass])), ("fullinertia", numbers(&full))];
        self.xml.leaf("inertial", &attributes);
    }
}

fn dof_name(planar: bool, k: usize) -> &'static str {
    if planar && k == 2 { "the angle" } else { DOFS[k] }
}
