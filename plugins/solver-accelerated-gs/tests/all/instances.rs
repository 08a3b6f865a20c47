//! Closed forms and worked instances, honest statuses, misuse.

use vinci_sdk::core::CsrBuf;
use vinci_sdk::core::error::ErrorKind;
use vinci_sdk::core::problem::{ConeBlock, ConeBuf, MlcpBuf, NO_NORMAL, Problem, Status};
use vinci_sdk::core::stage::Solver;
use vinci_solver_accelerated_gs::{AcceleratedGs, Config};
use vinci_test_problems::INF;
use vinci_test_problems::coulomb::cone;

const FREE: (f64, f64) = (-INF, INF);

fn solved(problem: &ConeBuf) -> Vec<f64> {
    let mut solver = AcceleratedGs::new(Config::default()).unwrap();
    let s = solver.solve(&Problem::Cone(problem.view())).unwrap();
    assert_eq!(s.status, Status::Converged, "residual {:e}, {}", s.residual, s.note);
    assert!(problem.view().residual(s.z).natural <= problem.rows.tolerance);
    s.z.to_vec()
}

fn close(z: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(z.len(), expected.len());
    for (i, (a, b)) in z.iter().zip(expected).enumerate() {
        assert!((a - b).abs() <= tolerance, "z[{i}] is {a}, not {b}: {z:?}");
    }
}

/// Planar point mass m on the floor with its velocity kept: v_x, v_y, p_n, p_t.
fn point_mass(m: f64, v_x: f64, load: f64, mu: f64) -> ConeBuf {
    let rows: [&[f64]; 4] =
        [&[m, 0.0, 0.0, -1.0], &[0.0, m, -1.0, 0.0], &[0.0, 1.0, 0.0, 0.0], &[1.0, 0.0, 0.0, 0.0]];
    cone(&rows, &[-m * v_x, load, 0.0, 0.0], &[FREE; 4], &[(Some(2), 3, 1, mu)])
}

#[test]
fn worked_point_mass() {
    // m = 2, μ = .5, h = .1, g = 10: from v = (1, 0) to .5, from (.3, 0) to rest.
    close(&solved(&point_mass(2.0, 1.0, 2.0, 0.5)), &[0.5, 0.0, 2.0, -1.0], 1e-13);
    close(&solved(&point_mass(2.0, 0.3, 2.0, 0.5)), &[0.0, 0.0, 2.0, -0.6], 1e-13);
    // Thrown up it is free.
    close(&solved(&point_mass(2.0, 1.0, -2.0, 0.5)), &[1.0, 1.0, 0.0, 0.0], 1e-13);
}

