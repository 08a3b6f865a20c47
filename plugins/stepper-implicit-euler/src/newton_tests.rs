use super::*;

/// A pendulum coupled to a cubic spring with damping, and its derivatives by hand.
fn field(u: &[f64], v: &[f64]) -> [f64; 2] {
    [-9.0 * u[0].sin() + 3.0 * (u[1] - u[0]).powi(3) - v[0] * v[1], 2.0 * (v[0] - v[1]).tanh() - 50.0 * u[1]]
}

fn derivatives(u: &[f64], v: &[f64]) -> [[f64; 4]; 2] {
    let (cube, sech) = (9.0 * (u[1] - u[0]).powi(2), 2.0 / (v[0] - v[1]).cosh().powi(2));
    [[-9.0 * u[0].cos() - cube, cube, -v[1], -v[0]], [0.0, -50.0, sech, -sech]]
}

fn newton(jacobian: Jacobian) -> Newton {
    Newton::new(&Config { jacobian, tals: false, ..Config::default() })
}

/// Steps with the method until it ends; the number of evaluations.
fn step(newton: &mut Newton, v: &[f64], h: f64) -> (Progress, u32) {
    step_in(newton, v, h, field)
}

fn step_in(
    newton: &mut Newton,
    v: &[f64],
    h: f64,
    field: impl Fn(&[f64], &[f64]) -> [f64; 2],
) -> (Progress, u32) {
    newton.start(v.iter().copied(), h, Guess::Drift);
    for evaluations in 1.. {
        let points: Vec<(f64, f64)> = (0..2).map(|j| newton.point(j)).collect();
        let (u, v): (Vec<f64>, Vec<f64>) = points.into_iter().unzip();
        let a = field(&u, &v);
        // The balance is that of unit masses.
        let off = if newton.at_iterate() { (v[0] - newton.v_start[0] - h * a[0]).abs() } else { 0.0 };
        match newton.take(&a, off, &[0, 1], 2) {
            Progress::Ask => {}
            end => return (end, evaluations),
        }
    }
    unreachable!()
}

#[test]
fn differences_are_the_derivative() {
    let mut newton = newton(Jacobian::Quasi);
    let v = [0.7, -1.3];
    newton.start(v.into_iter(), 0.01, Guess::Drift);
    let (u0, v0) = (newton.u.clone(), newton.v.clone());
    for _ in 0..5 {
        let points: Vec<(f64, f64)> = (0..2).map(|j| newton.point(j)).collect();
        let (u, v): (Vec<f64>, Vec<f64>) = points.into_iter().unzip();
        assert_eq!(newton.take(&field(&u, &v), 0.0, &[0, 1], 2), Progress::Ask);
    }
    let exact = derivatives(&u0, &v0);
    for i in 0..2 {
        for j in 0..2 {
            assert!((newton.derivative.by_u(i)[j] - exact[i][j]).abs() < 1e-6 * (1.0 + exact[i][j].abs()));
            assert!(
                (newton.derivative.by_v(i)[j] - exact[i][2 + j]).abs() < 1e-6 * (1.0 + exact[i][2 + j].abs())
            );
        }
    }
}

#[test]
fn both_ways_solve_the_same_equation_and_the_kept_derivative_takes_fewer_evaluations() {
    let mut ends = Vec::new();
    for jacobian in [Jacobian::Full, Jacobian::Quasi] {
        let (mut newton, mut all) = (newton(jacobian), 0);
        for _ in 0..10 {
            let (end, evaluations) = step(&mut newton, &[0.7, -1.3], 0.1);
            assert_eq!(end, Progress::Converged);
            all += evaluations;
        }
        let a = field(&newton.u, &newton.v);
        for j in 0..2 {
            assert!((newton.u[j] - 0.1 * newton.v[j]).abs() < 1e-12);
            let r = newton.v[j] - [0.7, -1.3][j] - 0.1 * a[j];
            assert!(r.abs() < 1e-9, "{jacobian:?}: {r:e}");
        }
        ends.push((newton.v.clone(), all));
    }
    assert!((ends[0].0[0] - ends[1].0[0]).abs() < 1e-8);
    assert!(3 * ends[1].1 < 2 * ends[0].1, "{} and {} evaluations", ends[0].1, ends[1].1);
}

/// A box that comes to rest kept the derivative of sliding: its updates were far below the accuracy and grew, step after step was
/// halved, and 2 s took 74,000 steps.
#[test]
fn a_derivative_of_another_mode_is_renewed_below_the_accuracy_too() {
    let config =
        Config { jacobian: Jacobian::Quasi, tals: false, balance: None, accuracy: 0.1, ..Config::default() };
    let mut newton = Newton::new(&config);
    let damped = |rate: f64| move |_: &[f64], v: &[f64]| [1e-3 - rate * v[0], 1e-3 - rate * v[1]];
    let (end, _) = step_in(&mut newton, &[1.0, 1.0], 1e-3, damped(0.1));
    assert_eq!(end, Progress::Converged);
    let (end, evaluations) = step_in(&mut newton, &[1e-5, 1e-5], 1e-3, damped(1e5));
    assert_eq!(end, Progress::Converged);
    assert!(evaluations < 12, "{evaluations} evaluations");
    assert!((newton.v[0] - (1e-5 + 1e-6) / 101.0).abs() < 1e-12, "{}", newton.v[0]);
}

/// At 1e-9 m/s updates of 1e-14 m/s are no rounding: a hand that had just begun to move was off by 1e-4 of what moved it.
#[test]
fn what_moves_slowly_is_solved_as_exactly_as_what_moves_fast() {
    let mut newton = newton(Jacobian::Full);
    let (h, drag) = (1e-3, |v: f64| 1e-6 - 1e10 * v * v);
    newton.start([0.0, 0.0].into_iter(), h, Guess::Drift);
    let mut off = f64::INFINITY;
    for _ in 0..1000 {
        let points: Vec<(f64, f64)> = (0..2).map(|j| newton.point(j)).collect();
        let a = [drag(points[0].1), drag(points[1].1)];
        off = (points[0].1 - h * a[0]).abs() / (1e-6 * h);
        match newton.take(&a, off, &[0, 1], 2) {
            Progress::Ask => {}
            end => {
                assert_eq!(end, Progress::Converged);
                break;
            }
        }
    }
    assert!(off <= 1e-10, "{off:e}");
}

#[test]
fn what_is_no_number_is_no_convergence() {
    let mut newton = newton(Jacobian::Full);
    newton.start([0.0, 0.0].into_iter(), 0.1, Guess::Drift);
    let mut progress = Progress::Ask;
    for _ in 0..6 {
        if progress == Progress::Ask {
            progress = newton.take(&[f64::NAN, 0.0], f64::NAN, &[0, 1], 2);
        }
    }
    assert_eq!(progress, Progress::Failed);
}
