//! Times of whole solves, cold and from a guess, with new and with known matrices.
#![allow(missing_docs)]

#[path = "../tests/all/support/mod.rs"]
mod support;

use criterion::{Criterion, criterion_group, criterion_main};
use std::hint::black_box;
use support::{random, solve, solver};
use vinci_sdk::core::problem::ConicBuf;
use vinci_sdk::prelude::*;
use vinci_solver_active_set::Config;

fn repeat(c: &mut Criterion, name: &str, problems: &[ConicBuf]) {
    let mut solver = solver(Config::default());
    let mut next = problems.iter().cycle();
    c.bench_function(name, |b| {
        b.iter(|| {
            let problem = next.next().expect("a cycle has no end");
            let answer = solver.solve(&Problem::Conic(black_box(problem.view()))).expect("well-formed");
            assert_eq!(answer.status, Status::Converged);
            answer.iterations
        });
    });
}

fn benches(c: &mut Criterion) {
    for (n, m) in [(20, 40), (14, 48), (192, 400)] {
        // Two problems in turn: the matrices are new every time.
        let mut pair = [random(1, n, m, n, 0.01), random(2, n, m, n, 0.01)];
        repeat(c, &format!("{n} x {m}, cold"), &pair);
        for p in &mut pair {
            p.dual_guess = solve(p).y;
        }
        repeat(c, &format!("{n} x {m}, from a guess"), &pair);
        repeat(c, &format!("{n} x {m}, from a guess, matrices known"), &pair[..1]);
    }
}

criterion_group! { name = active_set; config = Criterion::default().sample_size(20); targets = benches }
criterion_main!(active_set);
