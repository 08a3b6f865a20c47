//! Asking a stepper what it would refuse when two bodies met: the present step with one more contact.

use nalgebra::Vector3;
use vinci_core::StageError;
use vinci_core::contact::{ContactBuf, ContactKey, RawContacts};
use vinci_core::model::{DofRole, Space};
use vinci_core::problem::Problem;
use vinci_core::stage::{DetectQuery, StepView, Stepper};

use super::outcome::{StepFailure, Who};
use super::step::stage;
use super::view::{Place, step_view};
use super::{Simulation, Work};

/// Feature of a shape that no detector numbers.
const IMAGINED: u32 = u32::MAX;

/// Speed of approach of two bodies that are made to meet, m/s.
const APPROACH: f64 = 1.0;

/// What a detector reports, kept.
#[derive(Default)]
struct Kept {
    key: Vec<ContactKey>,
    gap: Vec<f64>,
    normal: Vec<f64>,
    point_a: Vec<f64>,
    point_b: Vec<f64>,
    group: Vec<u32>,
}

impl Kept {
    fn of(raw: &RawContacts<'_>) -> Self {
        Self {
            key: raw.key.to_vec(),
            gap: raw.gap.to_vec(),
            normal: raw.normal.to_vec(),
            point_a: raw.point_a.to_vec(),
            point_b: raw.point_b.to_vec(),
            group: raw.group.to_vec(),
        }
    }

    fn view(&self) -> RawContacts<'_> {
        RawContacts {
            key: &self.key,
            gap: &self.gap,
            normal: &self.normal,
            point_a: &self.point_a,
            point_b: &self.point_b,
            group: &self.group,
        }
    }

    /// The same with a closed contact of two shapes, half way between the centres of their bodies.
    fn with(&self, work: &Work, simulation: &Simulation, [a, b]: [u32; 2]) -> Self {
        let mut more = Self::of(&self.view());
        let body = |shape: u32| simulation.system.shapes[shape as usize].body;
        let (from, to) = (work.frames.centre(body(a)), work.frames.centre(body(b)));
        let normal = aslant(to - from, simulation.system.space);
        let middle = 0.5 * (from + to);
        more.key.push(ContactKey { shape_a: a, shape_b: b, feature_a: IMAGINED, feature_b: IMAGINED });
        more.gap.push(0.0);
        more.normal.extend_from_slice(normal.as_slice());
        more.point_a.extend_from_slice(middle.as_slice());
        more.point_b.extend_from_slice(middle.as_slice());
        if !more.group.is_empty() {
            more.group.push(0);
        }
        more
    }
}

/// A unit vector near a direction, but not along it: beside the normals of faces and edges that lie on one another.
fn aslant(along: Vector3<f64>, space: Space) -> Vector3<f64> {
    let along = along.try_normalize(1e-9).unwrap_or_else(Vector3::x);
    let aside = Vector3::new(0.031, -0.017, if space == Space::Spatial { 0.023 } else { 0.0 });
    (along + aside).normalize()
}

impl Simulation {
    /// Formulates the present step once for every pair of shapes in `pairs`, as if these two touched and approached one
    /// another, with an instance of the stepper that has no other use. `look` gets the place in `pairs` and the problem, or
    /// why the stepper refuses.
    ///
    /// # Errors
    /// The present step itself cannot be looked at.
    pub fn provoke(
        &mut self,
        stepper: &mut dyn Stepper,
        pairs: &[[u32; 2]],
        mut look: impl FnMut(usize, Result<&Problem<'_>, &StageError>),
    ) -> Result<(), StepFailure> {
        let before = self.snapshot();
        self.prepare(self.settings.step)?;
        self.detect_here()?;
        let query = DetectQuery { t: self.t, pose: self.work.frames.poses(), margin: &self.work.margin };
        let kept = Kept::of(&self.detector.detect(&query).map_err(stage(Who::Detector))?);
        let mut contacts = ContactBuf::default();
        contacts.first_tangent = self.settings.first_tangent;
        contacts.single = !self.settings.or_groups;
        let mut v = Vec::new();
        for (k, pair) in pairs.iter().enumerate() {
            let raw = kept.with(&self.work, self, *pair);
            contacts.fill(&self.system, &self.work.frames, &self.v, &raw.view(), &self.memory)?;
            self.approach(&contacts, &mut v);
            let at =
                Place { step: 0, pass: 0, attempt: 0, t: self.t, h: self.settings.step, q: &self.q, v: &v };
            let view = step_view(&self.work, &self.system, self.settings.tolerance, at);
            let view = StepView { contacts: contacts.view(), ..view };
            match stepper.formulate(&view) {
                Ok(problem) => look(k, Ok(&problem)),
                Err(error) => look(k, Err(&error)),
            }
        }
        self.restore(&before).map_err(stage(Who::Stepper))
    }

    /// The present velocities, changed where they are free such that the imagined contact closes.
    fn approach(&self, contacts: &ContactBuf, v: &mut Vec<f64>) {
        v.clone_from(&self.v);
        let contacts = contacts.view();
        let imagined = |key: &ContactKey| key.feature_a == IMAGINED && key.feature_b == IMAGINED;
        let Some(i) = contacts.key.iter().position(imagined) else { return };
        let free = |dof: usize| DofRole::from_code(self.work.role[dof]) != DofRole::Prescribed;
        let entries = || contacts.jacobian.entries(contacts.row(i)).filter(|e| free(e.0));
        let square: f64 = entries().map(|(_, x)| x * x).sum();
        if square > 0.0 {
            let now: f64 = contacts.jacobian.entries(contacts.row(i)).map(|(dof, x)| x * v[dof]).sum();
            entries().for_each(|(dof, x)| v[dof] -= x * (now + APPROACH) / square);
        }
    }
}
