//! Drives of the joints of a tree: joints of one coordinate, and agreement with the start.

use super::super::path::Path;
use super::super::trees::{Layout, default_start, effective};
use super::super::types::{Coordinates, Dof, Tree, TreeJointKind};
use super::Lint;
use crate::diagnostics::{Code, did_you_mean, list};
use vinci_engine::drives::JOINT_STATE;

impl Lint<'_> {
    pub(super) fn joint_drives(&mut self, tree: &Tree, layout: &Layout, path: &Path) {
        for (name, dof) in &tree.drives {
            let path = path.join("drives").join(name.as_str());
            let Some(kind) = layout.kind_of(tree, name) else {
                self.no_such_joint(tree, layout, name, &path);
                continue;
            };
            if kind.core().nv() != 1 && !matches!(dof, Dof::Locked | Dof::Free) {
                let message =
                    format!("joint `{}.{name}` is {} and can be locked, not driven", tree.name, kind.name());
                let help = "drives move revolute, continuous and prismatic joints: build the joint of those";
                self.error(&path, Code::Contradiction, message, help);
                continue;
            }
            self.joint_drive(tree, name, kind, dof, &path);
        }
    }

    fn joint_drive(&mut self, tree: &Tree, name: &str, kind: TreeJointKind, dof: &Dof, path: &Path) {
        match dof {
            Dof::Position(drive) => {
                let path = path.join("position");
                if let Some(begin) = self.drive(drive, &[], &path) {
                    self.begins(tree, name, begin, &path);
                }
            }
            Dof::Velocity(drive) => {
                self.drive(drive, &[], &path.join("velocity"));
            }
            Dof::Force(drive) => {
                self.drive(drive, &JOINT_STATE, &path.join("force"));
            }
            Dof::Impedance(impedance) => {
                self.drive(&impedance.command, &[], &path.join("impedance").join("command"));
            }
            Dof::Locked => {
                let moving = tree.velocity.get(name).is_some_and(|v| v.numbers().iter().any(|x| *x != 0.0));
                if moving && kind != TreeJointKind::Fixed && !self.running {
                    let message =
                        format!("joint `{}.{name}` is locked, but has a velocity at the start", tree.name);
                    self.error(path, Code::Contradiction, message, "make it 0 or free the joint");
                }
            }
            Dof::Free => {}
        }
    }

    /// A prescribed coordinate must begin where the joint starts.
    fn begins(&mut self, tree: &Tree, name: &str, begin: f64, path: &Path) {
        let limits = tree.joints.iter().find(|j| j.name == name).and_then(|j| effective(tree, j).limits);
        let given = match tree.start.get(name).map(Coordinates::numbers) {
            Some([start]) => *start,
            _ => default_start(limits.as_ref()),
        };
        if self.running || (begin - given).abs() <= 1e-9 * given.abs().max(1.0) {
            return;
        }
        let message = format!(
            "the drive of joint `{}.{name}` begins at {begin}, but the joint starts at {given}",
            tree.name
        );
        let help = format!("say where it starts: \"start\": {{ \"{name}\": {begin} }}");
        self.error(path, Code::Contradiction, message, help);
    }

    /// A joint that a tree does not have.
    pub(super) fn no_such_joint(&mut self, tree: &Tree, layout: &Layout, name: &str, path: &Path) {
        let known: Vec<&str> = layout.places.iter().map(|p| layout.joint_name(tree, *p)).collect();
        let meant = did_you_mean(name, known.iter().copied()).map_or_else(String::new, |m| m + " ");
        let message = format!("tree `{}` has no joint `{name}`", tree.name);
        let help = format!("{meant}its joints: {}", list(known.iter().copied()));
        self.error(path, Code::UnknownName, message, help);
    }
}
