//! Derivatives of a step on a tape along directions of its start, and the rules by which one side stands for both.

use std::ops::Range;

use nalgebra::DMatrix;
use vinci_core::lists::largest;

use super::no_derivative::NoDerivative;
use super::simulation::Simulation;
use super::tangent::difference;
use super::tape::{End, Tape};

/// Part of a derivative by which its two one-sided values may differ where one of them stands for both.
const BENT: f64 = 2e-7;

/// Part of the largest component of a derivative that rounding leaves in all.
const NOISE: f64 = 1e-9;

/// Part by which the derivative of one side differs from the mean of both where there is a kink between them. What curvature makes over
/// the displacement of a difference is far less.
const KINK: f64 = 1e-3;

/// Displacement of velocities where a step is affine in them, in displacements of others: rounding falls with it, and nothing else grows.
const WIDE: f64 = 300.0;

/// Part of a displacement that is tried where the step goes another way over the whole of it: a threshold of the stepper lies within.
const NARROWER: f64 = 1.0 / 30.0;

/// Steps that are not tried with wide displacements after one that is not affine over them.
const SKIPPED: u32 = 15;

/// Ratio of components of a direction that are displaced together. Smaller ones would drown in the rounding of the larger.
const TOGETHER: f64 = 1e3;

/// Part of the largest component of a direction below which others are rounding.
const DROWNED: f64 = 1e-12;

/// Derivative of the end of a step along a direction of its start.
#[derive(Debug, Clone, PartialEq)]
pub struct Along {
    /// The mean of both sides.
    pub mean: Vec<f64>,
    /// The upper side, where it is another one: a contact that just touches opens on one side and presses on the other, in the same mode of the
    /// problem, or a law has a corner there.
    pub upper: Option<Vec<f64>>,
}

/// A = ∂x⁺/∂x of a step, and the columns that are another one on their upper side.
#[derive(Debug, Clone, PartialEq)]
pub struct StepJacobian {
    /// A.
    pub a: DMatrix<f64>,
    /// Columns with corners, each with its upper side.
    pub corners: Vec<(usize, Vec<f64>)>,
}

/// Returns true if two one-sided derivatives are not the same: one of them does not stand for both. Components have different units, so each is
/// measured by its own size, up to rounding.
pub fn is_bent(up: &[f64], down: &[f64]) -> bool {
    let noise = NOISE * largest(up).max(largest(down));
    up.iter().zip(down).any(|(a, b)| (a - b).abs() > BENT * a.abs().max(b.abs()) + noise)
}

/// Returns true if the derivative on one side is another one than the mean of both.
pub fn has_corner(up: &[f64], mean: &[f64]) -> bool {
    let gap = up.iter().zip(mean).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
    gap > KINK * largest(mean).max(largest(up))
}

/// The end of a step over a displacement, or over a part of it where the step goes another way so far away, and the displacement.
fn over<T>(h: f64, mut ends: impl FnMut(f64) -> Result<T, NoDerivative>) -> Result<(f64, T), NoDerivative> {
    match ends(h) {
        Err(why) if why.is_parted() => ends(NARROWER * h).map(|found| (NARROWER * h, found)),
        found => found.map(|found| (h, found)),
    }
}

impl Simulation {
    /// ∂(q⁺, v⁺, m⁺)/∂(q, v, m) of the step on the tape, positions as displacements along velocities (rotations: rotation vectors), m what is
    /// carried from step to step beside both. The simulation is a probe of the same experiment.
    ///
    /// # Errors
    /// As of [`Simulation::beside`].
    pub fn step_jacobian(&mut self, tape: &Tape) -> Result<StepJacobian, NoDerivative> {
        let (n, size) = (self.v().len(), tape.size());
        let a = DMatrix::zeros(tape.size_after(), size);
        let mut all = StepJacobian { a, corners: Vec::new() };
        self.stand_beside(tape)?;
        let here = self.end_here(tape)?;
        // Velocities and what is carried first: they share the contacts of the step.
        if !self.wide_velocities(tape, &here, &mut all) {
            let affine = self.is_affine(tape, &here, n..2 * n, 1.0)?.then_some(1.0);
            self.columns(tape, n..2 * n, (&here, affine), &mut all)?;
        }
        let carried = self.is_affine(tape, &here, 2 * n..size, 1.0)?.then_some(1.0);
        self.columns(tape, 2 * n..size, (&here, carried), &mut all)?;
        self.columns(tape, 0..n, (&here, None), &mut all)?;
        Ok(all)
    }

