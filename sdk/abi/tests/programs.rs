//! Programs over the contract: Conic and Qpcc arrive as they were sent, with bounds, duals, proofs and gradients; what does
//! not fit is found, on both sides.

#![allow(clippy::unwrap_used)]

use std::cell::RefCell;

use vinci_abi::{
    ForeignSolver, ForeignStepper, Manifest, Role, SolverFunctions, SolverPlugin, StepperFunctions,
    StepperPlugin,
};
use vinci_core::CsrBuf;
use vinci_core::error::{ErrorKind, StageError};
use vinci_core::model::{Space, SystemView};
use vinci_core::problem::{
    Conic, ConicBuf, NO_GROUP, Part, Problem, Qpcc, QpccBuf, Root, RowTag, Solution, Status,
};
use vinci_core::stage::{Oracle, Solver, StepView, Stepper, Update, Verdict};

const INF: f64 = f64::INFINITY;

thread_local! {
    /// What the plugin saw, as text: the debug form names every field.
    static SEEN: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

/// A program in which no two arrays are alike: three unknowns, four rows, the last two a cone.
fn conic() -> ConicBuf {
    let p = CsrBuf::from_triplets(3, 3, &[(0, 0, 2.0), (0, 1, -1.0), (1, 0, -1.0), (1, 1, 3.0)]);
    let rows =
        CsrBuf::from_triplets(4, 3, &[(0, 0, 1.0), (1, 2, 4.0), (2, 1, 5.0), (3, 0, 6.0), (3, 2, 7.0)]);
    let bounds = (vec![0.0, -8.0, -INF, -INF], vec![INF, 9.0, INF, INF]);
    let mut out = ConicBuf::from_parts(p, vec![0.1, 0.2, 0.3], rows, vec![1.1, 1.2, 1.3, 1.4], bounds);
    out.cones = vec![2, 2];
    out.x_tag[1] = RowTag { subject: 5, part: Part::Velocity };
    out.s_tag[2] = RowTag { subject: 6, part: Part::Ray };
    out.s_tag[3] = RowTag { subject: 7, part: Part::Squeeze };
    out.x_scale = vec![2.1, 2.2, 2.3];
    out.s_scale = vec![3.1, 3.2, 3.3, 3.4];
    out.guess = vec![4.1, 4.2, 4.3];
    out.dual_guess = vec![5.1, 5.2, 5.3, 5.4];
    out.tolerance = 1e-7;
    out
}

/// The same rows without a cone, with two pairs.
fn qpcc() -> QpccBuf {
    let mut qp = conic();
    qp.cones.clear();
    (qp.lower, qp.upper) = (vec![0.0; 4], vec![INF; 4]);
    let mut out = QpccBuf { qp, ..QpccBuf::default() };
    out.push_pair(0, 3, 8);
    out.push_pair(2, 1, NO_GROUP);
    out.modes = vec![2, 0];
    out
}

/// r(v) = v.
struct Identity;

impl Oracle for Identity {
    fn call(&self, _: u32, input: &[f64], output: &mut [f64]) -> Result<(), StageError> {
        output.copy_from_slice(input);
        Ok(())
    }
}

/// Notes what it is given and answers as its options say.
struct Probe {
    mode: String,
    conic: ConicBuf,
    qpcc: QpccBuf,
}

impl Probe {
    fn new(options: &str) -> Self {
        Self { mode: options.into(), conic: conic(), qpcc: qpcc() }
    }
}

impl Solver for Probe {
    fn solve<'s>(&'s mut self, problem: &Problem<'_>) -> Result<Solution<'s>, StageError> {
        let text = match problem {
            Problem::Conic(p) => format!("{p:?}"),
            Problem::Qpcc(p) => format!("{p:?}"),
            Problem::Root(r) => format!("{:?} {:?}", r.scale, r.residual(r.start)),
            _ => "another class".into(),
        };
        SEEN.with_borrow_mut(|seen| seen.push(text));
        let good = Solution {
            status: Status::Converged,
            z: &[1.0, 2.0, 3.0],
            dual: &[4.0, 5.0, 6.0, 7.0],
            bound: -0.5,
            iterations: 8,
            ..Solution::default()
        };
        Ok(match self.mode.as_str() {
            "no dual" => Solution { dual: &[], ..good },
            "short dual" => Solution { dual: &[4.0, 5.0], ..good },
            "nan dual" => Solution { dual: &[4.0, f64::NAN, 6.0, 7.0], ..good },
            "no bound" => Solution { bound: f64::NAN, ..good },
            "infinite bound" => Solution { bound: f64::NEG_INFINITY, status: Status::TimeLimit, ..good },
            "bound above all" => Solution { bound: f64::INFINITY, ..good },
            "infeasible" => Solution { status: Status::Infeasible, certificate: &[1.0; 4], ..good },
            "infeasible short" => Solution { status: Status::Infeasible, certificate: &[1.0; 3], ..good },
            "unbounded" => Solution { status: Status::Unbounded, certificate: &[1.0; 3], ..good },
            "unbounded long" => Solution { status: Status::Unbounded, certificate: &[1.0; 4], ..good },
            "tree" => {
                Solution { status: Status::Infeasible, certificate: &[0.0, 1.0, 2.0, 3.0, 4.0], ..good }
            }
            "nan tree" => Solution { status: Status::Infeasible, certificate: &[0.0, f64::NAN], ..good },
            "root" => Solution { z: &[1.0, 2.0], dual: &[], ..good },
            _ => good,
        })
    }
}

impl SolverPlugin for Probe {
    fn manifest() -> Manifest {
        Manifest::new("test.probe", Role::Solver, "1.0.0")
    }

    fn create(options: &str, _: &SystemView<'_>) -> Result<Self, StageError> {
        Ok(Self::new(options))
    }
}

impl Stepper for Probe {
    fn formulate<'s>(&'s mut self, _: &StepView<'_>) -> Result<Problem<'s>, StageError> {
        match self.mode.as_str() {
            "short c" => drop(self.conic.x_tag.pop()),
            "long guess" => self.conic.dual_guess.push(0.0),
            "nan" => self.conic.p = CsrBuf::from_triplets(3, 3, &[(0, 0, f64::NAN)]),
            "cone" => self.conic.cones = vec![3, 2],
            "pair" => {
                self.qpcc.pairs[3] = 9;
                return Ok(Problem::Qpcc(self.qpcc.view()));
            }
            "group" => {
                self.qpcc.group.pop();
                return Ok(Problem::Qpcc(self.qpcc.view()));
            }
            "mode" => {
                self.qpcc.modes[1] = 3;
                return Ok(Problem::Qpcc(self.qpcc.view()));
            }
            "qpcc" => return Ok(Problem::Qpcc(self.qpcc.view())),
            "scale" => {
                return Ok(Problem::Root(Root {
                    start: &[0.0, 0.0],
                    oracle: &Identity,
                    scale: &[0.5, 4.0],
                    tolerance: 1e-3,
                }));
            }
            _ => {}
        }
        Ok(Problem::Conic(self.conic.view()))
    }

    fn update<'s>(&'s mut self, step: &StepView<'_>, s: &Solution<'_>) -> Result<Update<'s>, StageError> {
        SEEN.with_borrow_mut(|seen| seen.push(format!("{s:?}")));
        let good = Update {
            verdict: Verdict::Accept,
            h_used: step.h,
            v: &[0.0],
            effort: &[0.0],
            motion: &[1],
            ..Update::default()
        };
        Ok(match self.mode.as_str() {
            "gradient" => Update { gradient: &[0.25, -4.0], ..good },
            "short gradient" => Update { gradient: &[1.0], ..good },
            "nan gradient" => Update { gradient: &[1.0, f64::NAN], ..good },
            _ => good,
        })
    }
}

