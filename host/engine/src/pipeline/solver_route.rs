//! The solver route: a solver and its fallbacks, asked in order, directly or over bridges. Every answer is audited.

use std::sync::Arc;

use vinci_core::StageError;
use vinci_core::error::ErrorKind;
use vinci_core::problem::{Problem, Solution, Status};
use vinci_core::stage::Solver;

use super::audit::Answer;
use super::bridge_route::{Bridges, NoAnswer};
use super::divided::Divided;
use super::failure::FailedSolve;
use super::island::{IslandAnswer, IslandEnd, IslandSolver};
use super::race::Race;
use super::race_log::RaceLog;
use super::route::{ProblemForm, Route};
use super::solver_stats::SolverStats;
use crate::ranking::{Sizes, places};

/// Makes a route with solvers of its own, on the thread that asks for it.
pub type MakeRoute = Arc<dyn Fn() -> Result<SolverRoute, StageError> + Send + Sync>;

/// A solver with its id.
pub struct NamedSolver {
    /// Id, for messages and the summary.
    pub id: String,
    /// Set of the classes its manifest names (`ProblemClass::bit`), with [`super::SECOND_ORDER_CONES`].
    pub takes: u32,
    /// The solver.
    pub solver: Box<dyn Solver>,
}

/// The route without a bridge.
static DIRECT: Route = Route { bridges: Vec::new() };

/// The route of problems: the solvers of an experiment in the order they are tried, and the bridges to them.
pub struct SolverRoute {
    pub(super) chain: Vec<NamedSolver>,
    /// Sizes of problems that the solvers are for; empty where the order is fixed.
    sizes: Vec<Sizes>,
    /// Statistics of the run.
    pub stats: SolverStats,
    /// Division of problems into islands, where they are solved one by one.
    divided: Option<Divided>,
    pub(super) bridges: Bridges,
    /// Answer of the solver that was asked last.
    pub(super) answer: Answer,
    /// The race of the solvers, where they race.
    pub(super) race: Option<Race>,
    /// Races of the run.
    pub race_log: RaceLog,
    /// Routes over bridges that led to an answer, with the place of the solver, in the order of their first use.
    pub(super) bridged_routes: Vec<(usize, Route)>,
    refusals: Vec<(usize, String)>,
    /// Sentence about the last problem that another solver solved than the first that was asked; kept where a log of this level is.
    pub taken_over: Option<String>,
    /// [`SolverRoute::bridged_routes`] of the chains before this one.
    pub(super) earlier: Vec<String>,
}

/// Outcome of a problem.
pub(super) enum Solve {
    /// Solved: see [`SolverRoute::solution`].
    Solved {
        /// The recomputed residual: of the problem itself, or of the one behind the first approximate bridge.
        residual: f64,
        /// Absolute residual that the tolerance allows in any one row of that problem: tolerance times |q|∞.
        slack: f64,
    },
    /// No solver solved it. There may be a checked proof that it has no solution or no lowest value.
    Unsolved(Vec<FailedSolve>, Option<Proof>),
}

impl Solve {
    /// The recomputed residual of the solution, if there is one.
    pub(super) fn residual(&self) -> Option<f64> {
        match self {
            Self::Solved { residual, .. } => Some(*residual),
            Self::Unsolved(..) => None,
        }
    }
}

/// A checked proof that nobody can solve a problem.
pub(super) struct Proof {
    /// No solution, or no lowest value.
    pub(super) status: Status,
    /// The proof, where the class has a form for it, or empty.
    pub(super) certificate: Vec<f64>,
    /// Weights of the rows in the proof, see [`super::Answer::weight`].
    pub(super) weight: Vec<f64>,
}

impl SolverRoute {
    /// A chain of at least one solver.
    pub fn new(first: NamedSolver, fallbacks: Vec<NamedSolver>) -> Self {
        let mut chain = vec![first];
        chain.extend(fallbacks);
        Self {
            chain,
            sizes: Vec::new(),
            stats: SolverStats::default(),
            divided: None,
            bridges: Bridges::default(),
            answer: Answer::default(),
            race: None,
            race_log: RaceLog::default(),
            bridged_routes: Vec::new(),
            refusals: Vec::new(),
            taken_over: None,
            earlier: Vec::new(),
        }
    }

    /// This route with bridges of these settings.
    pub fn bridged_by(self, bridges: Bridges) -> Self {
        Self { bridges, ..self }
    }

