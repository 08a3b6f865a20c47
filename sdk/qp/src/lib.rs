//! A dense active-set method for small convex quadratic programs
//!
//! min ½ xᵀP x + cᵀx subject to l ≤ G x ≤ u,
//!
//! with P symmetric positive semidefinite: it may be singular or zero. Multipliers y satisfy P x + c = Gᵀy, y_i ≥ 0 where
//! s_i = (G x)_i is at its lower bound, y_i ≤ 0 at its upper, y_i = 0 between, and are free where l_i = u_i.
//!
//! What it is for: many programs that differ in bounds and costs only, each solved from the working set of another. A child
//! in a branch-and-bound tree whose row was made an equation starts dual feasible and needs a few pivots of O(n²).
//!
//! Ours because branching needs warm starts, a lower bound at every point, singular P without regularisation, and proofs that core
//! can check: see "An own quadratic-programming engine" in `docs/src/decisions.md`.
//!
//! ```
//! use vinci_core::sparse::CsrBuf;
//! use vinci_qp::{ActiveSet, Settings, Status};
//! // min ½ x₀² over x₀ + x₁ = 2, 0 ≤ x₁ ≤ 1: the objective does not see x₁.
//! let p = CsrBuf::from_triplets(2, 2, &[(0, 0, 1.0)]);
//! let g = CsrBuf::from_triplets(2, 2, &[(0, 0, 1.0), (0, 1, 1.0), (1, 1, 1.0)]);
//! let mut qp = ActiveSet::new(Settings::default());
//! qp.set_up(p.view(), g.view())?;
//! qp.set_bounds(&[2.0, 0.0], &[2.0, 1.0])?;
//! assert_eq!(qp.solve(f64::INFINITY), Status::Optimal);
//! assert_eq!((qp.x(), qp.y()), (&[1.0, 1.0][..], &[1.0, -1.0][..]));
//! // A child: x₁ = 0. It starts from where the parent ended.
//! qp.set_bound(1, 0.0, 0.0)?;
//! assert_eq!(qp.solve(f64::INFINITY), Status::Optimal);
//! assert_eq!((qp.objective(), qp.pivots()), (2.0, 0));
//! # Ok::<(), vinci_qp::QpError>(())
//! ```
//!
//! # Method
//!
//! 1. **Dual loop** (Goldfarb & Idnani 1983, Math. Programming 27:1): the most violated row p enters. With a = Jᵀg_p the
//!    primal direction is z = J₂a₂ = H g_p, the rows of the working set lose t a from their multipliers; the step ends where
//!    p is satisfied or where a multiplier reaches zero, and that row leaves. In directions that the objective does not see
//!    the row takes the place of such a direction (or of a row whose direction is one) at once, as in the dual simplex
//!    method: so a singular P is not regularised, and P = 0 is a linear program. Rows that stop all of it are a Farkas proof.
//! 2. **Primal loop**, where multipliers were set aside because the start was not dual feasible (a cost along a flat
//!    direction, a working set from another problem): from the feasible point of 1 rows with a multiplier of the wrong sign
//!    leave. A flat direction of descent that no row blocks is the proof of unboundedness.
//! 3. **Judgement** in original units: the natural residual is recomputed from P, c, G, refined by J where that helps, and J
//!    is rebuilt from the original data where it does not. [`Status::Optimal`] means that this residual meets the tolerance.
//!
//! One explicit matrix J holds all directions ([`ActiveSet`] has no triangular factors): a pivot is one or two rank-one
//! updates of n² work on contiguous memory, a restart from J for no rows one copy, and a saved state is J as well.
//!
//! Ties are broken by the largest pivot; after 4 n + 20 pivots without progress Bland's rule (smallest numbers) takes over
//! until there is some.
//!
//! Sizes: n up to a few hundred. Memory n² for J, twice; G stays sparse.

mod basis;
mod bound;
mod curvature;
mod data;
mod dual;
mod finish;
mod primal;
mod solver;
mod start;
mod vectors;
mod working_set;

pub use solver::{ActiveSet, SavedWorkingSet, Settings, Status};
pub use working_set::{ActiveRow, Side, working_set_of_dual};

/// Variables of the largest program that is taken: some matrices of n × n are kept, of 288 MB each at most.
pub const MOST_VARIABLES: usize = 6000;

/// Reason why a program cannot be taken.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum QpError {
    /// A matrix or vector has the wrong shape or an entry that is no finite number.
    #[error("{0}")]
    Shape(String),
    /// P is not symmetric: entry (row, column) has no equal partner.
    #[error("P is not symmetric at ({0}, {1})")]
    Asymmetric(usize, usize),
    /// P is not positive semidefinite, seen at this variable.
    #[error("P is not positive semidefinite, seen at variable {0}")]
    Indefinite(usize),
    /// More variables than dense factors are kept for.
    #[error("{0} variables, and dense factors are kept of {MOST_VARIABLES} at most")]
    TooLarge(usize),
    /// A row with l > u, or a bound that is NaN or infinite on the wrong side.
    #[error("row {0} has the bounds {1} and {2}")]
    Bounds(usize, f64, f64),
}
