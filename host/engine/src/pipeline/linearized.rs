//! Derivatives of a step on a tape along directions of its start, and the rules by which one side stands for both.

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

/// Returns true if two one-sided derivatives are not the same: one of them does not stand for both.
pub fn is_bent(up: &[f64], down: &[f64]) -> bool {
    let size = up.iter().chain(down).fold(0.0_f64, |m, x| m.max(x.abs()));
    let bent = up.iter().zip(down).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
    bent > BENT * size
}

impl Simulation {
    /// ∂(q⁺, v⁺)/∂(q, v) of the step on the tape, 2 nv × 2 nv, positions as displacements along velocities (rotations: rotation vectors). The
    /// simulation is a probe of the same experiment.
    ///
    /// # Errors
    /// As of [`Simulation::beside`].
    pub fn step_jacobian(&mut self, tape: &Tape) -> Result<DMatrix<f64>, NoDerivative> {
        let n = self.v().len();
        let mut jacobian = DMatrix::zeros(2 * n, 2 * n);
        let mut direction = vec![0.0; 2 * n];
        self.stand_beside(tape)?;
        // Velocities first: they share the contacts of the step.
        let here = self.end_if_affine(tape)?;
        for k in (n..2 * n).chain(0..n) {
            direction[k] = 1.0;
            let column = match here.as_ref().filter(|_| k >= n) {
                Some(here) => {
                    let above = self.moved(tape, &direction, BESIDE)?;
                    difference(self, (&above, here), 0.5 * BESIDE)
                }
                None => self.central(tape, &direction, BESIDE)?,
            };
            direction[k] = 0.0;
            jacobian.column_mut(k).copy_from_slice(&column);
        }
        Ok(jacobian)
    }

    /// The end of the step, if it is affine in the velocities it begins with: both one-sided derivatives along a direction in which all of
    /// them change are the same to [`BENT`]. Then one side is enough.
    fn end_if_affine(&mut self, tape: &Tape) -> Result<Option<End>, NoDerivative> {
        let n = self.v().len();
        // No two alike: terms of second order do not cancel.
        let part = |k: usize| if k < n { 0.0 } else { 1.0 / (1.0 + (k as f64).sqrt().fract()) };
        let direction: Vec<f64> = (0..2 * n).map(part).collect();
        let here = self.end_here(tape)?;
        let above = self.moved(tape, &direction, BESIDE)?;
        let below = self.moved(tape, &direction, -BESIDE)?;
        let up = difference(self, (&above, &here), 0.5 * BESIDE);
        let down = difference(self, (&here, &below), 0.5 * BESIDE);
        Ok((!is_bent(&up, &down)).then_some(here))
    }

    /// The derivative of (q⁺, v⁺) along a direction of (q, v), 2 nv each, by central differences at fixed modes.
    ///
    /// # Errors
    /// As of [`Simulation::beside`].
    pub fn along(&mut self, tape: &Tape, direction: &[f64]) -> Result<Vec<f64>, NoDerivative> {
        let n = direction.len() / 2;
        let size = direction.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        if size == 0.0 {
            return Ok(vec![0.0; 2 * n]);
        }
        self.stand_beside(tape)?;
        self.central(tape, direction, BESIDE / size)
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
        if !tape.touches(10.0 * BESIDE) || largest(&direction[..direction.len() / 2]) == 0.0 {
            return Ok(None);
        }
        let here = self.end_here(tape)?;
        self.stand_beside(tape)?;
        let h = BESIDE / largest(direction);
        let above = self.moved(tape, direction, h)?;
        let up = difference(self, (&above, &here), 0.5 * h);
        let gap = up.iter().zip(derivative).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
        Ok((gap > KINK * largest(derivative).max(largest(&up))).then_some(up))
    }
}
