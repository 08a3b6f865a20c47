//! Lists of numbers in memory that is kept.

use nalgebra::Vector3;

/// Copies a list into memory that is there.
#[inline]
pub fn copy<T: Copy>(to: &mut Vec<T>, from: &[T]) {
    to.clear();
    to.extend_from_slice(from);
}

/// Returns true if two lists have the same bits.
pub fn same_bits(a: &[f64], b: &[f64]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.to_bits() == b.to_bits())
}

/// max |x_i|; 0 of an empty list.
pub fn largest(list: &[f64]) -> f64 {
    list.iter().fold(0.0_f64, |m, x| m.max(x.abs()))
}

/// Vector i of a list of coordinates, three each.
#[inline]
pub fn at(list: &[f64], i: usize) -> Vector3<f64> {
    let x = &list[3 * i..3 * i + 3];
    Vector3::new(x[0], x[1], x[2])
}
