//! Speeds of driven degrees of freedom at one time: derivatives of their signals, not means over a step.

use nalgebra::Vector3;
use vinci_core::model::{DofRole, Space, System};

use super::signal::{DriveError, DriveKind, Signal};
use super::{Drives, finite};

/// Part of the step by which signals are looked at within it: at a kink at one of its ends the step sees its own side.
const INSIDE: f64 = 1e-6;

/// An end of a step from t to t + h, seen from within.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StepEnd {
    /// The time, s.
    t: f64,
    /// From there into the step, s.
    inwards: f64,
}

impl StepEnd {
    /// The start of a step from t.
    pub fn start(t: f64, h: f64) -> Self {
        Self { t, inwards: INSIDE * h }
    }

    /// The end of a step from t.
    pub fn end(t: f64, h: f64) -> Self {
        Self { t: t + h, inwards: -INSIDE * h }
    }

    /// Speed there of what follows a signal: its derivative, or the signal itself where it commands a velocity. Exact for
    /// polynomials of degree 2.
    fn speed(self, kind: DriveKind, signal: &Signal) -> f64 {
        let [value, first, second] = signal.jet(self.t + self.inwards);
        match kind {
            DriveKind::Position => first - self.inwards * second,
            DriveKind::Velocity => value - self.inwards * first,
            DriveKind::Force | DriveKind::Impedance => 0.0,
        }
    }
}

impl Drives {
    /// Velocities that drives prescribe at an end of a step, nv, m/s or rad/s (0 elsewhere and for locked dofs). Bodies whose
    /// whole orientation is prescribed have the angular velocity of exp(r) R_0, world axes.
    ///
    /// # Errors
    /// A drive that gives no number there.
    pub fn speeds(&self, system: &System, at: StepEnd, speed: &mut [f64]) -> Result<(), DriveError> {
        speed.fill(0.0);
        let layout = system.layout();
        for drive in &self.list {
            let Some(block) = system.block_of(drive.body) else { continue };
            let value = finite(system, drive, at.speed(drive.kind, &drive.signal), at.t)?;
            speed[layout.block_start[block] as usize + drive.dof] += value;
        }
        for drive in &self.joints {
            let value = drive.finite(system, at.speed(drive.kind, &drive.signal), at.t)?;
            speed[drive.place(system).1] += value;
        }
        if system.space == Space::Spatial {
            self.turn(system, at, speed);
        }
        Ok(())
    }

    /// ṙ of bodies whose whole orientation is prescribed as places becomes ω.
    fn turn(&self, system: &System, at: StepEnd, speed: &mut [f64]) {
        for block in 0..system.n_blocks() {
            let (Some(index), Some(moving)) = (system.body_index(block), system.body_of(block)) else {
                continue;
            };
            let turning = |kind| {
                self.list.iter().filter(move |d| d.body == index as u32 && d.dof >= 3 && d.kind == kind)
            };
            let whole = moving.role[3..].iter().all(|r| *r == DofRole::Prescribed);
            if !whole || turning(DriveKind::Velocity).next().is_some() {
                continue;
            }
            let mut r = Vector3::zeros();
            for drive in turning(DriveKind::Position) {
                r[drive.dof - 3] = drive.signal.at(at.t, &[]);
            }
            let first = system.layout().block_start[block] as usize + 3;
            let rate = Vector3::from_column_slice(&speed[first..first + 3]);
            speed[first..first + 3].copy_from_slice(angular_velocity(&r, &rate).as_slice());
        }
    }
}

/// ω of exp(r(t)), world axes: ṙ + (1 − cos φ)/φ² r × ṙ + (φ − sin φ)/φ³ r × (r × ṙ), φ = |r|.
fn angular_velocity(r: &Vector3<f64>, rate: &Vector3<f64>) -> Vector3<f64> {
    let (phi, across) = (r.norm(), r.cross(rate));
    let (b, c) = if phi < 1e-3 {
        (0.5 - phi * phi / 24.0, 1.0 / 6.0 - phi * phi / 120.0)
    } else {
        ((1.0 - phi.cos()) / (phi * phi), (phi - phi.sin()) / (phi * phi * phi))
    };
    rate + across * b + r.cross(&across) * c
}

#[cfg(test)]
mod tests {
    use super::*;
    use vinci_core::model::{Interpolation, Keyframes};
    use vinci_core::state::{angular_velocity_between, rotation_exp};

    #[test]
    fn a_kink_at_an_end_of_the_step_counts_from_within() {
        let points = vec![(0.0, 0.0), (1.0, 2.0), (2.0, -1.0)];
        let signal = Signal::Keyframes(Keyframes::new(points, Interpolation::Linear).unwrap());
        let speed = |end: StepEnd| end.speed(DriveKind::Position, &signal);
        assert_eq!(speed(StepEnd::start(0.0, 0.1)), 2.0);
        assert_eq!(speed(StepEnd::end(0.9, 0.1)), 2.0);
        assert_eq!(speed(StepEnd::start(1.0, 0.1)), -3.0);
        assert_eq!(speed(StepEnd::end(1.9, 0.1)), -3.0);
        assert_eq!(speed(StepEnd::start(2.0, 0.1)), 0.0);
    }

    #[test]
    fn a_turning_body_has_the_angular_velocity_of_its_orientations() {
        let r = |t: f64| Vector3::new(0.4 * t.sin(), 1.1 * t, -0.7 * t * t);
        for t in [0.0, 1e-4, 0.8, 2.1_f64] {
            let rate = Vector3::new(0.4 * t.cos(), 1.1, -1.4 * t);
            let d = 1e-5;
            let between =
                angular_velocity_between(&rotation_exp(&r(t - d)), &rotation_exp(&r(t + d)), 2.0 * d);
            let found = angular_velocity(&r(t), &rate);
            assert!((found - between).norm() < 1e-8, "{t}: {found} {between}");
        }
    }
}
