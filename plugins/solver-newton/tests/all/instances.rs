//! Worked instances with known numbers, degenerate, boxed, infeasible and bad input.
#![allow(clippy::print_stdout)]

use vinci_sdk::core::StageError;
use vinci_sdk::core::problem::{MlcpBuf, Problem, Status, check_farkas};
use vinci_sdk::core::stage::Solver;
use vinci_solver_newton::{Config, Function, Method, Newton};
use vinci_test_problems::*;

/// Solves and lets nobody but core judge.
fn solve(problem: &MlcpBuf) -> (Status, Vec<f64>) {
    solve_with(Config::default(), problem)
}

fn solve_with(config: Config, problem: &MlcpBuf) -> (Status, Vec<f64>) {
    let p = problem.view();
    let mut solver = Newton::new(config).unwrap();
    let s = solver.solve(&Problem::Mlcp(p)).unwrap();
    assert_eq!(s.z.len(), p.n());
    if s.status == Status::Converged {
        assert!(p.residual(s.z).natural <= p.tolerance, "false success: {}", p.residual(s.z).natural);
    }
    (s.status, s.z.to_vec())
}

fn close(got: &[f64], want: &[f64], tolerance: f64) {
    assert_eq!(got.len(), want.len());
    for (g, w) in got.iter().zip(want) {
        assert!((g - w).abs() <= tolerance, "{got:?} instead of {want:?}");
    }
}

/// Point mass m = 2, μ = 0.5, h = 0.1, g = 10 on the floor.
fn point_mass(vx: f64) -> MlcpBuf {
    let contact = Contact::planar(&[(1, 1.0)], &[(0, 1.0)], 0.0, 0.5);
    contact_problem(&[2.0, 2.0], &[2.0 * vx, -2.0], &[contact], 1e-12)
}

#[test]
fn point_mass_slides_and_sticks() {
    let (status, z) = solve(&point_mass(1.0));
    assert_eq!(status, Status::Converged);
    close(&z, &[0.5, 0.0, 2.0, 0.0, 1.0, 0.5], 1e-12);
    let (status, z) = solve(&point_mass(0.3));
    assert_eq!(status, Status::Converged);
    close(&[z[0], z[1], z[2], z[4] - z[3], z[5]], &[0.0, 0.0, 2.0, 0.6, 0.0], 1e-12);
}

#[test]
fn a_jam_is_proved_infeasible_and_compliance_frees_it() {
    let jam = lcp(&[&[1.0, -1.0], &[-1.0, 1.0]], &[-1.0, -1.0]);
    let mut solver = Newton::new(Config::default()).unwrap();
    let s = solver.solve(&Problem::Mlcp(jam.view())).unwrap();
    assert_eq!(s.status, Status::Infeasible);
    assert!(check_farkas(&jam.view(), s.certificate).proves());
    let soft = lcp(&[&[2.0, -1.0], &[-1.0, 2.0]], &[-1.0, -1.0]);
    close(&solve(&soft).1, &[1.0, 1.0], 1e-12);
}

/// Painlevé's rod of section 16 case 7: tan θ = 2, m = l = 1, v = 1 towards the tip.
fn rod(mu: f64, h: f64) -> MlcpBuf {
    let (s, c) = (2.0 / 5.0_f64.sqrt(), 1.0 / 5.0_f64.sqrt());
    let tip = (c, -s); // tip ahead of and below the centre
    let (mass, inertia) = (1.0, 1.0 / 3.0);
    let contact = Contact::planar(&[(1, 1.0), (2, tip.0)], &[(0, 1.0), (2, -tip.1)], 0.0, mu);
    contact_problem(&[mass, mass, inertia], &[1.0, -9.81 * h, 0.0], &[contact], 1e-12)
}

#[test]
fn painleve_rod_stops_by_an_impact_without_collision() {
    for (h, p_n) in [(1e-2, 0.383385), (1e-4, 0.300834), (1e-6, 0.300008)] {
        let problem = rod(2.0, h);
        let (status, z) = solve(&problem);
        assert_eq!(status, Status::Converged);
        assert!((z[3] - p_n).abs() < 1e-6, "h = {h}: p_n = {}", z[3]);
        let slip: f64 = z[0] + 2.0 / 5.0_f64.sqrt() * z[2];
        assert!(slip.abs() < 1e-9, "still slips at {slip}");
    }
    let (_, z) = solve(&rod(1.0, 1e-4));
    assert!((z[3] / 1e-4 - 24.525).abs() < 1e-3, "regular force {}", z[3] / 1e-4);
}

