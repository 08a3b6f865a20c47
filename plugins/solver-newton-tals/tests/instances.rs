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

/// r = K (v − w) + c (v³ − w³) for a sparse K and w_i = 1 + i/n, which tells its pattern and has no dense Jacobian.
struct Sparse {
    k: CsrBuf,
    cubic: f64,
    /// What is done to the pattern before it is told.
    spoil: fn(&mut [f64]),
}

impl Sparse {
    /// A path of n unknowns: `own` on the diagonal, `before` and `behind` beside it.
    fn path(n: usize, own: f64, (before, behind): (f64, f64)) -> Self {
        let mut k = CsrBuf::default();
        k.clear(n);
        for i in 0..n {
            let row = [(i.checked_sub(1), before), (Some(i), own), (Some(i + 1).filter(|&j| j < n), behind)];
            row.into_iter().for_each(|(j, x)| j.into_iter().for_each(|j| k.push(j, x)));
            k.end_row();
        }
        Self { k, cubic: 0.0, spoil: |_| {} }
    }

    fn root(&self) -> Vec<f64> {
        let n = self.k.view().n_rows();
        (0..n).map(|i| 1.0 + i as f64 / n as f64).collect()
    }

    fn solve(&self, solver: &mut NewtonTals) -> Result<(Status, Vec<f64>, u32), StageError> {
        let start = vec![3.0; self.k.view().n_rows()];
        let p = Root { start: &start, oracle: self, scale: &[], tolerance: 1e-11 };
        let s = solver.solve(&Problem::Root(p))?;
        Ok((s.status, s.z.to_vec(), s.factorizations - s.iterations))
    }
}

impl Oracle for Sparse {
    fn call(&self, what: u32, v: &[f64], output: &mut [f64]) -> Result<(), StageError> {
        let (k, root) = (self.k.view(), self.root());
        match what {
            Root::RESIDUAL => {
                let away: Vec<f64> = v.iter().zip(&root).map(|(v, w)| v - w).collect();
                k.multiply(&away, output);
                let cubic = |i: usize| self.cubic * (v[i].powi(3) - root[i].powi(3));
                output.iter_mut().enumerate().for_each(|(i, r)| *r += cubic(i));
            }
            Root::LIMIT => output[0] = 1.0,
            Root::ENTRIES => output[0] = k.nnz() as f64,
            Root::PATTERN => {
                let all = k.row_start.iter().chain(k.column);
                output.iter_mut().zip(all).for_each(|(to, x)| *to = f64::from(*x));
                (self.spoil)(output);
            }
            Root::VALUES => {
                output.copy_from_slice(k.value);
                for i in 0..v.len() {
                    let entries = k.row_start[i] as usize..k.row_start[i + 1] as usize;
                    let own = entries.into_iter().find(|&e| k.column[e] as usize == i).unwrap();
                    output[own] += 3.0 * self.cubic * v[i] * v[i];
                }
            }
            other => return Err(StageError::unsupported(format!("function {other}"))),
        }
        Ok(())
    }
}

fn largest_error(problem: &Sparse, v: &[f64]) -> f64 {
    v.iter().zip(problem.root()).fold(0.0, |m, (v, w)| m.max((v - w).abs()))
}

#[test]
fn a_problem_that_tells_its_pattern_is_never_asked_for_all_entries() {
    let problem = Sparse { cubic: 1.0, ..Sparse::path(5000, 4.0, (-1.0, -2.0)) };
    let mut solver = NewtonTals::new(Config::default()).unwrap();
    let (status, v, more) = problem.solve(&mut solver).unwrap();
    // One factorisation a step: fronts have their pivots.
    assert_eq!((status, more), (Status::Converged, 0));
    assert!(largest_error(&problem, &v) < 1e-12);
    // Below `sparse_from` it is dense, and then it must be there.
    let mut dense = NewtonTals::new(Config { sparse_from: 4096, ..Config::default() }).unwrap();
    let few = Sparse::path(200, 4.0, (-1.0, -2.0));
    assert_eq!(few.solve(&mut dense).unwrap_err().kind, ErrorKind::Unsupported);
}

/// Without a diagonal what is eliminated first has no pivot; with next to none it has one that rounding drowns.
#[test]
fn what_has_no_pivots_in_its_fronts_is_solved_all_the_same() {
    for (own, more) in [(0.0, 0), (1e-13, 1)] {
        let problem = Sparse::path(400, own, (-1.0, 1.0));
        let mut solver = NewtonTals::new(Config::default()).unwrap();
        let (status, v, found) = problem.solve(&mut solver).unwrap();
        assert_eq!((status, found), (Status::Converged, more), "{own:e}");
        assert!(largest_error(&problem, &v) < 1e-10, "{own:e}: {:e}", largest_error(&problem, &v));
    }
    let singular = Sparse::path(401, 0.0, (-1.0, 1.0));
    let (status, ..) = singular.solve(&mut NewtonTals::new(Config::default()).unwrap()).unwrap();
    assert_eq!(status, Status::NumericalFailure);
}

#[test]
fn patterns_of_problems_before_change_no_bit() {
    let of = |n: usize| Sparse { cubic: 0.3, ..Sparse::path(n, 3.0, (-1.0, -1.5)) };
    let bits = |solver: &mut NewtonTals, n: usize| -> Vec<u64> {
        of(n).solve(solver).unwrap().1.iter().map(|v| v.to_bits()).collect()
    };
    let fresh = || NewtonTals::new(Config::default()).unwrap();
    let mut used = fresh();
    Sparse::path(300, 1e-13, (-1.0, 1.0)).solve(&mut used).unwrap();
    for n in [500, 130, 500] {
        assert_eq!(bits(&mut used, n), bits(&mut fresh(), n));
    }
}

#[test]
fn patterns_that_are_none_are_refused() {
    let order = "the rows of the Jacobian's pattern do not follow each other";
    let columns = "row 0 of the Jacobian's pattern has a column twice, or one that does not exist";
    type Spoil = fn(&mut [f64]);
    let cases: [(Spoil, &str); 7] = [
        (|told| told[0] = 1.0, order),
        (|told| told[200] += 1.0, order),
        (|told| told[7] = told[8] + 1.0, order),
        (|told| told[7] += 0.5, order),
        (|told| told[201] = told[202], columns),
        (|told| told[201] = 200.0, columns),
        (|told| told[201] = f64::NAN, columns),
    ];
    for (spoil, expected) in cases {
        let problem = Sparse { spoil, ..Sparse::path(200, 4.0, (-1.0, -1.0)) };
        let error = problem.solve(&mut NewtonTals::new(Config::default()).unwrap()).unwrap_err();
        assert_eq!((error.kind, error.message.as_str()), (ErrorKind::BadInput, expected));
    }
}
