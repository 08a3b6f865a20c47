//! Conversions between problem classes, named `x_as_y`: formula, kind and the way back.
//!
//! | bridge | kind | formula |
//! |---|---|---|
//! | [`MlcpAsLcp`] | exact, if the free-free block is regular | Schur complement of the free rows, shift and sign of the bounds |
//! | [`ConeAsMlcp`] | exact on planar blocks, approximate in space: friction up to 1 − cos(π/n_d) too weak | p_t = D p_f on n_d directions, σ per block |
//! | [`QpccAsMilp`] | exact where every M bounds its row; a guessed M is watched | s_i ≤ M_i b, s_j ≤ M_j (1 − b), b binary |

mod cone_as_mlcp;
mod free_blocks;
mod mlcp_as_lcp;
mod qpcc_as_milp;

pub use cone_as_mlcp::ConeAsMlcp;
pub use free_blocks::SingularFreeBlock;
pub use mlcp_as_lcp::MlcpAsLcp;
pub use qpcc_as_milp::{NoBound, QpccAsMilp};
