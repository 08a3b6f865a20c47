//! The tableau alone: no warm start, no sparse bases, no cases, nothing behind it that could mend what it gets wrong.

use super::*;

/// Rules without rebuilds.
const PLAIN: Rules = Rules { max_pivots: 1000, refactor_every: 1000 };

/// A tableau of w = q + M z on its slack basis.
fn tableau(m: &[Vec<f64>], q: &[f64]) -> Tableau {
    let mut tableau = Tableau::default();
    let n = q.len();
    let (rows, stride) = tableau.open(n);
    for (i, row) in rows.chunks_exact_mut(stride).enumerate() {
        row[0] = q[i];
        row[1..=n].copy_from_slice(&m[i]);
        row[n + 1] = 1.0;
    }
    tableau.reset();
    tableau
}

fn rows<const N: usize>(m: [[f64; N]; N]) -> Vec<Vec<f64>> {
    m.iter().map(|row| row.to_vec()).collect()
}

/// Deterministic numbers in [−1, 1).
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    /// A whole number in [−most, most].
    fn whole(&mut self, most: f64) -> f64 {
        (self.next() * (most + 0.5)).round()
    }
}

/// Invariant of every basis of a path: q̄ ≥ 0, and every row of [q̄, B⁻¹] lexicographically positive. Components below
/// `noise` are 0.
fn assert_lexicographic(t: &Tableau, noise: f64, what: &str) {
    for r in 0..t.n {
        let q = t.t[r * t.stride];
        assert!(q >= -1e-11, "{what}: row {r} has {q:e}");
        let component = |v: &u32| perturbation(&t.t, t.stride, &t.place, r, *v);
        let first = std::iter::once(q).chain(t.carrier.iter().map(component)).find(|x| x.abs() > noise);
        assert!(first.is_some_and(|x| x > 0.0), "{what}: row {r} begins with {first:?}");
    }
}

/// Follows the path pivot by pivot from its start, looking at every basis on it; how it ends, and after how many pivots.
fn watched(m: &[Vec<f64>], q: &[f64], noise: f64) -> (Tableau, End) {
    for limit in 1..200 {
        let mut t = tableau(m, q);
        let end = t.lemke(Rules { max_pivots: limit, ..PLAIN });
        if end != End::Limit {
            return (t, end);
        }
        assert_lexicographic(&t, noise, &format!("{m:?} {q:?} after {limit} pivots"));
    }
    panic!("no end: {m:?} {q:?}");
}

/// max |min(z, w)| of the tableau's z, with w from the data.
fn residual(t: &Tableau, m: &[Vec<f64>], q: &[f64]) -> f64 {
    let z: Vec<f64> = (0..q.len()).map(|j| t.z(j)).collect();
    let w = |i: usize| q[i] + m[i].iter().zip(&z).map(|(m, z)| m * z).sum::<f64>();
    (0..q.len()).map(|i| z[i].min(w(i)).abs()).fold(0.0, f64::max)
}

/// Kostreva (1979): with d = (1, …, 1) and ties broken by the first row Lemke's method goes round in a circle here.
#[test]
fn a_problem_known_to_cycle_is_solved() {
    let (m, q) = (rows([[1.0, 2.0, 0.0], [0.0, 1.0, 2.0], [2.0, 0.0, 1.0]]), [-1.0; 3]);
    let (t, end) = watched(&m, &q, 1e-12);
    assert_eq!(end, End::Solved);
    assert!((0..3).all(|j| (t.z(j) - 1.0 / 3.0).abs() < 1e-15));
}

