//! Nothing that a call hands back lies on the stack: what it points to lives until the next call on the same instance,
//! and the frames of the call are gone when it returns.

#![allow(clippy::unwrap_used)]
#![cfg(target_os = "linux")]

use std::ffi::c_void;
use std::ops::Range;

use vinci_abi::raw::{self, Channel, Crossing, ErrorText, ProblemView, Slice, SolutionView, UpdateView};
use vinci_abi::{
    DetectorFunctions, DetectorPlugin, ForeignSolver, Manifest, Role, SolverFunctions, SolverPlugin,
    StepperFunctions, StepperPlugin,
};
use vinci_core::CsrBuf;
use vinci_core::contact::{ContactKey, RawContacts};
use vinci_core::error::StageError;
use vinci_core::model::{Space, SystemView};
use vinci_core::problem::{ConeBlock, ConeBuf, ConicBuf, MlcpBuf, Problem, QpccBuf, Root, Solution, Status};
use vinci_core::stage::{DetectQuery, Detector, Oracle, Solver, StepView, Stepper, Update, Verdict};

const BOUND: f64 = 0.75;

/// A plugin of all roles that leaves no field empty; its option is the class of its problems.
struct Full {
    class: String,
    reals: Vec<f64>,
    words: Vec<u32>,
    models: Vec<u8>,
    text: String,
    keys: Vec<ContactKey>,
    rows: MlcpBuf,
    cone: ConeBuf,
    program: ConicBuf,
    pairs: QpccBuf,
    oracle: Nothing,
}

struct Nothing;

impl Oracle for Nothing {
    fn call(&self, _: u32, _: &[f64], output: &mut [f64]) -> Result<(), StageError> {
        output.fill(0.0);
        Ok(())
    }
}

impl Full {
    fn new(class: &str) -> Self {
        let identity = || CsrBuf::from_triplets(2, 2, &[(0, 0, 1.0), (1, 1, 1.0)]);
        let (low, high) = (vec![0.0; 2], vec![f64::INFINITY; 2]);
        let mut rows = MlcpBuf::from_parts(identity(), vec![-1.0; 2], low.clone(), high.clone(), 1e-9);
        rows.guess = vec![0.5; 2];
        let mut cone = ConeBuf { rows: rows.clone(), ..ConeBuf::default() };
        cone.push_block(ConeBlock { normal: 0, tangent: 1, dim: 1, size: 0.3 });
        let mut program =
            ConicBuf::from_parts(identity(), vec![1.0; 2], identity(), vec![0.0; 2], (low, high));
        program.guess = vec![0.5; 2];
        program.dual_guess = vec![0.5; 2];
        let mut pairs = QpccBuf { qp: program.clone(), ..QpccBuf::default() };
        pairs.push_pair(0, 1, 3);
        pairs.modes = vec![1];
        Self {
            class: class.into(),
            reals: vec![0.0, 1.0, 0.0],
            words: vec![7],
            models: vec![3],
            text: "because".into(),
            keys: vec![ContactKey { shape_a: 0, shape_b: 1, feature_a: 2, feature_b: 3 }],
            rows,
            cone,
            program,
            pairs,
            oracle: Nothing,
        }
    }
}

impl Detector for Full {
    fn detect<'s>(&'s mut self, _: &DetectQuery<'_>) -> Result<RawContacts<'s>, StageError> {
        Ok(RawContacts {
            key: &self.keys,
            gap: &self.reals[..1],
            normal: &self.reals,
            point_a: &self.reals,
            point_b: &self.reals,
            group: &self.words,
        })
    }
}

impl Stepper for Full {
    fn formulate<'s>(&'s mut self, _: &StepView<'_>) -> Result<Problem<'s>, StageError> {
        Ok(match self.class.as_str() {
            "Mlcp" => Problem::Mlcp(self.rows.view()),
            "Cone" => Problem::Cone(self.cone.view()),
            "Conic" => Problem::Conic(self.program.view()),
            "Qpcc" => Problem::Qpcc(self.pairs.view()),
            _ => Problem::Root(Root {
                start: &self.reals,
                oracle: &self.oracle,
                scale: &self.reals,
                tolerance: 1e-3,
            }),
        })
    }

