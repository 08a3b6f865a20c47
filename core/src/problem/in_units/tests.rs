//! Tests of residuals in units: what they see, and what they forgive.

use crate::problem::{ConeBlock, ConeBuf, ConicBuf, LIMIT_IN_UNITS, MlcpBuf, NO_NORMAL};
use crate::sparse::CsrBuf;

const INF: f64 = f64::INFINITY;

/// min ½ xᵀP x + cᵀx, x ≥ l, with x in units D and rows in units E.
fn program(d: [f64; 2], e: [f64; 2]) -> ConicBuf {
    let p = [(0, 0, 2.0), (0, 1, 1.0), (1, 0, 1.0), (1, 1, 3.0)];
    let p: Vec<_> = p.iter().map(|&(i, j, v)| (i, j, d[i] * v * d[j])).collect();
    let g = [(0, 0, e[0] * d[0]), (1, 1, e[1] * d[1])];
    let bounds = (vec![0.0, e[1]], vec![INF; 2]);
    let c = vec![-8.0 * d[0], -2.0 * d[1]];
    ConicBuf::from_parts(
        CsrBuf::from_triplets(2, 2, &p),
        c,
        CsrBuf::from_triplets(2, 2, &g),
        vec![0.0; 2],
        bounds,
    )
}

/// Its solution: x = (3.5, 1), y = (0, 4.5).
fn solution(d: [f64; 2], e: [f64; 2]) -> ([f64; 2], [f64; 2]) {
    ([3.5 / d[0], 1.0 / d[1]], [0.0, 4.5 / e[1]])
}

/// A nanometre beside a light year: a number is wrong by a tenth, and the file's own numbers may not show it.
#[test]
fn units_hide_nothing() {
    for (d, e) in [([1.0; 2], [1.0; 2]), ([1e12, 1e-9], [1.0, 1e6]), ([1e-12, 1e9], [1e12, 1e-12])] {
        let problem = program(d, e);
        let p = problem.view();
        let (x, y) = solution(d, e);
        assert!(p.residual_in_units(&x, &y) <= 1e-15, "{d:?} {:e}", p.residual_in_units(&x, &y));
        for k in 0..2 {
            let mut wrong = x;
            wrong[k] *= 1.1;
            let found = p.residual_in_units(&wrong, &y);
            assert!(found > 0.01 && found < 1.0, "{d:?} {e:?} {k}: {found:e}");
        }
        assert!(p.residual_in_units(&x, &[0.0, 0.0]) > 0.1);
    }
    let (x, y) = solution([1e12, 1e-9], [1.0, 1e6]);
    let hidden = program([1e12, 1e-9], [1.0, 1e6]);
    let wrong = [y[0], 1.1 * y[1]];
    assert!(hidden.view().residual(&x, &wrong).natural < 1e-8);
    assert!(hidden.view().residual_in_units(&x, &wrong) > 0.01);
}

/// A light year in one part is no reason to lose a millimetre in another: 1e-3 is what x_1 ≥ 1e-3 asks for.
#[test]
fn a_large_part_hides_nothing_in_another() {
    let eye = || CsrBuf::from_triplets(2, 2, &[(0, 0, 1.0), (1, 1, 1.0)]);
    let bounds = (vec![-INF, 1e-3], vec![INF; 2]);
    let problem = ConicBuf::from_parts(eye(), vec![-1e12, 0.0], eye(), vec![0.0; 2], bounds);
    let p = problem.view();
    assert!(p.residual_in_units(&[1e12, 1e-3], &[0.0, 1e-3]) < 1e-12);
    assert!(p.residual_in_units(&[1e12, 0.0], &[0.0; 2]) > 0.1);
}

/// A row that never acts ties both parts, 1e-12 x_0 + x_1 ≥ −1: x_1 ≥ `least` asks for what it asks for all the same.
#[test]
fn a_large_row_hides_nothing_in_another_of_its_part() {
    for least in [1.0, 1e-3, 1e-6] {
        let rows = CsrBuf::from_triplets(2, 2, &[(0, 1, 1.0), (1, 0, 1e-12), (1, 1, 1.0)]);
        let p = CsrBuf::from_triplets(2, 2, &[(0, 0, 1.0), (1, 1, 1.0)]);
        let bounds = (vec![least, -1.0], vec![INF; 2]);
        let problem = ConicBuf::from_parts(p, vec![-1e12, 0.0], rows, vec![0.0; 2], bounds);
        let p = problem.view();
        assert!(p.residual_in_units(&[1e12, least], &[least, 0.0]) < 1e-12, "{least}");
        let limit = LIMIT_IN_UNITS * problem.tolerance;
        assert!(p.residual_in_units(&[1e12, 0.0], &[0.0; 2]) > 10.0 * limit, "{least}");
        assert!(!p.is_point(&[1e12, 0.0]) && p.is_point(&[1e12, least]), "{least}");
    }
}

