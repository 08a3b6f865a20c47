//! A dry run: asking a stepper what it would refuse, before anything is written.
//!
//! The first step is formulated, and the same step with one more contact for every pair of shapes that may meet later.

use nalgebra::Vector3;
use vinci_core::StageError;
use vinci_core::contact::{ContactBuf, ContactKey, DetectedContacts};
use vinci_core::error::ErrorKind;
use vinci_core::model::{Frames, ShapeKind, Space, System};
use vinci_core::problem::{Problem, ProblemClass};
use vinci_core::stage::{StepView, Stepper};

use super::Simulation;
use super::context::Round;
use super::contexts::Contexts;
use super::failure::{StepFailure, Who, stage};
use super::stored::check_convex;

/// Feature of a shape that detectors do not number, as a rule.
const IMAGINED: u32 = u32::MAX;

/// Speed of approach of two bodies that are made to meet, m/s.
const APPROACH: f64 = 1.0;

/// Length of the edge along which two bodies are made to lie on one another, m.
const EDGE: f64 = 0.01;

/// The contacts with one more, or with both ends of an edge: two shapes that touch, half way between the centres of their bodies.
fn with_imagined(
    detected: &DetectedContacts,
    frames: &Frames,
    system: &System,
    ([a, b], ends): ([u32; 2], u32),
) -> DetectedContacts {
    let mut more = detected.clone();
    let body = |shape: u32| system.shapes[shape as usize].body;
    let (from, to) = (frames.centre(body(a)), frames.centre(body(b)));
    let normal = aslant(to - from, system.space);
    let middle = 0.5 * (from + to);
    let along = EDGE * Vector3::new(-normal.y, normal.x, 0.0);
    // A detector may use the largest number for "no feature": a number that no contact has is taken.
    let keys = detected.view().key;
    let is_free = |feature: &u32| keys.iter().all(|key| ![key.feature_a, key.feature_b].contains(feature));
    let free = (0..=IMAGINED).rev().filter(is_free);
    for (end, feature) in (0..ends).zip(free) {
        let point = middle + f64::from(end) * along;
        more.push([a, b], [feature; 2], 0.0, [normal, point, point], 0);
    }
    more
}

/// Numbers of contacts with which two shapes may meet, as far as steppers tell them apart: straight edges of the plane may lie on one another.
fn ways(system: &System, pair: [u32; 2]) -> &'static [u32] {
    let round =
        |shape: u32| matches!(system.shapes[shape as usize].kind, ShapeKind::Disc | ShapeKind::Superellipse);
    if system.space == Space::Planar && !pair.into_iter().any(round) { &[1, 2] } else { &[1] }
}

/// A unit vector near a direction, but not along it: beside the normals of faces and edges that lie on one another.
fn aslant(along: Vector3<f64>, space: Space) -> Vector3<f64> {
    let along = along.try_normalize(1e-9).unwrap_or_else(Vector3::x);
    let aside = Vector3::new(0.031, -0.017, if space == Space::Spatial { 0.023 } else { 0.0 });
    (along + aside).normalize()
}

impl Simulation {
    /// Formulates the first step and takes nothing from it: what controllers and a stepper refuse, they refuse before anything is written.
    /// The class of its problem is returned; which solvers it does not reach, [`super::SolverRoute::refusals`] tells.
    ///
    /// # Errors
    /// As of a step.
    pub fn rehearse(&mut self) -> Result<ProblemClass, StepFailure> {
        let before = self.snapshot();
        self.sample()?;
        self.look_around(self.settings.step)?;
        let Self { system, settings, contexts, stepper, solvers, .. } = self;
        let view = contexts.view((system, settings), Round::default(), settings.step);
        let problem = stepper.formulate(&view).map_err(stage(Who::Stepper))?;
        // A residual cannot tell a maximum from a minimum, so what enters is looked at once.
        check_convex(&problem)
            .map_err(|why| StageError::new(ErrorKind::Fault, why))
            .map_err(stage(Who::Stepper))?;
        let class = problem.class();
        solvers.try_routes(&problem);
        self.restore(&before).map_err(stage(Who::Any))?;
        Ok(class)
    }

    /// Formulates the present step once for every pair of shapes in `pairs`, as if these two touched and approached one
    /// another, with an instance of the stepper that has no other use; where it refuses a single contact of two edges, as if one lay on
    /// the other. `look` gets the place in `pairs` and the problem, or why the stepper refuses.
    ///
    /// # Errors
    /// The present step itself cannot be looked at.
    pub fn rehearse_contacts(
        &mut self,
        stepper: &mut dyn Stepper,
        pairs: &[[u32; 2]],
        mut look: impl FnMut(usize, Result<&Problem<'_>, &StageError>),
    ) -> Result<(), StepFailure> {
        let before = self.snapshot();
        self.look_around(self.settings.step)?;
        let Self { system, settings, contexts, detector, state, .. } = self;
        let start = &contexts.start;
        let mut detected = DetectedContacts::default();
        detected.take(&detector.detect(&start.query()).map_err(stage(Who::Detector))?);
        let mut contacts = ContactBuf::default();
        contacts.first_tangent = settings.first_tangent;
        contacts.single = !settings.or_groups;
        let mut v = Vec::new();
        for (k, pair) in pairs.iter().enumerate() {
            let ways = ways(system, *pair);
            for ends in ways {
                let raw = with_imagined(&detected, &start.frames, system, (*pair, *ends));
                contacts.fill(system, &start.frames, &start.v, &raw.view(), &state.memory)?;
                approach(contexts, &contacts, &mut v);
                let view = contexts.view((system, settings), Round::default(), settings.step);
                let found = stepper.formulate(&StepView { contacts: contacts.view(), v: &v, ..view });
                if found.is_ok() || Some(ends) == ways.last() {
                    look(k, found.as_ref());
                    break;
                }
            }
        }
        self.restore(&before).map_err(stage(Who::Stepper))
    }
}

/// The present velocities, changed where they are free such that the imagined contact closes.
fn approach(contexts: &Contexts, contacts: &ContactBuf, v: &mut Vec<f64>) {
    v.clone_from(&contexts.start.v);
    let contacts = contacts.view();
    let imagined = |key: &ContactKey| key.feature_a == IMAGINED && key.feature_b == IMAGINED;
    let Some(i) = contacts.key.iter().position(imagined) else { return };
    let entries =
        || contacts.jacobian.entries(contacts.row(i)).filter(|e| !contexts.codes.is_prescribed(e.0));
    let square: f64 = entries().map(|(_, x)| x * x).sum();
    if square > 0.0 {
        let now: f64 = contacts.jacobian.entries(contacts.row(i)).map(|(dof, x)| x * v[dof]).sum();
        entries().for_each(|(dof, x)| v[dof] -= x * (now + APPROACH) / square);
    }
}
