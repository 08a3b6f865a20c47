//! The instances: all numbers of programs are small integers times powers of two, so that what they are made around holds exactly.

use vinci_core::CsrBuf;
use vinci_core::problem::{ConeBlock, ConeBuf, ConicBuf, MlcpBuf};
use vinci_engine::pipeline::Stored;
use vinci_test_problems::{INF, Numbers};

use super::exact;

/// What is known of an instance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Truth {
    Solvable,
    /// No point.
    Contradiction,
    /// Points, and no lowest value.
    Falling,
}

pub(super) struct Instance {
    pub(super) name: String,
    pub(super) problem: Stored,
    pub(super) truth: Truth,
}

/// 96 LCPs, 48 mixed ones, 36 with friction cones, 48 programs.
pub(super) fn all() -> Vec<Instance> {
    let parts = [
        nearly_singular(36),
        degenerate(20),
        scaled(20),
        unstructured(20),
        mixed(48),
        frictional(36),
        programs(28),
        contradictions(20),
    ];
    parts.into_iter().flatten().collect()
}

const TOLERANCE: f64 = 1e-8;

fn bounded(rows: &[Vec<f64>], q: &[f64], bounds: &[(f64, f64)]) -> MlcpBuf {
    let n = q.len();
    let entries: Vec<_> =
        (0..n * n).map(|k| (k / n, k % n, rows[k / n][k % n])).filter(|e| e.2 != 0.0).collect();
    let (lower, upper) = bounds.iter().copied().unzip();
    MlcpBuf::from_parts(CsrBuf::from_triplets(n, n, &entries), q.to_vec(), lower, upper, TOLERANCE)
}

/// 0 ≤ z ⟂ M z + q ≥ 0.
pub(super) fn lcp(rows: &[&[f64]], q: &[f64]) -> Stored {
    let rows: Vec<Vec<f64>> = rows.iter().map(|row| row.to_vec()).collect();
    Stored::Mlcp(bounded(&rows, q, &vec![(0.0, INF); q.len()]))
}

/// With what the oracle says of it; nothing where it says nothing.
fn judged(name: String, p: MlcpBuf) -> Option<Instance> {
    let truth = if exact::is_solvable(&p.view())? { Truth::Solvable } else { Truth::Contradiction };
    Some(Instance { name, problem: Stored::Mlcp(p), truth })
}

fn integer(numbers: &mut Numbers, largest: usize) -> f64 {
    numbers.below(2 * largest + 1) as f64 - largest as f64
}

fn matrix(rows: usize, columns: usize, mut of: impl FnMut() -> f64) -> Vec<Vec<f64>> {
    (0..rows).map(|_| (0..columns).map(|_| of()).collect()).collect()
}

/// B Bᵀ + ε I with B of rank n − 1, and the two walls [[1 + ε, −1], [−1, 1 + ε]]: solutions are up to 1/ε large.
fn nearly_singular(count: usize) -> Vec<Instance> {
    let mut numbers = Numbers(1);
    let one = |k: usize| {
        let epsilon = 10_f64.powi(-6 - (k / 4) as i32);
        if k.is_multiple_of(4) {
            let rows = [vec![1.0 + epsilon, -1.0], vec![-1.0, 1.0 + epsilon]];
            return judged(format!("walls, {epsilon:e}"), bounded(&rows, &[-1.0, -1.0], &[(0.0, INF); 2]));
        }
        let n = 1 + k % 4;
        let b = matrix(n, n - 1, || numbers.between(-1.0, 1.0));
        let entry = |i: usize, j: usize| {
            let dot: f64 = b[i].iter().zip(&b[j]).map(|(x, y)| x * y).sum();
            dot + if i == j { epsilon } else { 0.0 }
        };
        let rows: Vec<Vec<f64>> = (0..n).map(|i| (0..n).map(|j| entry(i, j)).collect()).collect();
        let q: Vec<f64> = (0..n).map(|_| numbers.between(-1.0, 0.2)).collect();
        judged(format!("B Bᵀ + {epsilon:e}, {n} rows, {k}"), bounded(&rows, &q, &vec![(0.0, INF); n]))
    };
    (0..count).map(one).map(Option::unwrap).collect()
}

/// Small integers, many of them zero: ties, empty rows, repeated rows.
fn degenerate(count: usize) -> Vec<Instance> {
    let mut numbers = Numbers(2);
    let one = |k: usize| {
        let n = 2 + k % 3;
        let mut rows = matrix(n, n, || integer(&mut numbers, 1));
        let mut q: Vec<f64> = (0..n).map(|_| integer(&mut numbers, 1)).collect();
        if k.is_multiple_of(2) {
            (rows[1], q[1]) = (rows[0].clone(), q[0]);
        }
        judged(format!("degenerate {k}"), bounded(&rows, &q, &vec![(0.0, INF); n]))
    };
    (0..count).map(one).map(Option::unwrap).collect()
}

