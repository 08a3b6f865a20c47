//! Conversions between problem classes, named `x_as_y`: formula, kind and the way back.
//!
//! | bridge | kind | formula |
//! |---|---|---|
//! | [`MlcpAsLcp`] | exact, if the free-free block is regular | Schur complement of the free rows, shift and sign of the bounds |
//! | [`MlcpAsQpcc`] | exact | 0 ≤ z − l ⟂ w ≥ 0 as pairs without an objective |
//! | [`MlcpAsConic`] | exact; refuses rows without a mirror image (friction) and indefinite blocks | the convex program whose optimality conditions the rows are |
//! | [`ConicAsMlcp`] | exact; refuses cones | optimality conditions |
//! | [`ConicAsLinear`] | exact on cones of two rows, approximate on three: y up to 1 − cos(π/n_d) too weak; refuses more | s_0 + d_k·s ≥ 0 on n_d directions |
//! | [`ConeAsMlcp`] | exact on planar blocks, approximate in space: friction up to 1 − cos(π/n_d) too weak | p_t = D p_f on n_d directions, σ per block |
//! | [`ConeAsConic`] | iterative; refuses as [`MlcpAsConic`] | De Saxcé's shift μ \|u_t\| frozen, program by program |
//! | [`QpccAsMilp`] | exact where every M bounds its row; a guessed M is watched | s_i ≤ M_i b, s_j ≤ M_j (1 − b), b binary |

mod cone_as_conic;
mod cone_as_mlcp;
mod conic_as_linear;
mod conic_as_mlcp;
mod free_blocks;
mod mlcp_as_conic;
mod mlcp_as_lcp;
mod mlcp_as_qpcc;
mod program;
mod qpcc_as_milp;
mod refusal;
mod saddle;
#[cfg(test)]
mod support;

pub use cone_as_conic::{ConeAsConic, Progress};
pub use cone_as_mlcp::ConeAsMlcp;
pub use conic_as_linear::ConicAsLinear;
pub use conic_as_mlcp::ConicAsMlcp;
pub use free_blocks::SingularFreeBlock;
pub use mlcp_as_conic::MlcpAsConic;
pub use mlcp_as_lcp::MlcpAsLcp;
pub use mlcp_as_qpcc::MlcpAsQpcc;
pub use qpcc_as_milp::{NoBound, QpccAsMilp};
pub use refusal::Refusal;
