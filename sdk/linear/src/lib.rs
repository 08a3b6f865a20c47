//! Factorisations that solver plugins share: dense and sparse LU, in memory that is kept from system to system; and what
//! solvers of convex programs share ([`conic`]).
//!
//! - [`DenseLu`]: partial pivoting, for small systems;
//! - [`DenseCholesky`]: for small symmetric positive definite ones;
//! - [`FrontalLu`]: by fronts, for bodies and trees that touch: pattern symmetric, pivots in their own block;
//! - [`SparseLu`]: faer's supernodal LU of a matrix given by rows, analysed once per pattern;
//! - [`ShiftedLu`]: the same for K = diag(a) + diag(b) M, the matrix of semismooth Newton and interior point steps.

mod cholesky;
pub mod conic;
mod dense;
mod frontal;
mod shifted;
mod sparse;

pub use cholesky::DenseCholesky;
pub use dense::DenseLu;
pub use frontal::FrontalLu;
pub use shifted::{RowState, ShiftedLu};
pub use sparse::SparseLu;