    fn update<'s>(&'s mut self, _: &StepView<'_>, _: &Solution<'_>) -> Result<Update<'s>, StageError> {
        let all = &*self.reals;
        Ok(Update {
            verdict: Verdict::Accept,
            h_used: 0.01,
            h_next: 0.01,
            v: all,
            q: all,
            impulse: all,
            row_impulse: all,
            support_impulse: all,
            effort: all,
            normal_rate: all,
            slip_rate: all,
            motion: &self.models,
            gradient: all,
            mass_scale: all,
            reason: &self.text,
        })
    }
}

impl Solver for Full {
    fn solve<'s>(&'s mut self, _: &Problem<'_>) -> Result<Solution<'s>, StageError> {
        Ok(Solution {
            status: Status::Converged,
            z: &self.reals[..2],
            dual: &self.reals[..2],
            certificate: &self.reals[..2],
            bound: BOUND,
            iterations: 1,
            factorizations: 1,
            residual: 0.0,
            note: &self.text,
        })
    }

    fn save_state(&self, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(self.text.as_bytes());
    }
}

macro_rules! plugin {
    ($plugin:ident, $role:ident) => {
        impl $plugin for Full {
            fn manifest() -> Manifest {
                Manifest::new("test.full", Role::$role, "1.0.0")
            }

            fn create(options: &str, _: &SystemView<'_>) -> Result<Self, StageError> {
                Ok(Self::new(options))
            }

            fn extension(&mut self, _: &str, input: &[u8], output: &mut Vec<u8>) -> Result<(), StageError> {
                output.extend_from_slice(input);
                Ok(())
            }
        }
    };
}

plugin!(DetectorPlugin, Detector);
plugin!(StepperPlugin, Stepper);
plugin!(SolverPlugin, Solver);

/// Addresses of this thread's stack. Miri has no such call, and finds by itself who reads a dead frame.
#[cfg(miri)]
fn stack() -> Range<usize> {
    0..0
}

/// Addresses of this thread's stack.
#[cfg(not(miri))]
fn stack() -> Range<usize> {
    let (mut start, mut size) = (std::ptr::null_mut(), 0);
    // SAFETY: the attributes are initialised by the first call and destroyed by the last.
    unsafe {
        let mut attributes = std::mem::zeroed();
        assert_eq!(libc::pthread_getattr_np(libc::pthread_self(), &mut attributes), 0);
        assert_eq!(libc::pthread_attr_getstack(&attributes, &mut start, &mut size), 0);
        libc::pthread_attr_destroy(&mut attributes);
    }
    start as usize..start as usize + size
}

/// Notes what lies on the stack.
struct Watch {
    stack: Range<usize>,
    seen: usize,
}

impl Watch {
    fn new() -> Self {
        let (stack, local) = (stack(), 0_u8);
        assert!(cfg!(miri) || stack.contains(&(&raw const local as usize)), "the test knows its stack");
        Self { stack, seen: 0 }
    }

    fn address(&mut self, what: &str, address: usize) {
        assert!(!self.stack.contains(&address), "{what} points to a frame that has returned");
        self.seen += 1;
    }

    fn slice<T>(&mut self, what: &str, slice: Slice<T>) {
        if slice.len > 0 {
            self.address(what, slice.ptr as usize);
            // SAFETY: filled by the call that has just returned; Miri sees it where that is not so.
            let _ = unsafe { slice.get() };
        }
    }

    fn channels(&mut self, what: &str, channels: Slice<Channel>) {
        self.slice(what, channels);
        // SAFETY: not on the stack, and filled by the call that has just returned.
        for channel in unsafe { channels.get() } {
            let what = format!("channel {} of {what}", channel.id);
            self.slice(&what, channel.f);
            self.slice(&what, channel.i);
            self.slice(&what, channel.j);
        }
    }
}

