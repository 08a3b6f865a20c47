//! The solver and its fallbacks: tried in order, audited by core, never believed.

use vinci_core::StageError;
use vinci_core::problem::{Mlcp, Problem, Solution, Status, check_farkas};
use vinci_core::stage::Solver;

use super::outcome::FailedSolve;

/// A solver with its id.
pub struct NamedSolver {
    /// Id, for messages and the summary.
    pub id: String,
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
}

/// The solvers of an experiment in the order they are tried.
pub struct SolverChain {
    chain: Vec<NamedSolver>,
    /// Statistics of the run.
    pub stats: SolverStats,
    z: Vec<f64>,
    dual: Vec<f64>,
}

/// Result of a chain.
pub(super) enum Chain {
    /// Solved, with the recomputed residual: see [`SolverChain::solution`].
    Solved(f64),
    /// Nobody solved it; perhaps there is a checked proof that nobody can.
    Unsolved(Vec<FailedSolve>, Option<Vec<f64>>),
}

impl SolverChain {
    /// A chain of at least one solver.
    pub fn new(first: NamedSolver, fallbacks: Vec<NamedSolver>) -> Self {
        let mut chain = vec![first];
        chain.extend(fallbacks);
        Self { chain, stats: SolverStats::default(), z: Vec::new(), dual: Vec::new() }
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
        for (k, named) in self.chain.iter_mut().enumerate() {
            let solution = named.solver.solve(problem)?;
            let (status, residual) = audit(problem, &solution);
            if status == Status::Converged {
                let iterations = u64::from(solution.iterations);
                self.stats.iterations_total += iterations;
                self.stats.iterations_max = self.stats.iterations_max.max(iterations);
                self.stats.fallbacks += u64::from(k > 0);
                // Kept by the host, so that the solver is free again while the stepper reads it.
                self.z.clear();
                self.z.extend_from_slice(solution.z);
                self.dual.clear();
                self.dual.extend_from_slice(solution.dual);
                return Ok(Chain::Solved(residual));
            }
            self.stats.failures += 1;
            let proof = (status == Status::Infeasible).then(|| solution.certificate.to_vec());
            failed.push(FailedSolve::new(&named.id, &solution, status, residual));
            if proof.is_some() {
                return Ok(Chain::Unsolved(failed, proof));
            }
        }
        Ok(Chain::Unsolved(failed, None))
    }

    /// The solution of the last [`Chain::Solved`].
    pub(super) fn solution(&self) -> Solution<'_> {
        Solution { status: Status::Converged, z: &self.z, dual: &self.dual, ..Solution::default() }
    }
}

/// Status that deserves belief, and the residual recomputed here. A claim of infeasibility needs a proof that holds.
pub fn audit(problem: &Problem<'_>, solution: &Solution<'_>) -> (Status, f64) {
    match problem {
        Problem::Mlcp(mlcp) => audit_mlcp(mlcp, solution),
        Problem::Cone(cone) => {
            // No proof of infeasibility is known for this class, so none is believed.
            let claimed = match solution.status {
                Status::Infeasible => Status::NumericalFailure,
                other => other,
            };
            let (status, residual) = cone.audited_status(claimed, solution.z);
            (status, residual.natural)
        }
        // Other classes bring their own audit with their own issue; until then nothing of them is believed.
        _ => (Status::NumericalFailure, f64::INFINITY),
    }
}

fn audit_mlcp(mlcp: &Mlcp<'_>, solution: &Solution<'_>) -> (Status, f64) {
    if solution.status == Status::Infeasible {
        let proven = check_farkas(mlcp, solution.certificate).proves();
        return (if proven { Status::Infeasible } else { Status::NumericalFailure }, f64::INFINITY);
    }
    let (status, residual) = mlcp.audited_status(solution.status, solution.z);
    (status, residual.natural)
}
