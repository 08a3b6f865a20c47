//! Conversions between problem classes, named `x_as_y`: formula, kind and the way back.
//!
//! | bridge | kind | formula |
//! |---|---|---|
//! | [`MlcpAsLcp`] | exact, if the free-free block is regular | Schur complement of the free rows, shift and sign of the bounds |

mod free_blocks;
mod mlcp_as_lcp;

pub use free_blocks::SingularFreeBlock;
pub use mlcp_as_lcp::MlcpAsLcp;