    /// Divides problems into islands, or not.
    #[must_use]
    pub fn by_islands(self, divides: bool) -> Self {
        Self { divided: divides.then(Divided::default), ..self }
    }

    /// Solves islands on so many threads, this one among them; `make` makes the solvers of another one there. Without effect where
    /// problems are not divided.
    #[must_use]
    pub fn on_threads(self, threads: usize, make: MakeRoute) -> Self {
        let make = Arc::new(move || make().map(|route| Box::new(route) as Box<dyn IslandSolver>));
        Self { divided: self.divided.map(|divided| divided.on_threads(threads, make)), ..self }
    }

    /// Lets islands sleep that the answer of the step before solves to this part of the tolerance; None: all are solved. Problems are
    /// divided then.
    #[must_use]
    pub fn sleeping(self, part: Option<f64>) -> Self {
        let Some(part) = part else { return self };
        Self { divided: Some(self.divided.unwrap_or_default().sleeping(part)), ..self }
    }

    /// Asks by size: solver k is for problems of `sizes[k]` ([`crate::ranking`]).
    #[must_use]
    pub fn sized(self, sizes: Vec<Sizes>) -> Self {
        Self { sizes, ..self }
    }

    /// Solver `at` in the order in which a problem of `n` unknowns is given to them, if there is one.
    fn place(&self, n: usize, at: usize) -> Option<usize> {
        let fixed = self.sizes.is_empty() && at < self.chain.len();
        if fixed { Some(at) } else { places(&self.sizes, n).nth(at) }
    }

    /// Goes on with the statistics and the races of the chain before this one.
    pub(super) fn count_on(&mut self, before: &mut Self) {
        self.stats = before.stats;
        self.earlier = before.bridged_routes();
        self.race_log = std::mem::take(&mut before.race_log);
    }

    /// Goes on with the statistics of a run that was stopped, and what [`SolverRoute::bridged_routes`] said of it.
    pub fn go_on(&mut self, stats: SolverStats, bridged_routes: Vec<String>) {
        self.stats = stats;
        self.earlier = bridged_routes;
    }

    /// Replaces the whole chain between two steps; statistics go on.
    pub fn swap(&mut self, first: NamedSolver, fallbacks: Vec<NamedSolver>) {
        self.chain.clear();
        self.race = None;
        self.sizes.clear();
        self.bridged_routes.clear();
        // Solvers that an embedding program brings are one of each, so they stay on this thread.
        self.divided = self.divided.take().map(|_| Divided::default());
        self.chain.push(first);
        self.chain.extend(fallbacks);
    }

    /// Leads a problem to every solver without having it solved, for [`SolverRoute::refusals`].
    pub(super) fn try_routes(&mut self, problem: &Problem<'_>) {
        let Self { chain, bridges, refusals, .. } = self;
        refusals.clear();
        for (k, named) in chain.iter().enumerate() {
            refusals.extend(bridges.refusal(problem, named.takes).map(|why| (k, why)));
        }
    }

    /// Solvers, by their place in the chain, that the problem tried last does not reach, and why.
    pub fn refusals(&self) -> &[(usize, String)] {
        &self.refusals
    }

    /// Number of solvers.
    pub(super) fn len(&self) -> usize {
        self.chain.len()
    }

    /// Appends the state of every solver to its list.
    pub(super) fn save_states(&self, states: &mut [Vec<u8>]) {
        self.chain.iter().zip(states).for_each(|(s, bytes)| s.solver.save_state(bytes));
    }

    pub(super) fn load_states(&mut self, states: &[Vec<u8>]) -> Result<(), StageError> {
        self.chain.iter_mut().zip(states).try_for_each(|(s, bytes)| s.solver.load_state(bytes))
    }

    /// Tries the solvers in order until one gives a solution the audit accepts, or an exact proof that there is none. What a
    /// solver refuses, or answers with nonsense, is left to the next.
    ///
    /// Errors: a solver panicked; or none of them took the problem (the first one's reason, or the fault of one that broke
    /// the contract).
    pub(super) fn solve(&mut self, problem: &Problem<'_>) -> Result<Solve, StageError> {
        self.stats.emitted |= problem.class().bit();
        // An empty problem is solved already; steppers that evaluate forces within a step emit many of them. (A program without
        // unknowns may still be infeasible.)
        if problem.is_empty() && matches!(problem, Problem::Mlcp(_) | Problem::Root(_)) {
            self.answer.begin();
            self.answer.take_nothing();
            return Ok(Solve::Solved { residual: 0.0, slack: 0.0 });
        }
        self.stats.asked += 1;
        if let Some(mut divided) = self.divided.take() {
            let solved = divided.solve(self, problem);
            self.divided = Some(divided);
            if let Some((residual, slack)) = solved? {
                return Ok(Solve::Solved { residual, slack });
            }
        }
        if self.races() { self.solve_by_race(problem) } else { self.ask_in_order(problem) }
    }

