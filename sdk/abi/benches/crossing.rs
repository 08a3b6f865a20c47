//! Cost of a call across the contract: the same stage called directly and through it, doing nothing but answer.
//! The difference is views, guard, checks of what came back, floating-point environment.

use std::hint::black_box;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use vinci_abi::{
    ForeignSolver, ForeignStepper, Manifest, Role, SolverFunctions, SolverPlugin, StepperFunctions,
    StepperPlugin,
};
use vinci_core::contact::{ContactKey, Contacts};
use vinci_core::model::{PairColumns, Space, SystemView};
use vinci_core::problem::{MlcpBuf, Problem, Solution, Status};
use vinci_core::stage::{Rows, Solver, StepView, Stepper, Update, Verdict};
use vinci_core::{CsrBuf, StageError};

/// Answers with what it already has.
struct Answering {
    problem: MlcpBuf,
    zeros: Vec<f64>,
    motion: Vec<u8>,
}

impl Answering {
    fn new(n: usize) -> Self {
        Self { problem: tridiagonal(n), zeros: vec![0.0; n], motion: vec![1; n / 3] }
    }
}

/// The number of unknowns crosses as the options.
fn size(options: &str) -> usize {
    options.parse().unwrap_or(0)
}

fn tridiagonal(n: usize) -> MlcpBuf {
    let near = |i: usize| [i.wrapping_sub(1), i, i + 1].into_iter().filter(move |&j| j < n);
    let entries: Vec<_> =
        (0..n).flat_map(|i| near(i).map(move |j| (i, j, 1.0 + (i == j) as u8 as f64))).collect();
    let m = CsrBuf::from_triplets(n, n, &entries);
    MlcpBuf::from_parts(m, vec![-1.0; n], vec![0.0; n], vec![f64::INFINITY; n], 1e-8)
}

impl Solver for Answering {
    fn solve<'s>(&'s mut self, problem: &Problem<'_>) -> Result<Solution<'s>, StageError> {
        let z = &self.zeros[..problem.len()];
        Ok(Solution { status: Status::MaxIterations, z, ..Solution::default() })
    }
}

impl Stepper for Answering {
    fn formulate<'s>(&'s mut self, _: &StepView<'_>) -> Result<Problem<'s>, StageError> {
        Ok(Problem::Mlcp(self.problem.view()))
    }

    fn update<'s>(&'s mut self, step: &StepView<'_>, _: &Solution<'_>) -> Result<Update<'s>, StageError> {
        let (nv, n) = (step.nv(), step.contacts.len());
        Ok(Update {
            verdict: Verdict::Accept,
            h_used: step.h,
            v: &self.zeros[..nv],
            impulse: &self.zeros[..2 * n],
            effort: &self.zeros[..nv],
            normal_rate: &self.zeros[..n],
            motion: &self.motion[..step.n_blocks()],
            ..Update::default()
        })
    }
}

impl SolverPlugin for Answering {
    fn manifest() -> Manifest {
        Manifest::new("bench.solver.answering", Role::Solver, "1.0.0")
    }

    fn create(options: &str, _: &SystemView<'_>) -> Result<Self, StageError> {
        Ok(Self::new(size(options)))
    }
}

impl StepperPlugin for Answering {
    fn manifest() -> Manifest {
        Manifest::new("bench.stepper.answering", Role::Stepper, "1.0.0")
    }

    fn create(options: &str, _: &SystemView<'_>) -> Result<Self, StageError> {
        Ok(Self::new(size(options)))
    }
}

const SYSTEM: SystemView<'static> = SystemView::NOTHING;

/// Time this thread has had: what others do on the machine does not count.
fn thread_time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: a local of the right type; every Linux and BSD has this clock.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

fn timed<R>(repetitions: u64, mut body: impl FnMut() -> R) -> Duration {
    let start = thread_time();
    (0..repetitions).for_each(|_| drop(black_box(body())));
    thread_time() - start
}

