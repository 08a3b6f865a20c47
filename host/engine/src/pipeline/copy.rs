//! Copying lists of numbers into memory that is there.

/// Copies a list into memory that is there.
pub(super) fn copy(to: &mut Vec<f64>, from: &[f64]) {
    to.clear();
    to.extend_from_slice(from);
}
