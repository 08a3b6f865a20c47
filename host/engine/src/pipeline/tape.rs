//! The tape of a step, for its derivatives: the state where it began, and of every round the solution and the equations that the
//! solution obeys.

use std::sync::Arc;

use nalgebra::DVector;

use vinci_core::contact::{ContactMemory, DetectedContacts, RawContacts};
use vinci_core::lists::copy;
use vinci_core::problem::{ActiveSet, Part, Problem, Solution, Ties};
use vinci_core::stage::{Update, Verdict};

use super::carried_numbers::CarriedNumbers;
use super::context::Round;
use super::inverse::Inverse;
use super::no_derivative::NoDerivative;
use super::state::State;

/// Size of F(z) beside that of its terms above which a solution does not obey these equations: it is that of an approximation.
const OBEYED: f64 = 1e-5;

/// Part of the size of a solution by which it may be moved to obey its equations, and steps of Newton's method for that: where contacts slip
/// slowly a small residual leaves the direction of their friction open.
const MENDED: f64 = 1e-3;
const MENDING: usize = 6;

/// Record of what the last accepted step was made of.
#[derive(Debug, Default)]
pub struct Tape {
    pub(super) start: State,
    /// True if bases of contacts are carried from step to step.
    pub(super) carries_bases: bool,
    pub(super) carried: CarriedNumbers,
    /// Numbers that it hands on.
    pub(super) handed_on: CarriedNumbers,
    pub(super) controllers: Vec<f64>,
    /// Size of the attempt, and that of the first one, s.
    pub(super) h: f64,
    pub(super) asked: f64,
    /// Searches for contacts in the order in which they were made; those behind `n_looks` are of other steps.
    pub(super) looks: Vec<Look>,
    pub(super) n_looks: usize,
    pub(super) rounds: Vec<Taped>,
    /// Reason why there is no derivative.
    pub(super) refused: Option<NoDerivative>,
    /// How ties are read.
    pub(super) ties: Option<Ties>,
    /// Rows and contacts of the step for which two modes hold at once.
    pub(super) tied: usize,
}

/// One search for contacts.
#[derive(Debug, Default)]
pub(super) struct Look {
    pub(super) q: Vec<f64>,
    pub(super) margin: Vec<f64>,
    pub(super) contacts: DetectedContacts,
    /// Sides of the squares that nodes of patches stand for, m.
    pub(super) cell: Vec<f64>,
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
    pub(super) fn begin(
        &mut self,
        state: &State,
        (stepper, has_numbers): (&[u8], bool),
        controllers: &[f64],
    ) {
        self.start.assign(state);
        self.asked = 0.0;
        copy(&mut self.controllers, controllers);
        self.carried.take(stepper, has_numbers, self.carries_bases.then_some(&state.memory));
    }

    /// The step was accepted; what it hands on is kept.
    pub(super) fn end(&mut self, state: &State, (stepper, has_numbers): (&[u8], bool)) {
        self.handed_on.take(stepper, has_numbers, self.carries_bases.then_some(&state.memory));
    }

    /// An attempt at it begins, or begins again with other contacts.
    pub(super) fn attempt(&mut self, h: f64) {
        self.h = h;
        self.asked = self.asked.max(h);
        self.again();
    }

    /// The rounds so far do not count.
    pub(super) fn again(&mut self) {
        self.rounds.clear();
        (self.refused, self.tied, self.n_looks) = (None, 0, 0);
    }

    /// Contacts are looked for at q; what is found is asked for.
    pub(super) fn look_at(&mut self, q: &[f64], margin: &[f64]) -> &mut Look {
        if self.n_looks == self.looks.len() {
            self.looks.push(Look::default());
        }
        let look = &mut self.looks[self.n_looks];
        self.n_looks += 1;
        copy(&mut look.q, q);
        copy(&mut look.margin, margin);
        look
    }