fn solve(c: &mut Criterion) {
    let mut group = c.benchmark_group("solve");
    for n in [1, 10, 100, 1000] {
        let problem = tridiagonal(n);
        let mut direct = Answering::new(n);
        group.bench_function(BenchmarkId::new("direct", n), |b| {
            b.iter_custom(|n| timed(n, || direct.solve(&Problem::Mlcp(problem.view())).map(|s| s.z.len())))
        });
        let functions = SolverFunctions::of::<Answering>();
        // SAFETY: functions of this very process.
        let made = unsafe { ForeignSolver::create("bench".into(), functions, &n.to_string(), &SYSTEM) };
        let mut foreign = made.expect("nothing refuses");
        group.bench_function(BenchmarkId::new("foreign", n), |b| {
            b.iter_custom(|n| timed(n, || foreign.solve(&Problem::Mlcp(problem.view())).map(|s| s.z.len())))
        });
    }
    group.finish();
}

/// `n` planar bodies, a contact each; formulate and update.
fn step(c: &mut Criterion) {
    let mut group = c.benchmark_group("formulate and update");
    for n in [1, 10, 100] {
        let arrays = Arrays::new(n);
        let view = arrays.view();
        let mut direct = Answering::new(3 * n);
        group.bench_function(BenchmarkId::new("direct", n), |b| {
            b.iter_custom(|n| timed(n, || both(&mut direct, &view)))
        });
        let functions = StepperFunctions::of::<Answering>();
        // SAFETY: functions of this very process.
        let made =
            unsafe { ForeignStepper::create("bench".into(), functions, &(3 * n).to_string(), &SYSTEM) };
        let mut foreign = made.expect("nothing refuses");
        group.bench_function(BenchmarkId::new("foreign", n), |b| {
            b.iter_custom(|n| timed(n, || both(&mut foreign, &view)))
        });
    }
    group.finish();
}

fn both(stepper: &mut dyn Stepper, view: &StepView<'_>) {
    let n = stepper.formulate(view).map(|p| p.len());
    let v = stepper.update(view, &Solution::default()).map(|u| u.v.len());
    assert_eq!(black_box(n).ok(), black_box(v).ok());
}

struct Arrays {
    starts: Vec<u32>,
    kinds: Vec<u8>,
    zeros: Vec<f64>,
    roles: Vec<u8>,
    keys: Vec<ContactKey>,
    bodies: Vec<u32>,
    jacobian: CsrBuf,
}

impl Arrays {
    fn new(n: usize) -> Self {
        let mut jacobian = CsrBuf::default();
        jacobian.clear(3 * n);
        for row in 0..2 * n {
            (0..3).for_each(|k| jacobian.push(3 * (row / 2) + k, 1.0));
            jacobian.end_row();
        }
        Self {
            starts: (0..=n as u32).map(|i| 3 * i).collect(),
            kinds: vec![1; n],
            zeros: vec![0.0; 9 * n],
            roles: vec![0; 3 * n],
            keys: vec![ContactKey::default(); n],
            bodies: vec![0; n],
            jacobian,
        }
    }

    fn view(&self) -> StepView<'_> {
        let n = self.kinds.len();
        let zeros = |k: usize| &self.zeros[..k * n];
        StepView {
            step: 0,
            pass: 0,
            attempt: 0,
            t: 0.0,
            h: 0.01,
            space: Space::Planar,
            tolerance: 1e-8,
            q: zeros(3),
            v: zeros(3),
            block_start: &self.starts,
            q_start: &self.starts,
            block_kind: &self.kinds,
            quaternion: &[],
            motion: &self.kinds,
            mass: zeros(9),
            drag: zeros(9),
            force: zeros(3),
            bias: zeros(3),
            stiffness: Default::default(),
            viscosity: Default::default(),
            role: &self.roles,
            command: zeros(3),
            impedance: zeros(3),
            contacts: Contacts {
                n_t: 1,
                key: &self.keys,
                body_a: &self.bodies,
                body_b: &self.bodies,
                gap: zeros(1),
                normal: zeros(3),
                tangent: zeros(3),
                point_a: zeros(3),
                point_b: zeros(3),
                jacobian: self.jacobian.view(),
                pair: PairColumns::default().map(|_| zeros(1)),
                last_impulse: zeros(2),
                age: &self.bodies,
                group: &[],
                cell: &[],
            },
            rows: Rows::default(),
            supports: Default::default(),
            force_rate: &[],
            drive_speed: &[],
            rows_middle: Default::default(),
            rows_end: Default::default(),
        }
    }
}

criterion_group!(benches, solve, step);
criterion_main!(benches);
