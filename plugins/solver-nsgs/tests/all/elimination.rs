//! Large systems eliminate bodies before contacts, small ones are dense: both ways lead to the same answers.

use vinci_solver_nsgs::{Config, Nsgs};
use vinci_test_problems::heap;

#[test]
fn bodies_first_is_the_same_as_dense() {
    let nsgs = |dense_limit| Nsgs::new(Config { dense_limit, ..Config::default() }).unwrap();
    heap::same_momenta_of_cones(&mut nsgs(0), &mut nsgs(4096));
}