#[test]
fn rocking_block_keeps_its_share_of_rotation() {
    let (b, a) = (0.2, 1.0); // half width and height, turning about its left corner
    let inertia = (a * a + b * b) / 3.0;
    let omega = -1.0;
    // The pivot rests: v + ω × r = 0 with r = (−b, −a), the corner about which it turns.
    let v = [-a * omega, b * omega, omega];
    let b_side = [v[0], v[1], inertia * v[2]];
    let corner = |x: f64| Contact::planar(&[(1, 1.0), (2, x)], &[(0, 1.0), (2, a)], 0.0, 100.0);
    let problem = contact_problem(&[1.0, 1.0, inertia], &b_side, &[corner(-b), corner(b)], 1e-12);
    let (status, z) = solve(&problem);
    assert_eq!(status, Status::Converged);
    assert!((z[2] / omega - 0.942308).abs() < 1e-6, "ratio {}", z[2] / omega);
    let mut normal = [z[3], z[4]];
    normal.sort_by(f64::total_cmp);
    close(&normal, &[0.0, 0.388462], 1e-6);
}

/// Section 16 case 1: N = ⌊v0/(μ g h)⌋, d = h (N v0 − μ g h N (N + 1)/2).
#[test]
fn the_sliding_block_stops_where_the_formula_says() {
    let (v0, mu, g, h) = (2.0, 0.3, 9.81, 0.005);
    let mut solver = Newton::new(Config::default()).unwrap();
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
    assert!(v[0].abs() < 1e-12 && iterations <= 210, "{iterations} iterations");
}

#[test]
fn stacks_of_boxes_rest() {
    for (boxes, ratio) in [(3, 1.0), (10, 1.0), (10, 2.0), (10, 0.5), (30, 1.0)] {
        for mu in [0.0, 0.5] {
            let (status, z) = solve(&stack(boxes, ratio, mu, 0.0));
            assert_eq!(status, Status::Converged, "{boxes} boxes, ratio {ratio}, μ {mu}");
            let fastest = z[..3 * boxes].iter().fold(0.0_f64, |m, v| m.max(v.abs()));
            assert!(fastest < 1e-9, "{boxes} boxes, ratio {ratio}, μ {mu} move at {fastest}");
        }
    }
}

#[test]
fn two_sided_bounds_are_kept() {
    // −1 ≤ z ≤ 1: below, inside and above.
    for (q, want) in [(3.0, -1.0), (0.5, -0.5), (-3.0, 1.0), (1.0, -1.0)] {
        close(&solve(&boxed(&[&[1.0]], &[q], &[-1.0], &[1.0])).1, &[want], 1e-12);
    }
    // An upper bound alone, a fixed unknown and an equation that couples them.
    let m: [&[f64]; 3] = [&[2.0, 0.0, 1.0], &[0.0, 1.0, 1.0], &[1.0, 1.0, 0.0]];
    let problem = boxed(&m, &[0.0, 5.0, -1.0], &[-INF, 0.5, -INF], &[1.0, 0.5, INF]);
    close(&solve(&problem).1, &[0.5, 0.5, -1.0], 1e-12);
}

#[test]
fn degenerate_problems_have_answers() {
    // Nothing to do at all; zero right side; redundant rows; a continuum of solutions.
    assert_eq!(solve(&lcp(&[], &[])).0, Status::Converged);
    assert_eq!(solve(&lcp(&[&[0.0, 0.0], &[0.0, 0.0]], &[0.0, 0.0])).0, Status::Converged);
    assert_eq!(solve(&lcp(&[&[1.0, 1.0], &[1.0, 1.0]], &[-1.0, -1.0])).0, Status::Converged);
    let redundant = boxed(&[&[1.0, 1.0], &[1.0, 1.0]], &[-2.0, -2.0], &[-INF; 2], &[INF; 2]);
    let (status, z) = solve(&redundant);
    assert_eq!(status, Status::Converged);
    assert!((z[0] + z[1] - 2.0).abs() < 1e-12);
}

#[test]
fn contradicting_equations_are_proved_infeasible() {
    let problem = boxed(&[&[1.0, 1.0], &[1.0, 1.0]], &[-2.0, -1.0], &[-INF; 2], &[INF; 2]);
    let mut solver = Newton::new(Config::default()).unwrap();
    let s = solver.solve(&Problem::Mlcp(problem.view())).unwrap();
    assert_eq!(s.status, Status::Infeasible);
    assert!(check_farkas(&problem.view(), s.certificate).proves());
    let (status, _) = solve_with(Config { certify: false, ..Config::default() }, &problem);
    assert!(!matches!(status, Status::Converged | Status::Infeasible));
}