/// Friction under 1e12 N: a row that asks for nothing is measured by its terms.
#[test]
fn a_homogeneous_row_is_measured_by_its_terms() {
    let p = CsrBuf::from_triplets(2, 2, &[(0, 0, 1.0), (1, 1, 1.0)]);
    let rows = CsrBuf::from_triplets(1, 2, &[(0, 0, 1.0), (0, 1, -1.0)]);
    let problem = ConicBuf::from_parts(p, vec![-1e12, 0.0], rows, vec![0.0], (vec![-INF], vec![0.0]));
    let p = problem.view();
    assert!(p.residual_in_units(&[0.5e12, 0.5e12], &[-0.5e12]) < 1e-12);
    assert!(p.residual_in_units(&[0.5e12 + 100.0, 0.5e12], &[-0.5e12]) < 1e-8);
    assert!(p.residual_in_units(&[0.6e12, 0.5e12], &[-0.5e12]) > 0.01);
}

/// x_1 − x_0 ≥ 1 and x_1 − x_0 ≤ 0: at 1e20 the difference rounds to anything.
#[test]
fn walls_that_face_each_other_do_not_meet_far_out() {
    let rows = CsrBuf::from_triplets(2, 2, &[(0, 0, -1.0), (0, 1, 1.0), (1, 0, -1.0), (1, 1, 1.0)]);
    let bounds = (vec![1.0, -INF], vec![INF, 0.0]);
    let none = CsrBuf::from_triplets(2, 2, &[]);
    let p = ConicBuf::from_parts(none, vec![0.0; 2], rows, vec![0.0; 2], bounds);
    assert!(!p.view().is_point(&[1e20, 1e20]) && !p.view().is_point(&[0.0, 0.5]));
    assert!(!p.view().is_point(&[0.0]) && !p.view().is_point(&[f64::NAN, 0.0]), "no vector");
    let mut open = p;
    open.lower[0] = -1.0;
    assert!(open.view().is_point(&[0.0; 2]) && open.view().is_point(&[1.0, 0.5]));
}

/// Row 1 has no entries: it is 1 ≥ 0 whatever x is, and its multiplier is in nobody's unit.
#[test]
fn a_row_without_entries_is_judged_as_it_stands() {
    let one = CsrBuf::from_triplets(1, 1, &[(0, 0, 1.0)]);
    let row = CsrBuf::from_triplets(2, 1, &[(0, 0, 1.0)]);
    let bounds = (vec![0.0; 2], vec![INF; 2]);
    let mut problem = ConicBuf::from_parts(one, vec![-1.0], row, vec![0.0, 1.0], bounds);
    assert!(problem.view().residual_in_units(&[1.0], &[0.0, 1e-12]) < 1e-11);
    problem.g[1] = -3e-12;
    assert!(problem.view().residual_in_units(&[1.0], &[0.0; 2]) > 0.1, "−3e-12 is not ≥ 0");
}

/// (1 + ε) z_0 − z_1 = 1 at z = 1e23: what the terms round to is a million times what the row asks for.
#[test]
fn an_answer_that_leaves_nothing_of_the_data_is_none() {
    let m = [(0, 0, 1.0), (0, 1, -1.0), (1, 0, -1.0), (1, 1, 1.0)];
    let p = MlcpBuf::from_parts(
        CsrBuf::from_triplets(2, 2, &m),
        vec![-1.0, 1.0],
        vec![0.0; 2],
        vec![INF; 2],
        1e-8,
    );
    assert_eq!(p.view().residual_in_units(&[3.0, 2.0]), 0.0);
    assert!(p.view().residual_in_units(&[1e23, 1e23]) > 5.0 * LIMIT_IN_UNITS * 1e-8);
}

