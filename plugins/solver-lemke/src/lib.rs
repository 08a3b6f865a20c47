//! Lemke.
mod branch;
mod config;
mod dense;
mod lexico;
mod relax;
mod solve;
mod sparse;
mod tableau;
pub use config::Config;
pub use solve::Lemke;
use vinci_core::{
    StageError,
    problem::{Problem, Solution},
    stage::Solver,
};
impl Solver for Lemke {
    fn solve<'s>(&'s mut self, problem: &Problem<'_>) -> Result<Solution<'s>, StageError> {
        let Problem::Mlcp(p) = problem else { return Err(StageError::unsupported("Mlcp only")) };
        p.check().map_err(StageError::bad_input)?;
        Ok(self.solve_mlcp(p))
    }
}
