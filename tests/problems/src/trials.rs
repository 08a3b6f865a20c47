//! Trials that several solvers of mixed complementarity problems go through: random problems, piles, collections. Nothing may be
//! claimed that is not so; what a solver must reach is said by its own tests.
#![allow(clippy::print_stdout)] // figures of a trial are read by people

use std::time::Instant;

use vinci_core::CsrBuf;
use vinci_core::problem::{MlcpBuf, Problem, Status, check_farkas};
use vinci_core::stage::Solver;

use crate::pile::Pile;
use crate::{INF, Numbers, collection, enumerate};

/// A problem of n unknowns with bounds of every kind.
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

/// 300 positive definite problems: each is solved, and the solution is the only one, which trying every combination of bounds finds.
pub fn definite_problems(solver: &mut dyn Solver) {
    let mut numbers = Numbers(7);
    for k in 0..300 {
        let problem = random(&mut numbers, 1 + k % 6, true);
        let all = enumerate(&problem.view());
        let s = solver.solve(&Problem::Mlcp(problem.view())).unwrap();
        assert_eq!(s.status, Status::Converged, "problem {k}: {}", s.note);
        let distance = |z: &Vec<f64>| z.iter().zip(s.z).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
        assert!(all.iter().any(|z| distance(z) < 1e-7), "problem {k}: {:?} is not in {all:?}", s.z);
    }
}

/// 1500 general problems: how many have a solution, and how many of these are solved. Proofs hold.
pub fn general_problems(solver: &mut dyn Solver) -> (usize, usize) {
    let mut numbers = Numbers(11);
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
    (solvable, solved)
}

/// Steps a pile as a simulation does: failures, iterations, largest speed at the end.
pub fn settle(
    solver: &mut dyn Solver,
    mut pile: Pile,
    (steps, tolerance): (usize, f64),
    warm: bool,
    label: &str,
) -> (usize, u32, f64) {
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
        if s.status == Status::Converged {
            assert!(p.residual(s.z).natural <= tolerance);
        } else {
            failures += 1;
            let (n, name) = (pile.contacts(), s.status.name());
            println!("{label}: step {step}, {n} contacts: {name} {:.2e} {}", s.residual, s.note);
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

/// Numbers of problems of a collection: solved at 1e-6, 1e-8, 1e-10, and proved to have no solution.
pub struct Score {
    pub reached: [usize; 3],
    pub proofs: usize,
}

/// Solves a published collection to 1e-10. No success and no proof may be false.
pub fn score(solver: &mut dyn Solver, file: &str) -> Score {
    let cases = collection(file, 1e-10);
    let mut score = Score { reached: [0; 3], proofs: 0 };
    let mut times = Vec::new();
    for c in cases.iter().filter(|c| c.verdict != "open") {
        let p = c.problem.view();
        let start = Instant::now();
        let s = solver.solve(&Problem::Mlcp(p)).unwrap();
        let ms = start.elapsed().as_secs_f64() * 1e3;
        let residual = p.residual(s.z).natural;
        let (name, n, status) = (&c.name, p.n(), s.status.name());
        println!(
            "{name:36} n {n:4} {status:16} {residual:9.2e} {:4} iterations {ms:9.3} ms {}",
            s.iterations, s.note
        );
        for (count, limit) in score.reached.iter_mut().zip([1e-6, 1e-8, 1e-10]) {
            *count += usize::from(residual <= limit);
        }
        if c.verdict == "solved" {
            times.push(ms);
            assert_ne!(s.status, Status::Infeasible, "{name}: false proof");
        } else {
            assert_ne!(s.status, Status::Converged, "{name}: false success");
        }
        assert_eq!(s.status == Status::Converged, residual <= 1e-10, "{name}: {residual:e}");
        if s.status == Status::Infeasible {
            assert!(check_farkas(&p, s.certificate).proves(), "{name}");
            score.proofs += 1;
        }
    }
    times.sort_by(f64::total_cmp);
    println!(
        "{file}: solved {:?} at 1e-6, 1e-8, 1e-10; {} proofs; median {:.3} ms, worst {:.1} ms",
        score.reached,
        score.proofs,
        times[times.len() / 2],
        times[times.len() - 1]
    );
    score
}
