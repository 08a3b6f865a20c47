//! Solving by islands: every island goes through the chain as a problem of its own, and the answers make the whole.
//!
//! Answers stand at the places of their islands, and are counted and put together in the order of the islands: nothing depends on who
//! solved one, or when.

use vinci_core::StageError;
use vinci_core::problem::Problem;

use super::audit;
use super::crew::{Crew, MakeRoute};
use super::islands::{IslandProblem, Islands};
use super::route::Route;
use super::solver_route::{Solve, SolverRoute, SolverStats};

/// What divides problems, with its memory.
#[derive(Default)]
pub(super) struct Divided {
    islands: Islands,
    /// Islands of the problem at hand, in their order; those behind `count` keep memory.
    list: Vec<Island>,
    count: usize,
    crew: Option<Crew>,
    /// True once the host's own solvers have solved a divided problem: they show then if they keep a state.
    shown: bool,
    z: Vec<f64>,
    scratch: Vec<u8>,
}

/// An island with its answer.
#[derive(Default)]
pub(super) struct Island {
    pub(super) problem: IslandProblem,
    pub(super) answer: IslandAnswer,
}

/// What solvers made of an island.
#[derive(Default)]
pub(super) struct IslandAnswer {
    pub(super) end: IslandEnd,
    pub(super) z: Vec<f64>,
    pub(super) iterations: u64,
    /// Counted while it was solved.
    pub(super) stats: SolverStats,
    /// Routes over bridges that led to the answer.
    pub(super) bridged_routes: Vec<(usize, Route)>,
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

impl Divided {
    /// With a crew of so many threads, this one among them.
    pub(super) fn on_threads(self, threads: usize, make: MakeRoute) -> Self {
        Self { crew: (threads > 1).then(|| Crew::new(threads, make)), ..self }
    }

    /// Solves every island by the chain; None where there is but one, or one of them is not solved: then the whole is tried.
    ///
    /// Errors: a solver panicked, or none took an island.
    pub(super) fn solve(
        &mut self,
        route: &mut SolverRoute,
        problem: &Problem<'_>,
    ) -> Result<Option<Solve>, StageError> {
        self.divide(problem);
        if self.count < 2 {
            return Ok(None);
        }
        self.solve_all(route);
        self.put_together(route, problem)
    }

    /// Problem → islands.
    fn divide(&mut self, problem: &Problem<'_>) {
        self.count = self.islands.find(problem);
        if self.count < 2 {
            return;
        }
        if self.list.len() < self.count {
            self.list.resize_with(self.count, Island::default);
        }
        for (k, island) in self.list[..self.count].iter_mut().enumerate() {
            self.islands.write(problem, k, &mut island.problem);
        }
    }

    /// Solves the islands: the crew, or this thread alone. A solver that keeps a state gets all islands in their order, as its answers may
    /// depend on it; so does the first divided problem, because a state may begin with it.
    fn solve_all(&mut self, route: &mut SolverRoute) {
        let list = &mut self.list[..self.count];
        match &mut self.crew {
            Some(crew) if self.shown && route.is_without_state(&mut self.scratch) => crew.solve(route, list),
            _ => solve_in_order(route, list),
        }
        self.shown = true;
    }

    /// Islands → solution, in their order up to the first that is not solved: what lies behind it does not count.
    fn put_together(
        &mut self,
        route: &mut SolverRoute,
        problem: &Problem<'_>,
    ) -> Result<Option<Solve>, StageError> {
        let (before, mut worst, mut iterations) = (route.stats.fallbacks, 0.0_f64, 0);
        self.z.clear();
        self.z.resize(problem.len(), 0.0);
        for (k, island) in self.list[..self.count].iter_mut().enumerate() {
            let answer = &mut island.answer;
            route.count_island(answer);
            match std::mem::take(&mut answer.end) {
                IslandEnd::Solved { row } => worst = worst.max(row),
                IslandEnd::Unsolved => return Ok(None),
                IslandEnd::Failed(error) => return Err(error),
            }
            iterations += answer.iterations;
            self.islands.put(k, &answer.z, &mut self.z);
        }
        route.stats.fallbacks = route.stats.fallbacks.min(before + 1);
        route.take_islands(&self.z, iterations);
        // The largest row of the residual is the whole's where it is any island's.
        let slack = audit::slack(problem);
        Ok(Some(Solve::Solved { residual: worst * problem.tolerance() / slack, slack }))
    }
}

/// Solves islands one after the other, up to the first that is not solved.
pub(super) fn solve_in_order(route: &mut SolverRoute, islands: &mut [Island]) {
    for Island { problem, answer } in islands {
        route.solve_island(&problem.view(), answer);
        if !matches!(answer.end, IslandEnd::Solved { .. }) {
            break;
        }
    }
}
