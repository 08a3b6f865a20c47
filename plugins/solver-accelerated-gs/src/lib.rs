//! Block Gauss-Seidel in velocities with Nesterov's momentum, for large problems of class [`ProblemClass::Cone`].
//!
//! Velocities are eliminated body by body (`inertia`), the product W A⁻¹ Wᵀ is never formed (`sites`): a sweep visits every
//! contact, solves its law exactly with the others held (`local`), and moves the velocities of its bodies at once (`sweep`).
//! Between sweeps impulses and velocities are extrapolated together (`solve`). A point is a solution where core's residual
//! and every contact's own natural map (`map`) meet the tolerance. `README.md` has formulas, measurements and limits.

mod config;
mod inertia;
mod local;
mod map;
mod momentum;
mod sites;
mod solve;
mod sweep;

pub use config::Config;

use solve::AcceleratedGsWorkspace;
use vinci_sdk::core::problem::Cone;
use vinci_sdk::prelude::*;

/// The solver: options, and memory that is kept from problem to problem.
#[derive(Debug, Default)]
pub struct AcceleratedGs {
    config: Config,
    workspace: AcceleratedGsWorkspace,
}

impl AcceleratedGs {
    /// A solver with these options; the error names the first one that cannot be.
    pub fn new(config: Config) -> Result<Self, StageError> {
        config.check().map_err(StageError::bad_option)?;
        Ok(Self { config, workspace: AcceleratedGsWorkspace::default() })
    }
}

impl Solver for AcceleratedGs {
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
            z: &self.workspace.z,
            iterations: self.workspace.swept,
            residual: self.workspace.residual,
            note,
            ..Solution::default()
        })
    }
}

impl SolverPlugin for AcceleratedGs {
    fn manifest() -> Manifest {
        Manifest::new("vinci.solver.accelerated-gs", Role::Solver, env!("CARGO_PKG_VERSION"))
            .title(
                "Block Gauss-Seidel in velocities with Nesterov momentum, for large piles under exact cones",
            )
            .licence("MIT OR Apache-2.0")
            .citation(
                "Jourdan, Alart & Jean 1998, Computer Methods in Applied Mechanics and Engineering 155:31",
            )
            .citation("Nesterov 1983, Doklady Akademii Nauk SSSR 269:543")
            .citation("O'Donoghue & Candes 2015, Foundations of Computational Mathematics 15:715")
            .citation("Mazhar, Heyn, Negrut & Tasora 2015, ACM Transactions on Graphics 34:32")
            .classes(&[ProblemClass::Cone])
            .capabilities(&["warm-start", "bounds", "free-rows"])
            .options::<Config>()
    }

    fn create(options: &str, _system: &SystemView<'_>) -> Result<Self, StageError> {
        Self::new(parse_options(options)?)
    }
}

vinci_sdk::export_plugin!(solver = AcceleratedGs);
