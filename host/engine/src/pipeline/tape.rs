//! The tape of a step, for its derivatives: the state where it began, and of every round the solution and the equations that the
//! solution obeys.

use nalgebra::DVector;

use vinci_core::contact::DetectedContacts;
use vinci_core::lists::copy;
use vinci_core::problem::{ActiveSet, Part, Problem, Solution, Ties};
use vinci_core::stage::{Update, Verdict};

use super::context::Round;
use super::inverse::Inverse;
use super::no_derivative::NoDerivative;
use super::state::State;

/// Size of F(z) beside that of its terms above which a solution does not obey these equations: it is that of an approximation.
const OBEYED: f64 = 1e-5;

/// Record of what the last accepted step was made of.
#[derive(Debug, Default)]
pub struct Tape {
    pub(super) start: State,
    pub(super) stepper: Vec<u8>,
    pub(super) controllers: Vec<f64>,
    /// Size that was asked for, s.
    pub(super) h: f64,
    pub(super) margin: Vec<f64>,
    pub(super) contacts: DetectedContacts,
    pub(super) rounds: Vec<Taped>,
    /// Reason why there is no derivative.
    pub(super) refused: Option<NoDerivative>,
    /// How ties are read.
    pub(super) ties: Option<Ties>,
    /// Rows and contacts of the step for which two modes hold at once.
    pub(super) tied: usize,
}

/// One round of the step.
#[derive(Debug)]
pub(super) struct Taped {
    pub(super) round: Round,
    pub(super) verdict: Verdict,
    /// Unknowns, then duals.
    pub(super) z: Vec<f64>,
    pub(super) n: usize,
    pub(super) active: ActiveSet,
    pub(super) inverse: Inverse,
}

impl Tape {
    /// A step begins; what it begins with is kept.
    pub(super) fn begin(&mut self, state: &State, stepper: &[u8], controllers: &[f64]) {
        self.start.assign(state);
        copy(&mut self.controllers, controllers);
        self.stepper.clear();
        self.stepper.extend_from_slice(stepper);
    }

    /// An attempt at it begins, or begins again with other contacts.
    pub(super) fn attempt(&mut self, h: f64) {
        self.h = h;
        self.again();
    }

    /// The rounds so far do not count.
    pub(super) fn again(&mut self) {
        self.rounds.clear();
        (self.refused, self.tied) = (None, 0);
    }

    /// A problem was solved.
    pub(super) fn solved(&mut self, problem: &Problem<'_>, solution: &Solution<'_>, round: Round) {
        if round.attempt > 0 {
            self.refused = Some(NoDerivative::StepSize);
            return;
        }
        match Taped::of(problem, solution, round, self.ties.unwrap_or(Ties::Equations)) {
            Ok(taped) => {
                self.tied += taped.active.ties();
                self.rounds.push(taped);
            }
            Err(why) => self.refused = Some(why),
        }
    }

    /// Notes the stepper's answer to the solution. A first part of the step ends where the state says.
    pub(super) fn answered(&mut self, update: &Update<'_>) {
        if update.verdict == Verdict::Accept && update.h_used < self.h {
            self.refused = Some(NoDerivative::StepSize);
        }
        if let Some(taped) = self.rounds.last_mut() {
            taped.verdict = update.verdict;
        }
    }

    /// Where the step began.
    pub fn start(&self) -> (&[f64], &[f64]) {
        (&self.start.q, &self.start.v)
    }

    /// Returns true if a contact of the step is closed or open by less than `within`, m.
    pub(super) fn touches(&self, within: f64) -> bool {
        self.contacts.view().gap.iter().any(|gap| gap.abs() < within)
    }

    /// Rows and contacts of the step for which two modes hold at once: it has a kink there, unless both say the same.
    pub fn ties(&self) -> usize {
        self.tied
    }
}

impl Taped {
    fn of(
        problem: &Problem<'_>,
        solution: &Solution<'_>,
        round: Round,
        ties: Ties,
    ) -> Result<Self, NoDerivative> {
        let n = problem.len();
        let mut z = solution.z.to_vec();
        z.resize(n, 0.0);
        z.extend_from_slice(&solution.dual[..solution.dual.len().min(problem.dual_len())]);
        let active = ActiveSet::of(problem, &z, ties).map_err(NoDerivative::Equations)?;
        let (mut f, inverse) =
            (Vec::new(), Inverse::of(active.matrix(problem, &z).map_err(NoDerivative::Equations)?));
        active.equations(problem, &z, &mut f).map_err(NoDerivative::Equations)?;
        let step = inverse.solve(&DVector::from_vec(f)).ok_or(NoDerivative::Singular)?;
        let size = z.iter().fold(f64::MIN_POSITIVE, |m, x| m.max(x.abs()));
        if n > 0 && step.amax() > OBEYED * size && step.amax() > OBEYED {
            return Err(NoDerivative::Approximate);
        }
        if inverse.leaves_open(|i| is_velocity(problem, i)) {
            return Err(NoDerivative::Open);
        }
        Ok(Self { round, verdict: Verdict::Accept, z, n, active, inverse })
    }

    /// The solution of a problem beside this one, in the same modes: z − (∂F/∂z)⁻¹ F(z), exact up to second order.
    pub(super) fn beside(&self, problem: &Problem<'_>, out: &mut Vec<f64>) -> Result<(), NoDerivative> {
        self.active.equations(problem, &self.z, out).map_err(NoDerivative::Equations)?;
        let step = self.inverse.solve(&DVector::from_column_slice(out)).ok_or(NoDerivative::Singular)?;
        out.clear();
        out.extend(self.z.iter().zip(step.iter()).map(|(z, d)| z - d));
        Ok(())
    }
}

/// Returns true if an unknown is a velocity.
fn is_velocity(problem: &Problem<'_>, i: usize) -> bool {
    let tags = match problem {
        Problem::Mlcp(p) => p.tag,
        Problem::Cone(p) => p.rows.tag,
        Problem::Conic(p) => p.x_tag,
        _ => return true,
    };
    tags.get(i).is_some_and(|tag| tag.part == Part::Velocity)
}

/// (q⁺, v⁺).
pub type End = (Vec<f64>, Vec<f64>);

/// Scratch of steps beside another.
#[derive(Debug, Default)]
pub(super) struct Beside {
    pub(super) contacts: DetectedContacts,
    /// Number of the step whose own contacts stand in the context at the start: where only velocities differ they are what they were.
    pub(super) filled: Option<u64>,
    /// Where a step began, and its end by its equations.
    pub(super) here: Option<(State, End)>,
    pub(super) z: Vec<f64>,
    pub(super) q: Vec<f64>,
    pub(super) v: Vec<f64>,
}
