//! Against the enumeration of all modes: small random problems, degenerate, infeasible, tied and badly scaled ones.
#![allow(clippy::print_stdout)]

use vinci_qp::{ActiveSet, Settings};
use vinci_sdk::core::problem::{ConicBuf, Problem, Qpcc, QpccBuf, Status, proves_no_mode};
use vinci_sdk::core::sparse::CsrBuf;
use vinci_sdk::core::stage::Solver;
use vinci_solver_branch_and_bound::{BranchAndBound, Config};

const INF: f64 = f64::INFINITY;

/// Deterministic numbers.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }
    pub(crate) fn below(&mut self, n: usize) -> usize {
        (self.next() * n as f64) as usize
    }
    /// −1 … 1.
    pub(crate) fn signed(&mut self) -> f64 {
        2.0 * self.next() - 1.0
    }
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Kind {
    /// Every pair within one block.
    Coupled,
    /// One row of every pair in the block of the objective, the other in one without.
    Split,
    /// Small integers: ties and degenerate vertices.
    Integer,
    /// Equations that often cannot be met.
    Tight,
    /// Rows and unknowns with sizes from 1e-3 to 1e3.
    Scaled,
    /// No objective.
    Feasibility,
    /// P of rank one.
    Flat,
    /// As `Split`, without a box and with few terms in the objective: often without a lowest value.
    Open,
}

pub(crate) fn random(r: &mut Random, kind: Kind, pairs: usize) -> QpccBuf {
    let n = 2 * (2 + r.below(4));
    let half = n / 2;
    let split = matches!(kind, Kind::Split | Kind::Open);
    let number = |r: &mut Random| match kind {
        Kind::Integer | Kind::Tight | Kind::Open => (r.below(5) as f64) - 2.0,
        _ => r.signed(),
    };
    let (mut triplets, mut g, mut lower, mut upper) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut row = |r: &mut Random, from: usize, to: usize, constant: f64, l: f64, u: f64| {
        for j in from..to {
            if r.next() < 0.6 {
                triplets.push((g.len(), j, number(r)));
            }
        }
        g.push(constant);
        lower.push(l);
        upper.push(u);
    };
    for _ in 0..pairs {
        let (a, b) = (number(r), number(r));
        row(r, 0, if split { half } else { n }, a, 0.0, INF);
        row(r, if split { half } else { 0 }, n, b, 0.0, INF);
    }
    for k in 0..if matches!(kind, Kind::Tight | Kind::Open) { 3 } else { r.below(3) } {
        let c = number(r);
        let (from, to) = if split { (half * (k % 2), half * (1 + k % 2)) } else { (0, n) };
        row(r, from, to, c, 0.0, 0.0);
    }
    // A box, so that all is bounded.
    for j in 0..if kind == Kind::Open { 0 } else { n } {
        triplets.push((g.len(), j, 1.0));
        g.push(0.0);
        lower.push(-3.0);
        upper.push(3.0);
    }
    let m = g.len();
    let (mut p, mut c) = (vec![vec![0.0; n]; n], vec![0.0; n]);
    let used = if split { half } else { n };
    if kind != Kind::Feasibility {
        for _ in 0..if matches!(kind, Kind::Flat | Kind::Open) { 1 } else { used } {
            let v: Vec<f64> = (0..used).map(|_| number(r)).collect();
            (0..used).for_each(|i| (0..used).for_each(|j| p[i][j] += v[i] * v[j]));
        }
        (0..used).for_each(|j| c[j] = number(r));
    }
    let (mut row_size, mut size) = (vec![1.0; m], vec![1.0; n]);
    if kind == Kind::Scaled {
        row_size.iter_mut().for_each(|s| *s = 10_f64.powf(3.0 * r.signed()));
        size.iter_mut().for_each(|s| *s = 10_f64.powf(1.5 * r.signed()));
    }
    let matrix: Vec<_> = triplets.iter().map(|&(i, j, v)| (i, j, v * row_size[i] * size[j])).collect();
    let objective: Vec<_> = (0..n)
        .flat_map(|i| (0..n).map(move |j| (i, j)))
        .filter(|&(i, j)| p[i][j] != 0.0)
        .map(|(i, j)| (i, j, p[i][j] * size[i] * size[j]))
        .collect();
    let times = |v: &[f64]| v.iter().zip(&row_size).map(|(v, s)| v * s).collect::<Vec<_>>();
    let qp = ConicBuf::from_parts(
        CsrBuf::from_triplets(n, n, &objective),
        c.iter().zip(&size).map(|(c, s)| c * s).collect(),
        CsrBuf::from_triplets(m, n, &matrix),
        times(&g),
        (times(&lower), times(&upper)),
    );
    let mut problem = QpccBuf { qp, ..QpccBuf::default() };
    problem.qp.tolerance = 1e-8;
    (0..pairs).for_each(|k| problem.push_pair(2 * k, 2 * k + 1, (k / 3) as u32));
    problem
}

