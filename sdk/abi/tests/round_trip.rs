//! Both sides of the contract in one process: everything arrives as it was sent, and everything wrong is found.

#![allow(clippy::unwrap_used)]

use std::cell::RefCell;
use std::rc::Rc;

use vinci_abi::{
    DetectorFunctions, DetectorPlugin, FaultKind, ForeignDetector, ForeignSolver, ForeignStepper, Manifest,
    Role, SolverFunctions, SolverPlugin, StepperFunctions, StepperPlugin,
};
use vinci_core::contact::{ContactKey, Contacts, RawContacts};
use vinci_core::error::{ErrorKind, StageError};
use vinci_core::model::{PairValues, ShapeView, Space, SystemView};
use vinci_core::problem::{Mlcp, MlcpBuf, Part, Problem, Root, RowTag, Solution, Status};
use vinci_core::stage::{DetectQuery, Detector, Oracle, Rows, Solver, StepView, Stepper, Update, Verdict};
use vinci_core::{Csr, CsrBuf};

thread_local! {
    /// What the plugin saw, as text: the debug form names every field.
    static SEEN: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

fn see(what: impl std::fmt::Debug) {
    SEEN.with_borrow_mut(|seen| seen.push(format!("{what:?}")));
}

fn seen() -> Vec<String> {
    SEEN.take()
}

/// A plugin of all roles that notes what it is given and does what its options say.
struct Probe {
    mode: String,
    z: Vec<f64>,
    state: Vec<u8>,
    problem: MlcpBuf,
    spring: Spring,
}

impl Probe {
    fn new(options: &str, system: &SystemView<'_>) -> Result<Self, StageError> {
        see(system);
        match options {
            "refuse" => return Err(StageError::bad_option("no such option").by("test.probe")),
            "panic" => panic!("cannot be made"),
            _ => {}
        }
        let m = CsrBuf::from_triplets(2, 2, &[(0, 0, 2.0), (0, 1, -1.0), (1, 1, 3.0)]);
        let mut problem = MlcpBuf::from_parts(m, vec![-1.0, 2.0], vec![0.0; 2], vec![f64::INFINITY; 2], 1e-9);
        problem.tag[1] = RowTag { subject: 4, part: Part::SupportSlip };
        problem.guess = vec![0.25, 0.5];
        Ok(Self { mode: options.into(), z: vec![1.0, 2.0], state: vec![], problem, spring: Spring })
    }

    fn manifest(role: Role) -> Manifest {
        Manifest::new("test.probe", role, "1.0.0")
    }
}

/// r(v) = v² − 2, per component.
struct Spring;

impl Oracle for Spring {
    fn call(&self, what: u32, input: &[f64], output: &mut [f64]) -> Result<(), StageError> {
        match what {
            Root::RESIDUAL => output.iter_mut().zip(input).for_each(|(r, v)| *r = v * v - 2.0),
            Root::JACOBIAN => output[0] = 2.0 * input[0],
            Root::LIMIT => panic!("no limits here"),
            _ => return Err(StageError::unsupported("no such function")),
        }
        Ok(())
    }
}

impl Detector for Probe {
    fn detect<'s>(&'s mut self, query: &DetectQuery<'_>) -> Result<RawContacts<'s>, StageError> {
        see(query);
        const KEY: ContactKey = ContactKey { shape_a: 0, shape_b: 1, feature_a: 7, feature_b: u32::MAX };
        const FAR: ContactKey = ContactKey { shape_a: 0, shape_b: 2, ..KEY };
        let good = RawContacts {
            key: &[KEY],
            gap: &[0.5],
            normal: &[0.0, 1.0, 0.0],
            point_a: &[1.0, 2.0, 3.0],
            point_b: &[1.0, 2.5, 3.0],
            group: &[9],
        };
        Ok(match self.mode.as_str() {
            "short" => RawContacts { point_b: &[1.0], ..good },
            "far" => RawContacts { key: &[FAR], ..good },
            "long normal" => RawContacts { normal: &[0.0, 1.1, 0.0], ..good },
            "nan" => RawContacts { gap: &[f64::NAN], ..good },
            _ => good,
        })
    }
}

impl Stepper for Probe {
    fn formulate<'s>(&'s mut self, step: &StepView<'_>) -> Result<Problem<'s>, StageError> {
        see(step);
        match self.mode.as_str() {
            "root" => {
                return Ok(Problem::Root(Root {
                    start: &self.z,
                    oracle: &self.spring,
                    scale: &[],
                    tolerance: 1e-3,
                }));
            }
            "short" => drop(self.problem.lower.pop()),
            "nan" => self.problem.q[0] = f64::NAN,
            "scale" => self.problem.z_scale[1] = 0.0,
            _ => {}
        }
        Ok(Problem::Mlcp(self.problem.view()))
    }

    fn update<'s>(
        &'s mut self,
        step: &StepView<'_>,
        solution: &Solution<'_>,
    ) -> Result<Update<'s>, StageError> {
        see((step, solution));
        let good = accepted();
        Ok(match self.mode.as_str() {
            "nan" => Update { v: &[0.0, f64::NAN, 0.0], ..good },
            "short" => Update { impulse: &[1.0], ..good },
            "model" => Update { motion: &[1, 9], ..good },
            "step" => Update { h_used: -1.0, ..good },
            "retry" => Update { verdict: Verdict::Retry, h_next: 0.0, ..good },
            "fail" => Update { verdict: Verdict::Fail, reason: "schlägt fehl", ..Update::default() },
            _ => good,
        })
    }
}