impl StepperPlugin for Probe {
    fn manifest() -> Manifest {
        Manifest::new("test.probe", Role::Stepper, "1.0.0")
    }

    fn create(options: &str, _: &SystemView<'_>) -> Result<Self, StageError> {
        Ok(Self::new(options))
    }
}

fn system() -> SystemView<'static> {
    vinci_abi::guard::install_panic_hook();
    SystemView::NOTHING
}

fn solver(mode: &str) -> ForeignSolver {
    // SAFETY: functions of this very process.
    unsafe { ForeignSolver::create("test.probe".into(), SolverFunctions::of::<Probe>(), mode, &system()) }
        .unwrap()
}

fn stepper(mode: &str) -> ForeignStepper {
    // SAFETY: functions of this very process.
    unsafe { ForeignStepper::create("test.probe".into(), StepperFunctions::of::<Probe>(), mode, &system()) }
        .unwrap()
}

/// One velocity, nothing else.
fn step() -> StepView<'static> {
    StepView {
        h: 0.5,
        tolerance: 1e-8,
        q: &[1.0],
        v: &[2.0],
        block_start: &[0, 1],
        q_start: &[0, 1],
        block_kind: &[3],
        quaternion: &[],
        motion: &[1],
        mass: &[1.0],
        drag: &[0.0],
        force: &[0.0],
        bias: &[0.0],
        role: &[0],
        command: &[0.0],
        impedance: &[0.0],
        step: 1,
        pass: 0,
        attempt: 0,
        t: 0.0,
        space: Space::Planar,
        stiffness: Default::default(),
        viscosity: Default::default(),
        contacts: Default::default(),
        rows: Default::default(),
        supports: Default::default(),
        force_rate: &[],
        drive_speed: &[],
        rows_middle: Default::default(),
        rows_end: Default::default(),
    }
}

