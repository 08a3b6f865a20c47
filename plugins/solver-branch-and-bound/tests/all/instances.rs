//! Worked instances: what is said when there is no solution, no lowest value, no time, or no sense in the input.

use vinci_sdk::core::problem::{ConicBuf, NO_GROUP, Problem, QpccBuf, RowTag, Status, proves_no_mode};
use vinci_sdk::core::sparse::CsrBuf;
use vinci_sdk::core::stage::Solver;
use vinci_solver_branch_and_bound::{BranchAndBound, Config};

const INF: f64 = f64::INFINITY;

fn solver() -> BranchAndBound {
    BranchAndBound::new(Config::default()).unwrap()
}

/// `pairs` copies of: 0 ≤ x ⟂ y ≥ 0, ½ (x − a)² + ½ (y − b)². The best of 2^pairs modes keeps the larger of a and b.
pub(crate) fn corners(targets: &[(f64, f64)]) -> QpccBuf {
    let n = 2 * targets.len();
    let eye: Vec<_> = (0..n).map(|i| (i, i, 1.0)).collect();
    let eye = CsrBuf::from_triplets(n, n, &eye);
    let c = targets.iter().flat_map(|t| [-t.0, -t.1]).collect();
    let qp = ConicBuf::from_parts(eye.clone(), c, eye, vec![0.0; n], (vec![0.0; n], vec![INF; n]));
    let mut q = QpccBuf { qp, ..QpccBuf::default() };
    q.qp.tolerance = 1e-10;
    (0..targets.len()).for_each(|k| q.push_pair(2 * k, 2 * k + 1, NO_GROUP));
    q
}

#[test]
fn the_larger_target_of_every_pair_is_kept() {
    let targets = [(2.0, 1.0), (1.0, 3.0), (0.5, 0.25), (-1.0, 2.0), (0.125, 0.5), (1.0, 1.0)];
    let q = corners(&targets);
    let mut solver = solver();
    let s = solver.solve(&Problem::Qpcc(q.view())).unwrap();
    assert_eq!(s.status, Status::Converged, "{}", s.note);
    let best: f64 = targets.iter().map(|t| -0.5 * t.0.max(t.1).powi(2)).sum();
    assert!((q.view().qp.objective(s.z) - best).abs() < 1e-12);
    assert!((s.bound - best).abs() < 1e-9 && s.bound <= best);
}

#[test]
fn limits_report_the_best_point_and_a_valid_bound() {
    // Targets that tie: every mode must be looked at, or shown to be no better.
    let targets: Vec<_> =
        (0..9).map(|k| (1.0 + 0.01 * f64::from(k), 1.0 + 0.01 * f64::from(8 - k))).collect();
    let mut q = corners(&targets);
    q.modes = vec![1; 9];
    let best: f64 = targets.iter().map(|t| -0.5 * t.0.max(t.1).powi(2)).sum();
    let limits = [
        (Config { max_nodes: 1, ..Config::default() }, Status::NodeLimit),
        (Config { time_limit: Some(0.0), ..Config::default() }, Status::TimeLimit),
    ];
    for (config, expected) in limits {
        let mut solver = BranchAndBound::new(config).unwrap();
        let s = solver.solve(&Problem::Qpcc(q.view())).unwrap();
        assert_eq!(s.status, expected);
        assert!(q.view().infeasibility(s.z) < 1e-10, "the guess's modes give a lawful point");
        assert!(s.bound <= best + 1e-12 && !s.bound.is_nan(), "{} against {best}", s.bound);
    }
    let s = solver().solve(&Problem::Qpcc(q.view())).map(|s| (s.status, s.bound)).unwrap();
    assert_eq!(s.0, Status::Converged);
    assert!((s.1 - best).abs() < 1e-8);
}

/// min −Σ (x_k + b_k y_k) with 0 ≤ x_k ⟂ y_k ≥ 0, x_k and y_k at most 1, tied together by a row that never counts.
#[test]
fn a_larger_gap_ends_earlier() {
    let pairs = 12;
    let mut q = corners(&vec![(1.0, 1.0); pairs]);
    let n = 2 * pairs;
    q.qp.p = CsrBuf::from_triplets(n, n, &[]);
    q.qp.c = (0..n).map(|j| -1.0 - 1e-3 * (j / 2 * (j % 2)) as f64).collect();
    for j in 0..=n {
        let columns = if j < n { j..j + 1 } else { 0..n };
        columns.for_each(|k| q.qp.rows.push(k, 1.0));
        let bounds = (-INF, if j < n { 1.0 } else { 100.0 });
        q.qp.end_row(0.0, bounds, RowTag::default(), 1.0);
    }
    q.modes = vec![2; pairs];
    let nodes = |gap: Option<f64>| {
        let mut solver = BranchAndBound::new(Config { absolute_gap: gap, ..Config::default() }).unwrap();
        let s = solver.solve(&Problem::Qpcc(q.view())).unwrap();
        assert_eq!(s.status, Status::Converged);
        assert!(q.view().qp.objective(s.z) - s.bound <= gap.unwrap_or(1e-8) + 1e-12);
        s.iterations
    };
    assert!(nodes(Some(100.0)) <= 1);
    assert!(nodes(None) > 1);
}

