//! Drives: what prescribed, force-driven and impedance degrees of freedom do over time.

mod gaps;
mod joints;
mod led;
mod signal;
mod speeds;

pub use joints::{JOINT_STATE, JointDrive};
pub use led::Led;
pub use signal::{DriveError, DriveKind, Signal};
pub use speeds::StepEnd;

use nalgebra::{UnitQuaternion, Vector3};
use vinci_core::model::{DofRole, Space, System};
use vinci_core::state::{angular_velocity_between, quaternion_of, rotation_exp};

/// Variables a force expression may use in planar scenes, in the order of their values.
pub const PLANAR_STATE: [&str; 6] = ["x", "y", "angle", "vx", "vy", "omega"];
/// Variables a force expression may use in spatial scenes, in the order of their values.
pub const SPATIAL_STATE: [&str; 9] = ["x", "y", "z", "vx", "vy", "vz", "wx", "wy", "wz"];

pub use crate::expression::{Expression, ExpressionError};

/// One driven degree of freedom.
#[derive(Debug, Clone, PartialEq)]
pub struct DofDrive {
    /// Index of the body.
    pub body: u32,
    /// Degree of freedom within the body (0 … 2 or 5).
    pub dof: usize,
    /// Quantity that the signal gives.
    pub kind: DriveKind,
    /// The signal.
    pub signal: Signal,
}

/// All drives of a scene.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Drives {
    /// The drives of bodies, in any order.
    pub list: Vec<DofDrive>,
    /// The drives of joints of trees, in any order.
    pub joints: Vec<JointDrive>,
}

impl Drives {
    /// Adds the forces at (t, q, v) to `force`, nv.
    pub fn add_forces(
        &self,
        system: &System,
        t: f64,
        q: &[f64],
        v: &[f64],
        force: &mut [f64],
    ) -> Result<(), DriveError> {
        for drive in self.list.iter().filter(|d| d.kind == DriveKind::Force) {
            let Some(block) = system.block_of(drive.body) else { continue };
            let mut state = [0.0; 9];
            let value = drive.signal.at(t, body_state(system, block, q, v, &mut state));
            force[system.layout().block_start[block] as usize + drive.dof] +=
                finite(system, drive, value, t)?;
        }
        for drive in &self.joints {
            if let Some((dof, value)) = drive.force(system, t, q, v)? {
                force[dof] += value;
            }
        }
        Ok(())
    }

    /// The velocities that drives prescribe (locked dofs are not among them), ascending.
    pub fn prescribed(&self, system: &System) -> Vec<u32> {
        let kinds = [DriveKind::Position, DriveKind::Velocity];
        let driven = self.list.iter().filter(|d| kinds.contains(&d.kind));
        let mut list: Vec<u32> =
            driven.filter_map(|d| Some((system.first_velocity(d.body)? + d.dof) as u32)).collect();
        let joints = self.joints.iter().filter(|d| kinds.contains(&d.kind));
        list.extend(joints.map(|d| d.place(system).1 as u32));
        list.sort_unstable();
        list
    }

    /// Velocities that take prescribed dofs from q to their place at t + h, nv: (q_d(t + h) − q)/h, not q̇_d, which would
    /// drift. Locked dofs get 0; impedance dofs (commanded place at t + h − q)/h. Rotations of a spatial body whose three
    /// rotational dofs are all prescribed follow exp(rx, ry, rz) R_0; single driven ones follow their angular rate. The
    /// place of a rotational impedance dof is that component of the rotation vector from the initial orientation. Velocity
    /// drives command their value at the middle of the step, t + h/2, wherever the dof is: exact for formulas linear in t.
    /// Joints of trees likewise, with their coordinates.
    pub fn commands(
        &self,
        system: &System,
        t: f64,
        h: f64,
        q: &[f64],
        command: &mut [f64],
    ) -> Result<(), DriveError> {
        command.fill(0.0);
        let layout = system.layout();
        for drive in self.list.iter().filter(|d| d.kind != DriveKind::Force) {
            let Some(block) = system.block_of(drive.body) else { continue };
            let (vs, qs) = (layout.block_start[block] as usize, layout.q_start[block] as usize);
            if drive.kind == DriveKind::Velocity {
                let middle = t + 0.5 * h;
                command[vs + drive.dof] = finite(system, drive, drive.signal.at(middle, &[]), middle)?;
                continue;
            }
            let target = finite(system, drive, drive.signal.at(t + h, &[]), t + h)?;
            command[vs + drive.dof] = match (system.space, drive.dof, drive.kind) {
                (Space::Planar, ..) | (_, 0..3, _) => (target - q[qs + drive.dof]) / h,
                (_, dof, DriveKind::Impedance) => (target - turned(system, block, q)[dof - 3]) / h,
                _ => (target - drive.signal.at(t, &[])) / h,
            };
        }
        for drive in &self.joints {
            if let Some((dof, value)) = drive.command(system, t, h, q)? {
                command[dof] = value;
            }
        }
        if system.space == Space::Spatial {
            self.orient(system, t, h, q, command)?;
        }
        Ok(())
    }