#[test]
fn programs_and_answers_cross_whole() {
    let (conic, qpcc) = (conic(), qpcc());
    let mut s = stepper("");
    let Problem::Conic(p) = s.formulate(&step()).unwrap() else { panic!("another class") };
    assert_eq!(format!("{p:?}"), format!("{:?}", conic.view()));
    let mut v = solver("");
    let found = v.solve(&Problem::Conic(p)).unwrap();
    assert_eq!((found.z, found.dual), (&[1.0, 2.0, 3.0][..], &[4.0, 5.0, 6.0, 7.0][..]));
    assert_eq!((found.bound, found.status, found.iterations), (-0.5, Status::Converged, 8));
    assert_eq!(SEEN.take()[0], format!("{:?}", conic.view()));
    // The stepper gets duals and bound.
    s.update(&step(), &found).unwrap();
    assert_eq!(SEEN.take()[0], format!("{found:?}"));

    let mut s = stepper("qpcc");
    let Problem::Qpcc(p) = s.formulate(&step()).unwrap() else { panic!("another class") };
    assert_eq!(format!("{p:?}"), format!("{:?}", qpcc.view()));
    assert!(solver("no bound").solve(&Problem::Qpcc(p)).unwrap().bound.is_nan());
    assert_eq!(SEEN.take()[0], format!("{:?}", qpcc.view()));
    assert_eq!(solver("infinite bound").solve(&Problem::Qpcc(p)).unwrap().bound, f64::NEG_INFINITY);
}

#[test]
fn proofs_have_the_length_of_their_kind() {
    let (conic, qpcc) = (conic(), qpcc());
    let of_conic = Problem::Conic(conic.view());
    assert_eq!(solver("infeasible").solve(&of_conic).unwrap().certificate.len(), 4);
    assert_eq!(solver("unbounded").solve(&of_conic).unwrap().certificate.len(), 3);
    // A tree is as long as it is.
    assert_eq!(solver("tree").solve(&Problem::Qpcc(qpcc.view())).unwrap().certificate.len(), 5);
}

#[test]
fn scales_of_roots_and_gradients_cross() {
    let mut s = stepper("scale");
    let problem = s.formulate(&step()).unwrap();
    solver("root").solve(&problem).unwrap();
    assert_eq!(SEEN.take(), ["[0.5, 4.0] 0.0"]);
    assert_eq!(stepper("gradient").update(&step(), &Solution::default()).unwrap().gradient, [0.25, -4.0]);
}

