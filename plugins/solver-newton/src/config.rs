//! Options of the solver.

/// Complementarity function of the damped Newton stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Function {
    /// min(a, b): the active-set method; finite where it converges.
    Minimum,
    /// Fischer-Burmeister a + b − √(a² + b²): differentiable merit.
    FischerBurmeister,
    /// Penalised Fischer-Burmeister 0.9 φ_FB + 0.1 a₊ b₊: also bounds the product.
    #[default]
    Penalised,
}

/// Options.
#[derive(Debug, Clone)]
pub struct Config {
    /// Complementarity function of the damped stage.
    pub function: Function,
    /// Most iterations over all stages of one solve.
    pub max_iterations: u32,
    /// Merit values the line search looks back on (1: monotone).
    pub memory: usize,
    /// Use the guess of the problem.
    pub warm_start: bool,
    /// Rounds of balancing of M before the solve (0: none).
    pub balancing: u32,
    /// Largest number of unknowns factorised densely.
    pub dense_limit: usize,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            function: Function::default(),
            max_iterations: 2000,
            memory: 8,
            warm_start: true,
            balancing: 6,
            dense_limit: 120,
        }
    }
}