/// Integers in units from 1e-12 to 1e12 apart.
fn scaled(count: usize) -> Vec<Instance> {
    let mut numbers = Numbers(3);
    let one = |k: usize| {
        let n = 2 + k % 3;
        let units: Vec<f64> = (0..2 * n).map(|_| 2_f64.powi(numbers.below(81) as i32 - 40)).collect();
        let b = matrix(n, n, || integer(&mut numbers, 3));
        let entry = |i: usize, j: usize| {
            let dot: f64 = b[i].iter().zip(&b[j]).map(|(x, y)| x * y).sum();
            let skew = if k.is_multiple_of(2) { 0.0 } else { f64::from(i as i32 - j as i32) };
            units[i] * (dot + skew) * units[n + j]
        };
        let rows: Vec<Vec<f64>> = (0..n).map(|i| (0..n).map(|j| entry(i, j)).collect()).collect();
        let q: Vec<f64> = (0..n).map(|i| units[i] * integer(&mut numbers, 3)).collect();
        judged(format!("scaled {k}"), bounded(&rows, &q, &vec![(0.0, INF); n]))
    };
    (0..count).map(one).map(Option::unwrap).collect()
}

/// Matrices of no structure: solutions, several of them, none.
fn unstructured(count: usize) -> Vec<Instance> {
    let mut numbers = Numbers(4);
    let one = |k: usize| {
        let n = 2 + k % 3;
        let rows = matrix(n, n, || integer(&mut numbers, 4));
        let q: Vec<f64> = (0..n).map(|_| integer(&mut numbers, 4) - 1.0).collect();
        judged(format!("unstructured {k}"), bounded(&rows, &q, &vec![(0.0, INF); n]))
    };
    (0..count).map(one).map(Option::unwrap).collect()
}

/// A body of one or two freedoms between contacts, some of them with a largest force; masses from 1e-9 to 1e9, walls that close.
fn mixed(count: usize) -> Vec<Instance> {
    let mut numbers = Numbers(5);
    let mut one = |k: usize| {
        let (v, c) = (1 + k % 2, 2 + k % 3);
        let n = v + c;
        let mut rows = matrix(n, n, || 0.0);
        let mut bounds = vec![(-INF, INF); v];
        for row in rows.iter_mut().take(v).enumerate() {
            row.1[row.0] = 2_f64.powi(numbers.below(61) as i32 - 30);
        }
        for i in v..n {
            for j in 0..v {
                let g = integer(&mut numbers, 1);
                (rows[i][j], rows[j][i]) = (g, -g);
            }
            bounds.push(if numbers.below(4) == 0 { (0.0, 1.0) } else { (0.0, INF) });
        }
        let q: Vec<f64> = (0..n).map(|_| integer(&mut numbers, 2)).collect();
        judged(format!("mixed {k}"), bounded(&rows, &q, &bounds))
    };
    (0..count).map(|k| one(k).unwrap()).collect()
}

/// Contacts around a solution that is chosen: q = u − W p, with W of rank one and a little more, in units far apart.
fn frictional(count: usize) -> Vec<Instance> {
    let mut numbers = Numbers(6);
    let mut one = |k: usize| {
        let contacts = 1 + k % 3;
        let n = 3 * contacts;
        let (unit, hair) = (2_f64.powi(20 * (k % 5) as i32 - 40), 2_f64.powi(-10 * (k % 4) as i32));
        let h: Vec<f64> = (0..n).map(|i| if i % 3 == 0 { 1.0 } else { integer(&mut numbers, 1) }).collect();
        let entry = |i: usize, j: usize| unit * (h[i] * h[j] + if i == j { hair } else { 0.0 });
        let (mut p, mut u) = (vec![0.0; n], vec![0.0; n]);
        for first in (0..n).step_by(3) {
            match numbers.below(3) {
                0 => u[first] = 1.0,
                1 => (p[first], p[first + 1], p[first + 2]) = (8.0, 1.0, -2.0),
                // Slip along (3, 4)/5 under μ = 1/2.
                _ => {
                    (p[first], p[first + 1], p[first + 2]) = (10.0, -3.0, -4.0);
                    (u[first + 1], u[first + 2]) = (3.0, 4.0);
                }
            }
        }
        let entries: Vec<_> = (0..n * n).map(|k| (k / n, k % n, entry(k / n, k % n))).collect();
        let q = |i: usize| unit * u[i] - (0..n).map(|j| entry(i, j) * p[j]).sum::<f64>();
        let (m, q) = (CsrBuf::from_triplets(n, n, &entries), (0..n).map(q).collect());
        let rows = MlcpBuf::from_parts(m, q, vec![-INF; n], vec![INF; n], TOLERANCE);
        let mut problem = ConeBuf { rows, ..ConeBuf::default() };
        for first in (0..n as u32).step_by(3) {
            problem.push_block(ConeBlock { normal: first, tangent: first + 1, dim: 2, size: 0.5 });
        }
        Instance { name: format!("frictional {k}"), problem: Stored::Cone(problem), truth: Truth::Solvable }
    };
    (0..count).map(&mut one).collect()
}

