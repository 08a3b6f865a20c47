//! Times of a solve.
fn main() {}
