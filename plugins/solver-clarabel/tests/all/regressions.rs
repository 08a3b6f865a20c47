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
