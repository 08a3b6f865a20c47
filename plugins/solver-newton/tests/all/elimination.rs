//! Large systems eliminate bodies before contacts, small ones are dense: both ways lead to the same answers.

use vinci_solver_newton::{Config, Newton};
use vinci_test_problems::heap;

#[test]
fn bodies_first_is_the_same_as_dense() {
    let newton = |dense_limit| Newton::new(Config { dense_limit, ..Config::default() }).unwrap();
    heap::same_momenta_of_polygons(&mut newton(0), &mut newton(4096));
}