    /// Search k for contacts in the step.
    pub(super) fn look(&self, k: usize) -> Option<&Look> {
        self.looks[..self.n_looks].get(k)
    }

    /// Contacts that were found last.
    pub(super) fn contacts(&self) -> RawContacts<'_> {
        self.looks[..self.n_looks].last().map_or_else(RawContacts::default, |look| look.contacts.view())
    }

    /// A problem was solved.
    pub(super) fn solved(&mut self, problem: &Problem<'_>, solution: &Solution<'_>, round: Round) {
        if self.h < self.asked {
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
        let evaluated = self.rounds.iter().any(|taped| taped.verdict == Verdict::Evaluate);
        let Some(taped) = self.rounds.last_mut() else { return };
        taped.verdict = update.verdict;
        if update.verdict == Verdict::Accept && evaluated && taped.n == 0 {
            self.refused = Some(NoDerivative::Equations(
                "the stepper looks at other places within a step, and solves by itself",
            ));
        }
    }

    /// Rows and contacts of the step for which two modes hold at once: it has a kink there, unless both say the same.
    pub fn ties(&self) -> usize {
        self.tied
    }
}

impl Look {
    pub(super) fn found(&mut self, (contacts, cell): (RawContacts<'_>, &[f64])) {
        self.contacts.take(&contacts);
        copy(&mut self.cell, cell);
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
        let mut active = ActiveSet::of(problem, &z, ties).map_err(NoDerivative::Equations)?;
        let inverse = mend(&active, problem, &mut z)?;
        active.linearize_slips(problem, &z);
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
        self.active.hold_bounds(problem, out);
        Ok(())
    }
}

/// Makes a solution obey its equations, if it does not do so but for little. The factors of ∂F/∂z there.
fn mend(active: &ActiveSet, problem: &Problem<'_>, z: &mut [f64]) -> Result<Inverse, NoDerivative> {
    let (start, mut f) = (z.to_vec(), Vec::new());
    let size = z.iter().fold(f64::MIN_POSITIVE, |m, x| m.max(x.abs()));
    let limit = OBEYED * size.max(1.0);
    for _ in 0..MENDING {
        let inverse = Inverse::of(active.matrix(problem, z).map_err(NoDerivative::Equations)?);
        active.equations(problem, z, &mut f).map_err(NoDerivative::Equations)?;
        let step = inverse.solve(&DVector::from_column_slice(&f)).ok_or(NoDerivative::Singular)?;
        if z.is_empty() || step.amax() <= limit {
            return Ok(inverse);
        }
        z.iter_mut().zip(step.iter()).for_each(|(z, d)| *z -= d);
        if z.iter().zip(&start).any(|(z, start)| !((z - start).abs() <= MENDED * size.max(1.0))) {
            break;
        }
    }
    Err(NoDerivative::Approximate)
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

/// The end of a step.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct End {
    /// Positions.
    pub q: Vec<f64>,
    /// Velocities.
    pub v: Vec<f64>,
    /// Numbers that are carried on beside both.
    pub carried: Vec<f64>,
}

/// Scratch of steps beside another.
#[derive(Debug, Default)]
pub(super) struct Beside {
    pub(super) contacts: DetectedContacts,
    pub(super) cell: Vec<f64>,
    /// Number of the step whose own contacts stand in the context at the start: where only velocities differ they are what they were.
    pub(super) filled: Option<u64>,
    /// Searches for contacts so far.
    pub(super) looks: usize,
    /// Steps that follow with narrow displacements of velocities.
    pub(super) narrow: u32,
    /// Where a step began, and its end by its equations.
    pub(super) here: Option<(State, Arc<End>)>,
    pub(super) z: Vec<f64>,
    pub(super) q: Vec<f64>,
    pub(super) v: Vec<f64>,
    pub(super) numbers: Vec<f64>,
    pub(super) stepper: Vec<u8>,
    pub(super) memory: ContactMemory,
    pub(super) carried: CarriedNumbers,
}
