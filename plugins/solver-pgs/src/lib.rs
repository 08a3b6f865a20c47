//! Projected Gauss-Seidel by contact blocks for mixed linear complementarity problems with bounds
//!
//! l ≤ z ≤ u ⟂ w = M z + q (free rows are equations), the class [`ProblemClass::Mlcp`].
//!
//! - `free`: the free rows (velocities, joints) are eliminated component by component and kept up to date;
//! - `blocks`: which bounded rows are solved together, since the friction rows of a contact have no diagonal of their own;
//! - `local`: one block, exactly;
//! - `sweep`: one pass over all blocks;
//! - core's `anderson`: acceleration of the passes;
//! - `polish`: the linear system of the active set the passes have found;
//! - `solve`: how these follow on each other, and when to stop.
//!
//! `README.md` has the papers, the formulas and the guarantees; the options are in `config`.

mod blocks;
mod config;
mod free;
mod local;
mod polish;
mod solve;
mod sweep;

pub use config::Config;

use solve::PgsWorkspace;
use vinci_sdk::prelude::*;

/// The solver: options, and memory that is kept from problem to problem.
#[derive(Debug, Default)]
pub struct Pgs {
    config: Config,
    workspace: PgsWorkspace,
}

impl Pgs {
    /// A solver with these options; the error names the first one that cannot be.
    pub fn new(config: Config) -> Result<Self, StageError> {
        config.check().map_err(StageError::bad_option)?;
        Ok(Self { config, workspace: PgsWorkspace::default() })
    }
}

impl Solver for Pgs {
    fn solve<'s>(&'s mut self, problem: &Problem<'_>) -> Result<Solution<'s>, StageError> {
        let Problem::Mlcp(p) = problem else {
            let found = problem.class().name();
            return Err(StageError::unsupported(format!("this solver takes Mlcp problems, not {found}")));
        };
        p.check().map_err(StageError::bad_input)?;
        let p = Mlcp { tolerance: self.config.tolerance.unwrap_or(p.tolerance), ..*p };
        if !(p.tolerance > 0.0) {
            return Err(StageError::bad_input(format!(
                "a tolerance of {}; it must be positive",
                p.tolerance
            )));
        }
        let (status, note) = self.workspace.solve(&p, &self.config);
        Ok(Solution {
            status,
            z: &self.workspace.best,
            certificate: &self.workspace.certificate,
            iterations: self.workspace.sweeps,
            factorizations: self.workspace.factorizations(),
            residual: self.workspace.best_residual,
            note,
            ..Solution::default()
        })
    }
}

impl SolverPlugin for Pgs {
    fn manifest() -> Manifest {
        Manifest::new("vinci.solver.pgs", Role::Solver, env!("CARGO_PKG_VERSION"))
            .title("Projected Gauss-Seidel by contact blocks, accelerated, with active-set polish")
            .licence("MIT OR Apache-2.0")
            .citation("Cryer 1971, SIAM Journal on Control 9:385")
            .citation(
                "Jourdan, Alart & Jean 1998, Computer Methods in Applied Mechanics and Engineering 155:31",
            )
            .citation("Walker & Ni 2011, SIAM Journal on Numerical Analysis 49:1715")
            .classes(&[ProblemClass::Mlcp])
            .capabilities(&["certificate", "warm-start", "bounds", "free-rows", "singular-free-block"])
            .options::<Config>()
    }

    fn create(options: &str, _system: &SystemView<'_>) -> Result<Self, StageError> {
        Self::new(parse_options(options)?)
    }
}

vinci_sdk::export_plugin!(solver = Pgs);
