//! A recorded run: what its bodies are, and where they are at every time.

use nalgebra::{Quaternion, UnitQuaternion, Vector3};
use vinci_core::model::{Frames, MotionSource, Space, System};
use vinci_run::view::{ContactRow, RunFiles, State};
use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics};

/// Colours of moving bodies, one after the other, 0 to 1.
const MOVING: [[f64; 3]; 8] = [
    [0.12, 0.47, 0.71],
    [0.89, 0.47, 0.10],
    [0.20, 0.60, 0.25],
    [0.75, 0.22, 0.20],
    [0.48, 0.35, 0.66],
    [0.50, 0.34, 0.28],
    [0.80, 0.45, 0.68],
    [0.35, 0.55, 0.58],
];
/// Colour of bodies that never move.
const RESTING: [f64; 3] = [0.76, 0.76, 0.74];

/// A place and a turn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Pose {
    /// Position, m.
    pub(crate) position: Vector3<f64>,
    /// Rotation from the body's axes to the world's.
    pub(crate) rotation: UnitQuaternion<f64>,
}

impl Pose {
    /// Of the numbers of a planar or a spatial pose.
    pub(crate) fn of(pose: &[f64]) -> Self {
        match *pose {
            [x, y, angle] => Self {
                position: Vector3::new(x, y, 0.0),
                rotation: UnitQuaternion::from_axis_angle(&Vector3::z_axis(), angle),
            },
            [x, y, z, w, i, j, k] => Self {
                position: Vector3::new(x, y, z),
                rotation: UnitQuaternion::from_quaternion(Quaternion::new(w, i, j, k)),
            },
            _ => Self { position: Vector3::zeros(), rotation: UnitQuaternion::identity() },
        }
    }

    /// A point of this frame in the world.
    pub(crate) fn apply(&self, point: &Vector3<f64>) -> Vector3<f64> {
        self.position + self.rotation * point
    }
}

/// A run that was recorded.
pub struct Motion {
    /// The bodies and their shapes.
    pub system: System,
    states: Vec<State>,
    contacts: Vec<ContactRow>,
    friction: Vec<(f64, Vec<[f64; 2]>)>,
}

impl Motion {
    /// Of the directory of a run.
    ///
    /// # Errors
    /// Tables that are missing or are not those of the scene.
    pub fn of(run: RunFiles) -> Result<Self, Diagnostics> {
        let (states, contacts, friction) = (run.states()?, run.contact_rows()?, run.support_friction()?);
        Ok(Self { system: run.system, states, contacts, friction })
    }

    /// Returns true if the scene lies in the plane.
    pub fn is_planar(&self) -> bool {
        self.system.space == Space::Planar
    }

    /// First and last time, s.
    pub fn span(&self) -> [f64; 2] {
        let at = |state: Option<&State>| state.map_or(0.0, |s| s.t);
        [at(self.states.first()), at(self.states.last())]
    }

    /// Recorded states.
    pub fn states(&self) -> &[State] {
        &self.states
    }

    /// The last state up to a time, by rounding at most.
    ///
    /// # Errors
    /// A time outside of what was recorded.
    pub fn at(&self, t: f64) -> Result<&State, Diagnostics> {
        let [first, last] = self.span();
        let slack = 1e-9 * (1.0 + last.abs());
        let found = self.states.iter().rev().find(|state| state.t <= t + slack);
        found.filter(|_| t <= last + slack).ok_or_else(|| {
            let message = format!("the run has no state at {t} s: it goes from {first} to {last} s");
            Diagnostic::error(Code::Usage, message).into()
        })
    }

    /// Contacts of the step that ends in a state.
    pub fn contacts(&self, state: &State) -> &[ContactRow] {
        rows_at(&self.contacts, state.t, |row| row.t)
    }

    /// Friction on every support point in the step that ends in a state, N.
    pub(crate) fn friction(&self, state: &State) -> &[[f64; 2]] {
        rows_at(&self.friction, state.t, |row| row.0).first().map_or(&[], |row| &row.1)
    }

    /// The largest contact force of the run, N.
    pub fn largest_force(&self) -> f64 {
        self.contacts.iter().map(|row| Vector3::from(row.force).norm()).fold(0.0, f64::max)
    }

    /// Colour of a body.
    pub(crate) fn colour(&self, body: u32) -> [f64; 3] {
        match self.is_moving(body) {
            true => {
                let earlier = (0..body).filter(|b| self.is_moving(*b)).count();
                MOVING[earlier % MOVING.len()]
            }
            false => RESTING,
        }
    }

    /// Returns true unless the body stands still for ever.
    pub(crate) fn is_moving(&self, body: u32) -> bool {
        self.system.motion_source(body) != MotionSource::Fixed
    }

    /// Balls around all bounded shapes at the first and the last of these states and some between: (centre, radius), m.
    pub(crate) fn balls(&self) -> Vec<(Vector3<f64>, f64)> {
        const LOOKS: usize = 16;
        let step = (self.states.len() / LOOKS).max(1);
        let mut frames = Frames::default();
        let mut balls = Vec::new();
        for state in self.states.iter().step_by(step).chain(self.states.last()) {
            self.system.place(&state.q, &mut frames);
            let of = |shape: &vinci_core::model::Shape| (frames.centre(shape.body), shape.reach());
            balls.extend(self.system.shapes.iter().map(of).filter(|(_, reach)| reach.is_finite()));
        }
        balls
    }

    /// Half the size of a box around all bounded shapes, m; 1 where there are none.
    pub(crate) fn extent(&self) -> f64 {
        let balls = self.balls();
        let middle = balls.iter().map(|(c, _)| c).sum::<Vector3<f64>>() / balls.len().max(1) as f64;
        let extent = balls.iter().map(|(c, r)| (c - middle).norm() + r).fold(0.0, f64::max);
        if extent > 0.0 { extent } else { 1.0 }
    }
}

/// The rows at a time, of rows in the order of their times.
fn rows_at<R>(rows: &[R], t: f64, time: impl Fn(&R) -> f64) -> &[R] {
    let from = rows.partition_point(|row| time(row) < t);
    let to = rows.partition_point(|row| time(row) <= t);
    &rows[from..to]
}
