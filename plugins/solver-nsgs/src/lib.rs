//! Block Gauss-Seidel for complementarity problems with exact Coulomb friction, the class [`ProblemClass::Cone`].
//!
//! A solve runs through stages until the residual of a point on the problem as it was given meets the tolerance (`solve`
//! has the order):
//!
//! - `sweep`: Gauss-Seidel over the bounded rows and blocks, free rows eliminated, every block solved exactly (`local`,
//!   `angle`);
//! - `newton`: damped semismooth Newton on Alart and Curnier's map (`map`) of the whole problem;
//! - `proximal`: a sequence of softened problems; this is what solves quasi-static parts (A = 0).
//!
//! All work in balanced units (`scaled`). `README.md` has the papers, the formulas and the guarantees.

mod angle;
mod config;
mod leap;
mod linear;
mod local;
mod map;
mod newton;
mod proximal;
mod scaled;
mod solve;
mod sweep;
mod workspace;

pub use config::Config;

use vinci_sdk::core::problem::Cone;
use vinci_sdk::prelude::*;
use workspace::NsgsWorkspace;

/// The solver: options, and memory that is kept from problem to problem.
#[derive(Debug, Default)]
pub struct Nsgs {
    config: Config,
    workspace: NsgsWorkspace,
}

impl Nsgs {
    /// A solver with these options; the error names the first one that cannot be.
    pub fn new(config: Config) -> Result<Self, StageError> {
        config.check().map_err(StageError::bad_option)?;
        Ok(Self { config, workspace: NsgsWorkspace::default() })
    }
}

impl Solver for Nsgs {
    fn solve<'s>(&'s mut self, problem: &Problem<'_>) -> Result<Solution<'s>, StageError> {
        let Problem::Cone(p) = problem else {
            let found = problem.class().name();
            return Err(StageError::unsupported(format!("this solver takes Cone problems, not {found}")));
        };
        p.check().map_err(StageError::bad_input)?;
        let tolerance = self.config.tolerance.unwrap_or(p.rows.tolerance);
        if !(tolerance > 0.0) {
            return Err(StageError::bad_input(format!("a tolerance of {tolerance}; it must be positive")));
        }
        let p = Cone { rows: Mlcp { tolerance, ..p.rows }, ..*p };
        let (status, note) = self.workspace.solve(&p, &self.config);
        Ok(Solution {
            status,
            z: &self.workspace.best,
            iterations: self.workspace.swept + self.workspace.systems,
            factorizations: self.workspace.linear.factorizations,
            residual: self.workspace.best_residual,
            note,
            ..Solution::default()
        })
    }
}

impl SolverPlugin for Nsgs {
    fn manifest() -> Manifest {
        Manifest::new("vinci.solver.nsgs", Role::Solver, env!("CARGO_PKG_VERSION"))
            .title("Block Gauss-Seidel for exact Coulomb cones, with a Newton polish")
            .licence("MIT OR Apache-2.0")
            .citation(
                "Jourdan, Alart & Jean 1998, Computer Methods in Applied Mechanics and Engineering 155:31",
            )
            .citation("Alart & Curnier 1991, Computer Methods in Applied Mechanics and Engineering 92:353")
            .citation("Acary, Bremond & Huber 2018, Advanced Topics in Nonsmooth Dynamics, chapter 10")
            .classes(&[ProblemClass::Cone])
            .capabilities(&["default", "warm-start", "bounds", "free-rows", "singular-free-block"])
            .options::<Config>()
    }

    fn create(options: &str, _system: &SystemView<'_>) -> Result<Self, StageError> {
        Self::new(parse_options(options)?)
    }
}

vinci_sdk::export_plugin!(solver = Nsgs);
