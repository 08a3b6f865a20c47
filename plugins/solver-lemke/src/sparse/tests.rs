//! The path on sparse bases alone: nothing behind it that could mend what it gets wrong.

use super::matrix::Scaling;
use super::path::{Block, End, Entering, Path, Rules, Side};
use vinci_sdk::core::CsrBuf;
use vinci_sdk::core::problem::MlcpBuf;
use vinci_test_problems::{Numbers, enumerate};

const INF: f64 = f64::INFINITY;
const RULES: Rules = Rules { max_pivots: 1000, refactor_every: 64, perturbation: 1e-7, variant: 0 };

fn problem(m: &[Vec<f64>], q: &[f64], bounds: &[(f64, f64)]) -> MlcpBuf {
    let n = q.len();
    let entries = (0..n).flat_map(|i| (0..n).map(move |j| (i, j))).map(|(i, j)| (i, j, m[i][j]));
    let kept: Vec<_> = entries.filter(|e| e.2 != 0.0).collect();
    let (lower, upper) = bounds.iter().copied().unzip();
    MlcpBuf::from_parts(CsrBuf::from_triplets(n, n, &kept), q.to_vec(), lower, upper, 1e-12)
}

fn begun(p: &MlcpBuf) -> Path {
    let mut path = Path::default();
    path.m.load(&p.view(), 0.0);
    assert!(path.begin_cold());
    path
}

/// The solution on the basis that a path ended with, without the perturbation.
fn finished(path: &mut Path, p: &MlcpBuf) -> Vec<f64> {
    path.restore_q();
    assert!(path.refactor());
    let mut z = vec![0.0; p.q.len()];
    path.write_z(&p.view(), &mut z);
    z
}

/// A diagonally dominant matrix (all principal minors positive: one solution for every q and all bounds).
fn dominant(r: &mut Numbers, n: usize) -> Vec<Vec<f64>> {
    let mut m: Vec<Vec<f64>> = (0..n).map(|_| (0..n).map(|_| r.between(-1.0, 1.0)).collect()).collect();
    (0..n).for_each(|i| m[i][i] = 0.1 + (0..n).map(|j| m[i][j].abs()).sum::<f64>());
    m
}

fn bounds(r: &mut Numbers) -> (f64, f64) {
    let at = r.between(-0.5, 0.5);
    match r.below(6) {
        0 => (-INF, INF),
        1 => (-INF, at),
        2 => (at, at),
        3 => (at, at + r.between(0.01, 0.5)),
        _ => (if r.below(2) == 0 { 0.0 } else { at }, INF),
    }
}

/// Bounds of every kind: the path ends with the one solution that trying all combinations of bounds finds.
#[test]
fn paths_over_boxes_end_at_the_solution() {
    let mut r = Numbers(0x1234_5678_9abc);
    for case in 0..400 {
        let n = 2 + case % 5;
        let m = dominant(&mut r, n);
        let q: Vec<f64> = (0..n).map(|_| r.between(-1.0, 1.0)).collect();
        let bounds: Vec<_> = (0..n).map(|_| bounds(&mut r)).collect();
        let p = problem(&m, &q, &bounds);
        let mut path = begun(&p);
        assert_eq!(path.follow(RULES), End::Solved, "{m:?} {q:?} {bounds:?}");
        let z = finished(&mut path, &p);
        let known = enumerate(&p.view());
        assert!(!known.is_empty());
        let off = |k: &Vec<f64>| k.iter().zip(&z).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(known.iter().all(|k| off(k) < 1e-10), "{z:?} {known:?} {m:?} {q:?} {bounds:?}");
    }
}

