//! Options of a fit.

/// Guides of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Search {
    /// Derivatives by differences of whole runs: they see times of impact move.
    Differences,
    /// Derivatives step by step at the active set; where there are none, differences.
    ActiveSet,
    /// Values alone, a simplex: for runs that are no smooth function of their parameters.
    Simplex,
}

/// Options of a fit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FitOptions {
    /// Draws that are tried as starts, beside the experiment's own values and the middle of the bounds.
    pub draws: u64,
    /// Starts, the best of all, from which a search goes on.
    pub searches: usize,
    /// Seed of the draws.
    pub seed: u64,
    /// Guide of the search.
    pub search: Search,
    /// Difference of derivatives, as a part of the width of the bounds.
    pub step: f64,
    /// Iterations of a search at most.
    pub iterations: u64,
}

impl Default for FitOptions {
    fn default() -> Self {
        Self { draws: 8, searches: 2, seed: 0, search: Search::Differences, step: 1e-3, iterations: 200 }
    }
}
