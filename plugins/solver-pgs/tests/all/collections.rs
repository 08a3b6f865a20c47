//! The published problem collections: how many are solved, how well, and nothing claimed that is not so.

use vinci_solver_pgs::{Config, Pgs};
use vinci_test_problems::trials::{self, Score};

fn score(file: &str) -> Score {
    trials::score(&mut Pgs::new(Config::default()).unwrap(), file)
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
