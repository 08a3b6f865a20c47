//! The drive check: whether a stepper moves prescribed velocities as it was told.

use crate::labels;
use vinci_core::StageError;
use vinci_core::error::ErrorKind;
use vinci_core::model::{DofRole, System};
use vinci_core::stage::{StepView, Update};

use super::Accepted;

/// Deviations below this part of the largest command count as none.
const ROUNDING: f64 = 1e-12;

/// Locked dofs must rest, driven ones follow their commands, but for those in `may_deviate` (ascending).
pub(super) fn check(
    system: &System,
    step: &StepView<'_>,
    update: &Update<'_>,
    may_deviate: &[u32],
) -> Result<(), StageError> {
    let prescribed = |i: &usize| DofRole::from_code(step.role[*i]) == DofRole::Prescribed;
    let size = step.command.iter().chain(step.drive_speed).fold(0.0_f64, |m, x| m.max(x.abs()));
    let strays = |i: &usize| {
        // NaN is found elsewhere.
        (update.v[*i] - step.prescribed_speed(*i)).abs() > ROUNDING * size
            && may_deviate.binary_search(&(*i as u32)).is_err()
    };
    let Some(i) = (0..step.nv().min(update.v.len())).filter(prescribed).find(strays) else { return Ok(()) };
    let (owner, name) = labels::of_block(system, i).unwrap_or_default();
    Err(StageError::new(
        ErrorKind::Fault,
        format!(
            "the stepper moves `{owner}`, velocity `{name}`, at {} where {} is prescribed",
            update.v[i],
            step.prescribed_speed(i)
        ),
    ))
}

/// Largest |Δq_a − Δq̄_a| of an accepted step over `dofs`: how far driven dofs stayed from where their commands would have
/// taken them, m or rad.
pub fn deviation(accepted: &Accepted<'_>, dofs: &[u32]) -> f64 {
    let of = |dof: &u32| accepted.h * (accepted.v[*dof as usize] - accepted.command[*dof as usize]).abs();
    dofs.iter().map(of).fold(0.0, f64::max)
}
