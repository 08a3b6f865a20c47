//! Problems of a run that are kept, so that solvers can be compared on them alone.

use std::time::Duration;

use vinci_core::contact::Contacts;
use vinci_core::problem::Problem;

use super::stored::Stored;

/// Problems that are worth keeping.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Keep {
    /// All.
    Always,
    /// Problems that no solver solved.
    Failed,
    /// Problems that no solver solved, and all that took at least so long.
    Slow(Duration),
    /// Problems that no solver solved, and all whose recomputed residual is above this one.
    Residual(f64),
}

impl Keep {
    /// Returns true for a problem that took so long and was solved with this residual, or by nobody.
    fn wants(self, residual: Option<f64>, time: Duration) -> bool {
        let Some(residual) = residual else { return true };
        match self {
            Self::Always => true,
            Self::Failed => false,
            Self::Slow(least) => time >= least,
            // NaN is above all.
            Self::Residual(most) => residual.is_nan() || residual > most,
        }
    }
}

/// A problem as solvers were given it.
#[derive(Debug, Clone)]
pub struct KeptProblem {
    /// Number of the step that it is of, from 1.
    pub step: u64,
    /// The problem.
    pub problem: Stored,
    /// Bodies of every contact of the step.
    pub contacts: Vec<(u32, u32)>,
}

/// The problems that are kept until somebody takes them.
#[derive(Debug)]
pub struct ProblemLog {
    keep: Keep,
    kept: Vec<KeptProblem>,
    /// Problems with callbacks, which only their stepper can evaluate.
    bound: u64,
}

impl ProblemLog {
    /// An empty log.
    pub fn new(keep: Keep) -> Self {
        Self { keep, kept: Vec::new(), bound: 0 }
    }

    /// Keeps a problem of step `step` (from 0) if it is wanted. `residual`: none where nobody solved it.
    pub(super) fn add(
        &mut self,
        step: u64,
        (problem, contacts): (&Problem<'_>, &Contacts<'_>),
        residual: Option<f64>,
        time: Duration,
    ) {
        if problem.is_empty() || !self.keep.wants(residual, time) {
            return;
        }
        let Some(problem) = Stored::of(problem) else {
            self.bound += 1;
            return;
        };
        let pairs = contacts.body_a.iter().copied().zip(contacts.body_b.iter().copied());
        self.kept.push(KeptProblem { step: step + 1, problem, contacts: pairs.collect() });
    }

    /// Takes the problems out.
    pub fn take(&mut self) -> impl Iterator<Item = KeptProblem> {
        self.kept.drain(..)
    }

    /// Number of problems that were wanted and have callbacks, which no file holds.
    pub fn bound(&self) -> u64 {
        self.bound
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_solved_is_always_wanted() {
        let (short, long) = (Duration::from_millis(1), Duration::from_millis(10));
        let wanted = |keep: Keep| {
            [(Some(1e-9), short), (Some(1e-5), long), (Some(f64::NAN), short), (None, short)]
                .map(|(residual, time)| keep.wants(residual, time))
        };
        assert_eq!(wanted(Keep::Always), [true; 4]);
        assert_eq!(wanted(Keep::Failed), [false, false, false, true]);
        assert_eq!(wanted(Keep::Slow(long)), [false, true, false, true]);
        assert_eq!(wanted(Keep::Residual(1e-6)), [false, true, true, true]);
    }
}
