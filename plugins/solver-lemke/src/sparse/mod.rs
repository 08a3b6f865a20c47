//! The engine for large, boxed or singular problems: Lemke's method by basis factors on the whole mixed problem.
//!
//! - [`matrix`]: M by columns and its equilibration;
//! - [`lu`]: sparse LU of a kernel (Markowitz);
//! - [`factor`]: factors of a basis and their product-form updates;
//! - [`path`]: the pivoting itself;
//! - [`cover`]: covering vector, perturbation and the entry of z₀;
//! - [`ratio`]: the ratio test;
//! - [`start`]: first bases: slack, warm, and block pivots where the free block is singular;
//! - [`finish`]: values on the unperturbed, unscaled problem.

mod cover;
pub(crate) mod factor;
pub(crate) mod finish;
pub(crate) mod lu;
pub(crate) mod matrix;
pub(crate) mod path;
mod ratio;
pub(crate) mod start;

#[cfg(test)]
mod tests;
