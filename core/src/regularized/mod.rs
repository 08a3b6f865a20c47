//! Compliant contact with regularised friction, and the line search that knows where friction turns from sliding to
//! sticking: what TAMSI and implicit integrators share.
//!
//! - [`HuntCrossley`]: π = k (1 + d δ̇)₊ δ₊;
//! - [`Regularized`]: f_t = −μ̃(|v_t|/v_s) π v_t/|v_t|;
//! - [`Tals`]: the largest fraction of a Newton update that does not miss stiction.
//!
//! The signs are those of `core/README.md`: δ = −ψ and δ̇ = −v_n, π pushes B along +n, f_t acts on B and opposes the
//! velocity v_t of B relative to A.
//!
//! Source: A. M. Castro, A. Qu, N. Kuppuswamy, A. Alspach, M. Sherman, *A transition-aware method for the simulation of
//! compliant contact with regularized friction*, IEEE Robotics and Automation Letters 5 (2020) 1859–1866.

mod friction;
mod normal;
mod tals;

pub use friction::{FrictionCurve, Regularized, Slip};
pub use normal::{HuntCrossley, NormalForce};
pub use tals::{Entry, Tals};