fn system() -> SystemView<'static> {
    SystemView {
        space: Space::Planar,
        body_names: &["a", "b"],
        is_static: &[1, 0],
        shapes: &[],
        ignored_pairs: &[],
        nv: 0,
        nq: 0,
        ..SystemView::NOTHING
    }
}

/// A step without anything in it.
fn step() -> StepView<'static> {
    StepView {
        step: 0,
        pass: 0,
        attempt: 0,
        t: 0.0,
        h: 0.01,
        space: Space::Planar,
        tolerance: 1e-9,
        q: &[],
        v: &[],
        block_start: &[0],
        q_start: &[0],
        block_kind: &[],
        quaternion: &[],
        motion: &[],
        mass: &[],
        drag: &[],
        force: &[],
        bias: &[],
        stiffness: Default::default(),
        viscosity: Default::default(),
        role: &[],
        command: &[],
        impedance: &[],
        contacts: Default::default(),
        rows: Default::default(),
        rows_middle: Default::default(),
        rows_end: Default::default(),
        supports: Default::default(),
        force_rate: &[],
        drive_speed: &[],
    }
}

/// A live instance behind its own functions.
struct Instance {
    lifecycle: vinci_abi::Lifecycle,
    handle: *mut c_void,
}

impl Instance {
    fn new(lifecycle: vinci_abi::Lifecycle, options: &str) -> Self {
        let system = system();
        let parts = raw::SystemParts::outgoing(&system);
        let view = parts.view(&system);
        // SAFETY: functions of this process, arguments borrowed for the call.
        let handle = unsafe { (lifecycle.create)(options.into(), &view, std::ptr::null_mut()) };
        assert!(!handle.is_null());
        Self { lifecycle, handle }
    }

    /// One call, which must succeed.
    fn call(&self, function: impl FnOnce(*mut c_void, *mut ErrorText) -> i32) {
        let mut buffer = [0; 200];
        let mut error = ErrorText::new(&mut buffer);
        let code = function(self.handle, &mut error);
        let len = error.len as usize;
        assert_eq!(code, 0, "{}", String::from_utf8_lossy(&buffer[..len]));
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        // SAFETY: made by `create` of the same functions; the last use.
        assert_eq!(unsafe { (self.lifecycle.destroy)(self.handle, std::ptr::null_mut()) }, 0);
    }
}

#[test]
fn contacts_outlive_their_call() {
    let functions = DetectorFunctions::of::<Full>();
    let detector = Instance::new(functions.lifecycle, "");
    let query = raw::DetectQuery::outgoing(&DetectQuery { t: 0.0, pose: &[0.0; 6], margin: &[0.1; 2] });
    let mut out = raw::RawContacts::default();
    // SAFETY: a live instance, its own function, arguments borrowed for the call.
    detector.call(|handle, error| unsafe { (functions.detect)(handle, &query, &mut out, error) });
    let mut watch = Watch::new();
    watch.slice("keys", out.key.list);
    watch.slice("groups", out.group);
    for (what, list) in [
        ("gaps", out.gap),
        ("normals", out.normal),
        ("points on A", out.point_a),
        ("points on B", out.point_b),
    ] {
        watch.slice(what, list);
    }
    assert_eq!(watch.seen, 6);
}

#[test]
fn problems_of_every_class_outlive_their_call() {
    let functions = StepperFunctions::of::<Full>();
    for (class, arrays) in [("Mlcp", 11), ("Cone", 13), ("Conic", 17), ("Qpcc", 20), ("Root", 4)] {
        let stepper = Instance::new(functions.lifecycle, class);
        let step = raw::StepView::outgoing(&step());
        let mut out = ProblemView::default();
        // SAFETY: a live instance, its own function, arguments borrowed for the call.
        stepper.call(|handle, error| unsafe { (functions.formulate)(handle, &step, &mut out, error) });
        let mut watch = Watch::new();
        watch.channels(class, out.channels);
        if !out.oracle.ctx.is_null() {
            watch.address("oracle", out.oracle.ctx as usize);
            // SAFETY: the context is the address of the two words of a live `&dyn Oracle`.
            watch.address("the oracle itself", unsafe { *out.oracle.ctx.cast::<usize>() });
        }
        assert!(watch.seen >= arrays, "{class}: {} of {arrays} arrays", watch.seen);
    }
}

