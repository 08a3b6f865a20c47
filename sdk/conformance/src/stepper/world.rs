//! A small planar world built by hand, so that nothing of the host stands between the test and the stepper: discs of
//! radius 0.5 over the ground y = 0, and steps on it.

use vinci_abi::ForeignStepper;
use vinci_core::bridge::ConicAsMlcp;
use vinci_core::contact::{ContactKey, Contacts};
use vinci_core::model::{MotionModel, PairColumns, Space};
use vinci_core::problem::{Problem, Solution, Status};
use vinci_core::stage::{Rows, StepView, Stepper, Verdict};
use vinci_core::{CsrBuf, StageError};

use super::reference;
use crate::subject::{Stop, ensure};

pub(crate) const GRAVITY: f64 = 9.81;
const RADIUS: f64 = 0.5;
const ACTIVE: f64 = 0.1;
/// Evaluations elsewhere that a step of one or two discs may take.
const MOST_EVALUATIONS: u32 = 10_000;

/// Discs and everything a step view borrows.
#[derive(Clone)]
pub(crate) struct World {
    pub(crate) h: f64,
    pub(crate) q: Vec<f64>,
    pub(crate) v: Vec<f64>,
    pub(crate) mass: Vec<f64>,
    pub(crate) force: Vec<f64>,
    pub(crate) role: Vec<u8>,
    pub(crate) command: Vec<f64>,
    /// Stiffness of impedance dofs, N/m.
    pub(crate) impedance: Vec<f64>,
    pub(crate) friction: f64,
    pub(crate) contacts: ContactArrays,
    /// Code of the motion model asked for of every block; 0: the stepper's default.
    pub(crate) motion: u8,
    /// Stiffness of the contacts, N/m; ∞: rigid.
    pub(crate) stiffness: f64,
    /// Time after the step's start at which the world stands evaluated, s.
    after: f64,
    starts: Vec<u32>,
    step: u64,
}

/// Contacts of discs with the ground.
#[derive(Clone, Default)]
pub(crate) struct ContactArrays {
    pub(crate) key: Vec<ContactKey>,
    body_a: Vec<u32>,
    body_b: Vec<u32>,
    gap: Vec<f64>,
    normal: Vec<f64>,
    tangent: Vec<f64>,
    point_a: Vec<f64>,
    point_b: Vec<f64>,
    pub(crate) jacobian: CsrBuf,
    friction: Vec<f64>,
    zeros: Vec<f64>,
    stiffness: Vec<f64>,
    last_impulse: Vec<f64>,
    age: Vec<u32>,
}

/// An accepted step, copied out.
pub(crate) struct Accepted {
    pub(crate) h: f64,
    pub(crate) v: Vec<f64>,
    pub(crate) q: Vec<f64>,
    pub(crate) impulse: Vec<f64>,
    pub(crate) effort: Vec<f64>,
    pub(crate) gradient: Vec<f64>,
}

impl World {
    /// Unit discs (I = ½ m r²) at these places (x, y) at rest under gravity.
    pub(crate) fn new(places: &[(f64, f64)], friction: f64) -> Self {
        let nv = 3 * places.len();
        let mut world = Self {
            h: 0.01,
            q: places.iter().flat_map(|&(x, y)| [x, y, 0.0]).collect(),
            v: vec![0.0; nv],
            mass: (0..places.len()).flat_map(|_| [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.125]).collect(),
            force: (0..places.len()).flat_map(|_| [0.0, -GRAVITY, 0.0]).collect(),
            role: vec![0; nv],
            command: vec![0.0; nv],
            impedance: vec![0.0; nv],
            friction,
            contacts: ContactArrays::default(),
            motion: MotionModel::Dynamic as u8,
            stiffness: f64::INFINITY,
            after: 0.0,
            starts: (0..=places.len()).map(|i| 3 * i as u32).collect(),
            step: 0,
        };
        world.find_contacts(&[]);
        world
    }

    /// Gives all contacts a stiffness, N/m.
    pub(crate) fn set_stiffness(&mut self, stiffness: f64) {
        self.stiffness = stiffness;
        self.contacts.stiffness.fill(stiffness);
    }