#[test]
fn bad_input_is_refused_in_words() {
    let refuse = |problem: &MlcpBuf| -> StageError {
        Newton::new(Config::default()).unwrap().solve(&Problem::Mlcp(problem.view())).map(|_| ()).unwrap_err()
    };
    let good = lcp(&[&[1.0]], &[-1.0]);
    let mut bad = good.clone();
    bad.q[0] = f64::NAN;
    assert!(refuse(&bad).message.contains("q[0]"));
    let mut bad = good.clone();
    bad.lower[0] = 2.0;
    bad.upper[0] = 1.0;
    assert!(refuse(&bad).message.contains("bounds"));
    let mut bad = good.clone();
    bad.guess = vec![0.0; 3];
    assert!(refuse(&bad).message.contains("guess"));
    let mut odd = good;
    odd.guess = vec![f64::NAN]; // a guess is only a guess
    assert_eq!(solve(&odd).0, Status::Converged);
}

#[test]
fn every_method_and_function_solves_the_stack_alike() {
    let problem = stack(5, 1.0, 0.5, 0.02);
    let reference = solve(&problem).1;
    for function in [Function::Minimum, Function::FischerBurmeister, Function::Penalised] {
        let config = Config { method: Method::Damped, function, ..Config::default() };
        let (status, z) = solve_with(config, &problem);
        assert_eq!(status, Status::Converged, "{function:?}");
        close(&z[..15], &reference[..15], 1e-9);
    }
    let (status, z) = solve_with(Config { method: Method::Path, ..Config::default() }, &problem);
    assert_eq!(status, Status::Converged);
    close(&z[..15], &reference[..15], 1e-9);
}

#[test]
fn dense_and_sparse_systems_give_the_same_motion() {
    let problem = stack(10, 1.0, 0.5, 0.02);
    let dense = solve_with(Config { dense_limit: 1000, ..Config::default() }, &problem);
    let sparse = solve_with(Config { dense_limit: 0, ..Config::default() }, &problem);
    assert_eq!((dense.0, sparse.0), (Status::Converged, Status::Converged));
    close(&dense.1[..30], &sparse.1[..30], 1e-9);
}

#[test]
fn the_same_problem_gives_the_same_bits() {
    let problems = [stack(10, 1.0, 0.5, 0.02), point_mass(1.0), stack(4, 3.0, 0.3, 0.1)];
    let mut solver = Newton::new(Config::default()).unwrap();
    let mut bits = |p: &MlcpBuf| -> Vec<u64> {
        let s = solver.solve(&Problem::Mlcp(p.view())).unwrap();
        s.z.iter().map(|x| x.to_bits()).collect()
    };
    let first: Vec<_> = problems.iter().map(&mut bits).collect();
    let again: Vec<_> = problems.iter().map(&mut bits).collect();
    assert_eq!(first, again);
}

#[test]
fn a_good_guess_saves_iterations() {
    let mut problem = stack(10, 1.0, 0.5, 0.3);
    let mut solver = Newton::new(Config::default()).unwrap();
    let s = solver.solve(&Problem::Mlcp(problem.view())).unwrap();
    let cold = s.iterations;
    problem.guess = s.z.to_vec();
    let warm = solver.solve(&Problem::Mlcp(problem.view())).unwrap().iterations;
    assert!(warm < cold && warm <= 2, "{warm} warm, {cold} cold");
}

#[test]
fn options_out_of_range_are_refused_in_words() {
    for (config, word) in [
        (Config { memory: 0, ..Config::default() }, "memory"),
        (Config { tolerance: Some(-1.0), ..Config::default() }, "tolerance"),
        (Config { max_iterations: 0, ..Config::default() }, "max_iterations"),
        (Config { balancing: 1000, ..Config::default() }, "balancing"),
    ] {
        assert!(Newton::new(config).unwrap_err().message.contains(word));
    }
}

#[test]
fn an_iteration_limit_is_reported_as_such() {
    let (status, _) =
        solve_with(Config { max_iterations: 1, ..Config::default() }, &stack(10, 1.0, 0.5, 0.3));
    assert_eq!(status, Status::MaxIterations);
}
