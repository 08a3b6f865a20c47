//! Drives: keyframes, formulas, and their agreement with the initial state.

use super::super::path::Path;
use super::super::types::{AngularVelocity, Body, Dof, Drive};
use super::Lint;
use crate::compile::{core_space, signal, state_names};
use crate::diagnostics::Code;
use crate::types::SpaceName;
use vinci_core::model::Space;
use vinci_engine::drives::Expression;

impl Lint<'_> {
    pub(super) fn body_drives(&mut self, body: &Body, path: &Path, space: SpaceName) {
        if body.is_static {
            return;
        }
        for (i, (key, dof)) in body.dofs.in_order(space).into_iter().enumerate() {
            let path = path.join("dofs").join(key);
            match dof {
                Some(Dof::Position(drive)) => {
                    let path = path.join("position");
                    if let Some(start) = self.drive(drive, &[], &path) {
                        self.initial_value(body, space, i, key, start, &path);
                    }
                }
                Some(Dof::Velocity(drive)) => {
                    self.drive(drive, &[], &path.join("velocity"));
                }
                Some(Dof::Force(drive)) => {
                    self.drive(drive, state_names(space), &path.join("force"));
                }
                Some(Dof::Impedance(impedance)) => {
                    self.drive(&impedance.command, &[], &path.join("impedance").join("command"));
                }
                Some(Dof::Free | Dof::Locked) | None => {}
            }
        }
    }

    /// Checks a drive; its value at t = 0 when it depends on time alone and is sound.
    pub(super) fn drive(&mut self, drive: &Drive, state: &[&str], path: &Path) -> Option<f64> {
        let sound = match drive {
            Drive::Constant(_) => true,
            Drive::Keyframes { keyframes, .. } => self.keyframes(keyframes, &path.join("keyframes")),
            Drive::Expression { expression } => self.expression(expression, state, &path.join("expression")),
        };
        if !sound || !state.is_empty() {
            return None;
        }
        let start = signal(drive, &[]).ok()?.at(0.0, &[]);
        if start.is_finite() {
            return Some(start);
        }
        let message = format!("the formula gives {start} at t = 0");
        self.error(&path.join("expression"), Code::NonFinite, message, "drives must be finite at all times");
        None
    }

    fn keyframes(&mut self, keyframes: &[[f64; 2]], path: &Path) -> bool {
        let Some(i) = keyframes.windows(2).position(|w| w[1][0] <= w[0][0]) else {
            return !keyframes.is_empty();
        };
        let (before, after) = (keyframes[i][0], keyframes[i + 1][0]);
        let message = format!("keyframe times must increase, but {after} follows {before}");
        self.error(&path.join(i + 1), Code::BadKeyframes, message, "each keyframe is [time, value]");
        false
    }

    fn expression(&mut self, text: &str, state: &[&str], path: &Path) -> bool {
        let Err(error) = Expression::parse(text, state) else { return true };
        let diagnostic = crate::formula::finding(error, text, self.node.place_of(path));
        self.diagnostics.push(diagnostic);
        false
    }

    /// A prescribed coordinate must begin where the body stands.
    fn initial_value(&mut self, body: &Body, space: SpaceName, i: usize, key: &str, start: f64, path: &Path) {
        let dim = core_space(space).dim();
        let (given, where_from) = match (core_space(space), i) {
            (Space::Planar, 2) => (body.angle.unwrap_or(0.0), "angle"),
            (Space::Spatial, 3..) => (0.0, "orientation"),
            _ => (body.position.as_ref().map_or(0.0, |p| p[i.min(dim - 1)]), "position"),
        };
        if self.running || (start - given).abs() <= 1e-9 * given.abs().max(1.0) {
            return;
        }
        if where_from == "orientation" {
            let message = format!("the drive of `{key}` of body `{}` begins at {start} rad", body.name);
            let help =
                "rotations of spatial bodies are counted from the initial orientation, so they begin at 0";
            self.error(path, Code::Contradiction, message, help);
            return;
        }
        let message = format!(
            "the drive of `{key}` of body `{}` begins at {start}, but its initial `{where_from}` gives {given}",
            body.name
        );
        let help = format!("make `{where_from}` agree with the drive at t = 0");
        self.error(path, Code::Contradiction, message, help);
    }

    /// A locked coordinate cannot have a velocity.
    pub(super) fn locked_velocities(&mut self, body: &Body, path: &Path, space: SpaceName) {
        let dim = core_space(space).dim();
        for (i, (key, dof)) in body.dofs.in_order(space).into_iter().enumerate() {
            let (value, from) = if i < dim {
                (body.velocity.as_ref().map_or(0.0, |v| v[i]), "velocity")
            } else {
                (angular(body, i - dim), "angular_velocity")
            };
            if dof == Some(&Dof::Locked) && value != 0.0 && !self.running {
                let message =
                    format!("`{key}` of body `{}` is locked, but its initial `{from}` is {value}", body.name);
                self.error(
                    &path.join(from),
                    Code::Contradiction,
                    message,
                    "make it 0 or free the degree of freedom",
                );
            }
        }
    }
}

fn angular(body: &Body, axis: usize) -> f64 {
    match &body.angular_velocity {
        Some(AngularVelocity::Planar(omega)) => *omega,
        Some(AngularVelocity::Spatial(omega)) => omega[axis],
        None => 0.0,
    }
}
