//! (A, b) of the step: motion model per block, robots without mass, scaled masses.

use vinci_sdk::core::momentum::Momentum;
use vinci_sdk::prelude::*;

use crate::config::MassScale;

/// Softness of the scaled masses against the softest robot: h² K/(SOFTER ε m) ≥ 1, so that the drag ε m v/h of an object
/// moved at v presses the robot back by at most h v/SOFTER, a tenth of the step's way.
const SOFTER: f64 = 10.0;

/// The balance A v⁺ = b + W p of the step, and how it came about. Keeps its memory between steps.
#[derive(Debug, Default)]
pub(crate) struct Balance {
    pub(crate) momentum: Momentum,
    /// Motion model of every block, as used.
    motion: Vec<u8>,
    /// Factor on the mass of every block; empty where all are 1.
    pub(crate) mass_scale: Vec<f64>,
    mass: Vec<f64>,
}

impl Balance {
    /// Assembles (A, b).
    ///
    /// Errors: a block without positive mass where its model needs one; a negative stiffness.
    pub(crate) fn assemble(
        &mut self,
        step: &StepView<'_>,
        default: MotionModel,
        scale: MassScale,
    ) -> Result<(), StageError> {
        check(step)?;
        self.motion.clear();
        self.motion.extend((0..step.n_blocks()).map(|b| model_of(step, b, default)));
        self.scale_masses(step, scale);
        let mass = if self.mass_scale.is_empty() { step.mass } else { &self.mass };
        let view = StepView { motion: &self.motion, mass, ..*step };
        self.momentum.assemble(&view, default)?;
        self.check_masses(step)
    }

    fn scale_masses(&mut self, step: &StepView<'_>, scale: MassScale) {
        self.mass_scale.clear();
        self.mass.clear();
        let scaled = |m: &u8| *m == MotionModel::QuasiDynamic as u8;
        if !self.motion.iter().any(scaled) {
            return;
        }
        let factor = match scale {
            MassScale::None => 1.0,
            MassScale::Factor(factor) => factor,
            MassScale::Auto => softness(step, &self.motion),
        };
        if factor == 1.0 {
            return;
        }
        let mut at = 0;
        for (block, model) in self.motion.iter().enumerate() {
            let n = size(step, block);
            let factor = if scaled(model) { factor } else { 1.0 };
            self.mass_scale.push(factor);
            self.mass.extend(step.mass[at..at + n * n].iter().map(|m| factor * m));
            at += n * n;
        }
    }

    /// A must be positive on free dofs of blocks with inertia.
    fn check_masses(&self, step: &StepView<'_>) -> Result<(), StageError> {
        for block in (0..step.n_blocks()).filter(|&b| self.motion[b] != MotionModel::QuasiStatic as u8) {
            for dof in step.block_start[block] as usize..step.block_start[block + 1] as usize {
                let a = self.momentum.diagonal[dof];
                if DofRole::from_code(step.role[dof]) != DofRole::Prescribed && !(a > 0.0) {
                    return Err(StageError::bad_model(format!(
                        "moving body {block} has no positive mass along its degree of freedom {}: A is {a} there, and \
                         the program would not be convex",
                        dof - step.block_start[block] as usize
                    )));
                }
            }
        }
        Ok(())
    }
}

fn size(step: &StepView<'_>, block: usize) -> usize {
    (step.block_start[block + 1] - step.block_start[block]) as usize
}

fn check(step: &StepView<'_>) -> Result<(), StageError> {
    if !(step.h > 0.0 && step.h < f64::INFINITY) {
        return Err(StageError::bad_input(format!("a step of {} s", step.h)));
    }
    for (block, bounds) in step.block_start.windows(2).enumerate() {
        for dof in bounds[0] as usize..bounds[1] as usize {
            let (impedance, k) =
                (DofRole::from_code(step.role[dof]) == DofRole::Impedance, step.impedance[dof]);
            if impedance && !(k > 0.0 && k < f64::INFINITY) {
                return Err(StageError::bad_model(format!(
                    "moving body {block} is an impedance of stiffness {k} N/m along its degree of freedom {}; it must be \
                     positive and finite",
                    dof - bounds[0] as usize
                )));
            }
        }
    }
    Ok(())
}

/// The block's own model, else the default; robots have no mass under the models without momentum.
fn model_of(step: &StepView<'_>, block: usize, default: MotionModel) -> u8 {
    let without_momentum = matches!(default, MotionModel::QuasiDynamic | MotionModel::QuasiStatic);
    let mut roles = (step.block_start[block] as usize..step.block_start[block + 1] as usize)
        .map(|dof| DofRole::from_code(step.role[dof]));
    match step.motion[block] {
        0 if without_momentum && roles.all(|r| r != DofRole::Free) => MotionModel::QuasiStatic as u8,
        0 => default as u8,
        named => named,
    }
}

/// ε = min(1, h² K/(10 m)), K the softest impedance, m the largest quasi-dynamic mass; lengths and angles for themselves.
fn softness(step: &StepView<'_>, motion: &[u8]) -> f64 {
    let linear = step.space.dim();
    let (mut stiffness, mut mass) = ([f64::INFINITY; 2], [0.0_f64; 2]);
    let mut at = 0;
    for block in 0..step.n_blocks() {
        let n = size(step, block);
        for k in 0..n {
            let (dof, kind) = (step.block_start[block] as usize + k, usize::from(k >= linear));
            match DofRole::from_code(step.role[dof]) {
                DofRole::Impedance => stiffness[kind] = stiffness[kind].min(step.impedance[dof]),
                DofRole::Free if motion[block] == MotionModel::QuasiDynamic as u8 => {
                    mass[kind] = mass[kind].max(step.mass[at + k * n + k]);
                }
                _ => {}
            }
        }
        at += n * n;
    }
    let ratio = |kind: usize| {
        if mass[kind] > 0.0 {
            step.h * step.h * stiffness[kind] / (SOFTER * mass[kind])
        } else {
            f64::INFINITY
        }
    };
    ratio(0).min(ratio(1)).min(1.0)
}