/// Among tied rows the lexicographically smallest leaves: (2, 1)/1 against (2, 0)/1 against (4, 1)/2.
#[test]
fn the_smallest_of_tied_rows_leaves() {
    let components = [[2.0, 1.0], [2.0, 0.0], [4.0, 1.0], [1.0, 9.0]];
    let pivots = [1.0, 1.0, 2.0, 0.1];
    let choose = |tied: &[u32], from: &[f64]| {
        lexicographic_min(
            &mut tied.to_vec(),
            &[0, 1],
            |r, c| components[r][c as usize] + from[r],
            |r| pivots[r],
        )
    };
    assert_eq!(choose(&[0, 1, 2, 3], &[0.0; 4]), 1);
    assert_eq!(choose(&[0, 2], &[0.0; 4]), 2, "(2, 1) and (2, 0.5)");
    assert_eq!(choose(&[0, 3], &[0.0; 4]), 0, "2 before 10");
    // Numbers that differ by rounding are one number, others are two.
    assert_eq!(choose(&[0, 1], &[-1e-13, 0.0, 0.0, 0.0]), 1);
    assert_eq!(choose(&[0, 1], &[-1e-6, 0.0, 0.0, 0.0]), 0);
}

/// Problems of small whole numbers, of positive semidefinite matrices with repeated rows: every pivot of them is a tie.
#[test]
fn every_basis_of_a_degenerate_path_is_lexicographically_positive() {
    let mut r = Random(0x5eed);
    let (mut solved, mut rays) = (0, 0);
    for case in 0..400 {
        let (n, k) = (3 + case % 5, 1 + case % 3);
        // M = G Gᵀ + S with S skew: monotone, so that a ray is a proof.
        let g: Vec<Vec<f64>> = (0..n).map(|_| (0..k).map(|_| r.whole(1.0)).collect()).collect();
        let mut m = vec![vec![0.0; n]; n];
        for i in 0..n {
            for j in 0..i {
                let s = if case % 4 == 0 { r.whole(1.0) } else { 0.0 };
                (m[i][j], m[j][i]) = (s, -s);
            }
            for j in 0..n {
                m[i][j] += (0..k).map(|l| g[i][l] * g[j][l]).sum::<f64>();
            }
        }
        let q: Vec<f64> = (0..n).map(|_| r.whole(1.0)).collect();
        let (t, end) = watched(&m, &q, 1e-9);
        match end {
            End::Solved => {
                assert!(residual(&t, &m, &q) < 1e-12, "{m:?} {q:?}");
                solved += 1;
            }
            End::Ray(entering) => {
                assert_ray(&t, entering, &m, &q);
                rays += 1;
            }
            other => panic!("{other:?}: {m:?} {q:?}"),
        }
    }
    assert!(solved > 300 && rays > 50, "{solved} solved, {rays} rays");
}

/// Of a monotone problem: z̃ ≥ 0, Mᵀz̃ ≤ 0 and qᵀz̃ < 0 (Farkas).
fn assert_ray(t: &Tableau, entering: usize, m: &[Vec<f64>], q: &[f64]) {
    let n = q.len();
    let z: Vec<f64> = (0..n).map(|j| t.ray(entering, j)).collect();
    assert!(z.iter().all(|z| *z >= -1e-12) && z.iter().any(|z| *z > 0.1), "{z:?} {m:?} {q:?}");
    let value: f64 = q.iter().zip(&z).map(|(q, z)| q * z).sum();
    let mut columns = (0..n).map(|j| (0..n).map(|i| m[i][j] * z[i]).sum::<f64>());
    assert!(value < -1e-9 && columns.all(|c| c < 1e-9), "{z:?} {m:?} {q:?}");
}

/// Two rows whose ratios differ by 1e-7 (and 1e-10) are no tie: the smaller one blocks, or q̄ becomes negative.
#[test]
fn near_ties_are_no_ties() {
    for gap in [1e-3, 1e-7, 1e-10] {
        // The first pivot: rows −1 and −1 + gap; the worst must leave, whichever stands last.
        for q in [[-1.0, -1.0 + gap], [-1.0 + gap, -1.0]] {
            let m = rows([[2.0, 1.0], [1.0, 2.0]]);
            let (t, end) = watched(&m, &q, 1e-13);
            assert_eq!(end, End::Solved);
            assert!(residual(&t, &m, &q) < 1e-15);
        }
        // A later one: z of the first row enters, rows two and three block at 1 and 1 + gap.
        for at in [[1.0, 1.0 + gap], [1.0 + gap, 1.0]] {
            let mut t =
                tableau(&rows([[1.0, 0.0, 0.0], [-1.0, 1.0, 0.0], [-1.0, 0.0, 1.0]]), &[9.0, at[0], at[1]]);
            t.carrier = t.row_var.clone();
            let expected = if at[0] < at[1] { 1 } else { 2 };
            assert_eq!(t.blocking_row(0), Some(expected), "{at:?}");
        }
    }
    // 1e-14 apart they are one: z₀'s row would win, else the lexicographic rule, which takes the last slack.
    let mut t =
        tableau(&rows([[1.0, 0.0, 0.0], [-1.0, 1.0, 0.0], [-1.0, 0.0, 1.0]]), &[9.0, 1.0 - 1e-14, 1.0]);
    t.carrier = t.row_var.clone();
    assert_eq!(t.blocking_row(0), Some(2));
}

