//! Random small problems against trying every combination of bounds.

use vinci_solver_newton::{Config, Newton};
use vinci_test_problems::trials;

#[test]
fn positive_definite_problems_have_the_oracles_only_solution() {
    trials::definite_problems(&mut Newton::new(Config::default()).unwrap());
}

#[test]
fn general_problems_are_solved_whenever_the_oracle_can() {
    let (solvable, solved) = trials::general_problems(&mut Newton::new(Config::default()).unwrap());
    assert!(solved * 1000 >= solvable * 995, "{solved} of {solvable}");
}