/// x ⟂ 1 − x with 0.25 ≤ x ≤ 0.75: neither side can vanish.
#[test]
fn no_mode_is_possible_and_the_tree_proves_it() {
    let g = CsrBuf::from_triplets(3, 1, &[(0, 0, 1.0), (1, 0, -1.0), (2, 0, 1.0)]);
    let p = CsrBuf::from_triplets(1, 1, &[(0, 0, 1.0)]);
    let bounds = (vec![0.0, 0.0, 0.25], vec![INF, INF, 0.75]);
    let qp = ConicBuf::from_parts(p, vec![0.0], g, vec![0.0, 1.0, 0.0], bounds);
    let mut q = QpccBuf { qp, ..QpccBuf::default() };
    q.push_pair(0, 1, NO_GROUP);
    let mut solver = solver();
    let s = solver.solve(&Problem::Qpcc(q.view())).unwrap();
    assert_eq!(s.status, Status::Infeasible, "{}", s.note);
    assert!(proves_no_mode(&q.view(), s.certificate));
    assert_eq!(s.certificate.len(), 2 * (1 + 2 + 3), "a leaf per side");
}

#[test]
fn an_objective_without_a_lowest_value_is_named() {
    // min −x with x ⟂ y and nothing else: along y = 0 there is no end.
    let mut none = CsrBuf::default();
    none.clear(2);
    none.end_row();
    none.end_row();
    let eye = CsrBuf::from_triplets(2, 2, &[(0, 0, 1.0), (1, 1, 1.0)]);
    let qp = ConicBuf::from_parts(none, vec![-1.0, 0.0], eye, vec![0.0; 2], (vec![0.0; 2], vec![INF; 2]));
    let mut q = QpccBuf { qp, ..QpccBuf::default() };
    q.push_pair(0, 1, NO_GROUP);
    let mut solver = solver();
    let s = solver.solve(&Problem::Qpcc(q.view())).unwrap();
    assert_eq!(s.status, Status::Unbounded, "{}", s.note);
}

#[test]
fn misuse_is_refused() {
    for config in [
        Config { tolerance: Some(0.0), ..Config::default() },
        Config { absolute_gap: Some(-1.0), ..Config::default() },
        Config { relative_gap: Some(1.0), ..Config::default() },
        Config { time_limit: Some(f64::NAN), ..Config::default() },
        Config { max_nodes: 0, ..Config::default() },
    ] {
        assert!(BranchAndBound::new(config).is_err());
    }
    let mut q = corners(&[(1.0, 2.0)]);
    q.qp.p = CsrBuf::from_triplets(2, 2, &[(0, 0, -1.0), (1, 1, 1.0)]);
    assert!(solver().solve(&Problem::Qpcc(q.view())).is_err(), "P is not positive semidefinite");
    q = corners(&[(1.0, 2.0)]);
    q.modes = vec![1, 1];
    assert!(solver().solve(&Problem::Qpcc(q.view())).is_err(), "two modes for one pair");
}

#[test]
fn the_same_problem_gives_the_same_bits() {
    let targets: Vec<_> =
        (0..10).map(|k| (1.0 + 0.1 * f64::from(k % 3), 1.0 + 0.1 * f64::from(k % 4))).collect();
    let q = corners(&targets);
    let run = |solver: &mut BranchAndBound| {
        let s = solver.solve(&Problem::Qpcc(q.view())).unwrap();
        (s.z.to_vec(), s.dual.to_vec(), s.bound, s.iterations, s.factorizations)
    };
    let mut used = solver();
    let other = corners(&[(1.0, 2.0), (3.0, 1.0)]);
    used.solve(&Problem::Qpcc(other.view())).unwrap();
    assert_eq!(run(&mut used), run(&mut solver()), "memory of earlier problems must not show");
}
