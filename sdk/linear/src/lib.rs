//! Parts that solver plugins share: factorisations, dense and sparse, in memory that is kept from system to system; balanced units;
//! and what solvers of convex programs need ([`conic`]).
//!
//! - [`DenseLu`]: partial pivoting, for small systems;
//! - [`DenseCholesky`]: for small symmetric positive definite ones, and [`cholesky`] in the place of the matrix;
//! - [`FrontalLu`]: by fronts, for bodies and trees that touch: pattern symmetric, pivots in their own block;
//! - [`SparseLu`]: faer's supernodal LU of a matrix given by rows, analysed once per pattern;
//! - [`BlockLu`]: bodies first, then contacts, by fronts; [`SparseLu`] where that does not hold;
//! - [`ShiftedLu`]: the same for K = diag(a) + diag(b) M, the matrix of semismooth Newton and interior point steps;
//! - [`refine`]: iterative refinement with factors of a matrix nearby;
//! - [`Congruence`]: balanced units of a problem in w = M z + q.
//!
//! The dense factorisations and [`FrontalLu`] are ours because they keep their memory from system to system (a warm step allocates
//! nothing), and because bodies, trees and contacts are known as blocks beforehand. What may need pivots anywhere goes to faer. See "An
//! own linear algebra" in `docs/src/decisions.md`.

mod block;
mod cholesky;
mod congruence;
pub mod conic;
mod dense;
mod frontal;
mod judge;
mod refine;
mod shifted;
mod sparse;

pub use block::{BlockLu, Order, Structure};
pub use cholesky::{DenseCholesky, cholesky};
pub use congruence::Congruence;
pub use dense::DenseLu;
pub use frontal::FrontalLu;
pub use judge::{equilibrate, solves};
pub use refine::{Refine, norm, refine};
pub use shifted::{RowState, ShiftedLu};
pub use sparse::SparseLu;