#[test]
fn updates_outlive_their_call() {
    let functions = StepperFunctions::of::<Full>();
    let stepper = Instance::new(functions.lifecycle, "Mlcp");
    let step = raw::StepView::outgoing(&step());
    let solution = SolutionView {
        status: raw::StatusCode { code: Status::Converged as u32 },
        ..SolutionView::default()
    };
    let mut out = UpdateView::default();
    // SAFETY: a live instance, its own function, arguments borrowed for the call.
    stepper.call(|handle, error| unsafe { (functions.update)(handle, &step, &solution, &mut out, error) });
    let mut watch = Watch::new();
    let lists = [
        ("v", out.v),
        ("q", out.q),
        ("impulses", out.impulse),
        ("row impulses", out.row_impulse),
        ("efforts", out.effort),
        ("normal rates", out.normal_rate),
        ("slip rates", out.slip_rate),
        ("impulses of support points", out.support_impulse),
        ("derivatives", out.gradient),
        ("factors of masses", out.mass_scale),
    ];
    lists.into_iter().for_each(|(what, list)| watch.slice(what, list));
    watch.slice("motion models", out.motion);
    watch.slice("reason", out.reason.bytes);
    watch.channels("update", out.channels);
    assert_eq!(watch.seen, 12, "all lists");
}

#[test]
fn a_solutions_bound_outlives_its_call() {
    let functions = SolverFunctions::of::<Full>();
    let solver = Instance::new(functions.lifecycle, "");
    let (full, mut scratch) = (Full::new(""), raw::Scratch::new("".into()));
    let problem = ProblemView::outgoing(&Problem::Mlcp(full.rows.view()), &mut scratch).unwrap();
    let mut out = SolutionView::default();
    // SAFETY: a live instance, its own function, arguments borrowed for the call.
    solver.call(|handle, error| unsafe { (functions.solve)(handle, &problem, &mut out, error) });
    let mut watch = Watch::new();
    for (what, list) in [("z", out.z), ("dual", out.dual), ("certificate", out.certificate)] {
        watch.slice(what, list);
    }
    watch.slice("note", out.note.bytes);
    assert_eq!(watch.seen, 4, "all lists");
    assert!(!out.bound.is_nan(), "a bound is a number of the view itself");
}

#[test]
fn state_and_answers_outlive_their_call() {
    let solver = Instance::new(SolverFunctions::of::<Full>().lifecycle, "");
    let (mut saved, mut answer) = (Slice::default(), Slice::default());
    let mut watch = Watch::new();
    // SAFETY: a live instance, its own functions, arguments borrowed for the calls.
    solver.call(|handle, error| unsafe { (solver.lifecycle.save)(handle, &mut saved, error) });
    watch.slice("state", saved);
    solver.call(|handle, error| unsafe {
        (solver.lifecycle.extension)(handle, "echo".into(), "hello".into(), &mut answer, error)
    });
    watch.slice("answer", answer);
    assert_eq!(watch.seen, 2);
}

/// Writes over the frames below.
#[inline(never)]
fn scribble() -> u64 {
    let mut frame = std::hint::black_box([0xaa_u8; 16 << 10]);
    frame[17] = 1;
    std::hint::black_box(&frame).iter().map(|b| u64::from(*b)).sum()
}

#[test]
fn the_bound_arrives_whatever_the_stack_holds() {
    // SAFETY: functions of this process.
    let solver =
        unsafe { ForeignSolver::create("test.full".into(), SolverFunctions::of::<Full>(), "", &system()) };
    let (mut solver, full) = (solver.unwrap(), Full::new(""));
    for _ in 0..3 {
        assert!(scribble() > 0);
        let found = solver.solve(&Problem::Mlcp(full.rows.view())).unwrap().bound;
        assert_eq!(found.to_bits(), BOUND.to_bits());
    }
}
