//! A simulation of test doubles: no shared library is loaded, and nothing but traits of core stands behind the stages.

use vinci_core::CsrBuf;
use vinci_core::StageError;
use vinci_core::contact::{ContactKey, RawContacts};
use vinci_core::model::{Gyroscopic, Material, MotionModel, Shape, ShapeKind};
use vinci_core::problem::{MlcpBuf, Problem, ProblemClass, Solution, Status};
use vinci_core::referee::Criterion;
use vinci_core::stage::{DetectQuery, Detector, Solver, StepView, Stepper, Update, Verdict};

use super::blocks::blocks;
use super::headway::{MAX_SHORT, MAX_STEPS};
use super::*;
use crate::drives::Drives;

const H: f64 = 0.01;
const G: f64 = 9.81;

/// Finds nothing.
struct Nothing;

impl Detector for Nothing {
    fn detect<'s>(&'s mut self, _: &DetectQuery<'_>) -> Result<RawContacts<'s>, StageError> {
        Ok(RawContacts::default())
    }
}

/// Finds a contact between the shapes 0 and 1, high above it, with a gap that its points do not have: in every second answer.
#[derive(Default)]
struct Crooked {
    answers: u32,
}

impl Detector for Crooked {
    fn detect<'s>(&'s mut self, _: &DetectQuery<'_>) -> Result<RawContacts<'s>, StageError> {
        self.answers += 1;
        if self.answers % 2 == 1 {
            return Ok(RawContacts::default());
        }
        const KEY: ContactKey = ContactKey { shape_a: 0, shape_b: 1, feature_a: 0, feature_b: 0 };
        Ok(RawContacts {
            key: &[KEY],
            gap: &[9.0],
            normal: &[0.0, 1.0, 0.0],
            point_a: &[0.0; 3],
            point_b: &[0.0, 8.0, 0.0],
            group: &[],
        })
    }
}

/// Requests of the stepper before it accepts.
#[derive(Clone, Copy, PartialEq)]
enum Asks {
    Nothing,
    HalfTheStep,
    Elsewhere,
    /// Looks elsewhere for ever.
    ElsewhereAlways,
    /// Takes a part of every step.
    Part(f64),
    /// Fails in this step.
    ToFail(u64),
    /// That every step is solved to this tolerance: its referee sends coarser ones back.
    Exactness(f64),
}

/// M v⁺ = M v + h f without contacts.
struct Falls {
    asks: Asks,
    problem: MlcpBuf,
    v: Vec<f64>,
    q: Vec<f64>,
    impulse: Vec<f64>,
    motion: Vec<u8>,
    /// Velocities at the start of the step.
    v_start: Vec<f64>,
    /// Steps that it accepted.
    accepted: u8,
}

impl Falls {
    fn asking(asks: Asks) -> Self {
        let none = MlcpBuf::default();
        Self {
            asks,
            problem: none,
            v: vec![],
            q: vec![],
            impulse: vec![],
            motion: vec![MotionModel::Dynamic as u8],
            v_start: vec![],
            accepted: 0,
        }
    }
}

impl Stepper for Falls {
    fn formulate<'s>(&'s mut self, step: &StepView<'_>) -> Result<Problem<'s>, StageError> {
        if step.pass == 0 {
            self.v_start = step.v.to_vec();
        }
        let n = step.nv();
        let mass: Vec<f64> = (0..n).map(|i| step.mass[i * n + i]).collect();
        let diagonal: Vec<_> = mass.iter().enumerate().map(|(i, m)| (i, i, *m)).collect();
        let q = (0..n).map(|i| -(mass[i] * self.v_start[i] + step.h * step.force[i])).collect();
        let (least, most) = (vec![f64::NEG_INFINITY; n], vec![f64::INFINITY; n]);
        let wanted = if matches!(self.asks, Asks::Exactness(_)) { step.tolerance } else { 1e-10 };
        self.problem = MlcpBuf::from_parts(CsrBuf::from_triplets(n, n, &diagonal), q, least, most, wanted);
        Ok(Problem::Mlcp(self.problem.view()))
    }

