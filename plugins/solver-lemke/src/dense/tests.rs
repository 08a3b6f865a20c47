//! Reduction, scaling and tableau as one engine: a cold run, and nothing behind it.

use super::*;
use vinci_sdk::core::CsrBuf;
use vinci_sdk::core::problem::MlcpBuf;

const RULES: Rules = Rules { max_pivots: 10_000, refactor_every: 64 };

fn problem(m: &[Vec<f64>], q: &[f64], lower: &[f64]) -> MlcpBuf {
    let n = q.len();
    let entries: Vec<_> =
        (0..n).flat_map(|i| (0..n).map(move |j| (i, j))).map(|(i, j)| (i, j, m[i][j])).collect();
    let kept: Vec<_> = entries.into_iter().filter(|e| e.2 != 0.0).collect();
    MlcpBuf::from_parts(
        CsrBuf::from_triplets(n, n, &kept),
        q.to_vec(),
        lower.to_vec(),
        vec![f64::INFINITY; n],
        1e-12,
    )
}

/// How a cold run ends, with z and the number of pivots.
fn cold(p: &MlcpBuf) -> (End, Vec<f64>, u32) {
    let mut dense = Dense::default();
    dense.reduce(&p.view()).expect("a regular free block");
    dense.load(&p.view());
    let end = dense.run_cold(RULES);
    let mut z = vec![0.0; p.q.len()];
    dense.write_z(&mut z);
    (end, z, dense.tableau.pivots)
}

/// A chain of masses that differ by powers of ten, pressed together: (v free) m v = b + p_i − p_{i+1}, gaps between them.
fn chain(masses: &[f64]) -> MlcpBuf {
    let k = masses.len();
    let n = 2 * k;
    let mut m = vec![vec![0.0; n]; n];
    let mut q = vec![0.0; n];
    for i in 0..k {
        m[i][i] = masses[i];
        q[i] = masses[i] * (1.0 + 0.1 * i as f64);
        // Contact i keeps body i above body i − 1 (the ground for the first).
        (m[i][k + i], m[k + i][i]) = (-1.0, 1.0);
        if i > 0 {
            (m[i - 1][k + i], m[k + i][i - 1]) = (1.0, -1.0);
        }
    }
    let lower: Vec<f64> = (0..n).map(|i| if i < k { f64::NEG_INFINITY } else { 0.0 }).collect();
    problem(&m, &q, &lower)
}

/// After loading every row and column of M has a largest entry of about 1, and so has q; all factors are powers of two.
#[test]
fn the_tableau_is_equilibrated() {
    for masses in [[1.0, 1.0, 1.0, 1.0], [1e6, 1.0, 1e-6, 1e3], [1e-9, 1e9, 1e-9, 1e9]] {
        let p = chain(&masses);
        let mut dense = Dense::default();
        dense.reduce(&p.view()).expect("masses");
        dense.load(&p.view());
        let n = dense.n();
        let (rows, stride) = dense.equations();
        for (i, row) in rows.chunks_exact(stride).enumerate() {
            let largest = row[1..=n].iter().fold(0.0_f64, |m, v| m.max(v.abs()));
            assert!((0.5..=2.0).contains(&largest), "row {i} of {masses:?}: {largest}");
            assert_eq!(row[n + 1], 1.0);
        }
        for j in 0..n {
            let largest = rows.chunks_exact(stride).fold(0.0_f64, |m, row| m.max(row[j + 1].abs()));
            assert!((0.5..=2.0).contains(&largest), "column {j} of {masses:?}: {largest}");
        }
        let q = rows.chunks_exact(stride).fold(0.0_f64, |m, row| m.max(row[0].abs()));
        assert!((1.0..2.0).contains(&q), "q of {masses:?}: {q}");
        assert!(dense.col.iter().chain([&dense.s]).all(|c| c.to_bits() & 0xF_FFFF_FFFF_FFFF == 0));
    }
}

