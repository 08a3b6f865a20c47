//! Numbers that steps on a tape and beside it hand on beside positions and velocities.

use super::carried_numbers::CarriedNumbers;
use super::failure::{StepFailure, Who, stage};
use super::no_derivative::NoDerivative;
use super::simulation::Simulation;
use super::state::State;
use super::tangent::{BESIDE, Start};
use super::tape::{End, Tape};

impl Tape {
    /// Where the step began, with its own contacts.
    pub fn start(&self) -> Start<'_> {
        let State { q, v, .. } = &self.start;
        Start { q, v, carried: &self.carried.numbers, same_places: true, like: None }
    }

    /// When the step begins and when it ends at the latest, s.
    pub fn span(&self) -> [f64; 2] {
        [self.start.t, self.start.t + self.h]
    }

    /// How many numbers a step begins with: displacements, velocities, and those that are carried.
    pub fn size(&self) -> usize {
        2 * self.start.v.len() + self.carried.numbers.len()
    }

    /// How many numbers it ends with.
    pub fn size_after(&self) -> usize {
        2 * self.start.v.len() + self.handed_on.numbers.len()
    }

    /// Displacement of a difference along number k of its start.
    pub(super) fn unit(&self, k: usize) -> f64 {
        let n = 2 * self.start.v.len();
        if k < n { BESIDE } else { self.carried.beside(k - n) }
    }

    /// Factor on a direction for differences: none of its numbers moves farther than it may.
    pub(super) fn reach(&self, direction: &[f64]) -> f64 {
        let part = |(k, d): (usize, &f64)| d.abs() / self.unit(k);
        1.0 / direction.iter().enumerate().map(part).fold(f64::MIN_POSITIVE, f64::max)
    }
}

impl Simulation {
    /// Positions, velocities and carried numbers where it stands; bases of contacts count where `bases` is true.
    pub fn standing(&self, bases: bool) -> End {
        let (mut stepper, mut carried) = (Vec::new(), CarriedNumbers::default());
        self.stepper.save_state(&mut stepper);
        carried.take(&stepper, self.settings.state_numbers, bases.then_some(&self.state.memory));
        End { q: self.state.q.clone(), v: self.state.v.clone(), carried: carried.numbers }
    }

    /// The stepper and the bases of contacts begin the step on the tape with these numbers.
    pub(super) fn load_carried(&mut self, tape: &Tape, numbers: &[f64]) -> Result<(), StepFailure> {
        let bytes = &mut self.beside.stepper;
        bytes.clear();
        let bases = tape.carried.put(numbers, bytes);
        self.stepper.load_state(bytes).map_err(stage(Who::Stepper))?;
        self.state.memory.set_bases(bases);
        Ok(())
    }

    /// Numbers that the step beside the one on the tape hands on, of what the latter hands on.
    pub(super) fn carried_on(&mut self, tape: &Tape) -> Result<Vec<f64>, NoDerivative> {
        let Self { beside, contexts, record, stepper, settings, .. } = self;
        if tape.carries_bases {
            beside.memory.remember(&contexts.current().contacts.view(), &record.impulse);
        }
        beside.stepper.clear();
        if settings.state_numbers {
            stepper.save_state(&mut beside.stepper);
        }
        let bases = tape.carries_bases.then_some(&beside.memory);
        beside.carried.take(&beside.stepper, settings.state_numbers, bases);
        beside.carried.aligned_to(&tape.handed_on).ok_or(NoDerivative::Parted)
    }
}