    fn update<'s>(
        &'s mut self,
        step: &StepView<'_>,
        solution: &Solution<'_>,
    ) -> Result<Update<'s>, StageError> {
        self.v = solution.z.to_vec();
        let verdict = match self.asks {
            Asks::HalfTheStep if step.attempt == 0 => {
                return Ok(Update { verdict: Verdict::Retry, h_next: 0.5 * step.h, ..Update::default() });
            }
            Asks::Elsewhere | Asks::ElsewhereAlways if step.pass == 0 || self.asks != Asks::Elsewhere => {
                self.q = step.q.iter().map(|x| x + 1.0).collect();
                Verdict::Evaluate
            }
            Asks::Elsewhere => {
                assert!(self.q == step.q && self.v == step.v, "what was asked for is seen");
                assert!((step.t - (step.step as f64 + 1.0) * H).abs() < 1e-15, "the end of the step");
                self.q.clear();
                Verdict::Accept
            }
            Asks::ToFail(k) if step.step == k => Verdict::Fail,
            _ => Verdict::Accept,
        };
        self.impulse = vec![0.0; step.contacts.len() * step.contacts.stride()];
        self.accepted = self.accepted.saturating_add(u8::from(verdict == Verdict::Accept));
        Ok(Update {
            verdict,
            h_used: if let Asks::Part(part) = self.asks { part * step.h } else { step.h },
            v: &self.v,
            q: &self.q,
            impulse: &self.impulse,
            normal_rate: &self.impulse[..step.contacts.len()],
            motion: &self.motion,
            effort: &[0.0; 3],
            reason: "asked to",
            ..Update::default()
        })
    }

    fn save_state(&self, bytes: &mut Vec<u8>) {
        bytes.push(self.accepted);
    }

    fn load_state(&mut self, bytes: &[u8]) -> Result<(), StageError> {
        self.accepted = bytes[0];
        Ok(())
    }
}

/// Solves diagonal systems; no more exactly than it must where that is more than 1e-10.
#[derive(Default)]
struct Divides(Vec<f64>);

impl Solver for Divides {
    fn solve<'s>(&'s mut self, problem: &Problem<'_>) -> Result<Solution<'s>, StageError> {
        let Problem::Mlcp(p) = problem else { return Err(StageError::unsupported("not this class")) };
        self.0 = (0..p.n()).map(|i| -p.q[i] / p.m.entries(i).map(|e| e.1).sum::<f64>()).collect();
        let off = if p.tolerance > 1e-10 { 0.1 * p.tolerance } else { 0.0 };
        self.0.iter_mut().for_each(|z| *z *= 1.0 + off);
        Ok(Solution { status: Status::Converged, z: &self.0, ..Solution::default() })
    }
}

fn settings() -> Settings {
    Settings { gyroscopic: Gyroscopic::Explicit, ..Settings::plain(H) }
}

/// A block 2 m/s fast above a floor that nobody detects.
fn simulation(asks: Asks) -> Simulation {
    let mut system = blocks(1, [2.0, 0.0, 0.0]);
    let disc = |body: u32| Shape {
        kind: ShapeKind::Disc,
        body,
        material: 0,
        pose: vec![0.0; 3],
        params: vec![0.01],
        indices: vec![],
    };
    system.shapes = vec![disc(0), disc(1)];
    system.materials.materials.push(Material::rigid("any", 0.0));
    let solver = Box::<Divides>::default();
    let solver = NamedSolver { id: "divides".into(), takes: ProblemClass::Mlcp.bit(), solver };
    let (detector, stepper) = (Box::new(Nothing), Box::new(Falls::asking(asks)));
    let refine_above = if let Asks::Exactness(exactness) = asks { exactness } else { f64::INFINITY };
    Simulation::new(
        system,
        Drives::default(),
        Settings { refine_above, ..settings() },
        detector,
        stepper,
        SolverRoute::new(solver, vec![]),
    )
}

/// v = −g t, and y by backward Euler: h² g Σ k = g h² n (n + 1)/2 lower.
fn fell(simulation: &Simulation, steps: f64, h: f64) {
    let (q, v) = (simulation.q(), simulation.v());
    assert!((v[1] + G * steps * h).abs() < 1e-12, "{v:?}");
    assert!((q[1] - 0.05 + 0.5 * G * h * h * steps * (steps + 1.0)).abs() < 1e-12, "{q:?}");
    assert!((q[0] - 2.0 * steps * h).abs() < 1e-12 && v[0] == 2.0);
}

#[test]
fn doubles_make_steps() {
    let mut s = simulation(Asks::Nothing);
    assert_eq!(s.rehearse().unwrap(), ProblemClass::Mlcp);
    (0..10).for_each(|_| s.advance_to(s.next_grid_time()).unwrap());
    fell(&s, 10.0, H);
    assert_eq!((s.step_count(), s.grid_count(), s.time()), (10, 10, 10.0 * H));
    assert!(s.last().report.momentum.value < 1e-12 && s.last().residual < 1e-10);
}

