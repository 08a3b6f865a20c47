//! Options of the solver.

use serde::Deserialize;

/// Options; every field has a default, unknown fields are refused.
#[derive(Debug, Clone, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Wanted relative residual (natural map divided by the largest |q|); the problem's own if absent.
    pub tolerance: Option<f64>,
    /// Most pivots of one run. Lemke's method needs about n in practice and 2ⁿ at worst.
    pub max_pivots: u32,
    /// Pivots between two fresh factorisations of the basis.
    pub refactor_every: u32,
    /// Largest reduced problem solved on the dense tableau; larger ones use sparse basis factors.
    pub dense_limit: usize,
    /// Start from the basis that the problem's guess implies.
    pub warm_start: bool,
    /// Size of the perturbation that breaks ties on sparse bases, relative to the equilibrated right side.
    pub perturbation: f64,
    /// Number of covering vectors tried before the matrix is regularised.
    pub covers: u32,
    /// Growing regularisations ε of the equilibrated matrix (M + ε I) tried when every unregularised run has failed. What
    /// they find is always brought to, and judged by, the problem itself.
    pub regularization: Vec<f64>,
    /// Most complementary pairs for which the question of solvability is settled by branching on pairs.
    pub enumeration_limit: usize,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            tolerance: None,
            max_pivots: 100_000,
            refactor_every: 64,
            dense_limit: 64,
            warm_start: true,
            perturbation: 1e-7,
            covers: 3,
            regularization: vec![1e-8, 1e-6, 1e-4, 1e-2],
            enumeration_limit: 24,
        }
    }
}