/// z₀ leaves where it ties with others: then the basis is complementary, and the run is over.
#[test]
fn the_covering_variable_wins_ties() {
    for row in 0..3 {
        let mut t = tableau(&rows([[-1.0, 0.0, 0.0], [-1.0, 1.0, 0.0], [-1.0, 0.0, 1.0]]), &[1.0; 3]);
        t.carrier = t.row_var.clone();
        t.row_var[row] = 6;
        assert_eq!(t.blocking_row(0), Some(row));
    }
}

/// Large values tie relative to their own size, not to that of others.
#[test]
fn ties_of_large_values_are_relative() {
    let at = |q: [f64; 3]| {
        let mut t = tableau(&rows([[1.0, 0.0, 0.0], [-1.0, 1.0, 0.0], [-1.0, 0.0, 1.0]]), &q);
        t.carrier = t.row_var.clone();
        t.row_var[2] = 6;
        t.blocking_row(0)
    };
    assert_eq!(at([9.0, 1e6, 1e6 + 1e-7]), Some(2), "a tie, which z₀ wins");
    assert_eq!(at([9.0, 1e6, 1e6 + 1e-3]), Some(1));
    assert_eq!(at([1e9, 1.0, 1.0 + 1e-7]), Some(1), "that another value is large makes no tie");
}

/// A coefficient that is small beside its column still blocks if it is no rounding: 1e-5 of it, at a tenth of the ratio.
#[test]
fn small_coefficients_block_and_rounding_does_not() {
    for size in [1e-3, 1e-5, 1e-9] {
        let mut t = tableau(&rows([[-1.0, 0.0], [-size, 1.0]]), &[1.0, 0.1 * size]);
        t.carrier = t.row_var.clone();
        assert_eq!(t.blocking_row(0), Some(1), "{size:e}");
    }
    let mut t = tableau(&rows([[-1.0, 0.0], [-1e-13, 1.0]]), &[1.0, 1e-14]);
    t.carrier = t.row_var.clone();
    assert_eq!(t.blocking_row(0), Some(0));
    // Rounding is what is small beside the column: 1e-8 beside 1e4.
    let mut t = tableau(&rows([[-1e4, 0.0], [-1e-8, 1.0]]), &[1e4, 1e-9]);
    t.carrier = t.row_var.clone();
    assert_eq!(t.blocking_row(0), Some(0));
    let mut t = tableau(&rows([[-1e-8, 0.0], [-1e4, 1.0]]), &[1e-9, 1e4]);
    t.carrier = t.row_var.clone();
    assert_eq!(t.blocking_row(0), Some(1));
    // A column of rounding alone blocks nowhere: a ray.
    let mut t = tableau(&rows([[-1e-13, 0.0], [-1e-13, 1.0]]), &[1.0, 1.0]);
    t.carrier = t.row_var.clone();
    assert_eq!(t.blocking_row(0), None);
}

