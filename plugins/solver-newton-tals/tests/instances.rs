//! Roots in closed form, honest endings, misuse.
#![allow(clippy::unwrap_used)]

use vinci_sdk::prelude::*;
use vinci_solver_newton_tals::{Config, NewtonTals};

/// r_i = v_i³ + Σ_j≠i (v_i − v_j)/n − b_i, a limiter of its own, and how often it was asked.
struct Chain {
    n: usize,
    limit: f64,
}

impl Oracle for Chain {
    fn call(&self, what: u32, input: &[f64], output: &mut [f64]) -> Result<(), StageError> {
        let n = self.n;
        let sum: f64 = input[..n].iter().sum();
        match what {
            Root::RESIDUAL => {
                for (i, r) in output.iter_mut().enumerate() {
                    // The root is v_i = 1 + i/n.
                    let root = |i: usize| 1.0 + i as f64 / n as f64;
                    let total: f64 = (0..n).map(root).sum();
                    let at = |v: f64, sum: f64| v.powi(3) + v - sum / n as f64;
                    *r = at(input[i], sum) - at(root(i), total);
                }
            }
            Root::JACOBIAN => {
                output.fill(-1.0 / n as f64);
                (0..n).for_each(|i| output[i * n + i] += 3.0 * input[i] * input[i] + 1.0);
            }
            Root::LIMIT => output[0] = self.limit,
            other => return Err(StageError::unsupported(format!("function {other}"))),
        }
        Ok(())
    }
}

fn solve(n: usize, limit: f64, config: Config) -> (Status, Vec<f64>, u32) {
    let (oracle, start) = (Chain { n, limit }, vec![3.0; n]);
    let p = Root { start: &start, oracle: &oracle, scale: &[], tolerance: 1e-11 };
    let mut solver = NewtonTals::new(config).unwrap();
    let s = solver.solve(&Problem::Root(p)).unwrap();
    assert_eq!(s.status == Status::Converged, p.residual(s.z) <= p.tolerance);
    assert!(s.factorizations >= s.iterations);
    (s.status, s.z.to_vec(), s.iterations)
}

#[test]
fn dense_and_sparse_factors_find_the_same_root() {
    for (n, sparse_from) in [(1, 120), (7, 120), (7, 1), (130, 120)] {
        let (status, v, iterations) = solve(n, 1.0, Config { sparse_from, ..Config::default() });
        assert_eq!(status, Status::Converged);
        assert!(iterations < 15, "{iterations}");
        v.iter().enumerate().for_each(|(i, v)| assert!((v - 1.0 - i as f64 / n as f64).abs() < 1e-12));
    }
}

#[test]
fn the_limiter_damps_every_step() {
    let (status, _, full) = solve(5, 1.0, Config::default());
    let (damped_status, _, damped) = solve(5, 0.5, Config::default());
    assert_eq!((status, damped_status), (Status::Converged, Status::Converged));
    assert!(damped > 3 * full, "{damped} against {full}");
}

#[test]
fn endings_are_honest() {
    let few = Config { max_iterations: 2, ..Config::default() };
    assert_eq!(solve(3, 1.0, few).0, Status::MaxIterations);
    assert_eq!(solve(3, 0.0, Config::default()).0, Status::NumericalFailure);
    assert_eq!(solve(3, f64::NAN, Config::default()).0, Status::NumericalFailure);
}

#[test]
fn misuse_is_an_error() {
    let mut solver = NewtonTals::new(Config::default()).unwrap();
    let oracle = Chain { n: 1, limit: 1.0 };
    let good = Root { start: &[2.0], oracle: &oracle, scale: &[], tolerance: 1e-9 };
    for bad in [
        Root { start: &[f64::NAN], ..good },
        Root { scale: &[1.0, 1.0], ..good },
        Root { scale: &[0.0], ..good },
        Root { tolerance: 0.0, ..good },
    ] {
        assert_eq!(solver.solve(&Problem::Root(bad)).unwrap_err().kind, ErrorKind::BadInput);
    }
    assert!(NewtonTals::new(Config { max_iterations: 0, ..Config::default() }).is_err());
    assert!(NewtonTals::new(Config { tolerance: Some(-1.0), ..Config::default() }).is_err());
}

/// r = v³ − 2 v + 2: Newton's method goes from 0 to 1 and back for ever.
struct Cycle;

impl Oracle for Cycle {
    fn call(&self, what: u32, input: &[f64], output: &mut [f64]) -> Result<(), StageError> {
        let v = input[0];
        output[0] = match what {
            Root::RESIDUAL => v.powi(3) - 2.0 * v + 2.0,
            Root::JACOBIAN => 3.0 * v * v - 2.0,
            Root::LIMIT => 1.0,
            other => return Err(StageError::unsupported(format!("function {other}"))),
        };
        Ok(())
    }
}

#[test]
fn a_cycle_is_noticed_long_before_the_iteration_limit() {
    let problem = Root { start: &[0.0], oracle: &Cycle, scale: &[], tolerance: 1e-11 };
    let end = |config: Config| {
        let mut solver = NewtonTals::new(config).unwrap();
        let s = solver.solve(&Problem::Root(problem)).unwrap();
        (s.status, s.iterations, s.z[0], s.note.to_owned())
    };
    // Residuals 2, 1, 2, 1, …: the first step is the last progress.
    let told = "the residual does not fall any more".to_owned();
    assert_eq!(end(Config::default()), (Status::NumericalFailure, 26, 1.0, told));
    let patient = Config { patience: 1000, ..Config::default() };
    assert_eq!((end(patient.clone()).0, end(patient).1), (Status::MaxIterations, 100));
    assert!(NewtonTals::new(Config { patience: 0, ..Config::default() }).is_err());
}
