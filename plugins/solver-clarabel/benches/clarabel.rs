//! Times of single solves of contact steps, in the sizes that other solvers were measured on: pyramids and cones.
#![allow(missing_docs)]

use criterion::{Criterion, criterion_group, criterion_main};
use std::hint::black_box;
use vinci_sdk::prelude::*;
use vinci_solver_clarabel::{Clarabel, Config};
use vinci_test_problems::conic::{contact_sizes, contact_step};

fn benches(c: &mut Criterion) {
    for (name, freedoms, contacts) in contact_sizes() {
        for (cone, kind) in [(false, "pyramid"), (true, "cone")] {
            let problem = contact_step(&freedoms, contacts, cone, 1.0, 5);
            let mut solver = Clarabel::new(Config::default()).expect("defaults are good");
            c.bench_function(&format!("{name}, {kind}"), |b| {
                b.iter(|| {
                    let p = Problem::Conic(black_box(problem.view()));
                    let answer = solver.solve(&p).expect("well-formed");
                    assert_eq!(answer.status, Status::Converged);
                    answer.iterations
                });
            });
        }
    }
}

criterion_group! { name = clarabel_benches; config = Criterion::default().sample_size(20); targets = benches }
criterion_main!(clarabel_benches);
