//! Lists of numbers in memory that is kept.

/// Copies a list into memory that is there.
#[inline]
pub fn copy<T: Copy>(to: &mut Vec<T>, from: &[T]) {
    to.clear();
    to.extend_from_slice(from);
}