fn accepted() -> Update<'static> {
    Update {
        gradient: &[],
        mass_scale: &[0.5, 1.0],
        support_impulse: &[],
        verdict: Verdict::Accept,
        h_used: 0.01,
        h_next: 0.02,
        v: &[1.0, 2.0, 3.0],
        q: &[4.0, 5.0, 6.0, 6.5],
        impulse: &[7.0, 8.0],
        row_impulse: &[9.0],
        effort: &[10.0, 11.0, 12.0],
        normal_rate: &[f64::INFINITY],
        slip_rate: &[0.25],
        motion: &[1, 3],
        reason: "",
    }
}

impl Solver for Probe {
    fn solve<'s>(&'s mut self, problem: &Problem<'_>) -> Result<Solution<'s>, StageError> {
        match problem {
            Problem::Mlcp(p) => see(p),
            Problem::Root(r) => return self.newton(r),
            _ => {}
        }
        let good = Solution {
            bound: f64::NAN,
            status: Status::Infeasible,
            z: &self.z,
            dual: &[3.0],
            certificate: &[4.0, 5.0],
            iterations: 6,
            factorizations: 7,
            residual: f64::INFINITY,
            note: "gründlich",
        };
        Ok(match self.mode.as_str() {
            "nan" => Solution { z: &[f64::NAN, 0.0], ..good },
            "short" => Solution { z: &[1.0], ..good },
            "certificate" => Solution { certificate: &[1.0], ..good },
            "bomb" => panic!("solving {} unknowns", problem.len()),
            "no" => return Err(StageError::unsupported("not this one").by("test.probe")),
            "round" => {
                round_down();
                good
            }
            _ => good,
        })
    }

    fn save_state(&self, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(&self.state);
    }

    fn load_state(&mut self, bytes: &[u8]) -> Result<(), StageError> {
        self.state = bytes.to_vec();
        Ok(())
    }
}

