//! The solver and its fallbacks: tried in order, audited by core, never believed.

use serde::{Deserialize, Serialize};
use vinci_core::StageError;
use vinci_core::error::ErrorKind;
use vinci_core::problem::{Problem, ProblemClass, Solution, Status};
use vinci_core::stage::Solver;

use super::bridge_route::{Bridges, NoAnswer};
use super::outcome::FailedSolve;
use super::route::{ProblemForm, Route};

/// A solver with its id.
pub struct NamedSolver {
    /// Id, for messages and the summary.
    pub id: String,
    /// Set of the classes its manifest names ([`ProblemClass::bit`]), with [`super::SECOND_ORDER_CONES`].
    pub takes: u32,
    /// The solver.
    pub solver: Box<dyn Solver>,
}

/// What solvers did over a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SolverStats {
    /// Iterations of all solves, those that were not accepted included: they are work, too.
    pub iterations_total: u64,
    /// Those of solves that were not accepted.
    pub iterations_failed: u64,
    /// Iterations of the hardest accepted solve.
    pub iterations_max: u64,
    /// Solves that were not accepted (each solver of the chain counts).
    pub failures: u64,
    /// Steps solved by a fallback.
    pub fallbacks: u64,
    /// Set of the classes that the stepper emitted.
    pub emitted: u32,
}

/// The solvers of an experiment in the order they are tried.
pub struct SolverRoute {
    chain: Vec<NamedSolver>,
    /// Statistics of the run.
    pub stats: SolverStats,
    bridges: Bridges,
    /// Ways over bridges that led to an answer, with the place of the solver, in the order of their first use.
    crossed: Vec<(usize, Route)>,
    refusals: Vec<(usize, String)>,
    /// What [`SolverRoute::crossed`] said of the chains before this one.
    earlier: Vec<String>,
}

/// What became of a problem.
pub(super) enum Solve {
    /// Solved: see [`SolverRoute::solution`].
    Solved {
        /// The recomputed residual: of the problem itself, or of the one behind the first approximate bridge.
        residual: f64,
        /// What the tolerance may amount to in any one row of that problem: tolerance times |q|∞.
        slack: f64,
    },
    /// Nobody solved it; perhaps there is a checked proof that nobody can, or that there is no lowest value.
    Unsolved(Vec<FailedSolve>, Option<Proof>),
}

/// A checked proof that nobody can solve a problem.
pub(super) struct Proof {
    /// No solution, or no lowest value.
    pub(super) status: Status,
    /// The proof, where the class has a form for it, or empty.
    pub(super) certificate: Vec<f64>,
    /// As [`super::Answer::weight`].
    pub(super) weight: Vec<f64>,
}

impl SolverRoute {
    /// A chain of at least one solver.
    pub fn new(first: NamedSolver, fallbacks: Vec<NamedSolver>) -> Self {
        let mut chain = vec![first];
        chain.extend(fallbacks);
        let (stats, bridges) = (SolverStats::default(), Bridges::default());
        Self { chain, stats, bridges, crossed: Vec::new(), refusals: Vec::new(), earlier: Vec::new() }
    }

    /// With bridges of these settings.
    pub fn bridged_by(self, bridges: Bridges) -> Self {
        Self { bridges, ..self }
    }

    /// n_d where circles become polygons.
    pub fn directions(&self) -> usize {
        self.bridges.directions()
    }

    /// Whether problems of a class may cross a bridge with polygons in the place of circles.
    pub fn has_directions(&self, class: ProblemClass) -> bool {
        let routes =
            self.chain.iter().flat_map(|s| ProblemForm::of_class(class).iter().map(|form| (*form, s.takes)));
        routes
            .flat_map(|(form, takes)| Route::all(form, takes))
            .any(|route| route.bridges.iter().any(|b| b.has_directions()))
    }

    /// The first solver that problems of a class do not reach, by its place in the chain.
    pub fn unreached(&self, class: ProblemClass) -> Option<usize> {
        self.chain.iter().position(|s| !Route::exists(class, s.takes))
    }

    /// One sentence for every way over bridges that problems of these classes may go, the best way of every form to every
    /// solver: which bridges, for whom, of what kind.
    pub fn bridge_sentences(&self, emitted: u32) -> Vec<String> {
        let classes = ProblemClass::ALL.into_iter().filter(|c| emitted & c.bit() != 0);
        let pairs = classes
            .flat_map(ProblemForm::of_class)
            .flat_map(|form| self.chain.iter().map(move |s| (*form, s)));
        pairs
            .filter_map(|(form, s)| {
                let best = Route::all(form, s.takes).into_iter().next()?;
                Some(format!("{}: {}", s.id, best.sentence(self.bridges.directions())?))
            })
            .collect()
    }