fn program(p: CsrBuf, c: Vec<f64>, rows: &[Vec<f64>], lower: Vec<f64>) -> Stored {
    let (m, n) = (rows.len(), c.len());
    let entries: Vec<_> =
        (0..m * n).map(|k| (k / n, k % n, rows[k / n][k % n])).filter(|e| e.2 != 0.0).collect();
    let g = CsrBuf::from_triplets(m, n, &entries);
    let bounds = (lower, vec![INF; m]);
    Stored::Conic(ConicBuf::from_parts(p, c, g, vec![0.0; m], bounds))
}

/// P = D Bᵀ B D with D of powers of two: condition up to 1e16 and more.
fn objective(numbers: &mut Numbers, units: &[f64]) -> CsrBuf {
    let n = units.len();
    let b = matrix(n, n, || integer(numbers, 2));
    let entry = |i: usize, j: usize| b.iter().map(|row| row[i] * row[j]).sum::<f64>() * units[i] * units[j];
    let entries: Vec<_> =
        (0..n * n).map(|k| (k / n, k % n, entry(k / n, k % n))).filter(|e| e.2 != 0.0).collect();
    CsrBuf::from_triplets(n, n, &entries)
}

/// Convex programs around an optimum that is chosen: condition 1e16, every second row a multiple of the one before.
fn programs(count: usize) -> Vec<Instance> {
    let mut numbers = Numbers(7);
    let mut one = |k: usize| {
        let (n, m) = (2 + k % 4, 2 + k % 5);
        let range = [0, 9, 13, 20][k % 4];
        let units: Vec<f64> =
            (0..n).map(|_| 2_f64.powi(numbers.below(2 * range + 1) as i32 - range as i32)).collect();
        let p = objective(&mut numbers, &units);
        let mut hat = matrix(m, n, || integer(&mut numbers, 2));
        for i in (1..m).step_by(2) {
            hat[i] = hat[i - 1].iter().map(|x| 4.0 * x).collect();
        }
        let x: Vec<f64> = units.iter().map(|d| integer(&mut numbers, 3) / d).collect();
        let rows: Vec<Vec<f64>> =
            hat.iter().map(|row| row.iter().zip(&units).map(|(g, d)| g * d).collect()).collect();
        let at = |row: &Vec<f64>| row.iter().zip(&x).map(|(g, x)| g * x).sum::<f64>();
        let y: Vec<f64> = (0..m).map(|_| numbers.below(3) as f64).collect();
        let lower: Vec<f64> =
            rows.iter().zip(&y).map(|(r, y)| at(r) - if *y == 0.0 { 1.0 } else { 0.0 }).collect();
        let gradient = |i: usize| {
            let push: f64 = rows.iter().zip(&y).map(|(row, y)| row[i] * y).sum();
            push - p.view().row_dot(i, &x)
        };
        let c = (0..n).map(gradient).collect();
        let (name, problem) = (format!("program {k}"), program(p, c, &rows, lower));
        Instance { name, problem, truth: Truth::Solvable }
    };
    (0..count).map(&mut one).collect()
}

/// Programs whose rows contradict each other, and ones that fall for ever, in units far apart.
fn contradictions(count: usize) -> Vec<Instance> {
    let mut numbers = Numbers(8);
    let mut one = |k: usize| {
        let n = 2 + k % 4;
        let units: Vec<f64> = (0..n).map(|_| 2_f64.powi(numbers.below(61) as i32 - 30)).collect();
        let mut a: Vec<f64> = units.iter().map(|d| d * integer(&mut numbers, 3)).collect();
        a[0] = units[0];
        let (name, problem, truth) = if k.is_multiple_of(2) {
            // a·x ≥ 1 and −2 a·x ≥ −1.
            let p = objective(&mut numbers, &units);
            let rows = [a.clone(), a.iter().map(|x| -2.0 * x).collect(), units.clone()];
            let c = units.iter().map(|d| d * integer(&mut numbers, 2)).collect();
            let problem = program(p, c, &rows, vec![1.0, -1.0, -8.0]);
            (format!("contradiction {k}"), problem, Truth::Contradiction)
        } else {
            // Nothing holds the first unknown from below.
            let mut held = units.clone();
            held[0] = 0.0;
            let p = objective(&mut numbers, &held);
            let c =
                units.iter().enumerate().map(|(i, d)| if i == 0 { -d } else { d * integer(&mut numbers, 2) });
            let problem = program(p, c.collect(), std::slice::from_ref(&units), vec![-8.0]);
            (format!("without end {k}"), problem, Truth::Falling)
        };
        Instance { name, problem, truth }
    };
    (0..count).map(&mut one).collect()
}
