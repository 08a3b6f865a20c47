//! Piles as a simulation makes them: every step solved, cold and warm.
#![allow(clippy::print_stdout)]

use std::time::Instant;

use vinci_sdk::core::problem::{Problem, Status};
use vinci_sdk::core::stage::Solver;
use vinci_solver_pgs::{Config, Pgs};
use vinci_test_problems::pile::Pile;

/// Steps a pile; returns (failures, iterations, largest speed at the end).
fn run(mut pile: Pile, steps: usize, tolerance: f64, warm: bool, label: &str) -> (usize, u32, f64) {
    let mut solver = Pgs::new(Config::default()).unwrap();
    let (mut failures, mut iterations, mut worst, mut total, mut contacts) = (0, 0, 0.0_f64, 0.0, 0);
    for step in 0..steps {
        let problem = pile.problem(tolerance, warm);
        let p = problem.view();
        let start = Instant::now();
        let s = solver.solve(&Problem::Mlcp(p)).unwrap();
        let ms = start.elapsed().as_secs_f64() * 1e3;
        worst = worst.max(ms);
        total += ms;
        contacts = contacts.max(pile.contacts());
        iterations += s.iterations;
        if s.status != Status::Converged {
            failures += 1;
            println!(
                "{label}: step {step}, {} contacts: {} {:.2e} {}",
                pile.contacts(),
                s.status.name(),
                s.residual,
                s.note
            );
        } else {
            assert!(p.residual(s.z).natural <= tolerance);
        }
        pile.advance(s.z);
    }
    let fastest = pile.velocity.iter().flatten().fold(0.0_f64, |m, v| m.max(v.abs()));
    println!(
        "{label}: {contacts} contacts at most, {failures} failures, {iterations} iterations, {:.2} ms mean, {worst:.1} ms worst, ends at {fastest:.1e} m/s",
        total / steps as f64
    );
    (failures, iterations, fastest)
}

#[test]
#[ignore = "long"]
fn spheres_settle() {
    let pile = || Pile::dropped(27, false, 3, 0.5, 0.005);
    let (failures, cold, _) = run(pile(), 60, 1e-8, false, "27 spheres, cold");
    assert_eq!(failures, 0);
    let (failures, warm, _) = run(pile(), 60, 1e-8, true, "27 spheres, warm");
    assert_eq!(failures, 0);
    assert!(warm <= cold, "{warm} iterations warm, {cold} cold");
}

#[test]
fn discs_settle() {
    let (failures, ..) = run(Pile::dropped(40, true, 6, 0.5, 0.005), 90, 1e-8, true, "40 discs");
    assert_eq!(failures, 0);
}
