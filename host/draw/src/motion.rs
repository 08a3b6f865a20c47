//! A recorded run: what its bodies are, and where they are at every time.

use std::collections::HashMap;

use nalgebra::{Quaternion, UnitQuaternion, Vector3};
use vinci_core::clock::seconds;
use vinci_core::model::{Anchor, Frames, MotionSource, Shape, ShapeKind, Space, System};
use vinci_run::certificate::Certificate;
use vinci_run::freer::sign_of_drawn;
use vinci_run::plot::COLOURS;
use vinci_run::view::{ContactRow, RunFiles, State, SupportRow, rods};
use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics, list};

/// Colour of bodies that never move.
const RESTING: [f64; 3] = [0.76, 0.76, 0.74];

/// Most states that stand for a whole run, and most shapes that are placed for it.
const MOST_LOOKS: usize = 200;
const MOST_PLACED: usize = 2_000_000;

/// A place and a turn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Pose {
    /// Position, m.
    pub(crate) position: Vector3<f64>,
    /// Rotation from the body's axes to the world's.
    pub(crate) rotation: UnitQuaternion<f64>,
}

impl Pose {
    /// Pose of the numbers of a planar or a spatial pose.
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

    /// The pose `inner` of this frame in the one around it.
    pub(crate) fn then(&self, inner: &Self) -> Self {
        Self { position: self.apply(&inner.position), rotation: self.rotation * inner.rotation }
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
    /// Why the run ended without a solution, where it did.
    pub certificate: Option<Certificate>,
    /// True if the referee does not accept the run: pictures say so.
    pub refused: bool,
    states: Vec<State>,
    contacts: Vec<ContactRow>,
    friction: Vec<SupportRow>,
    /// Bodies by their names.
    bodies: HashMap<String, u32>,
    /// Balls around all bounded shapes, the centres of moving bodies and the ends of rods, in the first and the last state and some between: (centre,
    /// radius), m.
    balls: Vec<(Vector3<f64>, f64)>,
    /// Those that pictures in space have to show.
    seen: Vec<(Vector3<f64>, f64)>,
}

/// How much farther than the bodies that are looked at a picture shows.
const AROUND: f64 = 1.5;

impl Motion {
    /// Motion in the directory of a run.
    ///
    /// # Errors
    /// Tables that are missing or are not those of the scene.
    pub fn of(run: RunFiles) -> Result<Self, Diagnostics> {
        let (states, contacts, friction) =
            (run.states()?, run.contact_rows()?, run.support_rows()?.unwrap_or_default());
        let (certificate, refused) = (run.certificate(&states)?, run.refusal().is_some());
        let balls = balls(&run.system, &states, |_| true);
        let seen = balls.clone();
        let bodies = (run.system.bodies.iter().zip(0..)).map(|(body, k)| (body.name.clone(), k)).collect();
        Ok(Self { system: run.system, certificate, refused, states, contacts, friction, bodies, balls, seen })
    }

    /// Pictures show some bodies, where they are from one time to another, and what is around them; in place of all.
    ///
    /// # Errors
    /// A name of no body; a planar scene.
    pub fn look_at(&mut self, names: &[String], [from, to]: [f64; 2]) -> Result<(), Diagnostics> {
        if self.is_planar() {
            let message = "pictures of planar scenes show all bodies";
            return Err(Diagnostic::error(Code::Usage, message).help("leave out --show").into());
        }
        let mut wanted = Vec::new();
        for name in names {
            wanted.push(*self.bodies.get(name).ok_or_else(|| self.no_body(name))?);
        }
        let states: Vec<State> = self.states.iter().filter(|s| (from..=to).contains(&s.t)).cloned().collect();
        self.seen = balls(&self.system, &states, |body| wanted.contains(&body));
        self.seen.iter_mut().for_each(|(_, radius)| *radius *= AROUND);
        Ok(())
    }

    fn no_body(&self, name: &str) -> Diagnostics {
        let known = list(self.system.bodies.iter().map(|body| body.name.as_str()));
        Diagnostic::error(Code::Usage, format!("the scene has no body `{name}`; it has {known}")).into()
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

    /// Some of the recorded states, evenly over the run, the last one too, for the window of pictures: fewer where each has many shapes.
    pub(crate) fn some_states(&self) -> Vec<&State> {
        let most = (MOST_PLACED / self.system.shapes.len().max(1)).clamp(2, MOST_LOOKS);
        let step = self.states.len().div_ceil(most).max(1);
        self.states.iter().step_by(step).chain(self.states.last()).collect()
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
            let [t, first, last] = [t, first, last].map(seconds);
            let message = format!("the run has no state at {t} s: it goes from {first} to {last} s");
            Diagnostic::error(Code::Usage, message).into()
        })
    }

    /// Contacts of the step that ends in a state.
    pub fn contacts(&self, state: &State) -> &[ContactRow] {
        rows_at(&self.contacts, state.t, |row| row.t)
    }

    /// The force of a contact on the freer body of the two, N: that is the one that is drawn.
    pub(crate) fn force(&self, row: &ContactRow) -> Vector3<f64> {
        let [a, b] = [&row.body_a, &row.body_b].map(|name| self.bodies.get(name));
        let sign = a.zip(b).map_or(1.0, |(a, b)| sign_of_drawn(&self.system, [*a, *b]));
        sign * Vector3::from(row.force)
    }