    /// Tries the solvers in order: see [`SolverRoute::solve`].
    pub(super) fn ask_in_order(&mut self, problem: &Problem<'_>) -> Result<Solve, StageError> {
        self.in_order(problem.len(), |route, k, failed| route.ask(k, problem, failed))
    }

    /// Tries the solvers in the order for a problem of `n` unknowns; `ask` asks the solver at a place of the chain.
    pub(super) fn in_order(
        &mut self,
        n: usize,
        mut ask: impl FnMut(&mut Self, usize, &mut Vec<FailedSolve>) -> Result<(), StageError>,
    ) -> Result<Solve, StageError> {
        let (mut failed, mut refusal, mut doubtful) = (Vec::new(), None::<StageError>, None);
        let mut at = 0;
        while let Some(k) = self.place(n, at) {
            at += 1;
            if let Err(error) = ask(self, k, &mut failed) {
                let is_last = self.place(n, at).is_none();
                self.leave_to_others((k, is_last), error, &mut failed, &mut refusal)?;
                continue;
            }
            match self.ended(at - 1, &mut failed) {
                // It holds to rounding only: the numbers as they are may have a solution, and another solver may find it.
                Some(Solve::Unsolved(told, proof)) if self.answer.to_rounding().is_some() => {
                    failed = told;
                    doubtful = doubtful.or(proof);
                }
                Some(end) => {
                    self.note_taken_over(k, &failed);
                    return Ok(end);
                }
                None => {}
            }
        }
        match refusal {
            Some(error) if failed.iter().all(|f| f.refusal.is_some()) => Err(error),
            _ => Ok(Solve::Unsolved(failed, doubtful)),
        }
    }

    /// Notes that solver k solved what others had not. A proof has taken their failures along.
    fn note_taken_over(&mut self, k: usize, failed: &[FailedSolve]) {
        if !failed.is_empty() && tracing::enabled!(tracing::Level::INFO) {
            let told: Vec<String> = failed.iter().map(ToString::to_string).collect();
            self.taken_over = Some(format!("{} solved it; {}", self.chain[k].id, told.join("; ")));
        }
    }

    /// The end of a problem that the answer of the solver asked as number `at` (from 0) is, if it is one: a solution, or a proof.
    pub(super) fn ended(&mut self, at: usize, failed: &mut Vec<FailedSolve>) -> Option<Solve> {
        let Answer { status, residual, slack, proved, .. } = self.answer;
        if status == Status::Converged {
            self.stats.fallbacks += u64::from(at > 0);
            return Some(Solve::Solved { residual, slack });
        }
        proved.then(|| Solve::Unsolved(std::mem::take(failed), Some(Proof::of(&self.answer))))
    }

    /// Asks solver k: directly where it takes problems of this form, over bridges where it does not. The answer is audited
    /// and counted; one that is not accepted is told in `failed`.
    pub(super) fn ask(
        &mut self,
        k: usize,
        problem: &Problem<'_>,
        failed: &mut Vec<FailedSolve>,
    ) -> Result<(), StageError> {
        let Self { chain, stats, bridges, answer, .. } = self;
        let NamedSolver { id, takes, solver } = &mut chain[k];
        let route = if ProblemForm::of(problem).is_some_and(|form| form.is_taken(*takes)) {
            answer.begin();
            answer.take(problem, &solver.solve(problem)?);
            &DIRECT
        } else {
            let route = bridges.solve(problem, *takes, solver.as_mut(), answer);
            route.map_err(|why| stage_error(id, why))?
        };
        note_bridged(&mut self.bridged_routes, k, route);
        stats.iterations_total += answer.iterations;
        if answer.status == Status::Converged {
            stats.iterations_max = stats.iterations_max.max(answer.iterations);
        } else {
            stats.failures += 1;
            stats.iterations_failed += answer.iterations;
            let claims = matches!(answer.claimed, Status::Infeasible | Status::Unbounded);
            stats.infeasible_claimed += u64::from(claims);
            let rounded = answer.to_rounding().is_some();
            stats.infeasible_proved += u64::from(answer.proved && !rounded);
            stats.infeasible_rounded += u64::from(rounded);
            failed.push(FailedSolve::new(id, problem, answer, route));
        }
        Ok(())
    }