    /// Contacts within the active distance; the impulses of the last step belong to those found then.
    fn find_contacts(&mut self, impulse: &[f64]) {
        let old = std::mem::take(&mut self.contacts);
        let c = &mut self.contacts;
        c.jacobian.clear(self.v.len());
        for body in 0..self.q.len() / 3 {
            let (x, y) = (self.q[3 * body], self.q[3 * body + 1]);
            if y - RADIUS > ACTIVE {
                continue;
            }
            let key = ContactKey { shape_a: 0, shape_b: body as u32 + 1, feature_a: 0, feature_b: 0 };
            let before = old.key.iter().position(|k| *k == key);
            c.key.push(key);
            c.body_a.push(0);
            c.body_b.push(body as u32 + 1);
            c.gap.push(y - RADIUS);
            c.normal.extend([0.0, 1.0, 0.0]);
            c.tangent.extend([-1.0, 0.0, 0.0]);
            c.point_a.extend([x, 0.0, 0.0]);
            c.point_b.extend([x, y - RADIUS, 0.0]);
            // Tangent (−n_y, n_x) = (−1, 0); the lowest point moves with ẋ + r ω along x.
            for row in [[0.0, 1.0, 0.0], [-1.0, 0.0, -RADIUS]] {
                row.into_iter().enumerate().for_each(|(k, value)| c.jacobian.push(3 * body + k, value));
                c.jacobian.end_row();
            }
            c.friction.push(self.friction);
            c.zeros.extend([0.0, 0.0]);
            c.stiffness.push(self.stiffness);
            c.age.push(before.map_or(0, |i| old.age[i] + 1));
            let last = before.and_then(|i| impulse.get(2 * i..2 * i + 2));
            c.last_impulse.extend_from_slice(last.unwrap_or(&[0.0, 0.0]));
        }
    }

    /// A copy with a dof elsewhere, and contacts found there.
    pub(crate) fn with_place(&self, dof: usize, by: f64) -> Self {
        let mut moved = self.clone();
        moved.q[dof] += by;
        moved.find_contacts(&[]);
        moved
    }

    /// Gives the contacts other last impulses: `press` gives the normal one of each, N s.
    pub(crate) fn press(&mut self, mut press: impl FnMut() -> f64) {
        self.contacts.last_impulse.iter_mut().step_by(2).for_each(|p| *p = press());
    }

    /// Number of discs.
    pub(crate) fn n(&self) -> usize {
        self.starts.len() - 1
    }

