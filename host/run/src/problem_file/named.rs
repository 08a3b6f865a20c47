//! A problem read from a file, with what is known of it.

use vinci_engine::pipeline::Stored;

/// A problem read from a file.
#[derive(Debug, Clone)]
pub struct Named {
    /// Its name.
    pub name: String,
    /// Family, where the collection names one.
    pub family: String,
    /// Known outcome: solved, infeasible, open, or empty.
    pub verdict: String,
    /// The problem.
    pub problem: Stored,
    /// Proven least value of its objective, where the collection names one.
    pub optimum: Option<f64>,
}