/// The best objective of all modes, by 2^pairs convex programs: infinite without any point, −∞ without a lowest value.
pub(crate) fn enumerate(q: &Qpcc<'_>) -> f64 {
    let mut qp = ActiveSet::new(Settings { tolerance: 1e-11, ..Settings::default() });
    qp.set_up(q.qp.p, q.qp.rows).unwrap();
    qp.set_cost(q.qp.c).unwrap();
    let mut best = INF;
    for modes in 0..1_usize << q.n_pairs() {
        let (mut l, mut u): (Vec<f64>, Vec<f64>) =
            (0..q.qp.m()).map(|i| (q.qp.lower[i] - q.qp.g[i], q.qp.upper[i] - q.qp.g[i])).unzip();
        for k in 0..q.n_pairs() {
            let row = if modes >> k & 1 == 0 { q.pair(k).0 } else { q.pair(k).1 };
            (l[row], u[row]) = (-q.qp.g[row], -q.qp.g[row]);
        }
        qp.set_bounds(&l, &u).unwrap();
        qp.start_cold();
        match qp.solve(INF) {
            vinci_qp::Status::Optimal => best = best.min(qp.objective()),
            vinci_qp::Status::Infeasible => {}
            vinci_qp::Status::Unbounded => best = -INF,
            other => panic!("the oracle ended with {other:?}"),
        }
    }
    best
}

/// One or two contacts, each with rows s_a, s_b and s_c = ½ (s_a + s_b) of the motion and a row of the forces beside each: as
/// sticking is tied to slip either way.
fn with_sums(r: &mut Random) -> QpccBuf {
    let contacts = 1 + r.below(2);
    let (motion, n) = (3 + r.below(2), 8);
    let number = |r: &mut Random| r.below(5) as f64 - 2.0;
    let draw = |r: &mut Random, forces: bool| -> (Vec<f64>, f64) {
        ((0..n).map(|j| if (j >= motion) == forces { number(r) } else { 0.0 }).collect(), number(r))
    };
    let mut rows = Vec::new();
    for _ in 0..contacts {
        let (a, b) = (draw(r, false), draw(r, false));
        let half = (a.0.iter().zip(&b.0).map(|(x, y)| 0.5 * (x + y)).collect(), 0.5 * (a.1 + b.1));
        for row in [a, b, half] {
            rows.push((row, 0.0, INF));
            rows.push((draw(r, true), 0.0, INF));
        }
    }
    rows.push((draw(r, true), 0.0, 0.0));
    rows.extend((0..n).map(|j| (((0..n).map(|k| f64::from(j == k)).collect(), 0.0), -3.0, 3.0)));
    let entries: Vec<_> = rows
        .iter()
        .enumerate()
        .flat_map(|(i, row)| row.0.0.iter().enumerate().map(move |(j, v)| (i, j, *v)))
        .filter(|e| e.2 != 0.0)
        .collect();
    let objective: Vec<_> = (0..motion).map(|i| (i, i, 1.0)).collect();
    let c = (0..n).map(|j| if j < motion { number(r) } else { 0.0 }).collect();
    let qp = ConicBuf::from_parts(
        CsrBuf::from_triplets(n, n, &objective),
        c,
        CsrBuf::from_triplets(rows.len(), n, &entries),
        rows.iter().map(|row| row.0.1).collect(),
        (rows.iter().map(|row| row.1).collect(), rows.iter().map(|row| row.2).collect()),
    );
    let mut problem = QpccBuf { qp, ..QpccBuf::default() };
    problem.qp.tolerance = 1e-8;
    (0..3 * contacts).for_each(|k| problem.push_pair(2 * k, 2 * k + 1, (k / 3) as u32));
    problem
}

/// Solves and compares; whether there was a solution.
pub(crate) fn compare(solver: &mut BranchAndBound, q: &Qpcc<'_>, name: &str) -> bool {
    let best = enumerate(q);
    let s = solver.solve(&Problem::Qpcc(*q)).unwrap();
    if best == INF {
        assert_eq!(s.status, Status::Infeasible, "{name}: {}", s.note);
        assert!(proves_no_mode(q, s.certificate), "{name}");
        return false;
    }
    if best == -INF {
        assert_eq!(s.status, Status::Unbounded, "{name}: {} bound {}", s.note, s.bound);
        return false;
    }
    assert_eq!(s.status, Status::Converged, "{name}: {} bound {} best {best}", s.note, s.bound);
    let value = q.qp.objective(s.z);
    let allowed = 1e-7 * best.abs().max(0.01 * q.typical_objective());
    assert!((value - best).abs() <= allowed, "{name}: {value} instead of {best}");
    assert!(s.bound <= best + allowed, "{name}: the bound {} exceeds {best}", s.bound);
    let (status, residual) = q.audited_status(s.status, s.z, s.dual, s.bound);
    assert_eq!(status, Status::Converged, "{name}: {residual:?}, bound {}", s.bound);
    true
}

