//! A dual active-set method for convex quadratic programs, the class [`ProblemClass::Conic`] without second-order cones:
//!
//! min ½ xᵀP x + cᵀx subject to s = G x + g, l ≤ s ≤ u.
//!
//! The method is `vinci-qp`'s; `solve` chooses the working set to start from and judges the outcome by the problem as it
//! was given. `README.md` has the papers, the formulas and the guarantees.

mod config;
mod solve;

pub use config::Config;

use solve::ActiveSetWorkspace;
use vinci_qp::QpError;
use vinci_sdk::prelude::*;

/// The solver: options, and memory that is kept from problem to problem.
#[derive(Debug, Default)]
pub struct ActiveSet {
    config: Config,
    workspace: ActiveSetWorkspace,
}

impl ActiveSet {
    /// A solver with these options; the error names the first one that cannot be.
    pub fn new(config: Config) -> Result<Self, StageError> {
        config.check().map_err(StageError::bad_option)?;
        Ok(Self { config, workspace: ActiveSetWorkspace::default() })
    }
}

impl Solver for ActiveSet {
    fn solve<'s>(&'s mut self, problem: &Problem<'_>) -> Result<Solution<'s>, StageError> {
        let Problem::Conic(p) = problem else {
            let found = problem.class().name();
            return Err(StageError::unsupported(format!("this solver takes Conic problems, not {found}")));
        };
        p.check().map_err(StageError::bad_input)?;
        if !p.cones.is_empty() {
            let count = p.cones.len() / 2;
            return Err(StageError::unsupported(format!(
                "the problem has second-order cones ({count}), this solver takes linear rows only"
            )));
        }
        let tolerance = self.config.tolerance.unwrap_or(p.tolerance);
        if !(tolerance > 0.0) {
            return Err(StageError::bad_input(format!("a tolerance of {tolerance}; it must be positive")));
        }
        self.workspace.solve(p, &self.config, tolerance).map_err(|e| match e {
            QpError::TooLarge(_) => StageError::unsupported(e.to_string()),
            _ => StageError::bad_input(e.to_string()),
        })
    }
}

impl SolverPlugin for ActiveSet {
    fn manifest() -> Manifest {
        Manifest::new("vinci.solver.active-set", Role::Solver, env!("CARGO_PKG_VERSION"))
            .title("Dual active-set method for small convex quadratic programs")
            .licence("MIT OR Apache-2.0")
            .citation("Goldfarb & Idnani 1983, Mathematical Programming 27:1")
            .citation("Harris 1973, Mathematical Programming 5:1")
            .classes(&[ProblemClass::Conic])
            .capabilities(&[
                "default",
                "warm-start",
                "certificate",
                "unbounded-certificate",
                "singular-objective",
            ])
            .options::<Config>()
    }

    fn create(options: &str, _system: &SystemView<'_>) -> Result<Self, StageError> {
        Self::new(parse_options(options)?)
    }
}

vinci_sdk::export_plugin!(solver = ActiveSet);
