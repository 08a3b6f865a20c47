//! Closed forms, degenerate, infeasible, unbounded and badly scaled programs, refusals.

use crate::support::*;
use vinci_sdk::core::problem::ConicBuf;
use vinci_sdk::prelude::*;
use vinci_solver_active_set::{ActiveSet, Config};

/// Nearest point of a box: min ½|x − a|², 0 ≤ x ≤ 1.
#[test]
fn the_nearest_point_of_a_box() {
    let eye: [&[f64]; 3] = [&[1.0, 0.0, 0.0], &[0.0, 1.0, 0.0], &[0.0, 0.0, 1.0]];
    let answer = solve(&program(&eye, &[-2.0, 0.5, -0.25], &eye, &[0.0; 3], &[(0.0, 1.0); 3]));
    assert_eq!(answer.status, Status::Converged);
    assert_close(&answer.x, &[1.0, 0.0, 0.25], 1e-15);
    assert_close(&answer.y, &[-1.0, 0.5, 0.0], 1e-15);
}

/// min ½|x|², x₀ + x₁ = 1 and x₀ − x₁ ≥ t: x = ((1 + t)/2, (1 − t)/2) for t > 0.
#[test]
fn an_equation_and_a_row_that_may_press() {
    for (t, expected) in [(-0.5, [0.5, 0.5]), (0.5, [0.75, 0.25])] {
        let p = program(
            &[&[1.0, 0.0], &[0.0, 1.0]],
            &[0.0, 0.0],
            &[&[1.0, 1.0], &[1.0, -1.0]],
            &[-1.0, -t],
            &[(0.0, 0.0), (0.0, INF)],
        );
        let answer = solve(&p);
        assert_close(&answer.x, &expected, 1e-15);
        assert_close(&answer.y, &[0.5, (t / 2.0_f64).max(0.0)], 1e-15);
    }
}

/// A block pushed along the ground under Anitescu's relaxation with μ: rows v_n ± μ v_t ≥ 0 (planar), M = m I.
/// min ½ m|v|² − f·v with v_n free to rise: from v_t = v0 both rows meet at the solution of the cone's projection.
#[test]
fn a_sliding_point_rises_as_the_relaxation_says() {
    let (m, mu, v0, fall) = (2.0, 0.5, 1.0, 0.1);
    let p = program(
        &[&[m, 0.0], &[0.0, m]],
        &[-m * v0, m * fall],
        &[&[mu, 1.0], &[-mu, 1.0]],
        &[0.0, 0.0],
        &[(0.0, INF), (0.0, INF)],
    );
    let answer = solve(&p);
    // Only −μ v_t + v_n ≥ 0 presses: y = m (μ v0 + fall)/(1 + μ²).
    let y = m * (mu * v0 + fall) / (1.0 + mu * mu);
    assert_close(&answer.y, &[0.0, y], 1e-14);
    assert_close(&answer.x, &[v0 - mu * y / m, y / m - fall], 1e-14);
}

/// Quasi-static: P = 0 for the part, weight w on one contact of a table at height rate r; objective on a finger.
fn part_on_table(weight: f64, rate: f64) -> ConicBuf {
    program(&[&[0.0]], &[weight], &[&[1.0]], &[-rate], &[(0.0, INF)])
}

#[test]
fn a_part_without_mass_stands_on_its_table() {
    let answer = solve(&part_on_table(9.81, 0.5));
    assert_eq!(answer.status, Status::Converged);
    assert_close(&answer.x, &[0.5], 1e-15);
    assert_close(&answer.y, &[9.81], 1e-14);
}

#[test]
fn an_unsupported_part_falls_for_ever() {
    for offset in [0.0, 3.0] {
        let answer = solve(&part_on_table(-9.81, offset));
        assert_eq!(answer.status, Status::Unbounded);
        assert!(answer.certificate[0] > 0.0);
    }
    // In three freedoms: weight along −y, a wall beside it, another body with mass.
    let p = program(
        &[&[0.0; 3], &[0.0; 3], &[0.0, 0.0, 2.0]],
        &[0.0, 1.0, -1.0],
        &[&[1.0, 0.0, 0.0], &[1.0, 0.0, -1.0]],
        &[0.0, 0.0],
        &[(0.0, INF), (0.0, INF)],
    );
    let answer = solve(&p);
    assert_eq!(answer.status, Status::Unbounded);
    assert!(answer.certificate[1] < 0.0 && answer.certificate[2] == 0.0, "{:?}", answer.certificate);
}

