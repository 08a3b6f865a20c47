//! Options of the solver.

/// Complementarity function of the damped stages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Function {
    /// min(a, b): finite where it converges.
    Minimum,
    /// Fischer-Burmeister a + b − √(a² + b²): differentiable merit.
    FischerBurmeister,
    /// Penalised Fischer-Burmeister 0.9 φ_FB + 0.1 a₊ b₊: its merit also bounds the products.
    #[default]
    Penalised,
}

/// Which stages a solve may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Method {
    /// All of them, cheapest first, until one converges.
    #[default]
    Auto,
    /// Undamped active-set rounds only.
    ActiveSet,
    /// The damped method only, on `function`.
    Damped,
    /// Path following only.
    Path,
}

/// Options.
#[derive(Debug, Clone)]
pub struct Config {
    /// Which stages a solve may use. Default: all.
    pub method: Method,
    /// Complementarity function of the damped stages. Default: penalised Fischer-Burmeister.
    pub function: Function,
    /// Most iterations (linear systems solved) over all stages of one solve. Default 2000.
    pub max_iterations: u32,
    /// Merit values the line search looks back on; 1 is a monotone search. 1 to 16, default 8.
    pub memory: usize,
    /// Start from the problem's guess where it has one. Default true.
    pub warm_start: bool,
    /// Rounds of balancing rows and columns of M before the solve; 0 keeps the units of the problem. Default 6.
    pub balancing: u32,
    /// Largest number of unknowns whose systems are factorised densely; larger ones use sparse LU. Default 120.
    pub dense_limit: usize,
    /// After a failure, look for a proof that there is no solution. Default true.
    pub certify: bool,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            method: Method::default(),
            function: Function::default(),
            max_iterations: 2000,
            memory: 8,
            warm_start: true,
            balancing: 6,
            dense_limit: 120,
            certify: true,
        }
    }
}
