//! The shared set of convex programs: every claim is recomputed, everything solvable is solved, everything else is proved.
#![allow(clippy::print_stdout)]

use std::time::Instant;

use vinci_sdk::core::problem::{check_conic_infeasible, check_conic_unbounded};
use vinci_sdk::prelude::*;
use vinci_solver_clarabel::{Clarabel, Config};
use vinci_test_problems::conic::{ConicCase, Truth, all, contact_sizes, contact_step};

/// What is wrong with an answer, if anything.
fn judge(case: &ConicCase, s: &Solution<'_>) -> Result<(), String> {
    let p = case.problem.view();
    let ended = format!("{}, {}", s.status.name(), s.note);
    match &case.truth {
        Truth::Solved { objective, x } => {
            let residual = p.residual(s.z, s.dual);
            if s.status != Status::Converged || residual.natural > 1e-8 {
                return Err(format!("{ended}: {residual:?}"));
            }
            let off = objective.map_or(0.0, |o| (p.objective(s.z) - o).abs() / (1.0 + o.abs()));
            let far = s.z.iter().zip(x.iter().flatten());
            let far = far.map(|(z, x)| (z - x).abs() / (1.0 + x.abs())).fold(0.0, f64::max);
            (off <= 1e-6 && far <= 1e-4).then_some(()).ok_or(format!("off by {off:e}, {far:e}"))
        }
        Truth::Infeasible => {
            let proof = check_conic_infeasible(&p, s.certificate);
            let good = s.status == Status::Infeasible && proof.proves();
            good.then_some(()).ok_or(format!("{ended}: {proof:?}"))
        }
        Truth::Unbounded => {
            let proof = check_conic_unbounded(&p, s.certificate);
            let good = s.status == Status::Unbounded && proof.proves();
            good.then_some(()).ok_or(format!("{ended}: {proof:?}"))
        }
    }
}

#[test]
fn the_shared_programs() {
    let mut solver = Clarabel::new(Config::default()).unwrap();
    let (mut count, mut wrong) = (0, Vec::new());
    for seed in 1..=10 {
        for case in [false, true].iter().flat_map(|&cones| all(seed, cones)) {
            case.problem.view().check().unwrap();
            let answer = solver.solve(&Problem::Conic(case.problem.view())).unwrap();
            count += 1;
            if let Err(why) = judge(&case, &answer) {
                wrong.push(format!("seed {seed}, {}: {why}", case.name));
            }
        }
    }
    println!("{count} programs");
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

/// Contact steps in the sizes that were measured elsewhere, to masses 1e4 apart.
#[test]
fn contact_steps() {
    let mut solver = Clarabel::new(Config::default()).unwrap();
    for (name, freedoms, contacts) in contact_sizes() {
        for (cone, ratio) in [(false, 1.0), (true, 1.0), (false, 1e4), (true, 1e4)] {
            let problem = contact_step(&freedoms, contacts, cone, ratio, 5);
            let start = Instant::now();
            let s = solver.solve(&Problem::Conic(problem.view())).unwrap();
            let ms = start.elapsed().as_secs_f64() * 1e3;
            let residual = problem.view().residual(s.z, s.dual).natural;
            println!(
                "{name}, cone {cone}, masses to {ratio}: {} {residual:.1e} {} iterations {ms:.3} ms {}",
                s.status.name(),
                s.iterations,
                s.note
            );
            assert_eq!(s.status, Status::Converged, "{name}: {}", s.note);
            assert!(residual <= 1e-8);
        }
    }
}
