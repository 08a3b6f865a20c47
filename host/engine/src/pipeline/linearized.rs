//! Derivatives of a step on a tape along directions of its start, and the rules by which one side stands for both.

use std::ops::Range;

use nalgebra::DMatrix;

use super::no_derivative::NoDerivative;
use super::simulation::Simulation;
use super::tangent::{BESIDE, difference};
use super::tape::{End, Tape};

/// Part of a derivative by which its two one-sided values may differ where one of them stands for both.
const BENT: f64 = 2e-7;

/// Part by which the derivative of one side differs from the mean of both where there is a kink between them. What curvature makes over
/// [`BESIDE`] is far less.
const KINK: f64 = 1e-3;

/// Part of the largest component of a derivative that rounding leaves in all.
const NOISE: f64 = 1e-9;

/// Returns true if two one-sided derivatives are not the same: one of them does not stand for both. Components have different units, so each is
/// measured by its own size, up to rounding.
pub fn is_bent(up: &[f64], down: &[f64]) -> bool {
    let noise = NOISE * up.iter().chain(down).fold(0.0_f64, |m, x| m.max(x.abs()));
    up.iter().zip(down).any(|(a, b)| (a - b).abs() > BENT * a.abs().max(b.abs()) + noise)
}

impl Simulation {
    /// ∂(q⁺, v⁺, m⁺)/∂(q, v, m) of the step on the tape, positions as displacements along velocities (rotations: rotation vectors), m what is
    /// carried from step to step beside both. The simulation is a probe of the same experiment.
    ///
    /// # Errors
    /// As of [`Simulation::beside`].
    pub fn step_jacobian(&mut self, tape: &Tape) -> Result<DMatrix<f64>, NoDerivative> {
        let (n, size) = (self.v().len(), tape.size());
        let mut jacobian = DMatrix::zeros(tape.size_after(), size);
        self.stand_beside(tape)?;
        self.columns(tape, 0..n, None, &mut jacobian)?;
        // Velocities and what is carried come last, parameters after them: they share the contacts of the step.
        let here = self.end_here(tape)?;
        for numbers in [n..2 * n, 2 * n..size] {
            let one_sided = self.is_affine(tape, &here, numbers.clone())?;
            self.columns(tape, numbers, one_sided.then_some(&here), &mut jacobian)?;
        }
        Ok(jacobian)
    }

    /// Columns of the derivative by some numbers of the start of the step: from the upper side of where it ends, where that is given, else from
    /// both.
    fn columns(
        &mut self,
        tape: &Tape,
        numbers: Range<usize>,
        here: Option<&End>,
        jacobian: &mut DMatrix<f64>,
    ) -> Result<(), NoDerivative> {
        let mut direction = vec![0.0; tape.size()];
        for k in numbers {
            direction[k] = 1.0;
            let h = tape.reach(&direction);
            let column = match here {
                Some(here) => {
                    let above = self.moved(tape, &direction, h)?;
                    difference(self, (&above, here), 0.5 * h)?
                }
                None => self.central(tape, &direction, h)?,
            };
            direction[k] = 0.0;
            if column.len() != jacobian.nrows() {
                return Err(NoDerivative::Parted);
            }
            jacobian.column_mut(k).copy_from_slice(&column);
        }
        Ok(())
    }

    /// Returns true if the step, which ends `here`, is affine in these numbers of its start: both one-sided derivatives along a direction in
    /// which all of them change are the same to [`BENT`]. Then one side is enough.
    fn is_affine(&mut self, tape: &Tape, here: &End, numbers: Range<usize>) -> Result<bool, NoDerivative> {
        if numbers.is_empty() {
            return Ok(true);
        }
        // No two alike: terms of second order do not cancel. Each moves about as far as in its own difference.
        let part = |k: usize| tape.unit(k) / (1.0 + (k as f64).sqrt().fract());
        let of = |k: usize| if numbers.contains(&k) { part(k) } else { 0.0 };
        let direction: Vec<f64> = (0..tape.size()).map(of).collect();
        let h = tape.reach(&direction);
        let above = self.moved(tape, &direction, h)?;
        let below = self.moved(tape, &direction, -h)?;
        let up = difference(self, (&above, here), 0.5 * h)?;
        let down = difference(self, (here, &below), 0.5 * h)?;
        Ok(!is_bent(&up, &down))
    }

    /// The derivative of the end of the step along a direction of its start, by central differences at fixed modes.
    ///
    /// # Errors
    /// As of [`Simulation::beside`].
    pub fn along(&mut self, tape: &Tape, direction: &[f64]) -> Result<Vec<f64>, NoDerivative> {
        if direction.iter().all(|d| *d == 0.0) {
            return Ok(vec![0.0; tape.size_after()]);
        }
        self.stand_beside(tape)?;
        self.central(tape, direction, tape.reach(direction))
    }

    /// The derivative on the upper side of a direction, where it is another one than the mean of both sides, which `derivative` is: a contact
    /// that just touches opens on one side and presses on the other, in the same mode of the problem.
    ///
    /// # Errors
    /// As of [`Simulation::beside`].
    pub fn upper_side(
        &mut self,
        tape: &Tape,
        direction: &[f64],
        derivative: &[f64],
    ) -> Result<Option<Vec<f64>>, NoDerivative> {
        let largest = |list: &[f64]| list.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        if !tape.touches(10.0 * BESIDE) || largest(&direction[..self.v().len()]) == 0.0 {
            return Ok(None);
        }
        let here = self.end_here(tape)?;
        self.stand_beside(tape)?;
        let h = tape.reach(direction);
        let above = self.moved(tape, direction, h)?;
        let up = difference(self, (&above, &here), 0.5 * h)?;
        let gap = up.iter().zip(derivative).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
        Ok((gap > KINK * largest(derivative).max(largest(&up))).then_some(up))
    }
}
