//! Damped Newton for problems of class [`ProblemClass::Root`]: the stepper that wrote the problem limits every update.
//!
//! `solve` has the method, `linear` the factorisation, `pattern` that of a sparse Jacobian. README.md has the formulas and the guarantees.

mod config;
mod linear;
mod pattern;
mod solve;

pub use config::{Config, Stop};
pub use solve::Iteration;

use solve::Newton;
use vinci_sdk::prelude::*;

/// The solver: options, and memory that is kept from problem to problem.
#[derive(Debug, Default)]
pub struct NewtonTals {
    config: Config,
    newton: Newton,
}

impl NewtonTals {
    /// A solver with these options.
    ///
    /// Errors: the first one that cannot be.
    pub fn new(config: Config) -> Result<Self, StageError> {
        config.check()?;
        Ok(Self { config, newton: Newton::default() })
    }

    /// The Newton steps of the last problem, in order (the plugin tells them at level `debug`).
    pub fn history(&self) -> &[Iteration] {
        &self.newton.history
    }
}

impl Solver for NewtonTals {
    fn solve<'s>(&'s mut self, problem: &Problem<'_>) -> Result<Solution<'s>, StageError> {
        let Problem::Root(p) = problem else {
            let found = problem.class().name();
            return Err(StageError::unsupported(format!("this solver takes Root problems, not {found}")));
        };
        let tolerance = self.config.tolerance.unwrap_or(p.tolerance);
        if !(tolerance > 0.0) {
            return Err(StageError::bad_input(format!("a tolerance of {tolerance}; it must be positive")));
        }
        check(p)?;
        let status = self.newton.solve(p, tolerance, &self.config)?;
        Ok(Solution {
            status,
            z: &self.newton.v,
            iterations: self.newton.iterations,
            factorizations: self.newton.linear.factorizations,
            residual: self.newton.residual,
            note: self.newton.note,
            ..Solution::default()
        })
    }
}

fn check(p: &Root<'_>) -> Result<(), StageError> {
    let n = p.start.len();
    if !(p.scale.is_empty() || p.scale.len() == n) {
        return Err(StageError::bad_input(format!("{} sizes of r for {n} unknowns", p.scale.len())));
    }
    if let Some(i) = p.scale.iter().position(|s| !(*s > 0.0 && s.is_finite())) {
        return Err(StageError::bad_input(format!("the size of r_{i} is {}, not positive", p.scale[i])));
    }
    match p.start.iter().position(|x| !x.is_finite()) {
        Some(i) => Err(StageError::bad_input(format!("the start has {} at {i}", p.start[i]))),
        None => Ok(()),
    }
}

impl SolverPlugin for NewtonTals {
    fn manifest() -> Manifest {
        Manifest::new("vinci.solver.newton-tals", Role::Solver, env!("CARGO_PKG_VERSION"))
            .title("Newton's method with the stepper's own limit on every update")
            .licence("MIT OR Apache-2.0")
            .citation(
                "Castro, Qu, Kuppuswamy, Alspach & Sherman 2020, IEEE Robotics and Automation Letters 5:1859",
            )
            .classes(&[ProblemClass::Root])
            .capabilities(&["default", "warm-start"])
            .options::<Config>()
    }

    fn create(options: &str, _system: &SystemView<'_>) -> Result<Self, StageError> {
        Self::new(parse_options(options)?)
    }
}

vinci_sdk::export_plugin!(solver = NewtonTals);
