//! Linearises the steps of a run one after the other.

use nalgebra::{DMatrix, DVector};

use vinci_core::problem::Ties;
use vinci_engine::pipeline::{NoDerivative, Simulation, Tape};

use crate::linear_step::LinearStep;
use crate::sides::Probes;

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
    /// End of the first step with ties, s.
    pub(crate) tied: Option<f64>,
}

impl<'p> Linearizer<'p> {
    /// Before the first step of a run; what probes know of the run is taken out of them.
    pub(crate) fn new(probes: &'p mut Probes, ties: Ties) -> Self {
        let known = std::mem::take(&mut probes.known).into_iter();
        Self { probes, steps: Vec::new(), bytes: 0, known, ties, tied: None }
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
        let mut a = self.probes.here.step_jacobian(tape)?;
        let tied = self.has_kinks(tape, &mut a)? || tape.ties() > 0;
        if tied {
            self.tied.get_or_insert(simulation.time());
        }
        let Probes { here, sides, .. } = &mut *self.probes;
        let mut b = Vec::new();
        for sides in sides {
            let Some((k, column)) = sides.of_step(tape, here)? else { continue };
            if column.len() != a.nrows() {
                return Err(NoDerivative::Parted);
            }
            b.push((k, DVector::from_vec(column)));
        }
        Ok(LinearStep { a, b, row, tied })
    }

    /// Returns true if a column of A stands for two one-sided values. The upper ones are taken in the other reading of ties: what differs there
    /// is a kink, and not every direction is one in which the run moves.
    fn has_kinks(&mut self, tape: &Tape, a: &mut DMatrix<f64>) -> Result<bool, NoDerivative> {
        let mut found = false;
        for k in 0..self.probes.here.v().len() {
            let mut direction = vec![0.0; tape.size()];
            direction[k] = 1.0;
            let up = self.probes.here.upper_side(tape, &direction, a.column(k).as_slice())?;
            found |= up.is_some();
            if let Some(up) = up.filter(|_| self.ties == Ties::Bounds) {
                a.column_mut(k).copy_from_slice(&up);
            }
        }
        Ok(found)
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