#[test]
fn what_nothing_determines_stays_at_zero_and_is_said() {
    // The objective sees x₀, a row sees x₁, nothing sees x₂ and x₃.
    let p = program(
        &[&[1.0, 0.0, 0.0, 0.0], &[0.0; 4], &[0.0; 4], &[0.0; 4]],
        &[-1.0, 2.0, 0.0, 0.0],
        &[&[0.0, 1.0, 0.0, 0.0]],
        &[0.0],
        &[(-3.0, INF)],
    );
    let answer = solve(&p);
    assert_close(&answer.x, &[1.0, -3.0, 0.0, 0.0], 1e-15);
    assert!(answer.note.starts_with("2 directions"), "{}", answer.note);
}

#[test]
fn plates_that_close_are_proved_infeasible() {
    let p = program(&[&[1.0]], &[0.0], &[&[1.0], &[-1.0]], &[-1.0, -1.0], &[(0.0, INF), (0.0, INF)]);
    let answer = solve(&p);
    assert_eq!(answer.status, Status::Infeasible);
    assert!((answer.certificate[0] - answer.certificate[1]).abs() < 1e-15 && answer.certificate[0] > 0.0);
    // Equations that contradict one another, with P = 0 as well.
    for p00 in [0.0, 1.0] {
        let p = program(
            &[&[p00, 0.0], &[0.0, 0.0]],
            &[0.0, 0.0],
            &[&[1.0, 1.0], &[2.0, 2.0]],
            &[0.0, 0.0],
            &[(1.0, 1.0), (2.1, 2.1)],
        );
        assert_eq!(solve(&p).status, Status::Infeasible);
    }
}

/// A table on many legs: every corner repeated; forces are not unique, the velocity is.
#[test]
fn hyperstatic_rows_do_no_harm() {
    let corner = |x: f64, y: f64| vec![1.0, y, -x];
    let mut rows = Vec::new();
    for _ in 0..6 {
        for (x, y) in [(-1.0, -1.0), (1.0, -1.0), (-1.0, 1.0), (1.0, 1.0), (0.0, 0.0)] {
            rows.push(corner(x, y));
        }
    }
    let slices: Vec<&[f64]> = rows.iter().map(Vec::as_slice).collect();
    let (m, h) = (3.0, 0.01);
    for scale in [0.0, 1.0] {
        // scale 0: quasi-static.
        let mass: [&[f64]; 3] = [&[m * scale, 0.0, 0.0], &[0.0, scale, 0.0], &[0.0, 0.0, scale]];
        let p = program(&mass, &[m * 9.81 * h, 0.0, 0.0], &slices, &[0.0; 30], &[(0.0, INF); 30]);
        let answer = solve(&p);
        assert_eq!(answer.status, Status::Converged, "{}", answer.note);
        assert_close(&answer.x, &[0.0; 3], 1e-14);
        let load: f64 = answer.y.iter().sum();
        assert!((load - m * 9.81 * h).abs() < 1e-13, "{load}");
    }
}

