//! Steps that are solved again, more exactly: solvers are held to one tolerance over all rows and units, the referee looks at every
//! row in its own.

use vinci_core::lists::copy;
use vinci_core::problem::{Problem, Solution};
use vinci_core::referee::{Check, Criterion, Findings};

use super::settings::Settings;

/// Factor on the tolerance every time.
const FINER: f64 = 1e-2;

/// Times a step is solved again.
const MOST: i32 = 3;

/// Tolerance that no solver is asked for less than.
const FINEST: f64 = 1e-13;

/// How exactly a step is solved, as a part of the tolerance of the settings.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Refinement {
    times: i32,
    given_up: bool,
}

impl Refinement {
    /// Tolerance that solvers are asked for where `wanted` is that of the settings.
    pub(super) fn tolerance(self, wanted: f64) -> f64 {
        (wanted * FINER.powi(self.times)).max(FINEST.min(wanted))
    }

    /// Returns true if a step with these findings is to be solved once more, finer.
    pub(super) fn wants_more<'f>(
        self,
        settings: &Settings,
        mut findings: impl Iterator<Item = &'f Findings>,
    ) -> bool {
        let may = self.times < MOST && !self.given_up && self.tolerance(settings.tolerance) > FINEST;
        may && findings.any(|found| coarseness(found) > settings.refine_above)
    }

    /// Returns true if this is the last time.
    fn is_last(self, wanted: f64) -> bool {
        self.times > 0 && (self.times == MOST || self.tolerance(wanted) <= FINEST)
    }

    /// Solves finer from now on.
    pub(super) fn refine(&mut self) {
        self.times += 1;
    }

    /// Returns to the previous tolerance after a solver failed; true if there was a finer one to give up.
    pub(super) fn give_up(&mut self) -> bool {
        let was_finer = self.times > 0;
        *self = Self { times: (self.times - 1).max(0), given_up: true };
        was_finer
    }
}

/// Solution that was too coarse for the referee: the guess of the finer one.
#[derive(Default)]
pub(super) struct CoarseSolution {
    z: Vec<f64>,
    dual: Vec<f64>,
}

impl CoarseSolution {
    /// A step begins.
    pub(super) fn clear(&mut self) {
        self.z.clear();
        self.dual.clear();
    }

    /// Keeps the solution of an attempt of so many rounds. Of several rounds it would be the last one's, and the next attempt begins with
    /// the first.
    pub(super) fn keep(&mut self, solution: &Solution<'_>, rounds: u32) {
        self.clear();
        if rounds == 1 {
            copy(&mut self.z, solution.z);
            copy(&mut self.dual, solution.dual);
        }
    }

    /// The problem with the guess that is best in a round: this solution, if it is there and of the same attempt, or its own. The last
    /// time there is none: a solver that meets its tolerance at the guess would come back with it, although a row in it that is small
    /// beside the others has not moved.
    pub(super) fn guess<'a>(
        &'a self,
        problem: Problem<'a>,
        (refinement, pass): (Refinement, u32),
        wanted: f64,
    ) -> Problem<'a> {
        match refinement.is_last(wanted) {
            true => problem.without_guess(),
            false if pass > 0 || self.z.is_empty() => problem,
            false => problem.with_guess(&self.z, &self.dual),
        }
    }
}

/// Energy that an impact may create is a part of what flowed, and its limit a thousand times that of residuals.
const ENERGY: f64 = 1e-3;

/// The worst finding that a more exact solution may mend.
fn coarseness(findings: &Findings) -> f64 {
    let part = |criterion: &Criterion| match (criterion, criterion.check()) {
        (Criterion::ImpactWork, _) => ENERGY,
        (_, Check::Solution | Check::Rows) => 1.0,
        _ => 0.0,
    };
    Criterion::ALL.iter().map(|c| part(c) * findings.of(*c).value).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use vinci_core::problem::MlcpBuf;
    use vinci_core::sparse::CsrBuf;

    #[test]
    fn tolerances_fall_until_they_are_fine_or_a_solver_fails() {
        let mut refinement = Refinement::default();
        assert_eq!(refinement.tolerance(1e-8), 1e-8);
        assert_eq!(refinement.tolerance(1e-15), 1e-15, "what is asked for is not coarsened");
        assert!(!refinement.give_up(), "what was asked for has failed");
        let mut refinement = Refinement::default();
        refinement.refine();
        refinement.refine();
        assert!((refinement.tolerance(1e-8) - 1e-12).abs() < 1e-20);
        assert_eq!(refinement.tolerance(1e-11), FINEST);
        assert!(
            refinement.is_last(1e-11) && !refinement.is_last(1e-8) && !Refinement::default().is_last(1e-15)
        );
        assert!(refinement.give_up());
        assert_eq!(refinement, Refinement { times: 1, given_up: true }, "the finest that was met");
    }

    /// The second solution began at the last step's impulses: as many sweeps as for the first one.
    #[test]
    fn a_finer_solution_begins_at_the_coarse_one_of_the_same_problem() {
        let [q, lower, upper] = [0.0, 0.0, f64::INFINITY].map(|x| vec![x; 2]);
        let own = MlcpBuf::from_parts(CsrBuf::default(), q, lower, upper, 1e-8);
        let own = MlcpBuf { guess: vec![0.0; 2], ..own };
        let finer = Refinement { times: 1, given_up: false };
        let guess = |coarse: &CoarseSolution, refinement: Refinement, pass: u32| {
            let Problem::Mlcp(p) = coarse.guess(Problem::Mlcp(own.view()), (refinement, pass), 1e-8) else {
                panic!("another problem");
            };
            p.guess.to_vec()
        };
        let mut coarse = CoarseSolution::default();
        assert_eq!(guess(&coarse, finer, 0), [0.0; 2], "nothing is known");
        let mut keep = |z: &[f64], rounds: u32| {
            coarse.keep(&Solution { z, ..Solution::default() }, rounds);
            [guess(&coarse, finer, 0), guess(&coarse, finer, 1)]
        };
        assert_eq!(keep(&[1.0, 2.0], 1), [[1.0, 2.0], [0.0; 2]], "of the first round alone");
        assert_eq!(keep(&[1.0, 2.0], 2), [[0.0; 2]; 2], "the last of two rounds");
        assert_eq!(keep(&[1.0], 1), [[0.0; 2]; 2], "other unknowns");
        let last = Refinement { times: MOST, given_up: false };
        assert!(guess(&coarse, last, 0).is_empty(), "the last time begins without");
        coarse.clear();
        assert_eq!(guess(&coarse, finer, 0), [0.0; 2], "another step");
    }
}