    /// One sentence for every way over bridges that led to an answer so far.
    pub fn crossed(&self) -> Vec<String> {
        let sentence = |(k, route): &(usize, Route)| {
            Some(format!("{}: {}", self.chain.get(*k)?.id, route.sentence(self.bridges.directions())?))
        };
        let mut all = self.earlier.clone();
        for one in self.crossed.iter().filter_map(sentence) {
            if !all.contains(&one) {
                all.push(one);
            }
        }
        all
    }

    /// Goes on with the statistics of the chain before this one.
    pub(super) fn count_on(&mut self, before: &Self) {
        self.stats = before.stats;
        self.earlier = before.crossed();
    }

    /// Goes on with the statistics of a run that was stopped, and what [`SolverRoute::crossed`] said of it.
    pub fn go_on(&mut self, stats: SolverStats, crossed: Vec<String>) {
        self.stats = stats;
        self.earlier = crossed;
    }

    /// Replaces the whole chain between two steps; statistics go on.
    pub fn swap(&mut self, first: NamedSolver, fallbacks: Vec<NamedSolver>) {
        self.chain.clear();
        self.crossed.clear();
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

    /// Tries the solvers in order until one gives a solution the audit accepts, or a proof that there is none. What a
    /// solver refuses, or answers with nonsense, is left to the next.
    ///
    /// Errors: a solver panicked; or none of them took the problem (the first one's reason, or the fault of one that broke the contract).
    pub(super) fn solve(&mut self, problem: &Problem<'_>) -> Result<Solve, StageError> {
        self.stats.emitted |= problem.class().bit();
        // Nothing to solve is nobody's to solve: who evaluates forces within a step emits many of these. (A program without
        // unknowns may still be infeasible.)
        if problem.is_empty() && matches!(problem, Problem::Mlcp(_) | Problem::Root(_)) {
            self.bridges.answer_nothing();
            return Ok(Solve::Solved { residual: 0.0, slack: 0.0 });
        }
        let (mut failed, mut refusal) = (Vec::new(), None::<StageError>);
        let last = self.chain.len() - 1;
        for (k, named) in self.chain.iter_mut().enumerate() {
            if let Err(why) = self.bridges.solve(problem, named.takes, named.solver.as_mut()) {
                let error = stage_error(&named.id, why);
                if !leaves_it_to_others(&error) {
                    return Err(error);
                }
                if k < last {
                    tracing::warn!("{}: {}; the next solver is tried", named.id, error.message);
                }
                self.stats.failures += 1;
                failed.push(FailedSolve::refused(&named.id, &error.message));
                // The first refusal is told, unless another solver did worse than refuse.
                refusal = match refusal {
                    Some(first) if first.kind.is_fault() || !error.kind.is_fault() => Some(first),
                    _ => Some(error),
                };
                continue;
            }
            let (route, answer) = (self.bridges.route(), self.bridges.answer());
            if !route.is_direct() && !self.crossed.iter().any(|(at, w)| *at == k && w == route) {
                self.crossed.push((k, route.clone()));
            }
            self.stats.iterations_total += answer.iterations;
            if answer.status == Status::Converged {
                self.stats.iterations_max = self.stats.iterations_max.max(answer.iterations);
                self.stats.fallbacks += u64::from(k > 0);
                return Ok(Solve::Solved { residual: answer.residual, slack: answer.slack });
            }
            self.stats.failures += 1;
            self.stats.iterations_failed += answer.iterations;
            failed.push(FailedSolve::new(&named.id, problem, answer, route));
            if answer.proved {
                let (certificate, weight) = (answer.certificate.clone(), answer.weight.clone());
                let proof = Proof { status: answer.status, certificate, weight };
                return Ok(Solve::Unsolved(failed, Some(proof)));
            }
        }
        match refusal {
            Some(error) if failed.iter().all(|f| f.refusal.is_some()) => Err(error),
            _ => Ok(Solve::Unsolved(failed, None)),
        }
    }

    /// The solution of the last [`Solve::Solved`]: kept by the host, so that the solver is free again while the stepper
    /// reads it.
    pub(super) fn solution(&self) -> Solution<'_> {
        Solution { note: "", iterations: 0, certificate: &[], ..self.bridges.answer().solution() }
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

/// A refusal of this problem, or an answer that is no numbers; who panicked or was misused ends the run.
fn leaves_it_to_others(error: &StageError) -> bool {
    matches!(error.kind, ErrorKind::Unsupported | ErrorKind::NonFinite | ErrorKind::Fault)
}

#[cfg(test)]
#[path = "solver_route_tests.rs"]
mod tests;
