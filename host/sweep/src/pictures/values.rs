//! Values of rows that pictures show.

use crate::row::Row;
use crate::shape::Shape;

/// The rung a picture is of; the last of those that are run where it names none.
pub(super) fn rung_of(shape: &Shape, rung: Option<&str>) -> usize {
    let named = rung.and_then(|name| shape.rungs.iter().position(|r| r.name == name));
    named.unwrap_or(shape.rungs.len() - 1)
}

/// The value of a parameter or measure, or success, of a row.
pub(super) fn value(shape: &Shape, row: &Row, name: &str) -> Option<f64> {
    if name == "success" {
        return Some(f64::from(row.success));
    }
    let parameter = shape.parameters.iter().position(|c| c.name == name).map(|k| &row.parameters[k]);
    let measure = || shape.measures.iter().position(|m| m == name).map(|k| &row.measures[k]);
    parameter.or_else(measure)?.parse().ok().filter(|x: &f64| x.is_finite())
}

pub(super) fn ends(values: &[f64]) -> (f64, f64) {
    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
    let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if low <= high { (low, high) } else { (0.0, 1.0) }
}