/// Units of rows and columns that nothing tells, from 1e-8 to 1e8, in a matrix without symmetry.
#[test]
fn rows_and_columns_in_unknown_units_are_equilibrated() {
    let unit = |k: usize| 10f64.powi([8, -3, 0, 5, -8, 2, -6, 7, -1, 4][k]);
    let n = 5;
    let entry = |i: usize, j: usize| 1.0 + 0.1 * ((3 * i + 5 * j) % 7) as f64;
    let m: Vec<Vec<f64>> =
        (0..n).map(|i| (0..n).map(|j| entry(i, j) * unit(i) * unit(n + j)).collect()).collect();
    let q: Vec<f64> = (0..n).map(|i| -unit(i)).collect();
    let p = problem(&m, &q, &[0.0; 5]);
    let mut dense = Dense::default();
    dense.reduce(&p.view()).expect("no free rows");
    dense.load(&p.view());
    let (rows, stride) = dense.equations();
    for row in rows.chunks_exact(stride) {
        assert!(row[1..=n].iter().all(|v| (0.1..=2.0).contains(v)), "{row:?}");
        assert!((-2.0..=-0.1).contains(&row[0]), "{row:?}");
    }
}

/// Everything rests: p_i carries the momentum of all bodies above, to rounding times the ratio of the largest mass to the
/// smallest (the tableau alone refines nothing).
#[test]
fn bodies_of_very_different_mass_come_to_rest() {
    for masses in
        [[1.0, 1.0, 1.0, 1.0], [1e6, 1.0, 1e-6, 1e3], [1e-4, 1e-2, 1e2, 1e4], [1e5, 1e-5, 1e5, 1e-5]]
    {
        let (end, z, _) = cold(&chain(&masses));
        assert_eq!(end, End::Solved, "{masses:?}");
        let ratio = masses.into_iter().fold(0.0, f64::max) / masses.into_iter().fold(f64::INFINITY, f64::min);
        for i in 0..4 {
            let above: f64 = (i..4).map(|k| masses[k] * (1.0 + 0.1 * k as f64)).sum();
            let off = (z[4 + i] / above - 1.0).abs();
            assert!(off < 16.0 * f64::EPSILON * ratio, "p_{i} of {masses:?}: {} {above}", z[4 + i]);
        }
    }
}

/// Units change nothing: rows and columns multiplied by powers of two, told by the scales, give the same path and the
/// same bits.
#[test]
fn units_do_not_change_the_path() {
    let p = chain(&[3.0, 0.7, 11.0, 0.05]);
    let (end, z, pivots) = cold(&p);
    let unit = |i: usize| 2f64.powi([13, -27, 40, -8, 21, -33, 5, 17][i]);
    let side = |i: usize| 2f64.powi([-30, 4, 19, -11, 36, -2, 25, -18][i]);
    let n = z.len();
    let mut other = p.clone();
    let entries: Vec<_> = (0..n)
        .flat_map(|i| p.m.view().entries(i).map(move |(j, v)| (i, j, v)).collect::<Vec<_>>())
        .map(|(i, j, v)| (i, j, side(i) * v * unit(j)))
        .collect();
    other.m = CsrBuf::from_triplets(n, n, &entries);
    other.q = (0..n).map(|i| side(i) * p.q[i]).collect();
    other.w_scale = (0..n).map(side).collect();
    other.z_scale = (0..n).map(|j| 1.0 / unit(j)).collect();
    let loaded = |p: &MlcpBuf| {
        let mut dense = Dense::default();
        dense.reduce(&p.view()).expect("masses");
        dense.load(&p.view());
        dense.equations().0.to_vec()
    };
    assert_eq!(loaded(&other), loaded(&p));
    let (other_end, other_z, other_pivots) = cold(&other);
    assert_eq!((other_end, other_pivots), (end, pivots));
    (0..n).for_each(|j| assert_eq!(other_z[j] * unit(j), z[j], "unknown {j}"));
}

/// Two walls that drive into each other: the ray is (1, 1) in the problem's own units, whatever the scaling.
#[test]
fn rays_come_back_in_the_units_of_the_problem() {
    for unit in [1.0, 1e-7, 1e6] {
        // Columns in units of 1 and `unit`.
        let p = problem(&[vec![1.0, -unit], vec![-1.0, unit]], &[-1.0, -1.0], &[0.0, 0.0]);
        let mut dense = Dense::default();
        dense.reduce(&p.view()).expect("no free rows");
        dense.load(&p.view());
        let End::Ray(entering) = dense.run_cold(RULES) else { panic!("no ray in units of {unit}") };
        let mut z = vec![0.0; 2];
        dense.write_certificate(&p.view(), entering, &mut z);
        assert!(z[0] > 0.0 && (z[1] * unit / z[0] - 1.0).abs() < 1e-12, "{z:?} in units of {unit}");
    }
}