/// Point mass in space sliding on the floor: v (3), then n, t1, t2.
fn puck(m: f64, v: (f64, f64), load: f64, mu: f64) -> ConeBuf {
    let rows: [&[f64]; 6] = [
        &[m, 0.0, 0.0, 0.0, -1.0, 0.0],
        &[0.0, m, 0.0, 0.0, 0.0, -1.0],
        &[0.0, 0.0, m, -1.0, 0.0, 0.0],
        &[0.0, 0.0, 1.0, 0.0, 0.0, 0.0],
        &[1.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        &[0.0, 1.0, 0.0, 0.0, 0.0, 0.0],
    ];
    let q = [-m * v.0, -m * v.1, load, 0.0, 0.0, 0.0];
    cone(&rows, &q, &[FREE; 6], &[(Some(3), 4, 2, mu)])
}

#[test]
fn a_puck_keeps_its_direction() {
    // |v| falls by μ g h a step along a straight line, until it stops; no polygon does this.
    let (mut v, mu, load) = ((0.5_f64.cos(), 0.5_f64.sin()), 0.3, 0.0981);
    for k in 1..=33 {
        let z = solved(&puck(1.0, v, load, mu));
        v = (z[0], z[1]);
        let expected = 1.0 - mu * load * f64::from(k);
        assert!((v.0.hypot(v.1) - expected).abs() < 1e-12, "step {k}: {v:?}");
        assert!((v.1.atan2(v.0) - 0.5).abs() < 1e-12, "step {k}: {v:?}");
    }
    close(&solved(&puck(1.0, v, load, mu))[..3], &[0.0; 3], 1e-13);
}

#[test]
fn stacked_blocks_stay_and_carry() {
    // Ten planar boxes, two contacts each: hyperstatic; velocities are unique and zero, loads add up.
    let n_boxes = 10;
    let (h, g, mu) = (0.01, 9.81, 0.5);
    let (nv, nc) = (3 * n_boxes, 2 * n_boxes);
    let n = nv + 2 * nc;
    let mut t: Vec<(usize, usize, f64)> = Vec::new();
    let mut q = vec![0.0; n];
    let mut blocks = Vec::new();
    for b in 0..n_boxes {
        t.extend([(3 * b, 3 * b, 1.0), (3 * b + 1, 3 * b + 1, 1.0), (3 * b + 2, 3 * b + 2, 1.0 / 6.0)]);
        q[3 * b + 1] = g * h;
        for (s, x) in [(0, -0.5), (1, 0.5)] {
            let normal = nv + 2 * (2 * b + s);
            let mut columns = vec![(3 * b + 1, 1.0, 0.0), (3 * b + 2, x, 0.5), (3 * b, 0.0, 1.0)];
            if b > 0 {
                columns.extend([(3 * b - 2, -1.0, 0.0), (3 * b - 1, -x, 0.5), (3 * b - 3, 0.0, -1.0)]);
            }
            for (j, along_n, along_t) in columns {
                t.extend([(normal, j, along_n), (j, normal, -along_n)]);
                t.extend([(normal + 1, j, along_t), (j, normal + 1, -along_t)]);
            }
            blocks.push((normal, s));
        }
    }
    let m = CsrBuf::from_triplets(n, n, &t);
    // Ten in a stack are slow for a method that knows neighbours alone.
    let rows = MlcpBuf::from_parts(m, q, vec![-INF; n], vec![INF; n], 1e-7);
    let mut problem = ConeBuf { rows, ..ConeBuf::default() };
    for (normal, _) in blocks {
        let normal = normal as u32;
        problem.push_block(ConeBlock { normal, tangent: normal + 1, dim: 1, size: mu });
    }
    let z = solved(&problem);
    assert!(z[..nv].iter().all(|v| v.abs() < 1e-6), "{:?}", &z[..nv]);
    for b in 0..n_boxes {
        let load = z[nv + 4 * b] + z[nv + 4 * b + 2];
        assert!((load - (n_boxes - b) as f64 * g * h).abs() < 1e-5, "box {b}: {load}");
    }
}

/// Equilateral tripod (R = 0.1 m, m = 1 kg, μ_k = 0.4), quasi-static: A = 0. A frictionless pusher moves along +y at
/// 10 mm/s and touches the part 20 mm beside its centre. Rows: v_x, v_y, ω, p_n of the pusher, three supports.
fn tripod(h: f64) -> ConeBuf {
    let (radius, bound, offset, speed) = (0.1, h * 0.4 * 9.81 / 3.0, 0.02, 0.01);
    let n = 10;
    let mut t: Vec<(usize, usize, f64)> = Vec::new();
    let mut pair = |row: usize, dof: usize, value: f64| t.extend([(row, dof, value), (dof, row, -value)]);
    pair(3, 1, 1.0);
    pair(3, 2, offset);
    for k in 0..3 {
        let angle = std::f64::consts::FRAC_PI_2 + 2.0 * std::f64::consts::PI * k as f64 / 3.0;
        let (x, y) = (radius * angle.cos(), radius * angle.sin());
        pair(4 + 2 * k, 0, 1.0);
        pair(4 + 2 * k, 2, -y);
        pair(5 + 2 * k, 1, 1.0);
        pair(5 + 2 * k, 2, x);
    }
    let mut q = vec![0.0; n];
    q[3] = -speed;
    let mut lower = vec![-INF; n];
    lower[3] = 0.0;
    let m = CsrBuf::from_triplets(n, n, &t);
    let rows = MlcpBuf::from_parts(m, q, lower, vec![INF; n], 1e-10);
    let mut problem = ConeBuf { rows, ..ConeBuf::default() };
    for k in 0..3 {
        problem.push_block(ConeBlock { normal: NO_NORMAL, tangent: 4 + 2 * k, dim: 2, size: bound });
    }
    problem
}

#[test]
fn a_velocity_without_inertia_is_refused_in_words() {
    let problem = tripod(0.01);
    let mut solver = AcceleratedGs::default();
    let s = solver.solve(&Problem::Cone(problem.view())).unwrap();
    assert_eq!((s.status, s.iterations), (Status::NumericalFailure, 0));
    assert!(s.note.contains("without inertia"), "{}", s.note);
    assert_eq!(s.residual, problem.view().residual(s.z).natural);
}

#[test]
fn bounded_rows_and_discs_stand_beside_cones() {
    // A unit mass held by a drive of at most 0.2 N s (row 2) on a disc of radius 0.3 (rows 3, 4), pushed by (0.8, 0).
    let rows: [&[f64]; 5] = [
        &[1.0, 0.0, -1.0, -1.0, 0.0],
        &[0.0, 1.0, 0.0, 0.0, -1.0],
        &[1.0, 0.0, 0.0, 0.0, 0.0],
        &[1.0, 0.0, 0.0, 0.0, 0.0],
        &[0.0, 1.0, 0.0, 0.0, 0.0],
    ];
    let bounds = [FREE, FREE, (-0.2, 0.2), FREE, FREE];
    let moving = cone(&rows, &[-0.8, 0.0, 0.0, 0.0, 0.0], &bounds, &[(None, 3, 2, 0.3)]);
    close(&solved(&moving), &[0.3, 0.0, -0.2, -0.3, 0.0], 1e-10);
}

#[test]
fn a_problem_without_solution_is_never_called_solved() {
    // A mass between two plates that close at 1 m/s each.
    let rows: [&[f64]; 5] = [
        &[1.0, -1.0, 0.0, 1.0, 0.0],
        &[1.0, 0.0, 0.0, 0.0, 0.0],
        &[0.0, 0.0, 0.0, 0.0, 0.0],
        &[-1.0, 0.0, 0.0, 0.0, 0.0],
        &[0.0, 0.0, 0.0, 0.0, 0.0],
    ];
    let blocks = [(Some(1), 2, 1, 0.5), (Some(3), 4, 1, 0.5)];
    let problem = cone(&rows, &[0.0, -1.0, 0.0, -1.0, 0.0], &[FREE; 5], &blocks);
    let mut solver = AcceleratedGs::new(Config::default()).unwrap();
    let s = solver.solve(&Problem::Cone(problem.view())).unwrap();
    assert!(matches!(s.status, Status::MaxIterations | Status::NumericalFailure), "{:?}", s.status);
    assert!(s.residual > 0.1 && s.z.iter().all(|x| x.is_finite()), "{}", s.residual);
}

#[test]
fn a_limit_of_sweeps_is_honest() {
    let w: [&[f64]; 4] =
        [&[1.0, 0.2, -0.6, 0.1], &[0.2, 1.0, 0.3, -0.5], &[-0.6, 0.3, 1.0, 0.1], &[0.1, -0.5, 0.1, 1.0]];
    let blocks = [(Some(0), 1, 1, 0.4), (Some(2), 3, 1, 0.4)];
    let problem = cone(&w, &[-1.0, 0.5, -1.0, -0.5], &[FREE; 4], &blocks);
    let mut solver = AcceleratedGs::new(Config { max_sweeps: 1, ..Config::default() }).unwrap();
    let s = solver.solve(&Problem::Cone(problem.view())).unwrap();
    assert_eq!((s.status, s.iterations), (Status::MaxIterations, 1));
    assert_eq!(s.residual, problem.view().residual(s.z).natural);
    // With and without momentum sweeps arrive.
    for max_momentum in [0.0, 0.5, 0.95] {
        let mut solver = AcceleratedGs::new(Config { max_momentum, ..Config::default() }).unwrap();
        let s = solver.solve(&Problem::Cone(problem.view())).unwrap();
        assert_eq!((s.status, s.factorizations), (Status::Converged, 0), "{max_momentum}");
    }
}

#[test]
fn the_guess_is_used_and_does_not_change_the_velocities() {
    let mut problem = puck(1.0, (1.0, 0.2), 0.0981, 0.3);
    let cold = solved(&problem);
    problem.rows.guess.clone_from(&cold);
    let mut solver = AcceleratedGs::new(Config::default()).unwrap();
    let s = solver.solve(&Problem::Cone(problem.view())).unwrap();
    assert_eq!((s.status, s.iterations, s.z), (Status::Converged, 0, cold.as_slice()));
    problem.rows.guess = vec![1e3; 6];
    close(&solved(&problem), &cold, 1e-11);
}

#[test]
fn misuse_is_refused() {
    let refuse = |config: Config| AcceleratedGs::new(config).unwrap_err().message;
    let momentum = refuse(Config { max_momentum: 1.0, ..Config::default() });
    assert_eq!(momentum, "max_momentum is 1; it must lie in 0 … 1, without 1");
    let sweeps = refuse(Config { max_sweeps: 0, ..Config::default() });
    assert_eq!(sweeps, "max_sweeps and patience must be at least 1");
    let tolerance = refuse(Config { tolerance: Some(0.0), ..Config::default() });
    assert_eq!(tolerance, "tolerance is 0; it must be positive");
    let problem = puck(1.0, (1.0, 0.0), 0.1, 0.3);
    let error = AcceleratedGs::default().solve(&Problem::Mlcp(problem.rows.view())).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Unsupported);
    assert_eq!(error.message, "this solver takes Cone problems, not Mlcp");
    let mut bad = puck(1.0, (1.0, 0.0), 0.1, 0.3);
    bad.size[0] = -0.3;
    let error = AcceleratedGs::default().solve(&Problem::Cone(bad.view())).unwrap_err();
    assert_eq!((error.kind, error.message.as_str()), (ErrorKind::BadInput, "the size of block 0 is -0.3"));
}