    /// Solver k gave no answer. What it refuses, or answers with nonsense, is left to the others.
    fn leave_to_others(
        &mut self,
        (k, is_last): (usize, bool),
        error: StageError,
        failed: &mut Vec<FailedSolve>,
        refusal: &mut Option<StageError>,
    ) -> Result<(), StageError> {
        if !leaves_it_to_others(&error) {
            return Err(error);
        }
        let id = &self.chain[k].id;
        if !is_last {
            tracing::warn!("{id}: {}; the next solver is tried", error.message);
        }
        self.stats.failures += 1;
        failed.push(FailedSolve::refused(id, &error.message));
        // The first refusal is told, unless another solver did worse than refuse.
        *refusal = match refusal.take() {
            Some(first) if first.kind.is_fault() || !error.kind.is_fault() => Some(first),
            _ => Some(error),
        };
        Ok(())
    }

    /// The solution of the last [`Solve::Solved`]: kept by the host, so that the solver is free again while the stepper
    /// reads it.
    pub(super) fn solution(&self) -> Solution<'_> {
        Solution { note: "", iterations: 0, certificate: &[], ..self.answer.solution() }
    }
}

impl IslandSolver for SolverRoute {
    fn solve_island(&mut self, problem: &Problem<'_>, to: &mut IslandAnswer) {
        let (stats, told) = (std::mem::take(&mut self.stats), std::mem::take(&mut self.bridged_routes));
        to.end = match self.ask_in_order(problem) {
            Ok(Solve::Solved { residual, slack }) => {
                to.z.clone_from(&self.answer.z);
                to.iterations = self.answer.iterations;
                IslandEnd::Solved { row: residual * slack / problem.tolerance() }
            }
            Ok(Solve::Unsolved(..)) => IslandEnd::Unsolved,
            Err(error) => IslandEnd::Failed(error),
        };
        to.taken_over = self.taken_over.take();
        to.stats = std::mem::replace(&mut self.stats, stats);
        to.bridged_routes = std::mem::replace(&mut self.bridged_routes, told);
    }

    fn count_island(&mut self, island: &IslandAnswer, sleeps: bool) {
        if sleeps {
            self.stats.asleep += 1;
            return;
        }
        self.stats.add(&island.stats);
        if island.taken_over.is_some() {
            self.taken_over.clone_from(&island.taken_over);
        }
        for told in &island.bridged_routes {
            if !self.bridged_routes.contains(told) {
                self.bridged_routes.push(told.clone());
            }
        }
    }

    fn take_islands(&mut self, z: &[f64], iterations: u64) {
        self.answer.take_islands(z, iterations);
    }

    fn is_without_state(&self, scratch: &mut Vec<u8>) -> bool {
        scratch.clear();
        self.chain.iter().for_each(|s| s.solver.save_state(scratch));
        scratch.is_empty()
    }

    fn count_as_one(&mut self, before: u64) {
        self.stats.fallbacks = self.stats.fallbacks.min(before + 1);
    }

    fn fallbacks(&self) -> u64 {
        self.stats.fallbacks
    }
}

impl Proof {
    fn of(answer: &Answer) -> Self {
        let (certificate, weight) = (answer.certificate.clone(), answer.weight.clone());
        Self { status: answer.status, certificate, weight }
    }
}

/// Notes a route over bridges that led to an answer of solver k.
pub(super) fn note_bridged(known: &mut Vec<(usize, Route)>, k: usize, route: &Route) {
    if !route.is_direct() && !known.iter().any(|(at, other)| *at == k && other == route) {
        known.push((k, route.clone()));
    }
}

fn stage_error(id: &str, why: NoAnswer) -> StageError {
    match why {
        NoAnswer::Stage(error) => error,
        NoAnswer::NoRoute(message) => {
            StageError::unsupported(format!("{id} cannot be given the step's problem: {message}")).by(id)
        }
    }
}

/// Returns true for a refusal of this problem or an answer that is not finite. A panic or misuse ends the run.
fn leaves_it_to_others(error: &StageError) -> bool {
    matches!(error.kind, ErrorKind::Unsupported | ErrorKind::NonFinite | ErrorKind::Fault)
}

#[cfg(test)]
#[path = "solver_route_tests.rs"]
mod tests;
