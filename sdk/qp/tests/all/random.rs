//! Seeded random programs of every kind; whatever is claimed is checked against the problem as it was given.

#![allow(clippy::print_stdout)]

use crate::support::*;
use vinci_qp::Status;

const SHAPES: [(usize, usize, f64); 6] =
    [(1, 2, 1.0), (3, 5, 1.0), (8, 20, 0.5), (20, 40, 1.0), (20, 40, 0.2), (40, 90, 0.15)];

/// Every shape with every rank of P; counts of (optimal, infeasible, unbounded).
fn sweep(seed: u64, rounds: usize, change: impl Fn(&mut Program, &mut Random)) -> [usize; 3] {
    let mut random = Random(seed);
    let mut counts = [0; 3];
    for (n, m, density) in SHAPES {
        for rank in [0, 1, n / 2, n] {
            for round in 0..rounds {
                let mut program = Program::random(&mut random, n, m, rank, density);
                change(&mut program, &mut random);
                let mut qp = program.solver();
                let status = qp.solve(INF);
                program.judge(&qp, status, &format!("n {n}, m {m}, rank {rank}, {density}, round {round}"));
                counts[match status {
                    Status::Optimal => 0,
                    Status::Infeasible => 1,
                    _ => 2,
                }] += 1;
            }
        }
    }
    println!("optimal, infeasible, unbounded: {counts:?}");
    counts
}

#[test]
fn feasible_programs() {
    let counts = sweep(1, 20, |_, _| {});
    assert!(counts[0] > 200 && counts[1] == 0 && counts[2] > 20, "{counts:?}");
}

#[test]
fn a_cost_in_the_range_of_p_is_never_unbounded() {
    let counts = sweep(2, 20, |program, random| {
        let x: Vec<f64> = (0..program.n).map(|_| random.sign()).collect();
        let n = program.n;
        program.c = (0..n).map(|i| (0..n).map(|j| program.p[i * n + j] * x[j]).sum()).collect();
    });
    assert_eq!((counts[1], counts[2]), (0, 0));
}

#[test]
fn contradictions_are_proved() {
    let counts = sweep(3, 20, |program, random| {
        // Row 0 repeated with the opposite demand, as a sum with another row half of the time.
        let (n, last) = (program.n, program.m - 1);
        for j in 0..n {
            program.g[last * n + j] = -2.0 * program.g[j];
        }
        let lower = random.sign();
        (program.lower[0], program.upper[0]) = (lower, INF);
        (program.lower[last], program.upper[last]) = (-2.0 * lower + 0.1, INF);
    });
    assert_eq!((counts[0], counts[2]), (0, 0));
}

#[test]
fn badly_scaled_programs() {
    let counts = sweep(4, 20, |program, random| {
        let d: Vec<f64> = (0..program.n).map(|_| 10f64.powf(3.0 * random.sign())).collect();
        let e: Vec<f64> = (0..program.m).map(|_| 10f64.powf(3.0 * random.sign())).collect();
        let n = program.n;
        for i in 0..n {
            program.c[i] *= d[i];
            (0..n).for_each(|j| program.p[i * n + j] *= d[i] * d[j]);
        }
        for i in 0..program.m {
            (0..n).for_each(|j| program.g[i * n + j] *= e[i] * d[j]);
            program.lower[i] *= e[i];
            program.upper[i] *= e[i];
        }
    });
    assert!(counts[0] > 200 && counts[1] == 0);
}

#[test]
fn degenerate_programs() {
    let counts = sweep(5, 20, |program, random| {
        // A cone at 0 (every bound 0), rows repeated and summed.
        let (n, m) = (program.n, program.m);
        for i in m / 2..m {
            let (a, b) = (random.below(m / 2), random.below(m / 2));
            for j in 0..n {
                program.g[i * n + j] = program.g[a * n + j] + program.g[b * n + j];
            }
        }
        for i in 0..m {
            program.lower[i] = if i % 7 == 0 { -INF } else { 0.0 };
            program.upper[i] = if i % 5 == 0 || program.lower[i] == -INF { 0.0 } else { INF };
        }
    });
    assert!(counts[0] > 100 && counts[1] == 0, "{counts:?}");
}

#[test]
fn small_integers() {
    // Entries and bounds in {−1, 0, 1}: every tie there can be.
    let counts = sweep(6, 60, |program, random| {
        let mut integer = |share: f64| if random.unit() < share { random.below(3) as f64 - 1.0 } else { 0.0 };
        program.g.iter_mut().for_each(|v| *v = integer(0.5));
        program.c.iter_mut().for_each(|v| *v = integer(0.7));
        let n = program.n;
        let diagonal: Vec<f64> =
            (0..n).map(|i| if program.p[i * n + i] > 0.0 { integer(1.0).abs() } else { 0.0 }).collect();
        program.p.fill(0.0);
        (0..n).for_each(|i| program.p[i * n + i] = diagonal[i]);
        for i in 0..program.m {
            let at = integer(1.0);
            (program.lower[i], program.upper[i]) = match (3.0 + integer(1.0) + integer(1.0)) as u32 {
                1 => (at, at),
                2 => (-INF, at.max(0.0)),
                3 => (at.min(0.0), INF),
                _ => (at.min(0.0), at.max(0.0) + 1.0),
            };
        }
    });
    assert!(counts.iter().all(|&k| k > 50), "{counts:?}");
}
