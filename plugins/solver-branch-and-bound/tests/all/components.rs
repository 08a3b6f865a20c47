//! Problems of several components, and ties: independent, symmetric, coupled.

use crate::instances::corners;
use crate::oracle::{Kind, Random, compare, enumerate, random};
use vinci_sdk::core::problem::{Problem, QpccBuf, RowTag, Status, proves_no_mode};
use vinci_sdk::core::sparse::CsrBuf;
use vinci_sdk::core::stage::Solver;
use vinci_solver_branch_and_bound::{BranchAndBound, Config};

const INF: f64 = f64::INFINITY;

/// Both problems side by side, the unknowns of one after those of the other.
fn join(a: &QpccBuf, b: &QpccBuf) -> QpccBuf {
    let (na, ma, mut q) = (a.qp.c.len(), a.qp.g.len(), QpccBuf::default());
    q.clear(na + b.qp.c.len(), a.qp.tolerance);
    for (part, columns, rows) in [(a, 0, 0), (b, na, ma)] {
        let p = part.view();
        for j in 0..p.qp.n() {
            p.qp.p.entries(j).for_each(|(k, v)| q.qp.p.push(columns + k, v));
            q.qp.end_unknown(p.qp.c[j], RowTag::default(), p.qp.x_scale[j]);
        }
        for i in 0..p.qp.m() {
            p.qp.rows.entries(i).for_each(|(k, v)| q.qp.rows.push(columns + k, v));
            q.qp.end_row(p.qp.g[i], (p.qp.lower[i], p.qp.upper[i]), RowTag::default(), p.qp.s_scale[i]);
        }
        for k in 0..p.n_pairs() {
            let (i, j) = p.pair(k);
            q.push_pair(rows + i, rows + j, (rows + k) as u32);
        }
    }
    q
}

fn solve(q: &QpccBuf, config: Config) -> (Status, f64, f64, u32) {
    let mut solver = BranchAndBound::new(config).unwrap();
    let s = solver.solve(&Problem::Qpcc(q.view())).unwrap();
    if s.status == Status::Converged {
        let (status, residual) = q.view().audited_status(s.status, s.z, s.dual, s.bound);
        assert_eq!(status, Status::Converged, "{residual:?}, bound {}", s.bound);
    }
    (s.status, q.view().qp.objective(s.z), s.bound, s.iterations)
}

/// 2¹⁶ and 2⁶⁴ modes of one value: a node or two for every pair.
#[test]
fn tied_independent_pairs() {
    for count in [16, 64, 200] {
        let q = corners(&vec![(1.0, 1.0); count]);
        let (status, value, bound, nodes) = solve(&q, Config::default());
        assert_eq!(status, Status::Converged);
        assert!((value + 0.5 * count as f64).abs() < 1e-9 && bound <= value && value - bound < 1e-8);
        assert!(nodes as usize <= 2 * count, "{nodes} nodes for {count} pairs");
    }
}

/// The same with no products to be had (the objective is linear) and all pairs in one row: sides that may change places.
#[test]
fn tied_pairs_in_one_row() {
    for (count, all) in [(6, true), (40, true), (6, false), (30, false)] {
        let mut q = corners(&vec![(1.0, 1.0); count]);
        let n = 2 * count;
        q.qp.p = CsrBuf::from_triplets(n, n, &[]);
        // Without `all` the second sides are worth less: pairs may change places, sides may not.
        q.qp.c = (0..n).map(|j| if all || j % 2 == 0 { -1.0 } else { -0.75 }).collect();
        for j in 0..=n {
            let columns = if j < n { j..j + 1 } else { 0..n };
            columns.for_each(|k| q.qp.rows.push(k, 1.0));
            let bounds = if j < n { (-INF, 1.0) } else { (-INF, count as f64 - 2.5) };
            q.qp.end_row(0.0, bounds, RowTag::default(), 1.0);
        }
        let (status, value, _, nodes) = solve(&q, Config::default());
        assert_eq!(status, Status::Converged);
        assert!((value + count as f64 - 2.5).abs() < 1e-8, "{value}");
        assert!(nodes as usize <= 3 * count, "{nodes} nodes for {count} pairs, {all}");
        if count < 8 {
            assert!((value - enumerate(&q.view())).abs() < 1e-8);
        }
    }
}