impl Probe {
    /// Newton's method on one unknown, through the oracle.
    fn newton(&mut self, r: &Root<'_>) -> Result<Solution<'_>, StageError> {
        let (mut residual, mut slope) = ([0.0], [0.0]);
        self.z = vec![r.start[0]];
        for _ in 0..8 {
            r.oracle.call(Root::RESIDUAL, &self.z, &mut residual)?;
            r.oracle.call(Root::JACOBIAN, &self.z, &mut slope)?;
            self.z[0] -= residual[0] / slope[0];
        }
        if self.mode == "limit" {
            r.oracle.call(Root::LIMIT, &self.z, &mut residual)?;
        }
        self.z.push(1.0);
        Ok(Solution { status: Status::Converged, z: &self.z, ..Solution::default() })
    }
}

/// What a library linked with -ffast-math does to its thread.
fn round_down() {
    #[cfg(target_arch = "x86_64")]
    #[allow(deprecated)]
    // SAFETY: sets a rounding mode, which every x86-64 has.
    unsafe {
        std::arch::x86_64::_mm_setcsr(std::arch::x86_64::_mm_getcsr() | 0x2000);
    }
}

macro_rules! plugin {
    ($plugin:ident, $role:ident) => {
        impl $plugin for Probe {
            fn manifest() -> Manifest {
                Self::manifest(Role::$role)
            }

            fn create(options: &str, system: &SystemView<'_>) -> Result<Self, StageError> {
                Self::new(options, system)
            }
        }
    };
}

plugin!(DetectorPlugin, Detector);
plugin!(StepperPlugin, Stepper);

impl SolverPlugin for Probe {
    fn manifest() -> Manifest {
        Self::manifest(Role::Solver)
    }

    fn create(options: &str, system: &SystemView<'_>) -> Result<Self, StageError> {
        Self::new(options, system)
    }

