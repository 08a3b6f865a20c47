//! Random small problems against trying every combination of bounds.
#![allow(clippy::print_stdout)]

use vinci_sdk::core::CsrBuf;
use vinci_sdk::core::problem::{MlcpBuf, Problem, Status, check_farkas};
use vinci_sdk::core::stage::Solver;
use vinci_solver_newton::{Config, Newton};
use vinci_test_problems::*;

fn random(numbers: &mut Numbers, n: usize, definite: bool) -> MlcpBuf {
    let mut dense = nalgebra::DMatrix::from_fn(n, n, |_, _| numbers.between(-1.0, 1.0));
    if definite {
        dense = &dense * dense.transpose() + nalgebra::DMatrix::identity(n, n) * 0.05;
    }
    let q: Vec<f64> = (0..n).map(|_| numbers.between(-1.0, 1.0)).collect();
    let (mut lower, mut upper) = (Vec::new(), Vec::new());
    for _ in 0..n {
        let (l, u) = match numbers.below(6) {
            0 => (-INF, INF),
            1 => (-INF, numbers.between(-1.0, 1.0)),
            2 => (numbers.between(-1.0, 0.0), numbers.between(0.0, 1.0)),
            _ => (0.0, INF),
        };
        lower.push(l);
        upper.push(u);
    }
    MlcpBuf::from_parts(CsrBuf::from_dense(&dense), q, lower, upper, 1e-10)
}

#[test]
fn positive_definite_problems_have_the_oracles_only_solution() {
    let mut numbers = Numbers(7);
    let mut solver = Newton::new(Config::default()).unwrap();
    for k in 0..300 {
        let problem = random(&mut numbers, 1 + k % 6, true);
        let all = enumerate(&problem.view());
        let s = solver.solve(&Problem::Mlcp(problem.view())).unwrap();
        assert_eq!(s.status, Status::Converged, "problem {k}: {}", s.note);
        let distance = |z: &Vec<f64>| z.iter().zip(s.z).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
        assert!(all.iter().any(|z| distance(z) < 1e-7), "problem {k}: {:?} is not in {all:?}", s.z);
    }
}

#[test]
fn general_problems_are_solved_whenever_the_oracle_can() {
    let mut numbers = Numbers(11);
    let mut solver = Newton::new(Config::default()).unwrap();
    let (mut solvable, mut solved, mut proofs) = (0, 0, 0);
    for k in 0..1500 {
        let problem = random(&mut numbers, 1 + k % 6, false);
        let exists = !enumerate(&problem.view()).is_empty();
        let s = solver.solve(&Problem::Mlcp(problem.view())).unwrap();
        let residual = problem.view().residual(s.z).natural;
        match s.status {
            Status::Converged => assert!(residual <= 1e-10, "problem {k}: false success, {residual:e}"),
            Status::Infeasible => {
                assert!(!exists, "problem {k} has a solution");
                assert!(check_farkas(&problem.view(), s.certificate).proves());
                proofs += 1;
            }
            _ => {}
        }
        solvable += usize::from(exists);
        solved += usize::from(exists && s.status == Status::Converged);
    }
    println!("{solved} of {solvable} solvable random problems, {proofs} proofs of infeasibility");
    assert!(solved * 1000 >= solvable * 995, "{solved} of {solvable}");
}
