//! HiGHS for two classes:
//!
//! - [`ProblemClass::Conic`] without cones: linear programs by the dual simplex method, convex quadratic ones by active
//!   sets (`solve`);
//! - [`ProblemClass::Qpcc`] with a linear objective: complementarity pairs as binaries (`pairs`; the bridge
//!   [`QpccAsMilp`](vinci_sdk::core::bridge::QpccAsMilp) has the bounds), and a tree of proofs where no mode is lawful
//!   (`tree`).
//!
//! All runs are made in balanced units and judged by core's residual on the problem as it was given
//! ([`vinci_linear::conic`]). `README.md` has the formulas and the guarantees.

mod config;
mod convert;
mod pairs;
mod solve;
mod tree;

pub use config::Config;

use solve::HighsWorkspace;
use vinci_sdk::prelude::*;

/// The solver: options, and memory that is kept from problem to problem.
#[derive(Debug, Default)]
pub struct Highs {
    config: Config,
    workspace: HighsWorkspace,
}

impl Highs {
    /// A solver with these options; the error names the first one that cannot be.
    pub fn new(config: Config) -> Result<Self, StageError> {
        config.check().map_err(StageError::bad_option)?;
        Ok(Self { config, workspace: HighsWorkspace::default() })
    }

    fn tolerance(&self, of_problem: f64) -> Result<f64, StageError> {
        let tolerance = self.config.tolerance.unwrap_or(of_problem);
        if tolerance > 0.0 {
            return Ok(tolerance);
        }
        Err(StageError::bad_input(format!("a tolerance of {tolerance}; it must be positive")))
    }
}

impl Solver for Highs {
    fn solve<'s>(&'s mut self, problem: &Problem<'_>) -> Result<Solution<'s>, StageError> {
        match problem {
            Problem::Conic(p) => {
                p.check().map_err(StageError::bad_input)?;
                let tolerance = self.tolerance(p.tolerance)?;
                self.workspace.solve(p, &self.config, tolerance)
            }
            Problem::Qpcc(p) => {
                p.check().map_err(StageError::bad_input)?;
                let tolerance = self.tolerance(p.qp.tolerance)?;
                self.workspace.solve_pairs(p, &self.config, tolerance)
            }
            other => {
                let found = other.class().name();
                Err(StageError::unsupported(format!(
                    "this solver takes Conic and Qpcc problems, not {found}"
                )))
            }
        }
    }
}

impl SolverPlugin for Highs {
    fn manifest() -> Manifest {
        Manifest::new(convert::ID, Role::Solver, env!("CARGO_PKG_VERSION"))
            .title("Convex quadratic programs, and linear ones with complementarity pairs as mixed-integer programs")
            .licence("MIT OR Apache-2.0")
            .citation("Huangfu & Hall 2018, Mathematical Programming Computation 10:119")
            .citation("Pang & Tedrake 2018, WAFR: complementarity pairs as binaries")
            .classes(&[ProblemClass::Conic, ProblemClass::Qpcc])
            .capabilities(&["certificate", "bounds", "free-rows", "singular-free-block", "linear-objective-only"])
            .options::<Config>()
    }

    fn create(options: &str, _system: &SystemView<'_>) -> Result<Self, StageError> {
        Self::new(parse_options(options)?)
    }
}

vinci_sdk::export_plugin!(solver = Highs);