/// 0 ≤ z_i ⟂ m_i z_i + q_i ≥ 0.
fn apart(m: [f64; 2], q: [f64; 2]) -> MlcpBuf {
    let m = CsrBuf::from_triplets(2, 2, &[(0, 0, m[0]), (1, 1, m[1])]);
    MlcpBuf::from_parts(m, q.to_vec(), vec![0.0; 2], vec![INF; 2], 1e-8)
}

/// 0 ≤ z ⟂ 1e6 z − 1e6 ≥ 0 and 0 ≤ z ⟂ 1e-6 z − 1e-9 ≥ 0: each is a part of its own.
#[test]
fn parts_are_measured_by_themselves() {
    let problem = apart([1e6, 1e-6], [-1e6, -1e-9]);
    let p = problem.view();
    assert!(p.residual_in_units(&[1.0, 1e-3]) <= f64::EPSILON, "1e-3 is no binary number");
    assert!(p.residual(&[1.0, 0.0]).natural < 1e-14 && p.residual_in_units(&[1.0, 0.0]) > 1e-6);
    assert_eq!(p.residual_in_units(&[1.0, f64::NAN]), INF);
}

/// Rounding that a subtraction left (1e-17 beside .1) is no part that has a size.
#[test]
fn rounding_is_no_part() {
    let problem = apart([1.0; 2], [-0.1, -1.4e-17]);
    assert!(problem.view().residual_in_units(&[0.1, 0.0]) <= LIMIT_IN_UNITS * 1e-8);
}

/// A mixed problem with z ≥ `lower`, z ≤ `upper`.
fn mixed(m: &[(usize, usize, f64)], q: &[f64], lower: Vec<f64>, upper: Vec<f64>) -> MlcpBuf {
    let n = q.len();
    MlcpBuf::from_parts(CsrBuf::from_triplets(n, n, m), q.to_vec(), lower, upper, 1e-8)
}

/// A separate 1e9, and an entry of 1e-5 that gave the first unknown a unit of its own: z_0 = −2 counted as 0.
#[test]
fn a_small_entry_hides_no_unknown_below_its_bound() {
    let m = [(0, 0, -1.0), (0, 1, 1.0), (1, 1, -1e-5), (2, 2, 1.0)];
    let problem = mixed(&m, &[-2.0, 3.0, -1e9], vec![0.0; 3], vec![INF; 3]);
    let p = problem.view();
    assert!(p.residual_in_units(&[0.0, 3e5, 1e9]) < 1e-12);
    assert!(p.residual_in_units(&[-2.0, 0.0, 1e9]) > 0.1);
}

/// w_0 = −3 at z_0 = 0 asks for the upper bound, 2: small beside an unknown of the same part, and wrong by everything.
#[test]
fn a_small_entry_hides_no_bound_that_a_row_points_to() {
    let m = [
        (0, 0, -3.0),
        (0, 1, 1.0),
        (1, 0, 1.0),
        (1, 2, 2.0),
        (2, 1, -3.0),
        (2, 3, -2.0),
        (3, 2, -3e-6),
        (4, 4, 1.0),
    ];
    let upper = vec![2.0, INF, INF, INF, INF];
    let problem = mixed(&m, &[-3.0, 0.0, 1.0, 3.0, -1e11], vec![0.0; 5], upper);
    let p = problem.view();
    assert!(p.residual_in_units(&[2.0, 0.0, 0.0, 0.0, 1e11]) < 1e-12);
    assert!(p.residual_in_units(&[0.0, 0.0, 0.0, 0.0, 1e11]) > 0.1);
}

/// Multipliers that should vanish leave 1e-31 in the balance of an unknown without a cost: no unit to measure it by.
#[test]
fn noise_is_no_unit_of_a_balance_without_cost() {
    let rows = CsrBuf::from_triplets(2, 2, &[(0, 0, 1.0), (0, 1, 1.0), (1, 0, 1.0)]);
    let p = CsrBuf::from_triplets(2, 2, &[]);
    let problem = ConicBuf::from_parts(p, vec![3.0, 0.0], rows, vec![0.0; 2], (vec![0.0; 2], vec![INF; 2]));
    let p = problem.view();
    assert!(p.residual_in_units(&[0.0, 1.0], &[2e-31, 3.0]) < 1e-12);
    assert!(p.residual_in_units(&[0.0, 1.0], &[0.1, 2.9]) > 1e-3);
}

