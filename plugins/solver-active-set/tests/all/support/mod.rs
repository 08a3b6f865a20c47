//! Small programs for the tests, and answers that are judged by the problem alone.
#![allow(dead_code)]

use vinci_sdk::core::CsrBuf;
use vinci_sdk::core::problem::{Conic, ConicBuf, check_conic_infeasible, check_conic_unbounded};
use vinci_sdk::prelude::*;
use vinci_solver_active_set::{ActiveSet, Config};

pub(crate) const INF: f64 = f64::INFINITY;

/// What came out, with everything recomputed from the problem.
pub(crate) struct Answer {
    pub(crate) status: Status,
    pub(crate) x: Vec<f64>,
    pub(crate) y: Vec<f64>,
    pub(crate) certificate: Vec<f64>,
    pub(crate) natural: f64,
    pub(crate) iterations: u32,
    pub(crate) note: String,
}

pub(crate) fn solver(config: Config) -> ActiveSet {
    ActiveSet::new(config).expect("the options are good")
}

/// Solves, and refuses every false claim.
#[track_caller]
pub(crate) fn solve_with(solver: &mut ActiveSet, p: &Conic<'_>) -> Answer {
    let s = solver.solve(&Problem::Conic(*p)).expect("the problem is well formed");
    let natural = p.residual(s.z, s.dual).natural;
    match s.status {
        Status::Converged => assert!(natural <= p.tolerance, "false success, residual {natural:e}"),
        Status::Infeasible => assert!(check_conic_infeasible(p, s.certificate).proves()),
        Status::Unbounded => assert!(check_conic_unbounded(p, s.certificate).proves()),
        _ => {}
    }
    Answer {
        status: s.status,
        x: s.z.to_vec(),
        y: s.dual.to_vec(),
        certificate: s.certificate.to_vec(),
        natural,
        iterations: s.iterations,
        note: s.note.to_owned(),
    }
}

#[track_caller]
pub(crate) fn solve(p: &ConicBuf) -> Answer {
    solve_with(&mut solver(Config::default()), &p.view())
}

pub(crate) fn dense(rows: &[&[f64]], n: usize) -> CsrBuf {
    let entries = |i: usize| rows[i].iter().enumerate().map(move |(j, &v)| (i, j, v));
    let triplets: Vec<_> = (0..rows.len()).flat_map(entries).filter(|&(_, _, v)| v != 0.0).collect();
    CsrBuf::from_triplets(rows.len(), n, &triplets)
}

/// A program from dense rows; bounds per row.
pub(crate) fn program(
    p: &[&[f64]],
    c: &[f64],
    g: &[&[f64]],
    offset: &[f64],
    bounds: &[(f64, f64)],
) -> ConicBuf {
    let n = c.len();
    let (lower, upper) = bounds.iter().copied().unzip();
    let mut out = ConicBuf::from_parts(dense(p, n), c.to_vec(), dense(g, n), offset.to_vec(), (lower, upper));
    out.tolerance = 1e-10;
    out
}

#[track_caller]
pub(crate) fn assert_close(found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len());
    for (i, (a, b)) in found.iter().zip(expected).enumerate() {
        assert!((a - b).abs() <= tolerance, "entry {i}: {a} instead of {b}\n{found:?}");
    }
}

/// A 64-bit linear congruential generator with a mixed output.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// Uniform in [−1, 1).
    pub(crate) fn sign(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let x = (self.0 ^ (self.0 >> 33)).wrapping_mul(0xff51afd7ed558ccd) >> 11;
        2.0 * (x as f64 / (1u64 << 53) as f64) - 1.0
    }
}

/// A feasible program: P = A Aᵀ/n + shift I with A n × rank, dense rows with lower bounds below a point inside.
pub(crate) fn random(seed: u64, n: usize, m: usize, rank: usize, shift: f64) -> ConicBuf {
    let mut r = Random(seed);
    let a: Vec<Vec<f64>> = (0..n).map(|_| (0..rank).map(|_| r.sign()).collect()).collect();
    let entry = |i: usize, j: usize| {
        let product: f64 = a[i].iter().zip(&a[j]).map(|(x, y)| x * y).sum();
        product / n as f64 + if i == j { shift } else { 0.0 }
    };
    let p: Vec<Vec<f64>> = (0..n).map(|i| (0..n).map(|j| entry(i, j)).collect()).collect();
    let g: Vec<Vec<f64>> = (0..m).map(|_| (0..n).map(|_| r.sign()).collect()).collect();
    let inside: Vec<f64> = (0..n).map(|_| r.sign()).collect();
    let c: Vec<f64> = (0..n).map(|_| 3.0 * r.sign()).collect();
    let offset: Vec<f64> = (0..m).map(|_| r.sign()).collect();
    let bounds: Vec<(f64, f64)> = (0..m)
        .map(|i| {
            let s: f64 = g[i].iter().zip(&inside).map(|(a, b)| a * b).sum::<f64>() + offset[i];
            (s - 0.5 - 0.5 * r.sign(), INF)
        })
        .collect();

    let (p, g): (Vec<&[f64]>, Vec<&[f64]>) =
        (p.iter().map(Vec::as_slice).collect(), g.iter().map(Vec::as_slice).collect());
    program(&p, &c, &g, &offset, &bounds)
}
