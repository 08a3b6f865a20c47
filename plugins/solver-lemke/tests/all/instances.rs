//! Closed forms: a point mass under friction, a jam, Painlevé's rod, a rocking block (Housner 1963); bounds, free rows, refusals.

use crate::support::*;
use vinci_sdk::core::problem::check_farkas;
use vinci_sdk::prelude::*;
use vinci_solver_lemke::{Config, Lemke};

fn point_mass(vx: f64) -> MlcpBuf {
    let (m, h, g) = (2.0, 0.1, 10.0);
    let contact = Contact { normal: vec![0.0, 1.0], tangent: vec![1.0, 0.0], mu: 0.5, rate: 0.0 };
    contact_step(&[m, m], &[m * vx, -m * g * h], &[contact])
}

fn assert_close(found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len());
    for (i, (a, b)) in found.iter().zip(expected).enumerate() {
        assert!((a - b).abs() <= tolerance, "entry {i}: {a} instead of {b}\n{found:?}");
    }
}

#[test]
fn a_point_mass_slides_then_sticks() {
    for answer in solve_both(&point_mass(1.0).view()) {
        assert_eq!(answer.status, Status::Converged);
        assert_close(&answer.z, &[0.5, 0.0, 2.0, 0.0, 1.0, 0.5], 1e-12);
    }
    for answer in solve_both(&point_mass(0.3).view()) {
        assert_close(&answer.z, &[0.0, 0.0, 2.0, 0.0, 0.6, 0.0], 1e-12);
    }
}

#[test]
fn b_a_jam_is_proved_and_compliance_resolves_it() {
    let problem = lcp(&[&[1.0, -1.0], &[-1.0, 1.0]], &[-1.0, -1.0]);
    for answer in solve_both(&problem.view()) {
        assert_eq!(answer.status, Status::Infeasible);
        assert!(check_farkas(&problem.view(), &answer.certificate).proves());
        assert!((answer.certificate[0] - answer.certificate[1]).abs() < 1e-12, "{:?}", answer.certificate);
    }
    let compliant = lcp(&[&[2.0, -1.0], &[-1.0, 2.0]], &[-1.0, -1.0]);
    for answer in solve_both(&compliant.view()) {
        assert_close(&answer.z, &[1.0, 1.0], 1e-13);
    }
}

/// Two walls that are not quite parallel: the count of cases called M + 1e-12 infeasible, whose solution is 1e12 large.
#[test]
fn b_solutions_far_away_are_not_called_infeasible() {
    for hair in [1e-8, 1e-10, 1e-11, 1e-12, 1e-13, 1e-14] {
        let problem = lcp(&[&[1.0 + hair, -1.0], &[-1.0, 1.0 + hair]], &[-1.0, -1.0]);
        for answer in solve_both(&problem.view()) {
            assert_ne!(answer.status, Status::Infeasible, "{hair:e}: {}", answer.note);
        }
    }
}

#[test]
fn b_the_jam_keeps_its_proof_with_the_velocity_as_a_free_row() {
    let rows: [&[f64]; 3] = [&[1.0, -1.0, 1.0], &[1.0, 0.0, 0.0], &[-1.0, 0.0, 0.0]];
    let problem = mlcp(&rows, &[-0.2, -1.0, -1.0], &[FREE, (0.0, INF), (0.0, INF)]);
    for answer in solve_both(&problem.view()) {
        assert_eq!(answer.status, Status::Infeasible);
        assert!(check_farkas(&problem.view(), &answer.certificate).proves());
    }
}

fn painleve(mu: f64, h: f64) -> MlcpBuf {
    let (s, c) = 2.0_f64.atan().sin_cos();
    let contact = Contact { normal: vec![0.0, 1.0, c], tangent: vec![1.0, 0.0, s], mu, rate: 0.0 };
    contact_step(&[1.0, 1.0, 1.0 / 3.0], &[1.0, -9.81 * h, 0.0], &[contact])
}

#[test]
fn c_painleve_stops_by_an_impact_without_collision() {
    for (h, expected) in [(1e-2, 0.383385), (1e-4, 0.300834), (1e-6, 0.300008)] {
        for answer in solve_both(&painleve(2.0, h).view()) {
            assert_eq!(answer.status, Status::Converged);
            assert!((answer.z[3] - expected).abs() < 1e-6, "h = {h}: p_n = {}", answer.z[3]);
        }
    }
    for answer in solve_both(&painleve(1.0, 1e-6).view()) {
        assert!((answer.z[3] / 1e-6 - 24.525).abs() < 1e-3, "p_n/h = {}", answer.z[3] / 1e-6);
    }
}

