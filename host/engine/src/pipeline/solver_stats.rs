//! Counts of what solvers did over a run.

use serde::{Deserialize, Serialize};

/// Statistics of the solvers over a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SolverStats {
    /// Iterations of all solves, those that were not accepted included: they are work, too.
    pub iterations_total: u64,
    /// Iterations of solves that were not accepted.
    pub iterations_failed: u64,
    /// Iterations of the hardest accepted solve.
    pub iterations_max: u64,
    /// Solves that were not accepted (each solver of the chain counts).
    pub failures: u64,
    /// Claims that a problem has no solution, or no lowest value.
    #[serde(default)]
    pub infeasible_claimed: u64,
    /// Claims of that kind with an exact proof that the host has checked.
    #[serde(default)]
    pub infeasible_proved: u64,
    /// Claims of that kind with a proof that holds to rounding only.
    #[serde(default)]
    pub infeasible_rounded: u64,
    /// Steps solved by a fallback.
    pub fallbacks: u64,
    /// Islands that slept, summed over steps.
    #[serde(default)]
    pub asleep: u64,
    /// Set of the classes that the stepper emitted.
    pub emitted: u32,
    /// Problems that were solved, or not, by solvers: without any no residual says anything. Empty ones do not count.
    #[serde(default)]
    pub asked: u64,
}

impl SolverStats {
    /// Adds those of other problems.
    pub(super) fn add(&mut self, other: &Self) {
        self.iterations_total += other.iterations_total;
        self.iterations_failed += other.iterations_failed;
        self.iterations_max = self.iterations_max.max(other.iterations_max);
        self.failures += other.failures;
        self.infeasible_claimed += other.infeasible_claimed;
        self.infeasible_proved += other.infeasible_proved;
        self.infeasible_rounded += other.infeasible_rounded;
        self.fallbacks += other.fallbacks;
        self.asleep += other.asleep;
        self.emitted |= other.emitted;
        self.asked += other.asked;
    }
}
