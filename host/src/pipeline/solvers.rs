//! The solver and its fallbacks: tried in order, audited by core, never believed.

use vinci_core::StageError;
use vinci_core::problem::{Problem, ProblemClass, Solution, Status};
use vinci_core::stage::Solver;

use super::audit::{audit, slack};
use super::outcome::FailedSolve;
use super::way::{Bridges, Way};

/// A solver with its id.
pub struct NamedSolver {
    /// Id, for messages and the summary.
    pub id: String,
    /// Set of the classes its manifest names ([`ProblemClass::bit`]).
    pub takes: u32,
    /// The solver.
    pub solver: Box<dyn Solver>,
}

/// What solvers did over a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SolverStats {
    /// Iterations of all accepted solves.
    pub iterations_total: u64,
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
pub struct SolverChain {
    chain: Vec<NamedSolver>,
    /// Statistics of the run.
    pub stats: SolverStats,
    bridges: Bridges,
    z: Vec<f64>,
    dual: Vec<f64>,
}

/// Result of a chain.
pub(super) enum Chain {
    /// Solved: see [`SolverChain::solution`].
    Solved {
        /// The recomputed residual of the problem that the solver was given (behind a bridge: the bridged one).
        residual: f64,
        /// What the tolerance may amount to in any one row of that problem: tolerance times |q|∞.
        slack: f64,
    },
    /// Nobody solved it; perhaps there is a checked proof that nobody can.
    Unsolved(Vec<FailedSolve>, Option<Vec<f64>>),
}

impl SolverChain {
    /// A chain of at least one solver.
    pub fn new(first: NamedSolver, fallbacks: Vec<NamedSolver>) -> Self {
        let mut chain = vec![first];
        chain.extend(fallbacks);
        let (stats, bridges) = (SolverStats::default(), Bridges::default());
        Self { chain, stats, bridges, z: Vec::new(), dual: Vec::new() }
    }

    /// With bridges of these settings.
    pub fn bridged_by(self, bridges: Bridges) -> Self {
        Self { bridges, ..self }
    }

    /// The first solver that problems of a class do not reach, by its place in the chain.
    pub fn unreached(&self, class: ProblemClass) -> Option<usize> {
        self.chain.iter().position(|s| Way::of(class, s.takes).is_none())
    }

    /// One sentence for every bridge that problems of these classes cross: which, for whom, of what kind.
    pub fn bridge_sentences(&self, emitted: u32) -> Vec<String> {
        let classes = ProblemClass::ALL.into_iter().filter(|c| emitted & c.bit() != 0);
        classes
            .flat_map(|class| self.chain.iter().map(move |s| (class, s)))
            .filter_map(|(class, s)| {
                let sentence = self.bridges.sentence(Way::of(class, s.takes)?)?;
                Some(format!("{}: {sentence}", s.id))
            })
            .collect()
    }

    /// Replaces the whole chain between two steps; statistics go on.
    pub fn swap(&mut self, first: NamedSolver, fallbacks: Vec<NamedSolver>) {
        self.chain.clear();
        self.chain.push(first);
        self.chain.extend(fallbacks);
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

    /// Tries the solvers in order until one gives a solution the audit accepts, or a proof that there is none.
    /// A `StageError` of a solver (refusal, panic, bad output) goes straight to the caller.
    pub(super) fn solve(&mut self, problem: &Problem<'_>) -> Result<Chain, StageError> {
        let mut failed = Vec::new();
        self.stats.emitted |= problem.class().bit();
        for (k, named) in self.chain.iter_mut().enumerate() {
            let given = self.bridges.give(problem, named.takes).map_err(|message| {
                StageError::unsupported(format!("{} cannot be given the step's problem: {message}", named.id))
            })?;
            let solution = named.solver.solve(&given.problem)?;
            let (status, residual) = audit(&given.problem, &solution);
            if status == Status::Converged {
                let iterations = u64::from(solution.iterations);
                self.stats.iterations_total += iterations;
                self.stats.iterations_max = self.stats.iterations_max.max(iterations);
                self.stats.fallbacks += u64::from(k > 0);
                // Kept by the host, so that the solver is free again while the stepper reads it.
                self.dual.clear();
                self.dual.extend_from_slice(solution.dual);
                given.take_back(problem, solution.z, &mut self.z);
                return Ok(Chain::Solved { residual, slack: slack(&given.problem) });
            }
            self.stats.failures += 1;
            // What has no solution behind an approximate bridge may have one before it.
            let proven = status == Status::Infeasible && given.is_direct();
            failed.push(FailedSolve::new(&named.id, &solution, status, residual).behind(&given));
            if proven {
                return Ok(Chain::Unsolved(failed, Some(solution.certificate.to_vec())));
            }
        }
        Ok(Chain::Unsolved(failed, None))
    }

    /// The solution of the last [`Chain::Solved`].
    pub(super) fn solution(&self) -> Solution<'_> {
        Solution { status: Status::Converged, z: &self.z, dual: &self.dual, ..Solution::default() }
    }
}