#[test]
fn wrong_answers_are_faults_that_say_what_is_wrong() {
    let (conic, qpcc) = (conic(), qpcc());
    let of_conic = |mode: &str| solver(mode).solve(&Problem::Conic(conic.view())).map(|_| ()).unwrap_err();
    let of_qpcc = |mode: &str| solver(mode).solve(&Problem::Qpcc(qpcc.view())).map(|_| ()).unwrap_err();
    let update = |mode: &str| stepper(mode).update(&step(), &Solution::default()).map(|_| ()).unwrap_err();
    let formulate = |mode: &str| stepper(mode).formulate(&step()).map(|_| ()).unwrap_err();
    let forbids = "broke the contract in what it returned:";
    let expected = [
        (of_conic("no dual"), format!("solve {forbids} 0 values of the dual where 4 are expected")),
        (of_conic("short dual"), format!("solve {forbids} 2 values of the dual where 4 are expected")),
        (of_conic("nan dual"), format!("solve {forbids} dual[1] is NaN")),
        (
            of_conic("infeasible short"),
            format!("solve {forbids} 3 values of the certificate where 4 are expected"),
        ),
        (
            of_conic("unbounded long"),
            format!("solve {forbids} 4 values of the certificate where 3 are expected"),
        ),
        (of_qpcc("nan tree"), format!("solve {forbids} certificate[1] is NaN")),
        (of_qpcc("bound above all"), format!("solve {forbids} the bound is +inf")),
        (of_qpcc("no dual"), format!("solve {forbids} 0 values of the dual where 4 are expected")),
        (update("short gradient"), format!("update {forbids} 1 derivatives where 2 are expected")),
        (update("nan gradient"), format!("update {forbids} gradient[1] is NaN")),
        (formulate("short c"), format!("formulate {forbids} 2 tags of unknowns for 3 unknowns")),
        (
            formulate("long guess"),
            format!("formulate {forbids} a guess of y of length 5 where 4 is expected"),
        ),
        (formulate("nan"), format!("formulate {forbids} number 0 of entries of P is NaN")),
        (formulate("cone"), format!("formulate {forbids} cone 0 takes 2 rows from row 3 on, of 4")),
        (formulate("pair"), format!("formulate {forbids} pair 1 names row 9 of 4")),
        (formulate("group"), format!("formulate {forbids} 4 rows and 1 groups for pairs")),
        (formulate("mode"), format!("formulate {forbids} the mode of pair 1 is 3")),
    ];
    for (error, message) in expected {
        assert_eq!(error.message, format!("plugin test.probe: {message}"));
        assert_eq!(error.kind, ErrorKind::Fault, "{error}");
    }
}

#[test]
fn wrong_input_never_reaches_the_plugin() {
    let (conic, qpcc) = (conic(), qpcc());
    let refused = |problem: Problem<'_>| {
        let error = solver("").solve(&problem).map(|_| ()).unwrap_err();
        assert_eq!(error.kind, ErrorKind::BadInput);
        assert!(SEEN.take().is_empty());
        error.message
    };
    let p = conic.view();
    assert_eq!(refused(Problem::Conic(Conic { g: &p.g[1..], ..p })), "4 rows of G for 3 rows");
    assert_eq!(refused(Problem::Conic(Conic { upper: &[], ..p })), "0 upper bounds for 4 rows");
    assert_eq!(
        refused(Problem::Conic(Conic { x_scale: &[1.0], ..p })),
        "1 scales of unknowns for 3 unknowns"
    );
    assert_eq!(
        refused(Problem::Conic(Conic { cones: &[0, 2], ..p })),
        "row 0 has bounds although it belongs to cone 0"
    );
    let p = qpcc.view();
    assert_eq!(refused(Problem::Qpcc(Qpcc { modes: &[1], ..p })), "a guess of 1 modes for 2 pairs");
    assert_eq!(refused(Problem::Qpcc(Qpcc { pairs: &[0, 3, 0, 1], ..p })), "row 0 belongs to two pairs");
}
