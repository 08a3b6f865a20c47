//! Random small problems against trying every combination of bounds.

use vinci_solver_pgs::{Config, Pgs};
use vinci_test_problems::trials;

#[test]
fn positive_definite_problems_have_the_oracles_only_solution() {
    trials::definite_problems(&mut Pgs::new(Config::default()).unwrap());
}

#[test]
fn nothing_false_is_claimed_of_general_problems() {
    let (solvable, solved) = trials::general_problems(&mut Pgs::new(Config::default()).unwrap());
    assert!(solved * 100 >= solvable * 85, "{solved} of {solvable}");
}
