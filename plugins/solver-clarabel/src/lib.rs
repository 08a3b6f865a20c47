//! Clarabel's interior-point method for convex quadratic programs with second-order cones, the class
//! [`ProblemClass::Conic`].
//!
//! A solve runs through (`solve` has the order):
//!
//! 1. [`Balanced`](vinci_linear::conic::Balanced): the problem in balanced units;
//! 2. `standard`: its rows as equations, inequalities and cones; `convert`: the backend, which keeps its symbolic work as
//!    long as the sparsity pattern stays;
//! 3. judgement by core's residual on the problem as it was given; Newton steps where that misses the tolerance; proofs of
//!    infeasibility and unboundedness, made exact enough to be checked, or sought by programs of their own
//!    (`vinci_linear::conic`).
//!
//! `README.md` has the formulas and the guarantees.

mod config;
mod convert;
mod far;
mod solve;
mod standard;

pub use config::Config;

use solve::ClarabelWorkspace;
use vinci_sdk::prelude::*;

/// The solver: options, and memory that is kept from problem to problem.
#[derive(Debug, Default)]
pub struct Clarabel {
    config: Config,
    workspace: ClarabelWorkspace,
}

impl Clarabel {
    /// A solver with these options; the error names the first one that cannot be.
    pub fn new(config: Config) -> Result<Self, StageError> {
        config.check().map_err(StageError::bad_option)?;
        Ok(Self { config, workspace: ClarabelWorkspace::default() })
    }
}

impl Solver for Clarabel {
    fn solve<'s>(&'s mut self, problem: &Problem<'_>) -> Result<Solution<'s>, StageError> {
        let Problem::Conic(p) = problem else {
            let found = problem.class().name();
            return Err(StageError::unsupported(format!("this solver takes Conic problems, not {found}")));
        };
        p.check().map_err(StageError::bad_input)?;
        let tolerance = self.config.tolerance.unwrap_or(p.tolerance);
        if !(tolerance > 0.0) {
            return Err(StageError::bad_input(format!("a tolerance of {tolerance}; it must be positive")));
        }
        self.workspace.solve(p, &self.config, tolerance)
    }
}

impl SolverPlugin for Clarabel {
    fn manifest() -> Manifest {
        Manifest::new(convert::ID, Role::Solver, env!("CARGO_PKG_VERSION"))
            .title("Interior points for convex quadratic programs with second-order cones")
            .licence("MIT OR Apache-2.0")
            .citation("Goulart & Chen 2024, Clarabel: an interior-point solver for conic programs with quadratic objectives")
            .citation("Ruiz 2001, A scaling algorithm to equilibrate both rows and columns norms in matrices")
            .classes(&[ProblemClass::Conic])
            .capabilities(&["default", "second-order-cones", "certificate", "bounds", "free-rows", "singular-free-block"])
            .options::<Config>()
    }

    fn create(options: &str, _system: &SystemView<'_>) -> Result<Self, StageError> {
        Self::new(parse_options(options)?)
    }
}

vinci_sdk::export_plugin!(solver = Clarabel);