/// In an exact tie a pivot of 1e-9 loses against one of 1, whatever the lexicographic rule says.
#[test]
fn ties_are_not_broken_in_favour_of_rounding() {
    for order in [[1.0, 1e-9], [1e-9, 1.0]] {
        let mut t = tableau(&rows([[-order[0], 0.0], [-order[1], 1.0]]), &[0.0, 0.0]);
        t.carrier = t.row_var.clone();
        assert_eq!(t.blocking_row(0), Some(usize::from(order[1] == 1.0)));
        let large = order.map(|p| 1e4 * p);
        let mut t = tableau(&rows([[-large[0], 0.0], [-large[1], 1.0]]), &[0.0, 0.0]);
        t.carrier = t.row_var.clone();
        assert_eq!(t.blocking_row(0), Some(usize::from(order[1] == 1.0)), "beside 1e4");
        // 1e-6 is a pivot like others: the rule decides, here for the row with the larger coefficient.
        let mut t = tableau(&rows([[-order[0].max(1e-6), 0.0], [-order[1].max(1e-6), 1.0]]), &[0.0, 0.0]);
        t.carrier = t.row_var.clone();
        assert_eq!(t.blocking_row(0), Some(1), "row 1 starts with 0, row 0 with 1/pivot");
    }
}

/// Small coefficients on a whole path: a light body (1e-6) between heavy ones, its w within reach all the time.
#[test]
fn paths_over_small_pivots_stay_feasible() {
    let mut r = Random(0xfeed);
    for case in 0..300 {
        let n = 2 + case % 5;
        // Row-equilibrated positive definite, entries from 1 to 1e-6.
        let mut m = vec![vec![0.0; n]; n];
        for i in 0..n {
            for j in 0..n {
                let size = 10f64.powf(-3.0 - 3.0 * r.next().abs());
                m[i][j] = if i == j {
                    1.0
                } else {
                    r.next() * if (i + j) % 2 == 0 { 0.9 / n as f64 } else { size }
                };
            }
        }
        let q: Vec<f64> = (0..n).map(|_| r.next() * 10f64.powf(-3.0 - 3.0 * r.next())).collect();
        let (t, end) = watched(&m, &q, 1e-14);
        assert_eq!(end, End::Solved);
        assert!(residual(&t, &m, &q) < 1e-14, "{m:?} {q:?}");
    }
}

/// q̄ ≥ 0 is a solution at once; −1e-9 is none.
#[test]
fn a_start_is_feasible_only_if_nothing_is_negative() {
    let m = rows([[1.0, 0.0], [0.0, 1.0]]);
    let mut t = tableau(&m, &[0.0, 1.0]);
    assert_eq!((t.lemke(PLAIN), t.pivots), (End::Solved, 0));
    let mut t = tableau(&m, &[-1e-9, 1.0]);
    assert_eq!(t.lemke(PLAIN), End::Solved);
    assert!((t.z(0) - 1e-9).abs() < 1e-24 && t.pivots > 0);
}

/// Murty's matrix takes 2ⁿ pivots: limits are met, and rebuilding from the data every pivot changes nothing.
#[test]
fn rebuilt_tableaus_are_the_same() {
    let n = 6;
    let m: Vec<Vec<f64>> = (0..n)
        .map(|i| {
            (0..n)
                .map(|j| {
                    if j == i {
                        1.0
                    } else if j < i {
                        2.0
                    } else {
                        0.0
                    }
                })
                .collect()
        })
        .collect();
    // Uneven, so that no pivot is a tie.
    let q: Vec<f64> = (0..n).map(|i| -1.0 - 0.01 * f64::from(i as u32)).collect();
    let mut plain = tableau(&m, &q);
    assert_eq!(plain.lemke(PLAIN), End::Solved);
    assert_eq!(plain.rebuilds, 0);
    let mut careful = tableau(&m, &q);
    assert_eq!(careful.lemke(Rules { refactor_every: 1, ..PLAIN }), End::Solved);
    assert!(careful.rebuilds >= plain.pivots - 2, "{} {}", careful.rebuilds, plain.pivots);
    assert_eq!(careful.pivots, plain.pivots, "rebuilding is no step of the path");
    (0..n).for_each(|j| assert!((careful.z(j) - plain.z(j)).abs() < 1e-14));
    let mut seldom = tableau(&m, &q);
    assert_eq!(seldom.lemke(Rules { refactor_every: 4, ..PLAIN }), End::Solved);
    assert!(
        (plain.pivots / 6..=plain.pivots / 4).contains(&seldom.rebuilds),
        "{} of {}",
        seldom.rebuilds,
        plain.pivots
    );
    let mut short = tableau(&m, &q);
    assert_eq!(short.lemke(Rules { max_pivots: 3, ..PLAIN }), End::Limit);
    assert_eq!(short.pivots, 3);
}