#[test]
fn a_snapshot_brings_the_state_back() {
    let mut s = simulation(Asks::Nothing);
    s.advance(H).unwrap();
    let saved = s.snapshot();
    s.advance(H).unwrap();
    let after = s.snapshot();
    assert_ne!(after, saved);
    s.restore(&saved).unwrap();
    assert_eq!(s.snapshot(), saved);
    s.advance(H).unwrap();
    assert_eq!(s.snapshot(), after);
}

#[test]
fn a_shorter_step_is_tried_where_the_stepper_asks_for_one() {
    let mut s = simulation(Asks::HalfTheStep);
    (0..4).for_each(|_| s.advance(H).unwrap());
    fell(&s, 4.0, 0.5 * H);
    assert_eq!((s.step_count(), s.grid_count(), s.counts.shortened), (4, 2, 4));
}

#[test]
fn an_evaluation_elsewhere_leaves_the_start_as_it_is() {
    let mut s = simulation(Asks::Elsewhere);
    (0..10).for_each(|_| s.advance(H).unwrap());
    fell(&s, 10.0, H);
    assert_eq!(s.counts.evaluations, 10);
}

#[test]
fn a_step_that_fails_leaves_the_state_as_it_is() {
    let mut s = simulation(Asks::ToFail(3));
    (0..3).for_each(|_| s.advance(H).unwrap());
    let before = s.snapshot();
    assert!(matches!(s.advance(H), Err(StepFailure::GaveUp(_))));
    assert_eq!(s.snapshot(), before);
    fell(&s, 3.0, H);
}

/// A stepper that takes next to nothing of every step kept the run going for ever.
#[test]
fn a_stepper_that_does_not_come_on_is_stopped() {
    let mut s = simulation(Asks::Part(1e-5));
    (0..10).for_each(|_| s.advance(H).unwrap());
    assert_eq!((s.headway.steps, s.headway.short), (10, 0));
    // All but the last of the steps that it may take.
    s.headway.steps = MAX_STEPS - 1;
    s.advance(H).unwrap();
    let failure = s.advance(H).unwrap_err();
    let expected = "the stepper took more than 1000000 steps without reaching the next grid time";
    assert_eq!(failure.to_string(), expected);
    // From grid time to grid time the count begins anew.
    let mut s = simulation(Asks::Nothing);
    s.headway.steps = MAX_STEPS - 1;
    (0..10).for_each(|_| s.advance(H).unwrap());
    assert_eq!(s.headway.steps, 1);
}

/// A million of such steps took seven minutes, with the same end.
#[test]
fn steps_too_short_to_reach_the_next_grid_time_are_seen_early() {
    let mut s = simulation(Asks::Part(1e-9));
    (0..=MAX_SHORT).for_each(|_| s.advance(H).unwrap());
    let failure = s.advance(H).unwrap_err();
    let expected =
        "the stepper took more than 1000 steps in a row, each less than a millionth of the grid's step";
    assert_eq!(failure.to_string(), expected);
}

/// Evaluations counted in every attempt of a step anew, and up to a million in each, however few velocities there were.
#[test]
fn a_stepper_that_looks_elsewhere_for_ever_is_stopped() {
    let mut s = simulation(Asks::ElsewhereAlways);
    let failure = s.advance(H).unwrap_err();
    assert_eq!(failure.to_string(), "the stepper asked for more than 40000 evaluations in one step");
}

/// A stepper that remembers its last step took every try for one: the second half of a doubled step was used twice.
#[test]
fn a_step_that_is_solved_again_is_one_step_to_the_stepper() {
    let mut s = simulation(Asks::Exactness(1e-10));
    (0..3).for_each(|_| s.advance(H).unwrap());
    assert_eq!((s.step_count(), s.counts.refined), (3, 3));
    assert_eq!(s.snapshot().plugins[1], [3]);
    assert!((s.v()[1] + 3.0 * G * H).abs() < 1e-11, "{:?}", s.v());
}

/// Only what was found where a step begins was held against the shapes, and other steppers act on what is found elsewhere.
#[test]
fn what_a_detector_says_of_the_place_that_is_asked_for_is_judged() {
    let mut s = simulation(Asks::Elsewhere);
    s.detector = Box::<Crooked>::default();
    s.advance(H).unwrap();
    let found = s.last().report.findings.of(Criterion::Detected);
    assert!(found.value > 1.0, "{found:?}");
}