fn sweep(kind: Kind, count: usize, seed: u64) {
    let mut r = Random(seed);
    let configs =
        [Config::default(), Config { shorten: false, probe: false, dominance: false, ..Config::default() }];
    let mut solved = 0;
    for k in 0..count {
        let pairs = 1 + r.below(8);
        let mut problem = random(&mut r, kind, pairs);
        if k % 3 == 1 {
            problem.modes = (0..pairs).map(|_| r.below(3) as u32).collect();
        }
        let mut solver = BranchAndBound::new(configs[k % 2].clone()).unwrap();
        solved += usize::from(compare(&mut solver, &problem.view(), &format!("{kind:?} {k}, {pairs} pairs")));
    }
    println!("{kind:?}: {count} problems, {solved} with a solution");
    assert!(solved > 0 && (kind != Kind::Tight || solved < count));
}

#[test]
fn pairs_within_one_block() {
    sweep(Kind::Coupled, 150, 1);
}

#[test]
fn pairs_between_two_blocks() {
    sweep(Kind::Split, 200, 2);
}

#[test]
fn small_integers() {
    sweep(Kind::Integer, 150, 3);
}

#[test]
fn often_infeasible() {
    sweep(Kind::Tight, 150, 4);
}

#[test]
fn badly_scaled() {
    sweep(Kind::Scaled, 100, 5);
}

#[test]
fn without_objective() {
    sweep(Kind::Feasibility, 100, 6);
}

#[test]
fn objective_of_rank_one() {
    sweep(Kind::Flat, 150, 7);
}

#[test]
fn without_a_box() {
    sweep(Kind::Open, 300, 8);
}

/// min −x with 0 ≤ x ⟂ p ≥ 0, p + q = 1, p − q = 1: the side p = 0, in which x would rise without end, has no forces.
#[test]
fn a_fall_that_another_block_forbids() {
    let entries = [(0, 0, 1.0), (1, 1, 1.0), (2, 1, 1.0), (2, 2, 1.0), (3, 1, 1.0), (3, 2, -1.0)];
    let qp = ConicBuf::from_parts(
        CsrBuf::from_triplets(3, 3, &[]),
        vec![-1.0, 0.0, 0.0],
        CsrBuf::from_triplets(4, 3, &entries),
        vec![0.0; 4],
        (vec![0.0, 0.0, 1.0, 1.0], vec![INF, INF, 1.0, 1.0]),
    );
    for (i, j) in [(0, 1), (1, 0)] {
        let mut problem = QpccBuf { qp: qp.clone(), ..QpccBuf::default() };
        problem.push_pair(i, j, 0);
        let mut solver = BranchAndBound::new(Config::default()).unwrap();
        assert!(compare(&mut solver, &problem.view(), &format!("pair ({i}, {j})")));
        // Without the second equation p = 0 is lawful, and there is no lowest value.
        (problem.qp.lower[3], problem.qp.upper[3]) = (-INF, INF);
        let s = solver.solve(&Problem::Qpcc(problem.view())).unwrap();
        assert_eq!(s.status, Status::Unbounded, "pair ({i}, {j}): {}", s.note);
    }
}

#[test]
fn rows_that_are_sums_of_others() {
    let (mut r, mut solved) = (Random(99), 0);
    for k in 0..400 {
        let problem = with_sums(&mut r);
        let mut solver = BranchAndBound::new(Config::default()).unwrap();
        solved += usize::from(compare(&mut solver, &problem.view(), &format!("sum {k}")));
    }
    println!("sums: 400 problems, {solved} with a solution");
    assert!(solved > 100);
}

/// With a large gap allowed, the bound is what was discarded, not the best point: it lies at or below the optimum, within the gap.
#[test]
fn a_bound_within_a_large_gap_is_a_bound() {
    let (mut r, mut below, gap) = (Random(7), 0, 1.0);
    for k in 0..200 {
        let kind = [Kind::Coupled, Kind::Integer, Kind::Flat][k % 3];
        let pairs = 2 + r.below(6);
        let mut problem = random(&mut r, kind, pairs);
        problem.modes = (0..pairs).map(|_| 1 + r.below(2) as u32).collect();
        let q = problem.view();
        let best = enumerate(&q);
        let config = Config { absolute_gap: Some(gap), ..Config::default() };
        let mut solver = BranchAndBound::new(config).unwrap();
        let s = solver.solve(&Problem::Qpcc(q)).unwrap();
        if best == INF {
            continue;
        }
        let value = q.qp.objective(s.z);
        assert_eq!(s.status, Status::Converged, "{k}");
        assert!(s.bound <= best + 1e-7 && value >= best - 1e-7, "{k}: {} and {value} of {best}", s.bound);
        assert!(value - s.bound <= gap + 1e-7, "{k}: {value} with the bound {}", s.bound);
        below += usize::from(value > best + 1e-6);
    }
    println!("{below} ended at a point that is not the best");
    assert!(below > 0, "no gap was ever used");
}