    fn extension(&mut self, id: &str, input: &[u8], output: &mut Vec<u8>) -> Result<(), StageError> {
        match id {
            "echo" => output.extend_from_slice(input),
            _ => return Err(StageError::unsupported("what is that?")),
        }
        Ok(())
    }
}

fn with_system<R>(body: impl FnOnce(&SystemView<'_>) -> R) -> R {
    vinci_abi::guard::install_panic_hook();
    let shape = |kind| ShapeView { kind, body: 1, pose: &[1.0, 2.0, 3.0], params: &[0.5], indices: &[3, 4] };
    body(&SystemView {
        space: Space::Planar,
        body_names: &["Tisch", "Würfel"],
        is_static: &[1, 0],
        shapes: &[shape(1), shape(2)],
        ignored_pairs: &[0, 1],
        nv: 3,
        nq: 3,
        ..SystemView::NOTHING
    })
}

fn solver(mode: &str) -> Result<ForeignSolver, StageError> {
    // SAFETY: functions of this very process.
    with_system(|s| unsafe {
        ForeignSolver::create("test.probe".into(), SolverFunctions::of::<Probe>(), mode, s)
    })
}

fn stepper(mode: &str) -> ForeignStepper {
    // SAFETY: functions of this very process.
    with_system(|s| unsafe {
        ForeignStepper::create("test.probe".into(), StepperFunctions::of::<Probe>(), mode, s).unwrap()
    })
}

fn detector(mode: &str) -> ForeignDetector {
    // SAFETY: functions of this very process.
    with_system(|s| unsafe {
        ForeignDetector::create("test.probe".into(), DetectorFunctions::of::<Probe>(), mode, s).unwrap()
    })
}

/// A step in which no two arrays are alike: a planar block, a point on a line, one contact, one other row.
fn step() -> StepView<'static> {
    fn m(value: &'static [f64]) -> Csr<'static> {
        let row_start: &[u32] = match value.len() {
            1 => &[0, 1],
            2 => &[0, 1, 2],
            _ => &[0, 2, 3, 3],
        };
        Csr { n_cols: 3, row_start, column: &[2, 1, 0][..value.len()], value }
    }
    StepView {
        step: 11,
        pass: 12,
        attempt: 13,
        t: 14.0,
        h: 15.0,
        space: Space::Spatial,
        tolerance: 16.0,
        q: &[17.0, 17.1, 17.2, 17.3],
        v: &[18.0, 18.1, 18.2],
        block_start: &[0, 2, 3],
        q_start: &[0, 3, 4],
        block_kind: &[2, 3],
        quaternion: &[0, 0],
        motion: &[3, 1],
        mass: &[19.0, 19.1, 19.2, 19.3, 19.4],
        drag: &[20.0, 20.1, 20.2, 20.3, 20.4],
        force: &[21.0, 21.1, 21.2],
        bias: &[22.0, 22.1, 22.2],
        stiffness: m(&[23.0, 23.1, 23.2]),
        viscosity: m(&[24.0, 24.1, 24.2]),
        role: &[0, 1, 2],
        command: &[25.0, 25.1, 25.2],
        impedance: &[26.0, 26.1, 26.2],
        contacts: Contacts {
            n_t: 1,
            key: &[ContactKey { shape_a: 27, shape_b: 28, feature_a: 29, feature_b: 30 }],
            body_a: &[31],
            body_b: &[32],
            gap: &[33.0],
            normal: &[34.0, 34.1, 34.2],
            tangent: &[35.0, 35.1, 35.2],
            point_a: &[36.0, 36.1, 36.2],
            point_b: &[37.0, 37.1, 37.2],
            jacobian: m(&[38.0, 38.1]),
            pair: PairValues {
                friction: &[40.0],
                restitution: &[41.0],
                stiffness: &[f64::INFINITY],
                dissipation: &[0.7],
                ..PairValues::<()>::default().map(|()| &[43.0][..])
            },
            last_impulse: &[44.0, 44.1],
            age: &[45],
            group: &[46],
            cell: &[46.5],
        },
        rows: Rows { jacobian: m(&[47.0]), rate: &[48.0], lower: &[f64::NEG_INFINITY], upper: &[50.0] },
        supports: Default::default(),
        force_rate: &[],
        drive_speed: &[],
        rows_middle: Default::default(),
        rows_end: Default::default(),
    }
}

fn solution() -> Solution<'static> {
    Solution {
        bound: f64::NAN,
        status: Status::RayTermination,
        z: &[1.0],
        dual: &[2.0],
        certificate: &[3.0],
        iterations: 4,
        factorizations: 5,
        residual: 6.0,
        note: "ja",
    }
}

#[test]
fn everything_arrives_as_it_was_sent() {
    let mut d = detector("");
    let query = DetectQuery { t: 1.5, pose: &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], margin: &[7.0, 8.0] };
    let contacts = d.detect(&query).unwrap();
    assert_eq!((contacts.len(), contacts.key[0].feature_b, contacts.group[0]), (1, u32::MAX, 9));
    assert_eq!((contacts.gap[0], contacts.point_b), (0.5, &[1.0, 2.5, 3.0][..]));
    let texts = seen();
    assert_eq!(texts[0], with_system(|s| format!("{s:?}")));
    assert_eq!(texts[1], format!("{query:?}"));

    let mut s = stepper("");
    let Problem::Mlcp(p) = s.formulate(&step()).unwrap() else { panic!("another class") };
    assert_eq!(p.tag[1], RowTag { subject: 4, part: Part::SupportSlip });
    let sent = format!("{p:?}");
    let mut v = solver("").unwrap();
    let found = v.solve(&Problem::Mlcp(p)).unwrap();
    assert_eq!(format!("{found:?}").matches("gründlich").count(), 1);
    assert_eq!((found.z, found.iterations, found.residual), (&[1.0, 2.0][..], 6, f64::INFINITY));
    let texts = seen();
    assert_eq!(texts[1], format!("{:?}", step()));
    assert_eq!(texts[3], sent);

    let update = s.update(&step(), &solution()).unwrap();
    assert_eq!(format!("{update:?}"), format!("{:?}", accepted()));
    assert_eq!(seen()[0], format!("{:?}", (step(), solution())));
}

