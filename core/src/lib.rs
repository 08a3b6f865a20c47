//! The vocabulary and the mathematics of Vinci.
//!
//! Everything here is plain data and plain functions: no files, no shared libraries, no numerical backend, no globals.
//! `core/README.md` is the one table of symbols; the modules follow one step of a simulation:
//!
//! - [`model`]: what does not change during a step (bodies, shapes, materials, roles of degrees of freedom);
//! - [`state`]: (q, v) and the kinematic map q⁺ = q ⊕ h N v⁺;
//! - [`tree`]: articulated trees, their frames, columns, inertias and forces;
//! - [`contact`]: contacts with identity, their kinematics ψ, Wn and Wt;
//! - [`momentum`]: the one momentum balance A v⁺ = b + W p of all rigid steppers;
//! - [`geometry`]: supports, distances and widths of shapes, told without any detector;
//! - [`problem`]: the mathematical problem classes, their residuals and certificates;
//! - [`bridge`]: conversions between problem classes, named `x_as_y`;
//! - [`clock`]: times as people read them;
//! - [`anderson`]: acceleration of fixed points, for bridges and sweeps;
//! - [`regularized`]: compliant contact with regularised friction and its line search;
//! - [`stage`]: the three traits a plugin implements;
//! - [`referee`]: the judge of every step; it recomputes all numbers itself.

pub mod anderson;
pub mod bridge;
pub mod clock;
pub mod contact;
pub mod error;
pub mod geometry;
pub mod lists;
pub mod model;
pub mod momentum;
pub mod problem;
pub mod referee;
pub mod regularized;
pub mod rigid;
pub mod sets;
pub mod sparse;
pub mod stage;
pub mod state;
pub mod tree;

pub use error::StageError;
pub use sparse::{Csr, CsrBuf};
