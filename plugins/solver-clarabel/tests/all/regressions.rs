//! Bugs that were found, each as a test named for what broke.

use vinci_sdk::core::problem::ConicBuf;
use vinci_sdk::prelude::*;
use vinci_solver_clarabel::{Clarabel, Config};

const INF: f64 = f64::INFINITY;

/// A ball of 5 g/dm on the ground, a pusher at its side: unknowns pusher.vx, ball.vx, ball.vy, ball.ω. Every contact is closed;
/// `gap` is what rounding left of the pusher's.
fn ball_and_pusher(gap: f64) -> ConicBuf {
    let p = [0.05, 0.005, 0.005, 0.000025];
    let p: Vec<_> = p.iter().enumerate().map(|(i, &v)| (i, i, v)).collect();
    let rows = [
        (0, 1, -0.3),
        (0, 2, 1.0),
        (0, 3, -0.03),
        (1, 1, 0.3),
        (1, 2, 1.0),
        (1, 3, 0.03),
        (2, 0, -1.0),
        (2, 1, 1.0),
    ];
    let c = vec![-0.005652173913043498, 0.0, 0.0981, 0.0];
    let (p, rows) = (CsrBuf::from_triplets(4, 4, &p), CsrBuf::from_triplets(3, 4, &rows));
    ConicBuf::from_parts(p, c, rows, vec![0.0, 0.0, gap], (vec![0.0; 3], vec![INF; 3]))
}

/// Gaps of rounding alone made a unit of 1e-16 m/s; costs became 1e12, and the first iterate was taken for a ray.
#[test]
fn contacts_at_rest_are_not_taken_for_hopeless() {
    let mut solver = Clarabel::new(Config { polish: false, ..Config::default() }).unwrap();
    for gap in [0.0, -5.551115123125783e-16, 5e-16, 1e-14, -1e-11] {
        let problem = ball_and_pusher(gap);
        let s = solver.solve(&Problem::Conic(problem.view())).unwrap();
        assert_eq!(s.status, Status::Converged, "gap {gap:e}: {}", s.note);
        let residual = problem.view().residual(s.z, s.dual).natural;
        assert!(residual <= 1e-8, "gap {gap:e}: {residual:e}");
        // Rolling without slip: the pusher moves the ball at v, ω = −v/r.
        assert!((s.z[1] - s.z[0]).abs() <= 1e-8 && (s.z[3] + 10.0 * s.z[1]).abs() <= 1e-6, "{:?}", s.z);
    }
}

/// Discs in a box, packed as close as discs can be, every layer on the gaps of the one below; gaps are rounding, of both signs. Unknowns are
/// vx, vy and r ω of each; a contact has the two rays of its friction cone (μ = 0.5). Forces can squeeze without moving anything.
fn jammed_pile(columns: usize, layers: usize) -> ConicBuf {
    let mut rows = Vec::new();
    for layer in 0..layers {
        for column in 0..columns {
            let disc = |layer: usize, column: usize| Some(3 * (layer * columns + column));
            for (other, normal) in neighbours(layer, column, columns) {
                let other = other.and_then(|(layer, column)| disc(layer, column));
                rows.extend([-0.5, 0.5].map(|slip| ray(disc(layer, column), other, normal, slip)));
            }
        }
    }
    let (n, m) = (3 * columns * layers, rows.len());
    let entries: Vec<_> =
        rows.iter().enumerate().flat_map(|(i, row)| row.iter().map(move |&(j, v)| (i, j, v))).collect();
    let p: Vec<_> = (0..n).map(|i| (i, i, if i % 3 == 2 { 0.5 } else { 1.0 })).collect();
    let c = (0..n).map(|i| if i % 3 == 1 { 0.01 } else { 0.0 }).collect();
    let gaps = (0..m).map(|i| 1e-14 * ((7 * (i / 2)) % 13) as f64 - 6e-14).collect();
    let (p, rows) = (CsrBuf::from_triplets(n, n, &p), CsrBuf::from_triplets(m, n, &entries));
    ConicBuf::from_parts(p, c, rows, gaps, (vec![0.0; m], vec![INF; m]))
}

/// Layer and column of a disc; none for the box.
type Other = Option<(usize, usize)>;

/// Bodies that a disc touches to its left, at the walls and below, with the normals towards it.
fn neighbours(layer: usize, column: usize, columns: usize) -> Vec<(Other, (f64, f64))> {
    let (odd, lean) = (layer % 2 == 1, 0.75_f64.sqrt());
    let mut all = Vec::new();
    match column.checked_sub(1) {
        Some(left) => all.push((Some((layer, left)), (1.0, 0.0))),
        None if !odd => all.push((None, (1.0, 0.0))),
        None => {}
    }
    if odd && column + 1 == columns {
        all.push((None, (-1.0, 0.0)));
    }
    let Some(under) = layer.checked_sub(1) else {
        all.push((None, (0.0, 1.0)));
        return all;
    };
    // Odd layers are half a disc to the right.
    let (left, right) = if odd { (Some(column), column + 1) } else { (column.checked_sub(1), column) };
    all.extend(left.map(|left| (Some((under, left)), (0.5, lean))));
    all.extend((right < columns).then_some((Some((under, right)), (-0.5, lean))));
    all
}

/// The normal rate and `slip` times the slip of a contact, whose direction is (−ny, nx).
fn ray(this: Option<usize>, other: Option<usize>, (nx, ny): (f64, f64), slip: f64) -> Vec<(usize, f64)> {
    let (x, y) = (nx - slip * ny, ny + slip * nx);
    let entries = |at: usize, sign: f64| [(at, sign * x), (at + 1, sign * y), (at + 2, -slip)];
    let both = [(this, 1.0), (other, -1.0)];
    both.into_iter().filter_map(|(at, sign)| at.map(|at| entries(at, sign))).flatten().collect()
}

/// The regularisation of the backend's systems was as large as the forces that decide, and the iterations came to their limit of 200.
#[test]
fn a_jammed_pile_takes_no_hundreds_of_iterations() {
    let problem = jammed_pile(8, 8);
    let mut solver = Clarabel::new(Config { polish: false, ..Config::default() }).unwrap();
    let s = solver.solve(&Problem::Conic(problem.view())).unwrap();
    assert_eq!(s.status, Status::Converged, "{}", s.note);
    let residual = problem.view().residual(s.z, s.dual).natural;
    assert!(residual <= 1e-8 && s.iterations < 50, "{residual:e} after {} iterations", s.iterations);
}

/// A point that met the tolerance was not told as solved where the iterations came to their limit.
#[test]
fn a_point_within_the_tolerance_counts_however_the_iterations_ended() {
    let problem = ball_and_pusher(0.0);
    let iterations = |max_iterations: u32| {
        let config = Config { polish: false, interior_tolerance: 1e-13, max_iterations, ..Config::default() };
        let mut solver = Clarabel::new(config).unwrap();
        let s = solver.solve(&Problem::Conic(problem.view())).unwrap();
        assert_eq!(s.status, Status::Converged, "{}", s.note);
        s.iterations
    };
    let whole = iterations(200);
    assert_eq!(iterations(whole - 1), whole - 1);
}