/// After every pivot: basic variables within their bounds by the overshoot, and the values that were updated pivot by pivot
/// are those of the basis.
#[test]
fn every_basis_of_a_path_is_feasible_and_its_values_are_its_own() {
    let mut r = Numbers(0x9876_5432_1234);
    for case in 0..150 {
        let n = 3 + case % 5;
        let m = dominant(&mut r, n);
        // Half of them degenerate: q of whole numbers, so that many rows tie but for the perturbation.
        let degenerate = case % 2 == 0;
        let q: Vec<f64> = (0..n).map(|_| if degenerate { -1.0 } else { r.between(-1.0, 1.0) }).collect();
        let bounds: Vec<_> = (0..n).map(|_| if degenerate { (0.0, INF) } else { bounds(&mut r) }).collect();
        let p = problem(&m, &q, &bounds);
        for limit in 1..60 {
            let mut path = begun(&p);
            let end = path.follow(Rules { max_pivots: limit, ..RULES });
            assert!(path.violation() < 1e-10, "{:e} after {limit}: {m:?} {q:?}", path.violation());
            let updated = path.x.clone();
            let slots = path.factor.slot_var.clone();
            assert!(path.refactor());
            for (slot, var) in slots.iter().enumerate() {
                let now = path.factor.slot_var.iter().position(|v| v == var).expect("the same basis");
                assert!((path.x[now] - updated[slot]).abs() < 1e-9, "variable {var} after {limit} pivots");
            }
            if end != End::Limit {
                assert_eq!(end, End::Solved);
                break;
            }
            assert!(limit < 59, "no end: {m:?} {q:?}");
        }
    }
}

/// A path on n independent rows w = z − 1 whose numbers the tests set.
fn bench(n: usize) -> Path {
    let m: Vec<Vec<f64>> = (0..n).map(|i| (0..n).map(|j| f64::from(u8::from(i == j))).collect()).collect();
    begun(&problem(&m, &vec![-1.0; n], &vec![(0.0, INF); n]))
}

/// The slot that blocks, and how far the entering variable may go.
fn blocked(path: &mut Path, x: &[f64], delta: &[f64]) -> Option<(usize, f64)> {
    path.x = x.to_vec();
    path.delta = delta.to_vec();
    match path.blocking(Entering { var: 0, sign: 1.0 }) {
        Block::Slot { r, step, at_upper } => {
            assert_eq!(at_upper, delta[r] > 0.0);
            Some((r, step))
        }
        _ => None,
    }
}

#[test]
fn the_nearest_bound_blocks() {
    let mut path = bench(3);
    assert_eq!(blocked(&mut path, &[3.0, 2.0, 1.0], &[-1.0, -1.0, 0.5]), Some((1, 2.0)));
    assert_eq!(blocked(&mut path, &[3.0, 2.0, 1.0], &[1.0, 0.0, 0.5]), None, "nothing stops it");
    // Near ties are no ties: 1e-7 and 1e-9 are far beyond the overshoot of 1e-11.
    for gap in [1e-3, 1e-7, 1e-9] {
        assert_eq!(blocked(&mut path, &[1.0 + gap, 1.0, 9.0], &[-1.5, -1.5, 0.0]).map(|b| b.0), Some(1));
        // Nor is a larger pivot farther away preferred.
        let far = blocked(&mut path, &[10.0 * (1.0 + gap), 1.0, 9.0], &[-10.0, -1.0, 0.0]);
        assert_eq!(far.map(|b| b.0), Some(1), "{gap:e}");
    }
}

#[test]
fn among_bounds_within_the_overshoot_the_largest_pivot_is_taken() {
    let mut path = bench(3);
    let hair = 1e-12;
    assert_eq!(blocked(&mut path, &[1e-3 - hair, 1.0, 9.0], &[-1e-3, -1.0, 0.0]).map(|b| b.0), Some(1));
    assert_eq!(blocked(&mut path, &[1.0, 1e-3 - hair, 9.0], &[-1.0, -1e-3, 0.0]).map(|b| b.0), Some(0));
    // What lies beyond its bound by a hair takes no step backwards.
    assert_eq!(blocked(&mut path, &[-hair, 5.0, 9.0], &[-1.0, -1.0, 0.0]), Some((0, 0.0)));
}

