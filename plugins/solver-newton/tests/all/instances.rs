//! Worked instances with known numbers, degenerate, boxed, infeasible and bad input.
#![allow(clippy::print_stdout)]

use vinci_sdk::core::StageError;
use vinci_sdk::core::problem::{MlcpBuf, Problem, Status, check_farkas};
use vinci_sdk::core::stage::Solver;
use vinci_solver_newton::{Config, Function, Method, Newton};
use vinci_test_problems::instances::{self, close, point_mass};
use vinci_test_problems::*;

fn solver() -> Newton {
    Newton::new(Config::default()).unwrap()
}

fn solve(problem: &MlcpBuf) -> (Status, Vec<f64>) {
    instances::solve(&mut solver(), problem)
}

fn solve_with(config: Config, problem: &MlcpBuf) -> (Status, Vec<f64>) {
    instances::solve(&mut Newton::new(config).unwrap(), problem)
}

#[test]
fn point_mass_slides_and_sticks() {
    instances::point_mass_slides_and_sticks(&mut solver());
}

#[test]
fn a_jam_is_proved_infeasible_and_compliance_frees_it() {
    instances::a_jam_is_proved_infeasible_and_compliance_frees_it(&mut solver());
}

#[test]
fn painleve_rod_stops_by_an_impact_without_collision() {
    instances::painleve_rod_stops_by_an_impact_without_collision(&mut solver());
}

#[test]
fn rocking_block_keeps_its_share_of_rotation() {
    instances::rocking_block_keeps_its_share_of_rotation(&mut solver());
}

#[test]
fn the_sliding_block_stops_where_the_formula_says() {
    instances::the_sliding_block_stops_where_the_formula_says(&mut solver(), 210);
}

#[test]
fn stacks_of_boxes_rest() {
    instances::stacks_of_boxes_rest(&mut solver());
}

#[test]
fn two_sided_bounds_are_kept() {
    instances::two_sided_bounds_are_kept(&mut solver());
}

#[test]
fn degenerate_problems_have_answers() {
    instances::degenerate_problems_have_answers(&mut solver());
}

#[test]
fn contradicting_equations_are_proved_infeasible() {
    let problem = boxed(&[&[1.0, 1.0], &[1.0, 1.0]], &[-2.0, -1.0], &[-INF; 2], &[INF; 2]);
    let mut solver = solver();
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
    let mut solver = solver();
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
    let mut solver = solver();
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
