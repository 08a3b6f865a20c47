//! Times per step: the planar gripper, and the collections of 3D grasps, each step warm from the one before.
#![allow(missing_docs)]

#[path = "../tests/all/support/mod.rs"]
mod support;

use criterion::{Criterion, criterion_group, criterion_main};
use std::hint::black_box;
use support::{Gripper, Step, collection, modes_of};
use vinci_sdk::core::problem::{Problem, QpccBuf, Status};
use vinci_sdk::core::stage::Solver;
use vinci_solver_branch_and_bound::{BranchAndBound, Config};

fn solver() -> BranchAndBound {
    BranchAndBound::new(Config::default()).expect("defaults are valid")
}

/// The problems of consecutive steps, each with the modes of the one before.
fn warm(steps: impl Iterator<Item = Step>, mut after: impl FnMut(&[f64])) -> Vec<QpccBuf> {
    let (mut solver, mut modes) = (solver(), Vec::new());
    steps
        .map(|step| {
            let mut problem = step.problem(1e-8);
            problem.modes = std::mem::take(&mut modes);
            let s = solver.solve(&Problem::Qpcc(problem.view())).expect("well-formed");
            modes = modes_of(&problem.view(), s.z);
            after(s.z);
            problem
        })
        .collect()
}

fn all_steps(c: &mut Criterion, name: &str, problems: &[QpccBuf]) {
    let mut solver = solver();
    c.bench_function(&format!("{name}: all {} steps", problems.len()), |b| {
        b.iter(|| {
            for problem in problems {
                let s = solver.solve(&Problem::Qpcc(black_box(problem.view()))).expect("well-formed");
                assert_eq!(s.status, Status::Converged);
            }
        });
    });
}

fn benches(c: &mut Criterion) {
    let gripper = std::cell::RefCell::new(Gripper::new());
    let steps = (0..Gripper::STEPS).map(|_| gripper.borrow().step());
    let problems = warm(steps, |x| gripper.borrow_mut().advance(x));
    all_steps(c, "gripper-2d, 12 pairs", &problems);
    for name in ["miqp-box72", "miqp-cylinder36"] {
        all_steps(c, name, &warm(collection(name).into_iter(), |_| {}));
    }
}

criterion_group! { name = steps; config = Criterion::default().sample_size(10); targets = benches }
criterion_main!(steps);
