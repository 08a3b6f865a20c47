//! The engine for large, boxed or singular problems: Lemke's method by basis factors on the whole mixed problem.
//!
//! - [`matrix`]: M by columns and its equilibration;
//! - [`lu`]: sparse LU of a kernel (Markowitz);
//! - [`factor`]: factors of a basis and their product-form updates;
//! - [`path`]: the pivoting itself;
//! - [`start`]: first bases: slack, warm, and block pivots where the free block is singular;
//! - [`finish`]: values on the unperturbed, unscaled problem.

pub(crate) mod factor;
pub(crate) mod finish;
pub(crate) mod lu;
pub(crate) mod matrix;
pub(crate) mod path;
pub(crate) mod start;