#[test]
fn small_coefficients_block_on_sparse_bases_too_and_rounding_does_not() {
    let mut path = bench(2);
    for size in [1e-3, 1e-5, 1e-7] {
        assert_eq!(blocked(&mut path, &[1.0, 0.1 * size], &[-1.0, -size]).map(|b| b.0), Some(1), "{size:e}");
    }
    assert_eq!(blocked(&mut path, &[1.0, 0.0], &[-1.0, -1e-12]).map(|b| b.0), Some(0));
    assert_eq!(blocked(&mut path, &[1.0, 1.0], &[-1e-14, -1e-14]), None);
}

/// z₀ leaves where it ties, however small its pivot: then the path is at its end.
#[test]
fn the_covering_variable_leaves_first() {
    let mut path = bench(3);
    path.factor.slot_var[2] = 6;
    assert_eq!(blocked(&mut path, &[1.0, 1.0, 0.1], &[-1.0, -1.0, -0.1]).map(|b| b.0), Some(2));
    assert_eq!(blocked(&mut path, &[1.0, 0.9, 0.1], &[-1.0, -1.0, -0.1]).map(|b| b.0), Some(1));
}

/// A pivot below 1e-8 of its column is met with old updates in the factors: new ones first.
#[test]
fn doubtful_pivots_ask_for_new_factors() {
    let mut path = bench(2);
    (path.x, path.delta) = (vec![1.0, 1e-10], vec![-1.0, -1e-9]);
    let entering = Entering { var: 0, sign: 1.0 };
    assert!(matches!(path.blocking(entering), Block::Slot { r: 1, .. }), "fresh factors are believed");
    path.factor.replace(0, 2, &[1.0, 0.0]);
    assert!(matches!(path.blocking(entering), Block::Doubtful));
    path.delta[1] = -1e-7;
    assert!(matches!(path.blocking(entering), Block::Slot { .. }));
}

/// A z between two bounds runs to the other one where that is nearer than what blocks.
#[test]
fn the_entering_variable_stops_at_its_other_bound() {
    let p = problem(&[vec![1.0, 0.0], vec![0.0, 1.0]], &[-1.0, -1.0], &[(0.0, 0.25), (0.0, INF)]);
    let mut path = begun(&p);
    let width = path.m.upper[0] - path.m.lower[0];
    (path.x, path.delta) = (vec![9.0, 2.0 * width], vec![0.0, -1.0]);
    let entering = Entering { var: 0, sign: 1.0 };
    assert!(matches!(path.blocking(entering), Block::OtherBound { step } if step == width));
    path.x[1] = 0.5 * width;
    assert!(matches!(path.blocking(entering), Block::Slot { r: 1, .. }));
    // The whole path: z_0 = 1/4 at its bound, z_1 = 1.
    let mut path = begun(&p);
    assert_eq!(path.follow(RULES), End::Solved);
    assert_eq!(finished(&mut path, &p), [0.25, 1.0]);
    assert_eq!(path.side[0], Side::Upper);
}

/// No two variables are moved alike, all into their bounds and by no more than 2 ε; and the covering variable makes every
/// one feasible, the worst by the largest need.
#[test]
fn the_perturbation_tells_all_variables_apart() {
    let n = 40;
    let m: Vec<Vec<f64>> = (0..n).map(|i| (0..n).map(|j| f64::from(u8::from(i == j))).collect()).collect();
    let mixed = |i: usize| if i.is_multiple_of(2) { (0.0, INF) } else { (-INF, 0.0) };
    let p = problem(&m, &vec![0.0; n], &(0..n).map(mixed).collect::<Vec<_>>());
    for variant in 0..3 {
        let mut path = begun(&p);
        assert!(path.enter_cover(Rules { variant, ..RULES }).is_none(), "q = 0 needs no covering");
        let mut shifts: Vec<f64> = path.x.iter().map(|x| x.abs()).collect();
        assert!(path.x.iter().enumerate().all(|(i, x)| (*x > 0.0) == (i % 2 == 0)), "away from the bounds");
        assert!(shifts.iter().all(|s| (1e-7..2e-7).contains(s)), "{shifts:?}");
        shifts.sort_by(f64::total_cmp);
        assert!(shifts.windows(2).all(|w| w[1] - w[0] > 1e-10), "two alike: {shifts:?}");
        // The same perturbation stands on the right side.
        let x = path.x.clone();
        assert!(path.refactor());
        assert!(x.iter().zip(&path.x).all(|(a, b)| (a - b).abs() < 1e-16));
    }
}

