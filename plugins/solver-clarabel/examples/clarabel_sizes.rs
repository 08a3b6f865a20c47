//! Times of contact steps from 3 to 5000 contacts with both factorisations, the second of two solves of one pattern:
//! `cargo run --release -p vinci-solver-clarabel --example clarabel_sizes [LARGEST]`.
#![allow(clippy::print_stdout, missing_docs)]

use std::time::Instant;

use vinci_sdk::prelude::*;
use vinci_solver_clarabel::{Clarabel, Config};
use vinci_test_problems::conic::contact_step;

/// (contacts, bodies of six freedoms).
const SIZES: [(usize, usize); 9] =
    [(3, 1), (12, 3), (25, 8), (50, 16), (100, 32), (300, 80), (1000, 245), (2500, 500), (5000, 997)];

/// Median milliseconds of warm solves, iterations, residual.
fn measure(contacts: usize, bodies: usize, cone: bool, supernodal_from: usize) -> (f64, u32, f64) {
    let config = Config { supernodal_from, ..Config::default() };
    let mut solver = Clarabel::new(config).expect("good options");
    let problem = contact_step(&vec![6; bodies], contacts, cone, 1.0, 5);
    let repeat = if contacts > 500 { 2 } else { 9 };
    let mut times = Vec::new();
    let (mut iterations, mut residual) = (0, f64::INFINITY);
    for _ in 0..=repeat {
        let start = Instant::now();
        let s = solver.solve(&Problem::Conic(problem.view())).expect("well-formed");
        times.push(1e3 * start.elapsed().as_secs_f64());
        iterations = s.iterations;
        residual = problem.view().residual(s.z, s.dual).natural;
    }
    times.remove(0);
    times.sort_by(f64::total_cmp);
    (times[times.len() / 2], iterations, residual)
}

fn main() {
    let largest = std::env::args().nth(1).and_then(|a| a.parse().ok()).unwrap_or(5000);
    for (contacts, bodies) in SIZES.into_iter().filter(|s| s.0 <= largest) {
        for cone in [false, true] {
            let scalar = measure(contacts, bodies, cone, usize::MAX);
            let supernodal = measure(contacts, bodies, cone, 0);
            println!(
                "{contacts:5} contacts, {:5} unknowns, {}: qdldl {:9.2} ms ({} iterations, {:.0e}), faer {:9.2} ms ({}, {:.0e})",
                6 * bodies,
                if cone { "cones  " } else { "pyramid" },
                scalar.0,
                scalar.1,
                scalar.2,
                supernodal.0,
                supernodal.1,
                supernodal.2
            );
        }
    }
}
