//! Derivatives: of steps against differences of steps, of runs against closed forms, and parameters from measurements.

mod directions;
mod handed_on;
mod landings;
mod many;
mod measurements;
mod runs;
mod steps;
mod touching;
mod widths;

use vinci_sweep::Draw;

/// A number in [a, b], the same in every run of the tests.
fn drawn(index: u64, name: &str, [a, b]: [f64; 2]) -> f64 {
    a + (b - a) * Draw { seed: 19, level: 1, case: None, index, name }.unit(0)
}

/// A standard normal number.
fn noise(index: u64, name: &str) -> f64 {
    Draw { seed: 19, level: 1, case: None, index, name }.normal(0)
}