/// An upper bound of 1e15, half of it away, has a multiplier of −4 that no row of the size of 1e15 may hide.
#[test]
fn a_bound_far_away_hides_no_multiplier() {
    let eye = || CsrBuf::from_triplets(1, 1, &[(0, 0, 1.0)]);
    let none = CsrBuf::from_triplets(1, 1, &[]);
    let problem = ConicBuf::from_parts(none, vec![-4.0], eye(), vec![0.0], (vec![0.0], vec![1e15]));
    let p = problem.view();
    assert!(p.residual_in_units(&[1e15], &[-4.0]) < 1e-12);
    assert!(p.residual_in_units(&[5e14], &[-4.0]) > 0.1);
}

/// Terms of 1e16 cancel: the working precision sees 0 where a part of the data is left.
#[test]
fn a_residual_that_working_precision_hides_is_told() {
    let near = 1.0 + f64::EPSILON;
    let m = [(0, 0, near), (0, 1, -1.0), (1, 0, -1.0), (1, 1, near)];
    let problem = mixed(&m, &[-1.0, -1.0], vec![0.0; 2], vec![INF; 2]);
    let (p, z) = (problem.view(), [f64::EPSILON.recip(); 2]);
    assert!(p.exact_residual(&z) < 1e-12, "the solution is a binary number");
    let beside = z.map(|z| 1.25 * z);
    assert!((p.exact_residual(&beside) - 0.25).abs() < 1e-12, "{}", p.exact_residual(&beside));
    assert!(p.residual_in_units(&beside) > LIMIT_IN_UNITS * 1e-8);
}

/// A contact of unit mass that slides, one in units (e, f), which slides too, and a support point of radius ½ in the same units: w = e ŵ,
/// z = ẑ/f. With its solution.
fn contacts(e: f64, f: f64) -> (ConeBuf, Vec<f64>) {
    let unit = |i: usize| if i < 3 { (1.0, 1.0) } else { (e, f) };
    let entries: Vec<_> = (0..8).map(|i| (i, i, unit(i).0 * unit(i).1)).collect();
    let q = [-1.0, 0.6, 0.8, -1.0, 0.6, 0.8, 0.6, 0.8];
    let z = [1.0, -0.3, -0.4, 1.0, -0.3, -0.4, -0.3, -0.4];
    let q = (0..8).map(|i| unit(i).0 * q[i]).collect();
    let rows =
        MlcpBuf::from_parts(CsrBuf::from_triplets(8, 8, &entries), q, vec![-INF; 8], vec![INF; 8], 1e-8);
    let mut problem = ConeBuf { rows, ..ConeBuf::default() };
    for normal in [0, 3] {
        problem.push_block(ConeBlock { normal, tangent: normal + 1, dim: 2, size: 0.5 });
    }
    problem.push_block(ConeBlock { normal: NO_NORMAL, tangent: 6, dim: 2, size: 0.5 / f });
    (problem, (0..8).map(|i| z[i] / unit(i).1).collect())
}

/// nsgs: friction in the wrong direction at contacts written in 2⁻²⁰ of the units of another, "residual 5e-9".
#[test]
fn a_contact_hides_no_friction_in_other_units() {
    for (e, f) in [(1.0, 1.0), (2_f64.powi(-30), 1.0), (2_f64.powi(-30), 2_f64.powi(20)), (1e6, 1e-9)] {
        let (problem, z) = contacts(e, f);
        let p = problem.view();
        p.check().unwrap();
        assert!(p.residual_in_units(&z) <= 1e-15, "{e:e} {f:e}: {:e}", p.residual_in_units(&z));
        for k in 0..8 {
            let mut wrong = z.clone();
            wrong[k] *= -1.0;
            let found = p.residual_in_units(&wrong);
            assert!(found > 0.05 && found < 5.0, "{e:e} {f:e}, {k}: {found:e}");
        }
        let mut none = z.clone();
        none[6..].fill(0.0);
        assert!(p.residual_in_units(&none) > 0.05);
    }
    let (problem, mut z) = contacts(2_f64.powi(-30), 2_f64.powi(20));
    z[4] *= -1.0;
    assert!(problem.view().residual(&z).natural < 1e-6, "the problem's largest number hides it");
    assert_eq!(problem.view().residual_in_units(&[f64::NAN; 8]), INF);
}
