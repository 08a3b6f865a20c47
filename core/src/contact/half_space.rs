//! The influence of nodes on one another through an elastic half-space.

use std::f64::consts::PI;

use nalgebra::Vector3;

/// −4 ζ(½) β(½): the sum of 1/|x| over a square grid of side 1 without its origin falls short of the integral by this. With it as the
/// sink of a cell under its own force the sum over the grid is the integral of a smooth pressure, to third order in the side.
const OWN_CELL: f64 = 3.900_264_920_001_956;

/// Boussinesq's normal displacement of the surface at distance r (m) from a force of 1 N, m/N: 1/(π E* r); at the force itself
/// (r = 0), which acts on a square cell of side s, that of the cell: 3.9003/(π E* s). Over a square grid the matrix of these is
/// symmetric positive definite.
pub fn sink(modulus: f64, r: f64, side: f64) -> f64 {
    if r > 0.0 { 1.0 / (PI * modulus * r) } else { OWN_CELL / (PI * modulus * side) }
}

/// Distance of two points along a surface with this unit normal, m: heights over it do not count, on whichever body a point is.
pub fn along_surface(a: &Vector3<f64>, b: &Vector3<f64>, normal: &Vector3<f64>) -> f64 {
    let d = a - b;
    (d - normal * normal.dot(&d)).norm()
}
