//! One island with its answer, and who solves it.

use vinci_core::StageError;
use vinci_core::problem::Problem;

use super::islands::IslandProblem;
use super::route::Route;
use super::solver_stats::SolverStats;

/// An island with its answer.
#[derive(Default)]
pub(super) struct Island {
    /// True if it keeps what it had.
    pub(super) sleeps: bool,
    pub(super) problem: IslandProblem,
    pub(super) answer: IslandAnswer,
}

/// Answer of solvers to an island.
#[derive(Default)]
pub(super) struct IslandAnswer {
    pub(super) end: IslandEnd,
    pub(super) z: Vec<f64>,
    pub(super) iterations: u64,
    /// Counted while it was solved.
    pub(super) stats: SolverStats,
    /// Routes over bridges that led to the answer.
    pub(super) bridged_routes: Vec<(usize, Route)>,
    /// Name of the solver that solved it in the place of the first, in words.
    pub(super) taken_over: Option<String>,
}

/// How the solving of an island ended.
#[derive(Default)]
pub(super) enum IslandEnd {
    /// Solved; the largest row of the residual is this, in the unit of the row.
    Solved { row: f64 },
    /// No solver solved it.
    #[default]
    Unsolved,
    /// A solver panicked, or none of them took it.
    Failed(StageError),
}

impl Island {
    /// Number of unknowns that are to be solved: none where it sleeps.
    pub(super) fn size(&self) -> usize {
        if self.sleeps { 0 } else { self.problem.len() }
    }
}

impl IslandEnd {
    pub(super) fn is_solved(&self) -> bool {
        matches!(self, Self::Solved { .. })
    }
}

/// A chain of solvers that is asked for islands, and puts together what they answer.
pub(super) trait IslandSolver {
    /// Solves an island; what is counted and told of it goes into its answer.
    fn solve_island(&mut self, problem: &Problem<'_>, to: &mut IslandAnswer);

    /// Counts what an island counted, or that it slept, and tells its routes over bridges.
    fn count_island(&mut self, island: &IslandAnswer, sleeps: bool);

    /// Takes the answers of all islands, put together.
    fn take_islands(&mut self, z: &[f64], iterations: u64);

    /// Returns true if no solver has anything to save now.
    fn is_without_state(&self, scratch: &mut Vec<u8>) -> bool;

    /// Steps that a fallback solved so far.
    fn fallbacks(&self) -> u64;

    /// Counts the islands of a step that fallbacks solved as one step; `before` is the count before it.
    fn count_as_one(&mut self, before: u64);
}

/// Solves islands one after the other, up to the first that is not solved.
pub(super) fn solve_in_order(route: &mut dyn IslandSolver, islands: &mut [Island]) {
    for Island { problem, answer, .. } in islands.iter_mut().filter(|island| !island.sleeps) {
        route.solve_island(&problem.view(), answer);
        if !answer.end.is_solved() {
            break;
        }
    }
}