#[test]
fn d_a_rocking_block_loses_speed_at_its_corner() {
    let (b, a) = (0.2, 1.0);
    let corner =
        |x: f64| Contact { normal: vec![0.0, 1.0, x], tangent: vec![1.0, 0.0, a], mu: 10.0, rate: 0.0 };
    let inertia = (a * a + b * b) / 3.0;
    // Turning at ω = −1 about the left corner, landing on the right one.
    let problem = contact_step(&[1.0, 1.0, inertia], &[a, -b, -inertia], &[corner(-b), corner(b)]);
    for answer in solve_both(&problem.view()) {
        assert!((answer.z[2] / -1.0 - 0.942308).abs() < 1e-6, "ω ratio {}", -answer.z[2]);
        assert!(answer.z[3].abs() < 1e-12 && (answer.z[7] - 0.388462).abs() < 1e-6, "{:?}", answer.z);
    }
}

#[test]
fn bounds_hold_on_every_side() {
    // Each row alone: w = z + q with −1 ≤ z ≤ 1 stops at a bound or inside.
    for (q, expected) in [(3.0, -1.0), (-3.0, 1.0), (0.25, -0.25)] {
        for answer in solve_both(&mlcp(&[&[1.0]], &[q], &[(-1.0, 1.0)]).view()) {
            assert_close(&answer.z, &[expected], 1e-14);
        }
    }
    // Upper bound only, and a fixed variable that pushes on it.
    let rows: [&[f64]; 2] = [&[2.0, 1.0], &[0.0, 1.0]];
    for answer in solve_both(&mlcp(&rows, &[1.0, 5.0], &[(-INF, 0.5), (2.0, 2.0)]).view()) {
        assert_close(&answer.z, &[-1.5, 2.0], 1e-14);
    }
    for answer in solve_both(&mlcp(&rows, &[-9.0, 5.0], &[(-INF, 0.5), (2.0, 2.0)]).view()) {
        assert_close(&answer.z, &[0.5, 2.0], 1e-14);
    }
}

#[test]
fn a_box_drive_saturates() {
    // Velocity v of mass 1 pushed at 3 by a drive |p| ≤ 1 that wants v = 1: v = 3 − 1 = 2 with the drive at its bound.
    let rows: [&[f64]; 2] = [&[1.0, -1.0], &[1.0, 0.0]];
    for answer in solve_both(&mlcp(&rows, &[-3.0, -1.0], &[FREE, (-1.0, 1.0)]).view()) {
        assert_close(&answer.z, &[2.0, -1.0], 1e-14);
    }
    for answer in solve_both(&mlcp(&rows, &[-1.5, -1.0], &[FREE, (-1.0, 1.0)]).view()) {
        assert_close(&answer.z, &[1.0, -0.5], 1e-14);
    }
}

#[test]
fn a_body_without_mass_gets_its_velocity_from_contacts() {
    // Quasi-static: A = 0, weight 1 on one contact whose ground rises at 0.5.
    let rows: [&[f64]; 2] = [&[0.0, -1.0], &[1.0, 0.0]];
    let mut solver = lemke(Config::default());
    let answer = solve_with(&mut solver, &mlcp(&rows, &[1.0, -0.5], &[FREE, (0.0, INF)]).view());
    assert_eq!(answer.status, Status::Converged);
    assert_close(&answer.z, &[0.5, 1.0], 1e-14);
    // Pulled off the ground there is no equilibrium, and y = e_v + … proves it.
    let problem = mlcp(&rows, &[-1.0, -0.5], &[FREE, (0.0, INF)]);
    let answer = solve_with(&mut solver, &problem.view());
    assert_eq!(answer.status, Status::Infeasible);
    assert!(check_farkas(&problem.view(), &answer.certificate).proves());
}

/// A quasi-static planar part (A = 0) under a force and a torque, touched from below by a frictionless pusher at x = 0.02.
fn pushed(force_y: f64, torque: f64) -> MlcpBuf {
    let rows: [&[f64]; 4] =
        [&[0.0; 4], &[0.0, 0.0, 0.0, -1.0], &[0.0, 0.0, 0.0, -0.02], &[0.0, 1.0, 0.02, 0.0]];
    mlcp(&rows, &[0.0, -force_y, -torque, -0.01], &[FREE, FREE, FREE, (0.0, INF)])
}

#[test]
fn velocities_that_nothing_determines_are_named() {
    // The pusher carries the weight: v_y + 0.02 ω = 0.01 is all that is known of three velocities.
    let problem = pushed(-1.0, -0.02);
    let answer = solve_with(&mut lemke(Config::default()), &problem.view());
    assert_eq!(answer.status, Status::Converged);
    assert!(
        (answer.z[1] + 0.02 * answer.z[2] - 0.01).abs() < 1e-15 && (answer.z[3] - 1.0).abs() < 1e-15,
        "{:?}",
        answer.z
    );
    assert_eq!(
        answer.note,
        "free unknown 0 and 1 more not determined by the free rows and active contacts, left at 0"
    );
}

#[test]
fn loads_that_dependent_free_rows_cannot_carry_are_proved_so() {
    // Nothing touches along x; or the weight acts beside the pusher: no equilibrium, with y on the free rows alone.
    let mut sideways = pushed(-1.0, -0.02);
    sideways.q[0] = 0.3;
    for problem in [sideways, pushed(-1.0, 0.0), mlcp(&[&[0.0]], &[1.0], &[FREE])] {
        let answer = solve_with(&mut lemke(Config::default()), &problem.view());
        assert_eq!(answer.status, Status::Infeasible, "{}", answer.note);
        assert!(check_farkas(&problem.view(), &answer.certificate).proves());
    }
}