    /// Hands the view of the step to `body`: the motion model of the world asked for of every block.
    pub(crate) fn with_view<R>(&self, pass: u32, attempt: u32, body: impl FnOnce(&StepView<'_>) -> R) -> R {
        let (blocks, nv, c) = (self.n(), self.v.len(), &self.contacts);
        let (kinds, motion) = (vec![1; blocks], vec![self.motion; blocks]);
        let (drag, zeros) = (vec![0.0; 9 * blocks], vec![0.0; nv]);
        let n = c.key.len();
        body(&StepView {
            step: self.step,
            pass,
            attempt,
            t: self.step as f64 * self.h + self.after,
            h: self.h,
            space: Space::Planar,
            tolerance: 1e-11,
            q: &self.q,
            v: &self.v,
            block_start: &self.starts,
            q_start: &self.starts,
            block_kind: &kinds,
            quaternion: &[],
            motion: &motion,
            mass: &self.mass,
            drag: &drag,
            force: &self.force,
            bias: &zeros,
            stiffness: Default::default(),
            viscosity: Default::default(),
            role: &self.role,
            command: &self.command,
            impedance: &self.impedance,
            contacts: Contacts {
                n_t: 1,
                key: &c.key,
                body_a: &c.body_a,
                body_b: &c.body_b,
                gap: &c.gap,
                normal: &c.normal,
                tangent: &c.tangent,
                point_a: &c.point_a,
                point_b: &c.point_b,
                jacobian: c.jacobian.view(),
                pair: PairColumns {
                    friction: &c.friction,
                    stiffness: &c.stiffness,
                    ..PairColumns::default().map(|_| &c.zeros[..n])
                },
                last_impulse: &c.last_impulse,
                age: &c.age,
                group: &[],
                cell: &[],
            },
            rows: Rows::default(),
            supports: Default::default(),
            force_rate: &[],
            drive_speed: &[],
            rows_middle: Default::default(),
            rows_end: Default::default(),
        })
    }

    /// One step with the reference solver, through as many passes and smaller attempts as the stepper asks for.
    pub(crate) fn step(&mut self, stepper: &mut ForeignStepper) -> Result<Accepted, Stop> {
        let whole = self.h;
        let start = self.clone();
        for attempt in 0..10 {
            let mut struck: Vec<f64> = Vec::new();
            let h = self.h;
            self.clone_from(&start);
            self.h = h;
            let (mut pass, mut evaluations) = (0, 0);
            while pass < 20 + evaluations && evaluations < MOST_EVALUATIONS {
                match self.with_view(pass, attempt, |view| advance(stepper, view))? {
                    Answer::Accepted(mut accepted) => {
                        // The momentum of the whole step has that of its impacts in it.
                        accepted.impulse.iter_mut().zip(&struck).for_each(|(p, more)| *p += more);
                        if evaluations > 0 {
                            self.go_home(&start);
                        }
                        self.take(&accepted);
                        self.h = whole;
                        return Ok(accepted);
                    }
                    Answer::Impact(v, impulse) => {
                        self.v.copy_from_slice(&v);
                        struck.resize(impulse.len(), 0.0);
                        struck.iter_mut().zip(&impulse).for_each(|(sum, p)| *sum += p);
                    }
                    Answer::Again => {}
                    Answer::Evaluate(after, q, v) => {
                        (self.after, self.q, self.v) = (after, q, v);
                        self.contacts.clone_from(&start.contacts);
                        self.find_contacts_again();
                        evaluations += 1;
                    }
                    Answer::Retry(h) => {
                        self.h = h;
                        break;
                    }
                }
                pass += 1;
            }
        }
        Err(Stop::Failed("no step is accepted in 10 attempts of 20 passes".into()))
    }

    /// Back from where the stepper had it evaluated; contacts stay those found there, which its impulses belong to.
    fn go_home(&mut self, start: &Self) {
        (self.after, self.q, self.v) = (0.0, start.q.clone(), start.v.clone());
    }

    /// Contacts at another place of the same step: ages and last impulses stay.
    fn find_contacts_again(&mut self) {
        let before = self.contacts.clone();
        self.find_contacts(&before.last_impulse);
        for (key, age) in self.contacts.key.iter().zip(&mut self.contacts.age) {
            let known = before.key.iter().position(|k| k == key);
            *age = known.map_or(0, |i| before.age[i]);
        }
    }

    fn take(&mut self, accepted: &Accepted) {
        self.v.copy_from_slice(&accepted.v);
        match accepted.q.is_empty() {
            // Planar bodies: q ⊕ h N v is q + h v.
            true => self.q.iter_mut().zip(&accepted.v).for_each(|(q, v)| *q += accepted.h * v),
            false => self.q.copy_from_slice(&accepted.q),
        }
        self.step += 1;
        self.find_contacts(&accepted.impulse);
    }
}

enum Answer {
    Accepted(Accepted),
    /// Velocities after it and its impulses.
    Impact(Vec<f64>, Vec<f64>),
    Again,
    /// Time after the step's start, positions and velocities to evaluate everything at.
    Evaluate(f64, Vec<f64>, Vec<f64>),
    Retry(f64),
}

/// One pass: formulate, solve, update.
fn advance(stepper: &mut ForeignStepper, view: &StepView<'_>) -> Result<Answer, Stop> {
    let (z, dual) = {
        let problem = stepper.formulate(view).map_err(unsupported_is_skipped)?;
        let mut conditions = ConicAsMlcp::default();
        let p = match &problem {
            Problem::Root(p) => {
                let z = reference::root(p)
                    .ok_or_else(|| Stop::Failed("no root of its problem is found".into()))?;
                return answer(stepper, view, &z, &[]);
            }
            Problem::Mlcp(p) => *p,
            Problem::Conic(p) if p.cones.is_empty() => {
                conditions.write(p).map_err(|refusal| Stop::Failed(refusal.to_string()))?;
                conditions.view()
            }
            _ => {
                let class = problem.class().name();
                return Err(Stop::Skipped(format!(
                    "emits {class} problems, for which there is no reference solver here"
                )));
            }
        };
        ensure!(p.n() <= reference::LARGEST, "a problem of {} unknowns for one or two discs", p.n());
        let Some(z) = reference::solve(&p) else {
            return Err(Stop::Failed("the problem it formulates has no solution".into()));
        };
        match problem {
            Problem::Conic(_) => {
                let (mut x, mut y) = (Vec::new(), Vec::new());
                conditions.expand(&z, &mut x, &mut y);
                (x, y)
            }
            _ => (z, Vec::new()),
        }
    };
    answer(stepper, view, &z, &dual)
}

fn answer(
    stepper: &mut ForeignStepper,
    view: &StepView<'_>,
    z: &[f64],
    dual: &[f64],
) -> Result<Answer, Stop> {
    let update =
        stepper.update(view, &Solution { status: Status::Converged, z, dual, ..Solution::default() })?;
    Ok(match update.verdict {
        Verdict::Accept => Answer::Accepted(Accepted {
            h: update.h_used,
            v: update.v.to_vec(),
            q: update.q.to_vec(),
            impulse: update.impulse.to_vec(),
            effort: update.effort.to_vec(),
            gradient: update.gradient.to_vec(),
        }),
        Verdict::Impact => Answer::Impact(update.v.to_vec(), update.impulse.to_vec()),
        Verdict::Again => Answer::Again,
        Verdict::Retry => Answer::Retry(update.h_next),
        Verdict::Redetect => return Err(Stop::Skipped("detects anew within the step".into())),
        Verdict::Evaluate => Answer::Evaluate(update.h_used, update.q.to_vec(), update.v.to_vec()),
        Verdict::Fail => return Err(Stop::Failed(format!("gives up: {}", update.reason))),
    })
}

fn unsupported_is_skipped(error: StageError) -> Stop {
    use vinci_core::error::ErrorKind;
    match error.kind {
        ErrorKind::Unsupported | ErrorKind::BadModel => Stop::Skipped(error.message),
        _ => error.into(),
    }
}
