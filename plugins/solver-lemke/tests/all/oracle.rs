//! Random problems against an oracle that tries every complementary basis.

use crate::support::*;
use vinci_sdk::prelude::*;
use vinci_solver_lemke::Config;

/// Runs one LCP on both engines and compares with the oracle: a solution where there is one, never a false one.
fn compare(rows: &[Vec<f64>], q: &[f64], what: &str) -> Status {
    let slices: Vec<&[f64]> = rows.iter().map(Vec::as_slice).collect();
    let problem = lcp(&slices, q);
    let known = enumerate(rows, q);
    let mut status = Status::NumericalFailure;
    for dense_limit in [64, 0] {
        let mut solver = lemke(Config { dense_limit, ..Config::default() });
        let answer = solve_with(&mut solver, &problem.view());
        status = answer.status;
        match status {
            Status::Converged => assert!(answer.natural <= 1e-10, "{what}: false success {}", answer.natural),
            Status::Infeasible => assert!(known.is_empty(), "{what}: {known:?} solves it; {}", answer.note),
            other => {
                panic!("{what}: {other:?} on {dense_limit}, {} solutions known; {}", known.len(), answer.note)
            }
        }
    }
    status
}

fn matrix(n: usize, f: impl FnMut(usize, usize) -> f64) -> Vec<Vec<f64>> {
    let mut f = f;
    (0..n).map(|i| (0..n).map(|j| f(i, j)).collect()).collect()
}

#[test]
fn copositive_problems() {
    let mut solved = 0;
    for seed in 0..60 {
        let mut random = Random::new(seed + 1);
        let n = 2 + seed as usize % 8;
        let rank = 1 + n / 2;
        let g = matrix(n, |_, _| random.next());
        let skew = matrix(n, |_, _| random.next());
        // Positive semidefinite of low rank + skew + nonnegative: copositive, often degenerate.
        let rows = matrix(n, |i, j| {
            let gram: f64 = (0..rank).map(|k| g[i][k] * g[j][k]).sum();
            let positive = (random.next() - 0.5).max(0.0);
            gram + if i < j {
                skew[i][j]
            } else if i > j {
                -skew[j][i]
            } else {
                0.0
            } + positive
        });
        let q: Vec<f64> = (0..n).map(|_| (4.0 * random.next()).round() / 2.0).collect();
        solved += u32::from(compare(&rows, &q, &format!("copositive {seed}")) == Status::Converged);
    }
    assert!(solved > 30, "only {solved} of 60 were solvable: the test has lost its subject");
}

#[test]
fn arbitrary_problems() {
    let (mut solved, mut empty) = (0, 0);
    for seed in 0..120 {
        let mut random = Random::new(seed + 1000);
        let n = 2 + seed as usize % 7;
        let rows = matrix(n, |_, _| (3.0 * random.next()).round());
        let q: Vec<f64> = (0..n).map(|_| (3.0 * random.next()).round()).collect();
        match compare(&rows, &q, &format!("arbitrary {seed}")) {
            Status::Converged => solved += 1,
            _ => empty += 1,
        }
    }
    assert!(solved > 20 && empty > 20, "{solved} solved, {empty} empty: the test has lost its subject");
}

#[test]
fn redundant_contacts() {
    // A mass on k copies of the same contact: every split of the load solves it.
    for k in 1..=8 {
        let contact = || Contact { normal: vec![0.0, 1.0], tangent: vec![1.0, 0.0], mu: 0.4, rate: 0.0 };
        let contacts: Vec<_> = (0..k).map(|_| contact()).collect();
        let problem = contact_step(&[1.0, 1.0], &[1.0, -0.5], &contacts);
        for answer in solve_both(&problem.view()) {
            assert_eq!(answer.status, Status::Converged);
            let load: f64 = (0..k).map(|c| answer.z[2 + 4 * c]).sum();
            assert!((load - 0.5).abs() < 1e-12 && (answer.z[0] - 0.8).abs() < 1e-12, "{:?}", answer.z);
        }
    }
}

#[test]
fn boxes_against_their_split() {
    // A problem with two-sided bounds, by the engines that treat them natively and by extra rows.
    for seed in 0..40 {
        let mut random = Random::new(seed + 77);
        let n = 2 + seed as usize % 6;
        let g = matrix(n, |_, _| random.next());
        let rows =
            matrix(n, |i, j| (0..n).map(|k| g[i][k] * g[j][k]).sum::<f64>() + if i == j { 0.1 } else { 0.0 });
        let q: Vec<f64> = (0..n).map(|_| 2.0 * random.next()).collect();
        let bounds: Vec<_> = (0..n)
            .map(|i| {
                if i % 3 == 0 {
                    (-0.5, 0.25)
                } else if i % 3 == 1 {
                    (-INF, 0.3)
                } else {
                    FREE
                }
            })
            .collect();
        let slices: Vec<&[f64]> = rows.iter().map(Vec::as_slice).collect();
        let [a, b] = solve_both(&mlcp(&slices, &q, &bounds).view());
        assert_eq!(a.status, Status::Converged);
        // M is positive definite: the solution is unique.
        for (x, y) in a.z.iter().zip(&b.z) {
            assert!((x - y).abs() < 1e-9, "{:?} {:?}", a.z, b.z);
        }
    }
}

#[test]
fn exponential_paths_are_walked_or_avoided() {
    // Murty's matrix: 2 above (below) the diagonal, 1 on it, q = −1; Fathi's is its Gram matrix.
    for n in [6, 10, 14] {
        for transposed in [false, true] {
            let murty = matrix(n, |i, j| {
                if i == j {
                    1.0
                } else if (i < j) != transposed {
                    2.0
                } else {
                    0.0
                }
            });
            compare(&murty, &vec![-1.0; n], &format!("murty {n}"));
            let fathi = matrix(n, |i, j| (0..n).map(|k| murty[i][k] * murty[j][k]).sum());
            compare(&fathi, &vec![-1.0; n], &format!("fathi {n}"));
            let steep: Vec<f64> = (0..n).map(|i| -(2.0_f64.powi(i as i32))).collect();
            compare(&murty, &steep, &format!("murty, steep {n}"));
        }
    }
}