#[test]
fn a_guess_with_the_right_contacts_needs_no_pivot() {
    for (boxes, dense_limit) in [(2, 64), (12, 64), (12, 0)] {
        let mut solver = lemke(Config { dense_limit, ..Config::default() });
        let mut problem = stack(boxes, 0.5, 0.01);
        let cold = solve_with(&mut solver, &problem.view());
        assert!(cold.status == Status::Converged && cold.iterations > 0);
        problem.guess = cold.z.clone();
        let warm = solve_with(&mut solver, &problem.view());
        assert_eq!(warm.status, Status::Converged);
        if boxes > 2 {
            assert_eq!(warm.iterations, 0, "{}", warm.note);
        }
        assert_close(&warm.z, &cold.z, 1e-12);
        problem.guess = vec![1e3; problem.q.len()];
        assert_eq!(solve_with(&mut solver, &problem.view()).status, Status::Converged);
    }
}

#[test]
fn hyperstatic_stacks_carry_their_weight() {
    for boxes in [1, 5, 20, 100] {
        let problem = stack(boxes, 0.6, 0.01);
        let answer = solve_with(&mut lemke(Config::default()), &problem.view());
        assert_eq!(answer.status, Status::Converged, "{boxes} boxes: {}", answer.note);
        let ground: f64 = answer.z[3 * boxes] + answer.z[3 * boxes + 4];
        let weight = boxes as f64 * 9.81 * 0.01;
        assert!((ground - weight).abs() < 1e-9 * weight, "{ground} carries {weight}");
    }
}

#[test]
fn the_same_problem_gives_the_same_bits() {
    let problem = stack(10, 0.3, 0.02);
    let mut solver = lemke(Config::default());
    let first = solve_with(&mut solver, &problem.view());
    solve_with(&mut solver, &painleve(2.0, 1e-3).view());
    let again = solve_with(&mut solver, &problem.view());
    let fresh = solve_with(&mut lemke(Config::default()), &problem.view());
    assert_eq!(first.z, again.z);
    assert_eq!(first.z, fresh.z);
    assert_eq!(first.iterations, fresh.iterations);
}

#[test]
fn an_empty_problem_is_solved() {
    let answer = solve_with(&mut lemke(Config::default()), &lcp(&[], &[]).view());
    assert_eq!(answer.status, Status::Converged);
    assert!(answer.z.is_empty());
}

#[test]
fn typical_sizes_do_not_change_the_answer() {
    let mut problem = point_mass(1.0);
    problem.z_scale = vec![1e-6, 1.0, 1e4, 3.0, 1e-3, 1.0];
    problem.w_scale = vec![1.0, 1e5, 1e-4, 7.0, 1.0, 1e-2];
    for answer in solve_both(&problem.view()) {
        assert_close(&answer.z, &[0.5, 0.0, 2.0, 0.0, 1.0, 0.5], 1e-10);
    }
}

#[test]
fn misuse_is_refused_with_a_reason() {
    let mut solver = lemke(Config::default());
    let mut problem = point_mass(1.0);
    problem.q[1] = f64::NAN;
    let refusal = solver.solve(&Problem::Mlcp(problem.view())).expect_err("NaN");
    assert!(refusal.message.contains("q[1]"), "{refusal}");
    problem.q[1] = 0.0;
    problem.lower[3] = 2.0;
    problem.upper[3] = 1.0;
    assert!(solver.solve(&Problem::Mlcp(problem.view())).is_err());
    problem.upper[3] = INF;
    problem.tolerance = 0.0;
    assert!(solver.solve(&Problem::Mlcp(problem.view())).is_err());
}

#[test]
fn options_are_checked() {
    for bad in [
        Config { tolerance: Some(-1.0), ..Config::default() },
        Config { refactor_every: 0, ..Config::default() },
        Config { perturbation: f64::NAN, ..Config::default() },
        Config { regularization: vec![0.0], ..Config::default() },
    ] {
        assert_eq!(Lemke::new(bad).expect_err("a bad option").kind, ErrorKind::BadOption);
    }
    assert!(
        parse_options::<Config>(r#"{"max_pivot": 3}"#).expect_err("a typo").message.contains("max_pivots")
    );
    let manifest = Lemke::manifest();
    assert!(manifest.has_class(ProblemClass::Mlcp) && manifest.has_capability("certificate"));
}

#[test]
fn too_few_pivots_are_said_to_be_too_few() {
    let config = Config { max_pivots: 1, regularization: vec![], enumeration_limit: 0, ..Config::default() };
    let answer = solve_with(&mut lemke(config), &stack(3, 0.5, 0.01).view());
    assert_eq!(answer.status, Status::MaxIterations);
    assert!(answer.natural > 1e-10);
}