#[test]
fn the_covering_variable_enters_at_the_worst_row() {
    let m: Vec<Vec<f64>> = (0..4).map(|i| (0..4).map(|j| f64::from(u8::from(i == j))).collect()).collect();
    let p = problem(&m, &[-0.5, -1.5, 1.0, -1.0], &[(0.0, INF); 4]);
    let mut path = begun(&p);
    let entering = path.enter_cover(RULES).expect("three rows are violated");
    assert_eq!((entering.var, entering.sign), (1, 1.0), "the complement of w_1");
    assert!(path.violation() <= 0.0);
    let z0 = path.factor.slot_var.iter().position(|v| *v == 8).expect("z_0 is basic");
    assert!((path.x[z0] - 1.5 * path.m.scaling.s).abs() < 1e-6);
}

/// r_i c_j |M_ij| comes to about 1 however far apart units are, and |q′|∞ too; all factors are powers of two.
#[test]
fn problems_are_equilibrated() {
    let mut r = Numbers(0xfeed_5eed);
    for _ in 0..50 {
        let n = 6;
        let unit: Vec<f64> = (0..2 * n).map(|_| 10f64.powf(r.between(-8.0, 8.0))).collect();
        let m: Vec<Vec<f64>> = dominant(&mut r, n)
            .iter()
            .enumerate()
            .map(|(i, row)| row.iter().enumerate().map(|(j, v)| v * unit[i] * unit[n + j]).collect())
            .collect();
        let q: Vec<f64> = (0..n).map(|i| r.between(0.5, 1.0) * unit[i]).collect();
        let p = problem(&m, &q, &vec![(0.0, INF); n]);
        let mut scaling = Scaling::default();
        scaling.find(&p.view());
        let scaled = |i: usize, j: usize| (m[i][j] * scaling.row[i] * scaling.col[j]).abs();
        for i in 0..n {
            let row = (0..n).map(|j| scaled(i, j)).fold(0.0, f64::max);
            let column = (0..n).map(|j| scaled(j, i)).fold(0.0, f64::max);
            assert!((0.01..100.0).contains(&row) && (0.01..100.0).contains(&column), "{row} {column}");
        }
        let largest = (0..n).map(|i| (q[i] * scaling.row[i] * scaling.s).abs()).fold(0.0, f64::max);
        assert!((1.0..2.0).contains(&largest), "{largest}");
        let mut factors = scaling.row.iter().chain(&scaling.col).chain([&scaling.s]);
        assert!(factors.all(|f| f.to_bits() & 0xF_FFFF_FFFF_FFFF == 0));
        // And the path of it ends at the solution.
        let mut path = begun(&p);
        assert_eq!(path.follow(RULES), End::Solved);
        let z = finished(&mut path, &p);
        for i in 0..n {
            let w = q[i] + (0..n).map(|j| m[i][j] * z[j]).sum::<f64>();
            assert!((z[i] / (1.0 / unit[n + i])).min(w / unit[i]).abs() < 1e-10);
        }
    }
}

/// Jammed between two walls: the ray is what squeezes, (1, 1), and nothing else moves.
#[test]
fn rays_are_what_squeezes() {
    let m = [vec![1.0, -1.0, 0.0], vec![-1.0, 1.0, 0.0], vec![0.0, 0.0, 1.0]];
    let mut path = begun(&problem(&m, &[-1.0, -1.0, -0.5], &[(0.0, INF); 3]));
    assert_eq!(path.follow(RULES), End::Ray);
    assert!(path.ray[0] > 0.1 && (path.ray[0] - path.ray[1]).abs() < 1e-12 && path.ray[2].abs() < 1e-12);
}
