//! An experiment of the bench.

use std::path::PathBuf;

/// An experiment whose steps are measured.
pub(super) struct Case {
    pub(super) name: String,
    pub(super) experiment: PathBuf,
    /// Balls and closed contacts, where the scene was made here.
    pub(super) counts: Option<(usize, usize)>,
    /// True where MuJoCo and Rapier are given it.
    pub(super) is_shared: bool,
}