    /// Friction on every support point in the step that ends in a state, N.
    pub(crate) fn friction(&self, state: &State) -> &[[f64; 2]] {
        rows_at(&self.friction, state.t, |row| row.t).first().map_or(&[], |row| &row.force)
    }

    /// The largest contact force of the whole run, N.
    pub(crate) fn largest_contact(&self) -> f64 {
        self.contacts.iter().map(|row| Vector3::from(row.force).norm()).fold(0.0, f64::max)
    }

    /// The largest dry friction on a support point of the whole run, N.
    pub(crate) fn largest_friction(&self) -> f64 {
        let dry = |row: &SupportRow| {
            let points = self.system.supports.iter().zip(&row.force);
            let dry = points.filter(|(support, _)| support.friction > 0.0);
            dry.map(|(_, force)| force[0].hypot(force[1])).fold(0.0, f64::max)
        };
        self.friction.iter().map(dry).fold(0.0, f64::max)
    }

    /// Colour of a body, as in plots and in the page; parts of red, green and blue, 0 to 1.
    pub(crate) fn colour(&self, body: u32) -> [f64; 3] {
        if !self.is_moving(body) {
            return RESTING;
        }
        let earlier = (0..body).filter(|b| self.is_moving(*b)).count();
        rgb(COLOURS[earlier % COLOURS.len()])
    }

    /// The pose of a shape in its body's frame. Half-planes and half-spaces are drawn around the foot of the scene's middle.
    pub(crate) fn pose_of(&self, shape: &Shape) -> Pose {
        let own = Pose::of(&shape.pose);
        if !shape.kind.is_unbounded() {
            return own;
        }
        let frames = self.system.placed(&self.states[0].q);
        let place = Pose::of(frames.pose(shape.body)).then(&own);
        let mut foot = place.rotation.inverse() * (self.middle() - place.position);
        match shape.kind {
            ShapeKind::HalfSpace => foot.z = 0.0,
            _ => foot.y = 0.0,
        }
        Pose { position: own.apply(&foot), rotation: own.rotation }
    }

    /// Returns true unless the body stands still for ever.
    pub(crate) fn is_moving(&self, body: u32) -> bool {
        self.system.motion_source(body) != MotionSource::Fixed
    }

    /// Balls that pictures in space have to show: (centre, radius), m.
    pub(crate) fn seen(&self) -> &[(Vector3<f64>, f64)] {
        &self.seen
    }

    /// The mean of the centres of all bounded shapes over the run, m.
    pub(crate) fn middle(&self) -> Vector3<f64> {
        middle(&self.balls)
    }

    /// Distance from the middle within which all bounded shapes stay, m; 1 where there are none.
    pub(crate) fn extent(&self) -> f64 {
        extent(&self.balls)
    }

    /// Distance from their middle within which all stays that pictures in space show, m.
    pub(crate) fn extent_seen(&self) -> f64 {
        extent(&self.seen)
    }
}

fn middle(balls: &[(Vector3<f64>, f64)]) -> Vector3<f64> {
    balls.iter().map(|(c, _)| c).sum::<Vector3<f64>>() / balls.len().max(1) as f64
}

fn extent(balls: &[(Vector3<f64>, f64)]) -> f64 {
    let middle = middle(balls);
    let extent = balls.iter().map(|(c, r)| (c - middle).norm() + r).fold(0.0, f64::max);
    if extent > 0.0 { extent } else { 1.0 }
}

/// Balls around the shapes, the centres and the rods' ends of some bodies, in some of the states.
fn balls(system: &System, states: &[State], wanted: impl Fn(u32) -> bool) -> Vec<(Vector3<f64>, f64)> {
    const LOOKS: usize = 16;
    let step = (states.len() / LOOKS).max(1);
    let moving = |body: &u32| system.motion_source(*body) != MotionSource::Fixed;
    let mut frames = Frames::default();
    let mut balls = Vec::new();
    let rods: Vec<Anchor> = rods(system).into_iter().flatten().collect();
    for state in states.iter().step_by(step).chain(states.last()) {
        system.place(&state.q, &mut frames);
        balls.extend(rods.iter().filter_map(|end| match end {
            Anchor::Body(body, point) if wanted(*body) => Some((frames.point(*body, point), 0.0)),
            _ => None,
        }));
        let of = |shape: &Shape| (frames.centre(shape.body), shape.reach());
        let shapes = system.shapes.iter().filter(|shape| wanted(shape.body));
        balls.extend(shapes.map(of).filter(|(_, reach)| reach.is_finite()));
        let bodies = (0..system.bodies.len() as u32).filter(moving).filter(|body| wanted(*body));
        balls.extend(bodies.map(|body| (frames.centre(body), 0.0)));
    }
    balls
}

/// The parts of a colour like `#1b6ca8`.
pub(crate) fn rgb(hex: &str) -> [f64; 3] {
    let part = |k: usize| hex.get(2 * k + 1..2 * k + 3).and_then(|two| u8::from_str_radix(two, 16).ok());
    std::array::from_fn(|k| f64::from(part(k).unwrap_or(0)) / 255.0)
}

/// The rows at a time, of rows in the order of their times.
fn rows_at<R>(rows: &[R], t: f64, time: impl Fn(&R) -> f64) -> &[R] {
    let from = rows.partition_point(|row| time(row) < t);
    let to = rows.partition_point(|row| time(row) <= t);
    &rows[from..to]
}
