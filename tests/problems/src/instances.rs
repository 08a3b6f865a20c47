//! Worked instances with known numbers, for solvers of mixed complementarity problems.

use vinci_core::problem::{MlcpBuf, Problem, Status, check_farkas};
use vinci_core::stage::Solver;

use crate::{Contact, INF, box_on_floor, boxed, contact_problem, lcp, stack};

/// Solves and lets nobody but core judge.
pub fn solve(solver: &mut dyn Solver, problem: &MlcpBuf) -> (Status, Vec<f64>) {
    let p = problem.view();
    let s = solver.solve(&Problem::Mlcp(p)).unwrap();
    assert_eq!(s.z.len(), p.n());
    if s.status == Status::Converged {
        assert!(p.residual(s.z).natural <= p.tolerance, "false success: {}", p.residual(s.z).natural);
    }
    (s.status, s.z.to_vec())
}

/// Equal up to a tolerance.
pub fn close(got: &[f64], want: &[f64], tolerance: f64) {
    assert_eq!(got.len(), want.len());
    for (g, w) in got.iter().zip(want) {
        assert!((g - w).abs() <= tolerance, "{got:?} instead of {want:?}");
    }
}

/// Point mass m = 2, μ = 0.5, h = 0.1, g = 10 on the floor.
pub fn point_mass(vx: f64) -> MlcpBuf {
    let contact = Contact::planar(&[(1, 1.0)], &[(0, 1.0)], 0.0, 0.5);
    contact_problem(&[2.0, 2.0], &[2.0 * vx, -2.0], &[contact], 1e-12)
}

/// A point mass on the floor slides, or sticks.
pub fn point_mass_slides_and_sticks(solver: &mut dyn Solver) {
    let (status, z) = solve(solver, &point_mass(1.0));
    assert_eq!(status, Status::Converged);
    close(&z, &[0.5, 0.0, 2.0, 0.0, 1.0, 0.5], 1e-12);
    let (status, z) = solve(solver, &point_mass(0.3));
    assert_eq!(status, Status::Converged);
    close(&[z[0], z[1], z[2], z[4] - z[3], z[5]], &[0.0, 0.0, 2.0, 0.6, 0.0], 1e-12);
}

/// A jam is proved infeasible, and compliance frees it.
pub fn a_jam_is_proved_infeasible_and_compliance_frees_it(solver: &mut dyn Solver) {
    let jam = lcp(&[&[1.0, -1.0], &[-1.0, 1.0]], &[-1.0, -1.0]);
    let s = solver.solve(&Problem::Mlcp(jam.view())).unwrap();
    assert_eq!(s.status, Status::Infeasible);
    assert!(check_farkas(&jam.view(), s.certificate).proves());
    let soft = lcp(&[&[2.0, -1.0], &[-1.0, 2.0]], &[-1.0, -1.0]);
    close(&solve(solver, &soft).1, &[1.0, 1.0], 1e-12);
}

/// Painlevé's rod of section 16 case 7: tan θ = 2, m = l = 1, v = 1 towards the tip.
fn rod(mu: f64, h: f64) -> MlcpBuf {
    let (s, c) = (2.0 / 5.0_f64.sqrt(), 1.0 / 5.0_f64.sqrt());
    let tip = (c, -s); // tip ahead of and below the centre
    let (mass, inertia) = (1.0, 1.0 / 3.0);
    let contact = Contact::planar(&[(1, 1.0), (2, tip.0)], &[(0, 1.0), (2, -tip.1)], 0.0, mu);
    contact_problem(&[mass, mass, inertia], &[1.0, -9.81 * h, 0.0], &[contact], 1e-12)
}

/// Painlevé's rod stops by an impact without collision.
pub fn painleve_rod_stops_by_an_impact_without_collision(solver: &mut dyn Solver) {
    for (h, p_n) in [(1e-2, 0.383385), (1e-4, 0.300834), (1e-6, 0.300008)] {
        let problem = rod(2.0, h);
        let (status, z) = solve(solver, &problem);
        assert_eq!(status, Status::Converged);
        assert!((z[3] - p_n).abs() < 1e-6, "h = {h}: p_n = {}", z[3]);
        let slip: f64 = z[0] + 2.0 / 5.0_f64.sqrt() * z[2];
        assert!(slip.abs() < 1e-9, "still slips at {slip}");
    }
    let (_, z) = solve(solver, &rod(1.0, 1e-4));
    assert!((z[3] / 1e-4 - 24.525).abs() < 1e-3, "regular force {}", z[3] / 1e-4);
}