/// Whoever calls with arrays that do not fit gets an error before the plugin author's code runs.
#[test]
fn wrong_input_never_reaches_the_plugin() {
    let refused = |wrong: StepView<'_>| {
        let error = stepper("").formulate(&wrong).map(|_| ()).unwrap_err();
        assert_eq!(error.kind, ErrorKind::BadInput);
        assert_eq!(seen().len(), 1, "only the system was seen");
        error.message
    };
    let good = step();
    assert_eq!(refused(StepView { v: &good.v[1..], ..good }), "3 velocities in blocks where 2 are expected");
    assert_eq!(
        refused(StepView { q_start: &[], ..good }),
        "0 starts of position blocks where 3 are expected"
    );
    assert_eq!(refused(StepView { mass: &[1.0; 9], ..good }), "9 entries of M where 5 are expected");
    let contacts = Contacts { pair: PairValues { friction: &[], ..good.contacts.pair }, ..good.contacts };
    assert_eq!(refused(StepView { contacts, ..good }), "0 friction coefficients where 1 are expected");
    let jacobian = Csr { row_start: &[0, 1], ..good.contacts.jacobian };
    let contacts = Contacts { jacobian, ..good.contacts };
    assert_eq!(
        refused(StepView { contacts, ..good }),
        "2 entries of the contact Jacobian where 1 are expected"
    );
    assert_eq!(
        refused(StepView { block_start: &[], ..good }),
        "no starts of blocks; without blocks there is one, 0"
    );
    assert_eq!(refused(StepView { h: 0.0, ..good }), "a step of 0 s; it must be positive and finite");
    let error =
        stepper("").formulate(&StepView { v: &[0.0, f64::NAN, 0.0], ..good }).map(|_| ()).unwrap_err();
    assert_eq!((error.kind, error.message.as_str()), (ErrorKind::NonFinite, "v[1] is NaN"));

    let detect = |query: &DetectQuery<'_>| detector("").detect(query).map(|_| ()).unwrap_err().message;
    let query = DetectQuery { t: 0.0, pose: &[0.0; 6], margin: &[0.1; 2] };
    assert_eq!(detect(&DetectQuery { margin: &[], ..query }), "0 margins where 2 are expected");
    let nan = [0.0, 0.0, 0.0, f64::NAN, 0.0, 0.0];
    assert_eq!(detect(&DetectQuery { pose: &nan, ..query }), "the pose of body 1 holds NaN");

    let mut problem = MlcpBuf::from_parts(CsrBuf::default(), vec![1.0], vec![0.0], vec![1.0], 1e-9);
    problem.tag.clear();
    let error = solver("").unwrap().solve(&Problem::Mlcp(problem.view())).map(|_| ()).unwrap_err();
    assert_eq!((error.kind, error.message.as_str()), (ErrorKind::BadInput, "0 rows of M for 1 unknowns"));
}

#[test]
fn nothing_is_copied() {
    let mut s = stepper("");
    let first = match s.formulate(&step()).unwrap() {
        Problem::Mlcp(Mlcp { q, tag, .. }) => (q.as_ptr(), tag.as_ptr()),
        _ => panic!("another class"),
    };
    let second = match s.formulate(&step()).unwrap() {
        Problem::Mlcp(Mlcp { q, tag, .. }) => (q.as_ptr(), tag.as_ptr()),
        _ => panic!("another class"),
    };
    assert_eq!(first, second, "the stepper's own arrays, call after call");
}

#[test]
fn functions_are_called_back_through_both_libraries() {
    let (mut s, mut v) = (stepper("root"), solver("").unwrap());
    let problem = s.formulate(&step()).unwrap();
    let root = v.solve(&problem).unwrap();
    assert!((root.z[0] - 2.0_f64.sqrt()).abs() < 1e-15);
    // A panic of the stepper's function is the stepper's fault, whoever was solving.
    let error = solver("limit").unwrap().solve(&problem).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Panicked);
    assert!(error.message.starts_with("plugin test.probe: call-back 3 panicked at "), "{error}");
    assert!(error.message.ends_with("no limits here"), "{error}");
}

