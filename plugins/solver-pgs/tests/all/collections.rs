//! The published problem collections: how many are solved, how well, how fast, and nothing claimed that is not so.
#![allow(clippy::print_stdout)]

use std::time::Instant;

use vinci_sdk::core::problem::{Problem, Status, check_farkas};
use vinci_sdk::core::stage::Solver;
use vinci_solver_pgs::{Config, Pgs};

/// Solved at 1e-6, 1e-8, 1e-10, and proofs of infeasibility.
struct Score {
    reached: [usize; 3],
    proofs: usize,
}

fn score(file: &str) -> Score {
    let cases = vinci_test_problems::collection(file, 1e-10);
    let mut solver = Pgs::new(Config::default()).unwrap();
    let mut score = Score { reached: [0; 3], proofs: 0 };
    let mut times = Vec::new();
    for c in cases.iter().filter(|c| c.verdict != "open") {
        let p = c.problem.view();
        let start = Instant::now();
        let s = solver.solve(&Problem::Mlcp(p)).unwrap();
        let ms = start.elapsed().as_secs_f64() * 1e3;
        let residual = p.residual(s.z).natural;
        println!(
            "{:36} n {:4} {:16} {residual:9.2e} {:4} iterations {ms:9.3} ms {}",
            c.name,
            p.n(),
            s.status.name(),
            s.iterations,
            s.note
        );
        for (count, limit) in score.reached.iter_mut().zip([1e-6, 1e-8, 1e-10]) {
            *count += usize::from(residual <= limit);
        }
        if c.verdict == "solved" {
            times.push(ms);
            assert_ne!(s.status, Status::Infeasible, "{}: false proof", c.name);
        } else {
            assert_ne!(s.status, Status::Converged, "{}: false success", c.name);
        }
        assert_eq!(s.status == Status::Converged, residual <= 1e-10, "{}: {residual:e}", c.name);
        if s.status == Status::Infeasible {
            assert!(check_farkas(&p, s.certificate).proves(), "{}", c.name);
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

#[test]
fn contact_collection() {
    let s = score("contact-lcp.json");
    assert_eq!(s.reached, [58, 58, 58], "of 58 solvable");
    assert_eq!(s.proofs, 2, "of 4 without solution");
}

#[test]
fn siconos_collection() {
    let s = score("siconos/lcp-mlcp.json");
    // Circuits and general matrices: nothing promises that Gauss-Seidel converges on them.
    assert!(s.reached.iter().all(|&r| r >= 35), "{:?} of 36 solvable", s.reached);
}