#[test]
fn dependent_equations_that_agree_are_no_trouble() {
    let p = program(
        &[&[2.0, 0.0], &[0.0, 2.0]],
        &[0.0, 0.0],
        &[&[1.0, 1.0], &[2.0, 2.0], &[-1.0, -1.0], &[1.0, 0.0]],
        &[-1.0, -2.0, 1.0, 0.0],
        &[(0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (-INF, 0.25)],
    );
    let answer = solve(&p);
    assert_eq!(answer.status, Status::Converged);
    assert_close(&answer.x, &[0.25, 0.75], 1e-15);
}

#[test]
fn linear_programs() {
    // max 3x + 2y, x + y ≤ 4, x + 3y ≤ 7, 0 ≤ x ≤ 3, y ≥ 0: (3, 1).
    let p = program(
        &[&[0.0, 0.0], &[0.0, 0.0]],
        &[-3.0, -2.0],
        &[&[1.0, 1.0], &[1.0, 3.0], &[1.0, 0.0], &[0.0, 1.0]],
        &[0.0; 4],
        &[(-INF, 4.0), (-INF, 7.0), (0.0, 3.0), (0.0, INF)],
    );
    let answer = solve(&p);
    assert_close(&answer.x, &[3.0, 1.0], 1e-14);
    assert_close(&answer.y, &[-2.0, 0.0, -1.0, 0.0], 1e-14);
    // Beale's program, on which the textbook simplex method cycles: optimum −0.05.
    let p = program(
        &[&[0.0; 4], &[0.0; 4], &[0.0; 4], &[0.0; 4]],
        &[-0.75, 150.0, -0.02, 6.0],
        &[
            &[0.25, -60.0, -0.04, 9.0],
            &[0.5, -90.0, -0.02, 3.0],
            &[0.0, 0.0, 1.0, 0.0],
            &[1.0, 0.0, 0.0, 0.0],
            &[0.0, 1.0, 0.0, 0.0],
            &[0.0, 0.0, 0.0, 1.0],
        ],
        &[0.0; 6],
        &[(-INF, 0.0), (-INF, 0.0), (0.0, 1.0), (0.0, INF), (0.0, INF), (0.0, INF)],
    );
    let answer = solve(&p);
    assert_eq!(answer.status, Status::Converged);
    assert!((p.view().objective(&answer.x) + 0.05).abs() < 1e-14, "{:?}", answer.x);
}

#[test]
fn empty_programs() {
    let answer = solve(&program(&[], &[], &[], &[], &[]));
    assert_eq!(answer.status, Status::Converged);
    // No row at all; no unknown but rows, one of which cannot hold.
    let answer = solve(&program(&[&[2.0]], &[-1.0], &[], &[], &[]));
    assert_close(&answer.x, &[0.5], 1e-16);
    assert_eq!(solve(&program(&[], &[], &[&[]], &[1.0], &[(0.0, 2.0)])).status, Status::Converged);
    assert_eq!(solve(&program(&[], &[], &[&[]], &[-1.0], &[(0.0, 2.0)])).status, Status::Infeasible);
}

#[test]
fn misuse_is_refused_with_a_reason() {
    let mut solver = solver(Config::default());
    let mut refuse = |p: &ConicBuf| solver.solve(&Problem::Conic(p.view())).expect_err("misuse");
    let good = random(1, 4, 6, 4, 0.1);
    let mut bad = good.clone();
    bad.cones = vec![2, 3];
    for i in 2..5 {
        bad.lower[i] = -INF;
    }
    let refusal = refuse(&bad);
    assert!(refusal.kind == ErrorKind::Unsupported && refusal.message.contains("cones (1)"), "{refusal}");
    let mut bad = good.clone();
    bad.c[1] = f64::NAN;
    assert_eq!(refuse(&bad).kind, ErrorKind::BadInput);
    let mut bad = good.clone();
    (bad.lower[0], bad.upper[0]) = (2.0, 1.0);
    assert_eq!(refuse(&bad).kind, ErrorKind::BadInput);
    let indefinite = program(&[&[1.0, 2.0], &[2.0, 1.0]], &[0.0; 2], &[], &[], &[]);
    assert!(refuse(&indefinite).message.contains("semidefinite"));
    let skew = program(&[&[1.0, 2.0], &[1.0, 4.0]], &[0.0; 2], &[], &[], &[]);
    assert!(refuse(&skew).message.contains("symmetric"));
    let refusal = solver.solve(&Problem::Mlcp(MlcpBuf::default().view())).expect_err("another class");
    assert_eq!(refusal.kind, ErrorKind::Unsupported);
    // And after all that it still works.
    assert_eq!(solve_with(&mut solver, &good.view()).status, Status::Converged);
}

#[test]
fn options_are_checked() {
    for bad in [
        Config { tolerance: Some(-1.0), ..Config::default() },
        Config { max_iterations: 0, ..Config::default() },
    ] {
        assert_eq!(ActiveSet::new(bad).expect_err("a bad option").kind, ErrorKind::BadOption);
    }
    let typo = parse_options::<Config>(r#"{"max_iteration": 3}"#).expect_err("a typo");
    assert!(typo.message.contains("max_iterations"));
    let manifest = ActiveSet::manifest();
    assert!(manifest.has_class(ProblemClass::Conic) && manifest.has_capability("unbounded-certificate"));
}

#[test]
fn too_few_pivots_are_said_to_be_too_few() {
    let config = Config { max_iterations: 2, ..Config::default() };
    let answer = solve_with(&mut solver(config), &random(3, 20, 40, 20, 0.01).view());
    assert_eq!(answer.status, Status::MaxIterations);
    assert!(answer.natural > 1e-10);
}
