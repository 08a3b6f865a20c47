//! Times of single solves, cold and warm, and of the reduction alone: one-body contacts, stacks, a large stack.
#![allow(missing_docs)]

#[path = "../tests/all/support/mod.rs"]
mod support;

use criterion::{Criterion, criterion_group, criterion_main};
use std::hint::black_box;
use support::{Contact, contact_step, lemke, stack};
use vinci_sdk::core::bridge::MlcpAsLcp;
use vinci_sdk::prelude::*;
use vinci_solver_lemke::Config;

/// A box on the ground with two contacts: 3 free rows, 8 bounded.
fn sliding_box() -> MlcpBuf {
    let corner =
        |x: f64| Contact { normal: vec![0.0, 1.0, x], tangent: vec![1.0, 0.0, 0.5], mu: 0.5, rate: 0.0 };
    contact_step(&[1.0, 1.0, 1.0 / 6.0], &[1.0, -0.0981, 0.0], &[corner(-0.5), corner(0.5)])
}

fn solve(c: &mut Criterion, name: &str, problem: &MlcpBuf) {
    let mut solver = lemke(Config::default());
    c.bench_function(name, |b| {
        b.iter(|| {
            let answer = solver.solve(&Problem::Mlcp(black_box(problem.view()))).expect("well-formed");
            assert_eq!(answer.status, Status::Converged);
            answer.iterations
        });
    });
}

fn cold_and_warm(c: &mut Criterion, name: &str, mut problem: MlcpBuf) {
    solve(c, &format!("{name}, cold"), &problem);
    let mut solver = lemke(Config::default());
    problem.guess = support::solve_with(&mut solver, &problem.view()).z;
    solve(c, &format!("{name}, warm"), &problem);
}

fn benches(c: &mut Criterion) {
    let small = sliding_box();
    let mut bridge = MlcpAsLcp::default();
    c.bench_function("reduction of the sliding box", |b| b.iter(|| bridge.reduce(black_box(&small.view()))));
    cold_and_warm(c, "sliding box (nv 3, nc 2)", small);
    for boxes in [4, 10, 100, 200] {
        cold_and_warm(c, &format!("stack (nv {}, nc {})", 3 * boxes, 2 * boxes), stack(boxes, 0.5, 0.01));
    }
}

criterion_group! { name = lemke_benches; config = Criterion::default().sample_size(20); targets = benches }
criterion_main!(lemke_benches);
