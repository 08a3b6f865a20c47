//! Solving by islands: every island goes through the chain as a problem of its own, and the answers make the whole.
//!
//! Answers stand at the places of their islands, and are counted and put together in the order of the islands: nothing depends on who
//! solved one, or when.

use vinci_core::StageError;
use vinci_core::problem::Problem;

use super::audit;
use super::island::{Island, IslandEnd, IslandSolver, solve_in_order};
use super::islands::Islands;
use super::sleep::Sleep;
use super::thread_pool::{MakeSolver, ThreadPool};

/// Residual of a solution as core measures it, and the slack of its problem: what the tolerance allows in any one row.
type Accuracy = (f64, f64);

/// Division of problems into islands, with its memory.
#[derive(Default)]
pub(super) struct Divided {
    islands: Islands,
    /// Islands of the problem at hand, in their order; those behind `count` keep memory.
    list: Vec<Island>,
    count: usize,
    pool: Option<ThreadPool>,
    sleep: Option<Sleep>,
    /// True once the host's own solvers have solved a divided problem: they show then if they keep a state.
    shown: bool,
    z: Vec<f64>,
    scratch: Vec<u8>,
}

impl Divided {
    /// With a pool of so many threads, this one among them.
    pub(super) fn on_threads(self, threads: usize, make: MakeSolver) -> Self {
        Self { pool: (threads > 1).then(|| ThreadPool::new(threads, make)), ..self }
    }

    /// With sleep of islands that their guess solves to a part of the tolerance.
    pub(super) fn sleeping(self, part: f64) -> Self {
        Self { sleep: Some(Sleep(part)), ..self }
    }

    /// Solves every island by the chain; None where there is but one, or one of them is not solved: then the whole is tried.
    ///
    /// Errors: a solver panicked, or none took an island.
    pub(super) fn solve(
        &mut self,
        route: &mut dyn IslandSolver,
        problem: &Problem<'_>,
    ) -> Result<Option<Accuracy>, StageError> {
        // A problem that is one island as a whole is divided where it may sleep.
        let least = if self.sleep.is_some() { 1 } else { 2 };
        self.divide(problem, least);
        if self.count < least {
            return Ok(None);
        }
        let asks = self.pool.is_some() || self.sleep.is_some();
        let stateless = asks && route.is_without_state(&mut self.scratch);
        if let Some(sleep) = self.sleep.filter(|_| stateless) {
            self.list[..self.count].iter_mut().for_each(|island| sleep.put_to_sleep(island));
        }
        self.solve_all(route, stateless);
        self.put_together(route, problem)
    }

    /// Problem → islands.
    fn divide(&mut self, problem: &Problem<'_>, least: usize) {
        self.count = self.islands.find(problem);
        if self.count < least {
            return;
        }
        if self.list.len() < self.count {
            self.list.resize_with(self.count, Island::default);
        }
        for (k, island) in self.list[..self.count].iter_mut().enumerate() {
            island.sleeps = false;
            island.answer.end = IslandEnd::Unsolved;
            self.islands.write(problem, k, &mut island.problem);
        }
    }

    /// Solves the islands: the pool, or this thread alone. A solver that keeps a state gets all islands in their order, as its answers may
    /// depend on it; so does the first divided problem, because a state may begin with it.
    fn solve_all(&mut self, route: &mut dyn IslandSolver, stateless: bool) {
        let list = &mut self.list[..self.count];
        if list.iter().all(|island| island.sleeps) {
            return;
        }
        match &mut self.pool {
            Some(pool) if self.shown && stateless => pool.solve(route, list),
            _ => solve_in_order(route, list),
        }
        self.shown = true;
    }

    /// Islands → solution, in their order up to the first that is not solved: what lies behind it does not count.
    fn put_together(
        &mut self,
        route: &mut dyn IslandSolver,
        problem: &Problem<'_>,
    ) -> Result<Option<Accuracy>, StageError> {
        let (before, mut worst, mut iterations) = (route.fallbacks(), 0.0_f64, 0);
        self.z.clear();
        self.z.resize(problem.len(), 0.0);
        for (k, Island { answer, sleeps, .. }) in self.list[..self.count].iter().enumerate() {
            route.count_island(answer, *sleeps);
            match &answer.end {
                IslandEnd::Solved { row } => worst = worst.max(*row),
                IslandEnd::Unsolved => return Ok(None),
                IslandEnd::Failed(error) => return Err(error.clone()),
            }
            iterations += if *sleeps { 0 } else { answer.iterations };
            self.islands.put(k, &answer.z, &mut self.z);
        }
        route.count_as_one(before);
        route.take_islands(&self.z, iterations);
        // The largest row of the residual is the whole's where it is any island's.
        let slack = audit::slack(problem);
        Ok(Some((worst * problem.tolerance() / slack, slack)))
    }
}