/// From a warm basis that is not the solution: the covering vector is 1 in the rows of that basis, in the original rows too
/// (where a rebuild takes it from).
#[test]
fn warm_starts_have_their_own_covering_vector() {
    let mut r = Random(0xabcd);
    for case in 0..200 {
        let n = 3 + case % 4;
        let g: Vec<Vec<f64>> = (0..n).map(|_| (0..n).map(|_| r.next()).collect()).collect();
        let m: Vec<Vec<f64>> = (0..n)
            .map(|i| {
                (0..n)
                    .map(|j| (0..n).map(|l| g[i][l] * g[j][l]).sum::<f64>() + if i == j { 0.5 } else { 0.0 })
                    .collect()
            })
            .collect();
        let q: Vec<f64> = (0..n).map(|_| r.next()).collect();
        let active: Vec<bool> = (0..n).map(|_| r.next() > 0.0).collect();
        for refactor_every in [1, 1000] {
            let mut t = tableau(&m, &q);
            assert!(t.make_basic(&active));
            assert!((0..n).all(|j| (t.place[j] >= 0) == active[j]));
            assert_eq!(t.lemke(Rules { refactor_every, ..PLAIN }), End::Solved);
            assert!(residual(&t, &m, &q) < 1e-10, "{m:?} {q:?} {active:?}");
        }
    }
}

/// The tableau agrees with the equations about its basis: x_B = q̄ + T x_N fulfils w = q + M z + d z₀.
#[test]
fn pivots_keep_the_equations() {
    let m = rows([[2.0, -1.0, 0.5], [0.3, 1.0, -2.0], [1.0, 4.0, 1.5]]);
    let q = [-1.0, -3.0, -2.0];
    for limit in 1..4 {
        let mut t = tableau(&m, &q);
        t.lemke(Rules { max_pivots: limit, ..PLAIN });
        let n = 3;
        // Nonbasic variables at numbers of their own, one at a time and all together.
        let x: Vec<f64> = (0..=n).map(|c| 0.7 + 0.3 * f64::from(c as u32)).collect();
        let mut value = vec![0.0; 2 * n + 1];
        t.col_var.iter().zip(&x).for_each(|(&v, &x)| value[v as usize] = x);
        for row in 0..n {
            let line = &t.t[row * t.stride..(row + 1) * t.stride];
            value[t.row_var[row] as usize] =
                line[0] + line[1..].iter().zip(&x).map(|(t, x)| t * x).sum::<f64>();
        }
        for i in 0..n {
            let right = q[i] + m[i].iter().zip(&value).map(|(m, z)| m * z).sum::<f64>() + value[2 * n];
            assert!((value[n + i] - right).abs() < 1e-13, "row {i} after {limit} pivots");
        }
        // Row and column of every variable.
        for v in 0..=2 * n {
            let at = t.place[v];
            let found = if at >= 0 { t.row_var[at as usize] } else { t.col_var[!at as usize] };
            assert_eq!(found as usize, v);
        }
    }
}

/// A basis with a small pivot can be reached, one with a dependent column cannot: then the slack basis is back.
#[test]
fn small_pivots_are_reached_last_and_singular_bases_not_at_all() {
    let m = rows([[1e-5, 0.0, 0.3], [2.0, 1.0, -0.1], [0.0, 0.0, 1.0]]);
    let q = [-1e-5, -3.0, 1.0];
    let mut t = tableau(&m, &q);
    assert!(t.make_basic(&[true, true, false]));
    assert!((t.z(0) - 1.0).abs() < 1e-10 && (t.z(1) - 1.0).abs() < 1e-10);
    let mut t = tableau(&rows([[1.0, 2.0, 0.0], [0.5, 1.0, 0.0], [0.0, 0.0, 1.0]]), &q);
    assert!(!t.make_basic(&[true, true, false]));
    assert_eq!(t.row_var, [3, 4, 5]);
    assert_eq!((0..3).map(|r| t.t[r * t.stride]).collect::<Vec<_>>(), q);
}
