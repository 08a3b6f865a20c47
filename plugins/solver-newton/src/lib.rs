//! Semismooth Newton and path following for mixed linear complementarity problems with bounds
//!
//! l ≤ z ≤ u ⟂ w = M z + q (free rows are equations), the class [`ProblemClass::Mlcp`].
//!
//! A solve runs through stages, cheapest first, until the residual of a point on the problem as it was given meets the
//! tolerance (`solve` has the order):
//!
//! - `polish`: active sets; which bounds hold is read off, the rest is one linear system;
//! - `semismooth`: damped Newton on a complementarity function (`map`) with a non-monotone line search;
//! - `interior`: path following, a predictor-corrector interior point method that needs no monotonicity to be tried;
//! - `proximal`: a sequence of softened problems;
//! - `farkas`: after a failure, a proof that there is no solution.
//!
//! All of them solve systems with diag(a) + diag(b) M (`linear`: `dense` below a size, `sparse` above) in balanced units
//! (`scaled`). `README.md` has the papers, the formulas and the guarantees; the options are in `config`.

mod config;
mod farkas;
mod interior;
mod linear;
mod map;
mod multipliers;
mod polish;
mod proximal;
mod scaled;
mod semismooth;
mod solve;
mod workspace;

pub use config::{Config, Function, Method};

use vinci_sdk::prelude::*;
use workspace::NewtonWorkspace;

/// The solver: options, and memory that is kept from problem to problem.
#[derive(Debug, Default)]
pub struct Newton {
    config: Config,
    workspace: NewtonWorkspace,
}

impl Newton {
    /// A solver with these options; the error names the first one that cannot be.
    pub fn new(config: Config) -> Result<Self, StageError> {
        config.check().map_err(StageError::bad_option)?;
        Ok(Self { config, workspace: NewtonWorkspace::default() })
    }
}

impl Solver for Newton {
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
            iterations: self.workspace.iterations,
            factorizations: self.workspace.linear.factorizations,
            residual: self.workspace.best_residual,
            note,
            ..Solution::default()
        })
    }
}

impl SolverPlugin for Newton {
    fn manifest() -> Manifest {
        Manifest::new("vinci.solver.newton", Role::Solver, env!("CARGO_PKG_VERSION"))
            .title("Semismooth Newton and path following, with active-set polish")
            .licence("MIT OR Apache-2.0")
            .citation("De Luca, Facchinei & Kanzow 1996, Mathematical Programming 75:407")
            .citation("Chen, Chen & Kanzow 2000, Mathematical Programming 88:211")
            .citation("Mehrotra 1992, SIAM Journal on Optimization 2:575")
            .classes(&[ProblemClass::Mlcp])
            .capabilities(&["certificate", "warm-start", "bounds", "free-rows", "singular-free-block"])
            .options::<Config>()
    }

    fn create(options: &str, _system: &SystemView<'_>) -> Result<Self, StageError> {
        Self::new(parse_options(options)?)
    }
}

vinci_sdk::export_plugin!(solver = Newton);