#[test]
fn a_refusal_is_no_fault() {
    let error = solver("refuse").err().unwrap();
    let told = |error: &StageError| (error.kind, error.message.clone(), error.plugin.clone());
    let by = Some("test.probe".to_owned());
    assert_eq!(told(&error), (ErrorKind::BadOption, "no such option".to_owned(), by.clone()));
    let mut v = solver("no").unwrap();
    let problem = MlcpBuf::default();
    let error = v.solve(&Problem::Mlcp(problem.view())).unwrap_err();
    assert_eq!(told(&error), (ErrorKind::Unsupported, "not this one".to_owned(), by));
    assert!(!error.kind.is_fault() && v.fault().is_none());
}

#[test]
fn a_panic_is_reported_once_and_poisons() {
    let error = solver("panic").err().unwrap();
    assert!(error.kind.is_fault());
    assert!(error.message.starts_with("plugin test.probe: create panicked at "), "{error}");
    assert!(error.message.contains("round_trip.rs:"), "{error}");
    assert!(error.message.ends_with(": cannot be made"), "{error}");

    let mut v = solver("bomb").unwrap();
    let problem = MlcpBuf::default();
    let first = v.solve(&Problem::Mlcp(problem.view())).unwrap_err();
    assert!(first.message.ends_with(": solving 0 unknowns"), "{first}");
    assert_eq!(v.fault().unwrap().kind, FaultKind::Panicked);
    let second = v.solve(&Problem::Mlcp(problem.view())).unwrap_err();
    assert!(
        second.message.contains("solve is refused because of an earlier panic: panicked at "),
        "{second}"
    );
    assert_eq!(v.fault().unwrap().kind, FaultKind::Poisoned);
    assert!(v.try_save_state(&mut Vec::new()).is_err());
    assert!(v.load_state(&[]).is_err());
}

#[test]
fn state_and_extensions_cross_as_bytes() {
    let mut v = solver("").unwrap();
    v.load_state(b"abc").unwrap();
    let mut bytes = b"-".to_vec();
    v.save_state(&mut bytes);
    assert_eq!(bytes, b"-abc", "appended");
    assert_eq!(v.extension("echo", b"hello").unwrap(), b"hello");
    assert_eq!(v.extension("other", b"").unwrap_err().kind, ErrorKind::Unsupported);
    let error = stepper("").load_state(b"abc").unwrap_err();
    assert_eq!(error.kind, ErrorKind::BadState);
}