/// A rocking block keeps its share of rotation.
pub fn rocking_block_keeps_its_share_of_rotation(solver: &mut dyn Solver) {
    let (b, a) = (0.2, 1.0); // half width and height, turning about its left corner
    let inertia = (a * a + b * b) / 3.0;
    let omega = -1.0;
    // The pivot rests: v + ω × r = 0 with r = (−b, −a), the corner about which it turns.
    let v = [-a * omega, b * omega, omega];
    let b_side = [v[0], v[1], inertia * v[2]];
    let corner = |x: f64| Contact::planar(&[(1, 1.0), (2, x)], &[(0, 1.0), (2, a)], 0.0, 100.0);
    let problem = contact_problem(&[1.0, 1.0, inertia], &b_side, &[corner(-b), corner(b)], 1e-12);
    let (status, z) = solve(solver, &problem);
    assert_eq!(status, Status::Converged);
    assert!((z[2] / omega - 0.942308).abs() < 1e-6, "ratio {}", z[2] / omega);
    let mut normal = [z[3], z[4]];
    normal.sort_by(f64::total_cmp);
    close(&normal, &[0.0, 0.388462], 1e-6);
}

/// A sliding block, with at most so many iterations in 200 steps: N = ⌊v0/(μ g h)⌋, d = h (N v0 − μ g h N (N + 1)/2).
pub fn the_sliding_block_stops_where_the_formula_says(solver: &mut dyn Solver, most: u32) {
    let (v0, mu, g, h) = (2.0, 0.3, 9.81, 0.005);
    let (mut v, mut x, mut guess) = ([v0, 0.0, 0.0], 0.0, Vec::new());
    let mut iterations = 0;
    for _ in 0..200 {
        let mut problem = box_on_floor(v, 1.0, (0.5, 0.1), mu, h, g);
        problem.guess.clone_from(&guess);
        let s = solver.solve(&Problem::Mlcp(problem.view())).unwrap();
        assert_eq!(s.status, Status::Converged);
        v.copy_from_slice(&s.z[..3]);
        guess.clear();
        guess.extend_from_slice(s.z);
        x += h * v[0];
        iterations += s.iterations;
    }
    let n = (v0 / (mu * g * h)).floor();
    let distance = h * (n * v0 - mu * g * h * n * (n + 1.0) / 2.0);
    assert!((x - distance).abs() < 1e-9, "stopped at {x} instead of {distance}");
    assert!(v[0].abs() < 1e-12 && iterations <= most, "{iterations} iterations");
}

/// Stacks of boxes rest.
pub fn stacks_of_boxes_rest(solver: &mut dyn Solver) {
    for (boxes, ratio) in [(3, 1.0), (10, 1.0), (10, 2.0), (10, 0.5), (30, 1.0)] {
        for mu in [0.0, 0.5] {
            let (status, z) = solve(solver, &stack(boxes, ratio, mu, 0.0));
            assert_eq!(status, Status::Converged, "{boxes} boxes, ratio {ratio}, μ {mu}");
            let fastest = z[..3 * boxes].iter().fold(0.0_f64, |m, v| m.max(v.abs()));
            assert!(fastest < 1e-9, "{boxes} boxes, ratio {ratio}, μ {mu} move at {fastest}");
        }
    }
}

/// Two-sided bounds are kept.
pub fn two_sided_bounds_are_kept(solver: &mut dyn Solver) {
    // −1 ≤ z ≤ 1: below, inside and above.
    for (q, want) in [(3.0, -1.0), (0.5, -0.5), (-3.0, 1.0), (1.0, -1.0)] {
        close(&solve(solver, &boxed(&[&[1.0]], &[q], &[-1.0], &[1.0])).1, &[want], 1e-12);
    }
    // An upper bound alone, a fixed unknown and an equation that couples them.
    let m: [&[f64]; 3] = [&[2.0, 0.0, 1.0], &[0.0, 1.0, 1.0], &[1.0, 1.0, 0.0]];
    let problem = boxed(&m, &[0.0, 5.0, -1.0], &[-INF, 0.5, -INF], &[1.0, 0.5, INF]);
    close(&solve(solver, &problem).1, &[0.5, 0.5, -1.0], 1e-12);
}

/// Degenerate problems have answers.
pub fn degenerate_problems_have_answers(solver: &mut dyn Solver) {
    // Nothing to do at all; zero right side; redundant rows; a continuum of solutions.
    assert_eq!(solve(solver, &lcp(&[], &[])).0, Status::Converged);
    assert_eq!(solve(solver, &lcp(&[&[0.0, 0.0], &[0.0, 0.0]], &[0.0, 0.0])).0, Status::Converged);
    assert_eq!(solve(solver, &lcp(&[&[1.0, 1.0], &[1.0, 1.0]], &[-1.0, -1.0])).0, Status::Converged);
    let redundant = boxed(&[&[1.0, 1.0], &[1.0, 1.0]], &[-2.0, -2.0], &[-INF; 2], &[INF; 2]);
    let (status, z) = solve(solver, &redundant);
    assert_eq!(status, Status::Converged);
    assert!((z[0] + z[1] - 2.0).abs() < 1e-12);
}