    /// Columns by velocities over wide displacements, if the step is affine over them: true then. It is not tried again soon where it was not.
    fn wide_velocities(&mut self, tape: &Tape, here: &End, all: &mut StepJacobian) -> bool {
        if self.beside.narrow > 0 {
            self.beside.narrow -= 1;
            return false;
        }
        // A stepper may go another way so far away: that is no fault of the step.
        let numbers = self.v().len()..2 * self.v().len();
        let affine = self.is_affine(tape, here, numbers.clone(), WIDE).unwrap_or(false);
        let wide = affine && self.columns(tape, numbers, (here, Some(WIDE)), all).is_ok();
        self.beside.narrow = if wide { 0 } else { SKIPPED };
        wide
    }

    /// Columns of the derivative by some numbers of the start of the step, which ends `here`: from the upper side alone where the step is affine
    /// over displacements of this factor, else from both.
    fn columns(
        &mut self,
        tape: &Tape,
        numbers: Range<usize>,
        (here, affine): (&End, Option<f64>),
        all: &mut StepJacobian,
    ) -> Result<(), NoDerivative> {
        let mut direction = vec![0.0; tape.size()];
        for k in numbers {
            direction[k] = 1.0;
            let h = tape.reach(&direction) * affine.unwrap_or(1.0);
            let column = if affine.is_some() {
                let (h, above) = over(h, |h| self.moved(tape, &direction, h))?;
                difference(self, (&above, here), 0.5 * h)?
            } else {
                let (h, [above, below]) = self.both_ends(tape, &direction, h)?;
                let up = difference(self, (&above, here), 0.5 * h)?;
                let mean = difference(self, (&above, &below), h)?;
                if has_corner(&up, &mean) {
                    all.corners.push((k, up));
                }
                mean
            };
            direction[k] = 0.0;
            if column.len() != all.a.nrows() {
                return Err(NoDerivative::Parted);
            }
            all.a.column_mut(k).copy_from_slice(&column);
        }
        Ok(())
    }

    /// Ends of the step from above and from below along a direction, and how far from where it began.
    fn both_ends(&mut self, tape: &Tape, direction: &[f64], h: f64) -> Result<(f64, [End; 2]), NoDerivative> {
        over(h, |h| Ok([self.moved(tape, direction, h)?, self.moved(tape, direction, -h)?]))
    }

    /// Returns true if the step, which ends `here`, is affine in these numbers of its start over so many displacements: both one-sided
    /// derivatives along a direction in which all of them change are the same to [`BENT`]. Then one side is enough.
    fn is_affine(
        &mut self,
        tape: &Tape,
        here: &End,
        numbers: Range<usize>,
        displacements: f64,
    ) -> Result<bool, NoDerivative> {
        if numbers.is_empty() {
            return Ok(true);
        }
        // No two alike: terms of second order do not cancel. Each moves about as far as in its own difference.
        let part = |k: usize| tape.unit(k) / (1.0 + (k as f64).sqrt().fract());
        let of = |k: usize| if numbers.contains(&k) { part(k) } else { 0.0 };
        let direction: Vec<f64> = (0..tape.size()).map(of).collect();
        let h = tape.reach(&direction) * displacements;
        let (h, [above, below]) = self.both_ends(tape, &direction, h)?;
        let up = difference(self, (&above, here), 0.5 * h)?;
        let down = difference(self, (here, &below), 0.5 * h)?;
        Ok(!is_bent(&up, &down))
    }

    /// The derivative of the end of the step along a direction of its start, by central differences at fixed modes. Components of different
    /// sizes are displaced apart.
    ///
    /// # Errors
    /// As of [`Simulation::beside`].
    pub fn along(&mut self, tape: &Tape, direction: &[f64]) -> Result<Along, NoDerivative> {
        let (mut mean, mut upper) = (vec![0.0; tape.size_after()], vec![0.0; tape.size_after()]);
        let (mut rest, least) = (direction.to_vec(), DROWNED * largest(direction));
        if largest(direction) == 0.0 {
            return Ok(Along { mean, upper: None });
        }
        let here = self.end_here(tape)?;
        self.stand_beside(tape)?;
        while largest(&rest) > least {
            let above = largest(&rest) / TOGETHER;
            let apart: Vec<f64> = rest.iter().map(|d| if d.abs() > above { *d } else { 0.0 }).collect();
            rest.iter_mut().filter(|d| d.abs() > above).for_each(|d| *d = 0.0);
            let (h, [plus, minus]) = self.both_ends(tape, &apart, tape.reach(&apart))?;
            let parts = [difference(self, (&plus, &minus), h)?, difference(self, (&plus, &here), 0.5 * h)?];
            if parts[0].len() != mean.len() {
                return Err(NoDerivative::Parted);
            }
            mean.iter_mut().zip(&parts[0]).for_each(|(sum, x)| *sum += x);
            upper.iter_mut().zip(&parts[1]).for_each(|(sum, x)| *sum += x);
        }
        let upper = has_corner(&upper, &mean).then_some(upper);
        Ok(Along { mean, upper })
    }
}