#[test]
fn wrong_answers_are_faults_that_say_what_is_wrong() {
    let problem = {
        let m = CsrBuf::from_triplets(2, 2, &[(0, 0, 1.0), (1, 1, 1.0)]);
        MlcpBuf::from_parts(m, vec![0.0; 2], vec![0.0; 2], vec![1.0; 2], 1e-9)
    };
    let solve =
        |mode: &str| solver(mode).unwrap().solve(&Problem::Mlcp(problem.view())).map(|_| ()).unwrap_err();
    let formulate = |mode: &str| stepper(mode).formulate(&step()).map(|_| ()).unwrap_err();
    let update = |mode: &str| stepper(mode).update(&step(), &solution()).map(|_| ()).unwrap_err();
    let query = DetectQuery { t: 0.0, pose: &[0.0; 6], margin: &[0.1; 2] };
    let detect = |mode: &str| detector(mode).detect(&query).map(|_| ()).unwrap_err();
    let forbids = "broke the contract in what it returned:";
    let expected = [
        (solve("nan"), format!("solve {forbids} z[0] is NaN")),
        (solve("short"), format!("solve {forbids} 1 values of z where 2 are expected")),
        (solve("certificate"), format!("solve {forbids} 1 values of the certificate where 2 are expected")),
        (formulate("short"), format!("formulate {forbids} 1 lower bounds for 2 unknowns")),
        (formulate("nan"), format!("formulate {forbids} q[0] is NaN")),
        (formulate("scale"), format!("formulate {forbids} scale of z[1] is 0, not positive and finite")),
        (update("nan"), format!("update {forbids} v[1] is NaN")),
        (update("short"), format!("update {forbids} 1 impulses where 2 are expected")),
        (update("model"), format!("update {forbids} 9 is not the code of a motion model")),
        (update("step"), format!("update {forbids} a step of -1 where 15 was asked, with 0.02 to follow")),
        (update("retry"), format!("update {forbids} a retry with step 0")),
        (detect("short"), format!("detect {forbids} 1 coordinates of points on B where 3 are expected")),
        (detect("far"), format!("detect {forbids} a contact between shapes 0 and 2 of 2")),
        (detect("long normal"), format!("detect {forbids} the normal of contact 0 is not a unit vector")),
        (detect("nan"), format!("detect {forbids} gap[0] is NaN")),
    ];
    for (error, message) in expected {
        assert_eq!(error.kind, ErrorKind::Fault, "{error}");
        assert_eq!(error.message, format!("plugin test.probe: {message}"));
    }
    assert_eq!(stepper("fail").update(&step(), &solution()).unwrap().reason, "schlägt fehl");
}

#[cfg(target_arch = "x86_64")]
#[test]
#[cfg_attr(miri, ignore = "it has no such environment")]
fn a_changed_float_environment_is_put_back_and_reported() {
    let mut v = solver("round").unwrap();
    let problem = MlcpBuf::default();
    let down = || std::hint::black_box(1.0_f64) / std::hint::black_box(3.0);
    let before = down();
    let error = v.solve(&Problem::Mlcp(problem.view())).unwrap_err();
    assert_eq!(v.fault().unwrap().kind, FaultKind::FloatEnvironment);
    assert!(
        error.message.contains("changed the floating-point environment from 0x1f80 to 0x3f80"),
        "{error}"
    );
    assert_eq!(down().to_bits(), before.to_bits());
}

#[test]
fn instances_do_not_share_anything() {
    let (mut a, mut b) = (solver("").unwrap(), solver("").unwrap());
    a.load_state(b"a").unwrap();
    b.load_state(b"b").unwrap();
    let (mut from_a, mut from_b) = (vec![], vec![]);
    a.save_state(&mut from_a);
    b.save_state(&mut from_b);
    assert_eq!((from_a, from_b), (b"a".to_vec(), b"b".to_vec()));
}

/// Drops are counted, and a panic in one is survived.
#[test]
fn a_panic_in_drop_is_survived() {
    struct Fragile(#[allow(dead_code)] Rc<()>);
    impl Drop for Fragile {
        fn drop(&mut self) {
            panic!("at the end");
        }
    }
    impl Solver for Fragile {
        fn solve<'s>(&'s mut self, _: &Problem<'_>) -> Result<Solution<'s>, StageError> {
            Ok(Solution::default())
        }
    }
    thread_local! { static ALIVE: Rc<()> = Rc::new(()); }
    impl SolverPlugin for Fragile {
        fn manifest() -> Manifest {
            Manifest::new("test.fragile", Role::Solver, "1.0.0")
        }
        fn create(_: &str, _: &SystemView<'_>) -> Result<Self, StageError> {
            Ok(Self(ALIVE.with(Rc::clone)))
        }
    }
    let functions = SolverFunctions::of::<Fragile>();
    // SAFETY: functions of this very process.
    let made = with_system(|s| unsafe { ForeignSolver::create("test.fragile".into(), functions, "", s) });
    assert_eq!(ALIVE.with(Rc::strong_count), 2);
    drop(made.unwrap());
    assert_eq!(ALIVE.with(Rc::strong_count), 1, "fields are dropped although the drop panicked");
}
