//! Time that solvers take.

use std::time::Instant;

use vinci_core::StageError;
use vinci_core::problem::{Problem, Solution};
use vinci_core::stage::Solver;

/// A solver with a stopwatch.
pub(super) struct Timed<S> {
    solver: S,
    /// Seconds since it was set to 0.
    pub(super) seconds: f64,
}

impl<S: Solver> Timed<S> {
    pub(super) fn new(solver: S) -> Self {
        Self { solver, seconds: 0.0 }
    }
}

impl<S: Solver> Solver for Timed<S> {
    fn solve<'s>(&'s mut self, problem: &Problem<'_>) -> Result<Solution<'s>, StageError> {
        let start = Instant::now();
        let solution = self.solver.solve(problem);
        self.seconds += start.elapsed().as_secs_f64();
        solution
    }
}
