//! What the search may not lose: programs in wild units, and pairs that look alike and share their unknowns.

#![allow(clippy::print_stdout)]

use crate::oracle::{Random, compare, enumerate};
use vinci_sdk::core::problem::{ConicBuf, NO_GROUP, Problem, QpccBuf, Status};
use vinci_sdk::core::sparse::CsrBuf;
use vinci_sdk::core::stage::Solver;
use vinci_solver_branch_and_bound::{BranchAndBound, Config};

const INF: f64 = f64::INFINITY;

/// min ½ |x − 1|² with pairs of rows x_a and x_b, whose unknowns are given, and other rows Σ x ≥ `least`.
fn shared(pairs: &[(usize, usize)], n: usize, least: f64) -> QpccBuf {
    let m = 2 * pairs.len() + 1;
    let eye: Vec<_> = (0..n).map(|j| (j, j, 1.0)).collect();
    let mut rows: Vec<_> = (0..n).map(|j| (m - 1, j, 1.0)).collect();
    for (k, &(a, b)) in pairs.iter().enumerate() {
        rows.extend([(2 * k, a, 1.0), (2 * k + 1, b, 1.0)]);
    }
    let mut lower = vec![0.0; m];
    lower[m - 1] = least;
    let qp = ConicBuf::from_parts(
        CsrBuf::from_triplets(n, n, &eye),
        vec![-1.0; n],
        CsrBuf::from_triplets(m, n, &rows),
        vec![0.0; m],
        (lower, vec![INF; m]),
    );
    let mut q = QpccBuf { qp, ..QpccBuf::default() };
    (0..pairs.len()).for_each(|k| q.push_pair(2 * k, 2 * k + 1, NO_GROUP));
    q
}

/// (x ⟂ y) and (y ⟂ x): the exchange that turns one pair turns the other back. Both were held at their first side, and −½ was lost.
#[test]
fn pairs_that_share_their_unknowns_in_opposite_order() {
    for least in [-10.0, 1.0] {
        let q = shared(&[(0, 1), (1, 0)], 2, least);
        assert!((enumerate(&q.view()) + 0.5).abs() < 1e-12);
        compare(&mut BranchAndBound::new(Config::default()).unwrap(), &q.view(), "opposite");
    }
}

#[test]
fn pairs_that_share_unknowns_at_random() {
    let mut r = Random(77);
    for k in 0..150 {
        let (n, count) = (2 + r.below(3), 2 + r.below(4));
        let pair = |r: &mut Random| {
            let a = r.below(n);
            (a, (a + 1 + r.below(n - 1)) % n)
        };
        let pairs: Vec<_> = (0..count).map(|_| pair(&mut r)).collect();
        let q = shared(&pairs, n, r.below(3) as f64 - 1.0);
        compare(&mut BranchAndBound::new(Config::default()).unwrap(), &q.view(), &format!("{k}: {pairs:?}"));
    }
}

/// The problem in other units: unknowns x = D x̂, rows E s, objective times κ.
fn in_units(q: &QpccBuf, d: &[f64], e: &[f64], kappa: f64) -> QpccBuf {
    let (n, m) = (d.len(), e.len());
    let v = q.view();
    let p: Vec<_> =
        (0..n).flat_map(|i| v.qp.p.entries(i).map(move |(j, a)| (i, j, kappa * d[i] * a * d[j]))).collect();
    let rows: Vec<_> =
        (0..m).flat_map(|i| v.qp.rows.entries(i).map(move |(j, a)| (i, j, e[i] * a * d[j]))).collect();
    let times = |list: &[f64]| list.iter().zip(e).map(|(b, e)| b * e).collect::<Vec<_>>();
    let qp = ConicBuf::from_parts(
        CsrBuf::from_triplets(n, n, &p),
        v.qp.c.iter().zip(d).map(|(c, d)| kappa * c * d).collect(),
        CsrBuf::from_triplets(m, n, &rows),
        times(v.qp.g),
        (times(v.qp.lower), times(v.qp.upper)),
    );
    QpccBuf { qp, pairs: q.pairs.clone(), group: q.group.clone(), modes: q.modes.clone() }
}

/// Units of 2^−27 … 2^27, mixed: the search was lost in them from 1e6 on, and once told a point that no mode has. No word is wrong; a proof
/// that there is no mode may be missing.
#[test]
fn programs_in_wild_units_have_the_answers_of_tame_ones() {
    let (mut r, mut open) = (Random(5), Vec::new());
    for k in 0..60 {
        let q = crate::oracle::random(&mut r, crate::oracle::Kind::Coupled, 1 + k % 5);
        let best = enumerate(&q.view());
        let span = [6.0, 9.0][k % 2];
        let mut units =
            |len: usize| (0..len).map(|_| (span * r.signed()).round().exp2().powf(3.0)).collect::<Vec<_>>();
        let (d, e, kappa) = (units(q.qp.c.len()), units(q.qp.g.len()), units(1)[0]);
        let wild = in_units(&q, &d, &e, kappa);
        let mut solver = BranchAndBound::new(Config::default()).unwrap();
        let s = solver.solve(&Problem::Qpcc(wild.view())).unwrap();
        if s.status == Status::NumericalFailure {
            open.push((k, best, s.note.to_string()));
            continue;
        }
        if best == INF {
            assert_eq!(s.status, Status::Infeasible, "{k}: {}", s.note);
            continue;
        }
        let value = wild.view().qp.objective(s.z) / kappa;
        assert_eq!(s.status, Status::Converged, "{k}: {} {value} for {best}", s.note);
        assert!((value - best).abs() <= 1e-6 * best.abs().max(1e-3), "{k}: {value} instead of {best}");
        assert!(
            (s.bound / kappa - best).abs() <= 1e-6 * best.abs().max(1e-3),
            "{k}: bound {}",
            s.bound / kappa
        );
    }
    println!("{} of 60 without an answer: {open:?}", open.len());
    assert!(open.len() <= MOST_OPEN, "{open:?}");
}

/// Programs of that test that end without an answer today.
const MOST_OPEN: usize = 2;