/// Numbers 0 or 1 that change places at will: which of them are 1 does not matter, how many does.
#[test]
fn tied_choices_of_one_unknown() {
    for (count, sum) in [(5_usize, 2.0), (40, 17.0), (5, 2.5), (40, 17.5)] {
        let mut q = QpccBuf::default();
        q.clear(count, 1e-8);
        for j in 0..count {
            q.qp.end_unknown(if sum == 17.0 { -1.0 } else { 0.0 }, RowTag::default(), 1.0);
            for (at, sign) in [(0.0, 1.0), (1.0, -1.0)] {
                q.qp.rows.push(j, sign);
                q.qp.end_row(at, (0.0, INF), RowTag::default(), 1.0);
            }
            q.push_pair(2 * j, 2 * j + 1, j as u32);
        }
        (0..count).for_each(|j| q.qp.rows.push(j, 1.0));
        q.qp.end_row(0.0, (sum, sum), RowTag::default(), 1.0);
        let (status, _, _, nodes) = solve(&q, Config::default());
        let possible = sum.fract() == 0.0;
        assert!(possible == (status == Status::Converged), "{count} with the sum {sum}: {status:?}");
        assert!(nodes as usize <= 3 * count, "{nodes} nodes for {count} choices");
        // Proofs know nothing of symmetry: 2⁴⁰ modes are none that could be written down.
        assert_eq!(status == Status::Infeasible, !possible && count < 8, "{status:?}");
    }
}

/// Targets that tie under an objective that couples all pairs a little: neither symmetry nor components help, products do.
#[test]
fn tied_pairs_coupled_by_the_objective() {
    for (count, weight) in [(6, 1e-3), (7, 0.05), (12, 1e-3)] {
        let mut q = corners(&vec![(1.0, 1.0); count]);
        let n = 2 * count;
        let entry = |i: usize, j: usize| weight * ((3 * i + 3 * j) % 5) as f64 / 5.0;
        let p = (0..n).flat_map(|i| (0..n).map(move |j| (i, j)));
        let p: Vec<_> =
            p.map(|(i, j)| (i, j, if i == j { 1.0 + weight * n as f64 } else { entry(i, j) })).collect();
        q.qp.p = CsrBuf::from_triplets(n, n, &p);
        let (status, value, _, nodes) = solve(&q, Config::default());
        println!("{count} pairs, coupling {weight}: {nodes} nodes");
        assert_eq!(status, Status::Converged);
        let best = enumerate(&q.view());
        assert!((value - best).abs() < 1e-7 * best.abs(), "{value} instead of {best}");
    }
}

/// Two random problems side by side: the answer is the sum of both, infeasible where one is, without a lowest value where one is
/// and the other is lawful.
#[test]
fn two_problems_side_by_side() {
    let (mut r, mut solved, mut impossible, mut falling) = (Random(2024), 0, 0, 0);
    let kinds = [
        Kind::Coupled,
        Kind::Split,
        Kind::Integer,
        Kind::Tight,
        Kind::Scaled,
        Kind::Feasibility,
        Kind::Flat,
        Kind::Open,
    ];
    for k in 0..240 {
        let (a, b) = (kinds[r.below(8)], kinds[r.below(8)]);
        let (pairs_a, pairs_b) = (1 + r.below(5), 1 + r.below(5));
        let (a, b) = (random(&mut r, a, pairs_a), random(&mut r, b, pairs_b));
        let q = join(&a, &b);
        let values = [enumerate(&a.view()), enumerate(&b.view())];
        let name = format!("{k}: {values:?}");
        let mut solver = BranchAndBound::new(Config::default()).unwrap();
        if values.contains(&INF) {
            let s = solver.solve(&Problem::Qpcc(q.view())).unwrap();
            assert_eq!(s.status, Status::Infeasible, "{name}: {}", s.note);
            assert!(proves_no_mode(&q.view(), s.certificate), "{name}");
            impossible += 1;
        } else if values.contains(&-INF) {
            let s = solver.solve(&Problem::Qpcc(q.view())).unwrap();
            assert_eq!(s.status, Status::Unbounded, "{name}: {}", s.note);
            falling += 1;
        } else {
            solved += usize::from(compare(&mut solver, &q.view(), &name));
            let config = Config { relative_gap: Some(0.1), ..Config::default() };
            let s = BranchAndBound::new(config).unwrap().solve(&Problem::Qpcc(q.view())).map(|s| s.bound);
            assert!(s.unwrap() <= values[0] + values[1] + 1e-7, "{name}");
        }
    }
    println!("{solved} solved, {impossible} impossible, {falling} without a lowest value");
    assert!(solved > 80 && impossible > 10 && falling > 5);
}