    /// Bodies whose whole orientation is prescribed: the angular velocity that leads to the orientation at t + h. Where a
    /// rotation is commanded as a velocity there is no such orientation, and every rotation follows its own rate.
    fn orient(
        &self,
        system: &System,
        t: f64,
        h: f64,
        q: &[f64],
        command: &mut [f64],
    ) -> Result<(), DriveError> {
        for block in 0..system.n_blocks() {
            let (Some(index), Some(moving)) = (system.body_index(block), system.body_of(block)) else {
                continue;
            };
            let body = index as u32;
            if moving.role[3..].iter().any(|r| *r != DofRole::Prescribed) {
                continue;
            }
            let turning =
                |kind| self.list.iter().filter(move |d| d.body == body && d.dof >= 3 && d.kind == kind);
            if turning(DriveKind::Velocity).next().is_some() {
                continue;
            }
            let mut angles = Vector3::zeros();
            for drive in turning(DriveKind::Position) {
                angles[drive.dof - 3] = finite(system, drive, drive.signal.at(t + h, &[]), t + h)?;
            }
            let initial = quaternion_of(&system.initial_pose[body as usize * 7 + 3..][..4]);
            let target: UnitQuaternion<f64> = rotation_exp(&angles) * initial;
            let now = quaternion_of(&q[system.layout().q_start[block] as usize + 3..][..4]);
            let omega = angular_velocity_between(&now, &target, h);
            command[system.layout().block_start[block] as usize + 3..][..3].copy_from_slice(omega.as_slice());
        }
        Ok(())
    }
}

/// Rotation vector of a spatial body from its initial orientation to the present one, world axes, rad.
fn turned(system: &System, block: usize, q: &[f64]) -> Vector3<f64> {
    let Some(body) = system.body_index(block) else { return Vector3::zeros() };
    let initial = quaternion_of(&system.initial_pose[body * 7 + 3..][..4]);
    (quaternion_of(&q[system.layout().q_start[block] as usize + 3..][..4]) * initial.inverse()).scaled_axis()
}

fn finite(system: &System, drive: &DofDrive, value: f64, t: f64) -> Result<f64, DriveError> {
    if value.is_finite() {
        return Ok(value);
    }
    let of = format!("body `{}`, degree of freedom {},", system.bodies[drive.body as usize].name, drive.dof);
    Err(DriveError { of, value, t })
}

/// Values of [`PLANAR_STATE`] or [`SPATIAL_STATE`].
fn body_state<'a>(system: &System, block: usize, q: &[f64], v: &[f64], state: &'a mut [f64; 9]) -> &'a [f64] {
    let layout = system.layout();
    let (vs, qs) = (layout.block_start[block] as usize, layout.q_start[block] as usize);
    let n_v = system.space.nv();
    state[..3].copy_from_slice(&q[qs..qs + 3]);
    state[3..3 + n_v].copy_from_slice(&v[vs..vs + n_v]);
    &state[..3 + n_v]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_see_time_pi_and_state() {
        let e = Expression::parse("2*sin(pi*t) - 3*vx + x^2", &PLANAR_STATE).unwrap();
        let value = e.at(0.5, &[2.0, 0.0, 0.0, 1.0, 0.0, 0.0]);
        assert!((value - (2.0 - 3.0 + 4.0)).abs() < 1e-15);
    }
}
