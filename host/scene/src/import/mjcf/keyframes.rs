//! Keyframes: where a model starts, if one is asked for.

use super::reader::Reader;
use crate::diagnostics::{Code, Diagnostic, list};
use crate::import::robot::quaternion;
use crate::import::robot::{JointKind, WORLD};
use crate::import::tag::Tag;
use nalgebra::{UnitQuaternion, Vector3};
use std::rc::Rc;

impl Reader<'_> {
    /// The keyframe that the options name.
    pub(super) fn keyframe(&mut self, root: &Tag) -> Option<Rc<Tag>> {
        let keys: Vec<&Rc<Tag>> = root.named("keyframe").flat_map(|k| k.named("key")).collect();
        let names: Vec<String> = keys
            .iter()
            .enumerate()
            .map(|(i, k)| k.text("name").map_or_else(|| i.to_string(), str::to_owned))
            .collect();
        let Some(wanted) = self.robot.options.keyframe.clone() else {
            if let Some(first) = keys.first() {
                let text = format!(
                    "the model starts as it is written; keyframes are taken where they are asked for: {}",
                    names.join(", ")
                );
                self.robot.report.note(text, first.place.clone());
            }
            return None;
        };
        let Some(found) = names.iter().position(|name| *name == wanted) else {
            let message = format!("the model has no keyframe `{wanted}`");
            let help = format!("its keyframes: {}", list(names.iter().map(String::as_str)));
            let place = root.place.clone();
            self.robot.found.push(Diagnostic::error(Code::UnknownName, message).at(place).help(help));
            return None;
        };
        Some(keys[found].clone())
    }

    /// Controls of a keyframe by number of the actuator.
    pub(super) fn controls(&mut self, key: &Tag) -> Vec<f64> {
        self.numbers(key, "ctrl", "the keyframe", (0, usize::MAX)).unwrap_or_default()
    }

    /// Coordinates and velocities of a keyframe as those of the start.
    pub(super) fn start_at(&mut self, key: &Tag) {
        let of = "the keyframe";
        let (nq, nv) = self.counts();
        let place = key.place.clone();
        let positions = self.numbers(key, "qpos", of, (nq, nq)).unwrap_or_default();
        let velocities = self.numbers(key, "qvel", of, (nv, nv)).unwrap_or_default();
        if !positions.is_empty() {
            self.robot.extras.start.clear();
        }
        let (mut q, mut v) = (0, 0);
        for i in WORLD + 1..self.robot.bodies.len() {
            for joint in self.robot.bodies[i].joints.clone() {
                let (n, m) = width(joint.kind);
                if let Some(at) = positions.get(q..q + n) {
                    self.robot.extras.start.push((joint.name.clone(), at.to_vec(), place.clone()));
                }
                if let Some(rate) = velocities.get(v..v + m) {
                    let turn = positions.get(q..q + n).and_then(|at| at.get(n.wrapping_sub(4)..));
                    let rate = in_joint_axes(joint.kind, rate, turn);
                    self.robot.extras.velocity.push((joint.name.clone(), rate, place.clone()));
                }
                (q, v) = (q + n, v + m);
            }
        }
    }

    fn counts(&self) -> (usize, usize) {
        let joints = self.robot.bodies.iter().flat_map(|b| &b.joints);
        joints.fold((0, 0), |(q, v), joint| {
            let (n, m) = width(joint.kind);
            (q + n, v + m)
        })
    }
}

/// Numbers of coordinates and velocities.
fn width(kind: JointKind) -> (usize, usize) {
    match kind {
        JointKind::Free => (7, 6),
        JointKind::Ball => (4, 3),
        JointKind::Slide | JointKind::Hinge => (1, 1),
    }
}

/// Angular velocities stand in the axes of the child there, in those of the joint here.
fn in_joint_axes(kind: JointKind, rate: &[f64], turn: Option<&[f64]>) -> Vec<f64> {
    let turns = match kind {
        JointKind::Free => 3,
        JointKind::Ball => 0,
        JointKind::Slide | JointKind::Hinge => return rate.to_vec(),
    };
    let q = match turn {
        Some(&[w, x, y, z]) => quaternion([w, x, y, z]),
        _ => None,
    };
    let q = q.unwrap_or_else(UnitQuaternion::identity);
    let spin = q * Vector3::from_column_slice(&rate[turns..]);
    rate[..turns].iter().copied().chain(spin.iter().copied()).collect()
}
