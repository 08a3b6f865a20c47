//! Semismooth Newton for mixed linear complementarity problems with bounds.

mod config;
mod dense;
mod farkas;
mod interior;
mod linear;
mod map;
mod polish;
mod scaled;
mod semismooth;
mod solve;
mod sparse;
mod work;

pub use config::{Config, Function, Method};

use vinci_core::StageError;
use vinci_core::problem::{Problem, Solution};
use vinci_core::stage::Solver;

/// The solver.
#[derive(Debug, Default)]
pub struct Newton {
    config: Config,
    work: work::Work,
}

impl Newton {
    /// A solver with the given options.
    pub fn new(config: Config) -> Self {
        Self { config, work: work::Work::default() }
    }
}

impl Solver for Newton {
    fn solve<'s>(&'s mut self, problem: &Problem<'_>) -> Result<Solution<'s>, StageError> {
        let Problem::Mlcp(p) = problem else {
            return Err(StageError::unsupported("this solver takes Mlcp problems only"));
        };
        p.check().map_err(StageError::bad_input)?;
        let (status, note) = self.work.solve(p, &self.config);
        Ok(Solution {
            status,
            z: &self.work.best,
            certificate: &self.work.certificate,
            iterations: self.work.iterations,
            factorizations: self.work.linear.factorizations,
            residual: self.work.best_residual,
            note,
            ..Solution::default()
        })
    }
}