/// The nodes of all components together; every one gets a node, so that there is a point and a bound.
#[test]
fn the_budget_of_nodes_is_for_all_components() {
    let (mut r, mut limited) = (Random(5), 0);
    for _ in 0..40 {
        let (a, b) = (random(&mut r, Kind::Integer, 6), random(&mut r, Kind::Flat, 6));
        let q = join(&a, &b);
        let best = enumerate(&a.view()) + enumerate(&b.view());
        if best == INF {
            continue;
        }
        let (status, value, bound, nodes) = solve(&q, Config { max_nodes: 3, ..Config::default() });
        assert!(
            nodes <= 4 && bound <= best + 1e-7,
            "{status:?} after {nodes} nodes, bound {bound} of {best}"
        );
        assert!(status != Status::Converged || (value - best).abs() < 1e-6 * best.abs().max(1.0));
        limited += usize::from(status == Status::NodeLimit);
    }
    assert!(limited > 1, "{limited} met the limit");
}

/// Two components whose objectives are 1e-12 to 1e12 apart: nothing false is said of the whole.
#[test]
fn components_of_far_sizes() {
    let (mut r, mut said) = (Random(77), [0; 3]);
    for k in 0..160 {
        let kinds = [Kind::Coupled, Kind::Integer, Kind::Tight, Kind::Split];
        let (a, b) = (kinds[r.below(4)], kinds[r.below(4)]);
        let (pairs_a, pairs_b) = (1 + r.below(4), 1 + r.below(4));
        let (a, mut b) = (random(&mut r, a, pairs_a), random(&mut r, b, pairs_b));
        let values = [enumerate(&a.view()), enumerate(&b.view())];
        let factor = 10_f64.powi(r.below(25) as i32 - 12);
        let scaled: Vec<_> = (0..b.qp.c.len())
            .flat_map(|i| b.qp.p.view().entries(i).map(move |(j, v)| (i, j, v * factor)).collect::<Vec<_>>())
            .collect();
        b.qp.p = CsrBuf::from_triplets(b.qp.c.len(), b.qp.c.len(), &scaled);
        b.qp.c.iter_mut().for_each(|c| *c *= factor);
        let q = join(&a, &b);
        let (status, value, bound, _) = solve(&q, Config::default());
        let best = values[0] + factor * values[1];
        let size = q.view().typical_objective().max(best.abs());
        match status {
            Status::Converged => {
                assert!((value - best).abs() <= 1e-6 * size && bound <= best + 1e-6 * size, "{k}")
            }
            Status::Infeasible => assert_eq!(best, INF, "{k}"),
            other => assert_eq!(other, Status::NumericalFailure, "{k}: {best}"),
        }
        said[usize::from(status != Status::Converged) + usize::from(status == Status::NumericalFailure)] += 1;
    }
    println!("solved, infeasible, refused: {said:?}");
    assert!(said[0] > 60 && said[1] > 20 && said[2] < 10);
}
