//! Linearises the steps of a run one after the other.

use nalgebra::DVector;

use vinci_core::problem::Ties;
use vinci_engine::pipeline::{NoDerivative, Simulation, StepJacobian};

use crate::linear_step::LinearStep;
use crate::probes::Probes;
use crate::sides::Column;
use crate::trials::Trials;

/// Linearises the steps of a run, and keeps those of the current segment.
pub(crate) struct Linearizer<'p> {
    pub(crate) probes: &'p mut Probes,
    /// Steps that are kept.
    pub(crate) steps: Vec<LinearStep>,
    /// Bytes of their matrices.
    bytes: usize,
    /// All steps of the same run in another reading of ties, from the step that comes next; empty where they were dropped.
    known: std::vec::IntoIter<LinearStep>,
    ties: Ties,
    /// The runs, and the values of the parameters.
    trials: (&'p Trials<'p>, &'p [f64]),
    /// End of the first step with ties, s.
    pub(crate) tied: Option<f64>,
}

impl<'p> Linearizer<'p> {
    /// Before the first step of a run; what probes know of the run is taken out of them.
    pub(crate) fn new(probes: &'p mut Probes, ties: Ties, trials: (&'p Trials<'p>, &'p [f64])) -> Self {
        let known = std::mem::take(&mut probes.known).into_iter();
        Self { probes, steps: Vec::new(), bytes: 0, known, ties, trials, tied: None }
    }

    /// Linearises the step that was just made, unless that has been done and ties have no part in it.
    pub(crate) fn take(&mut self, simulation: &Simulation, row: Option<usize>) -> Result<(), NoDerivative> {
        let step = match self.known.next() {
            Some(step) if !step.tied => LinearStep { row, ..step },
            _ => self.linearized(simulation, row)?,
        };
        self.bytes += step.bytes();
        self.steps.push(step);
        Ok(())
    }

    fn linearized(
        &mut self,
        simulation: &Simulation,
        row: Option<usize>,
    ) -> Result<LinearStep, NoDerivative> {
        let tape = simulation.chainable_tape()?;
        let StepJacobian { mut a, corners } = self.probes.here.step_jacobian(tape)?;
        let mut tied = tape.ties() > 0 || !corners.is_empty();
        let bounds = self.ties == Ties::Bounds;
        // Upper sides in the other reading of ties: what differs there is a kink, and not every direction is one in which the run moves.
        for (k, up) in corners.iter().filter(|_| bounds) {
            a.column_mut(*k).copy_from_slice(up);
        }
        let mut b = Vec::new();
        for Column { parameter, mean, corner } in self.probes.columns(tape, self.trials)? {
            tied |= corner.is_some();
            let column = corner.filter(|_| bounds).unwrap_or(mean);
            if column.len() != a.nrows() {
                return Err(NoDerivative::Parted);
            }
            b.push((parameter, DVector::from_vec(column)));
        }
        if tied {
            self.tied.get_or_insert(simulation.time());
        }
        Ok(LinearStep { a, b, row, tied })
    }

    /// Returns true if another step like the last one takes more memory than this, in bytes.
    pub(crate) fn is_full(&self, memory: usize) -> bool {
        self.steps.last().is_some_and(|last| self.bytes + last.bytes() > memory)
    }

    /// Drops the steps that are kept.
    pub(crate) fn drop_steps(&mut self) {
        self.bytes = 0;
        self.steps.clear();
    }
}
