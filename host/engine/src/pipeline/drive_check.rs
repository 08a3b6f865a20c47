//! The drive check: whether a stepper moves prescribed velocities as it was told.

use crate::labels;
use vinci_core::StageError;
use vinci_core::error::ErrorKind;
use vinci_core::model::{DofRole, System};
use vinci_core::sparse::Csr;
use vinci_core::stage::{StepView, Update};

use super::Accepted;

/// Deviations below this part of the largest command count as none.
const ROUNDING: f64 = 1e-12;

/// Deviations below this part of the largest command are what a solver leaves of an objective.
const SOLVED: f64 = 1e-6;

/// Locked dofs must rest, driven ones follow their commands. Those in `may_deviate` (ascending) may stay behind; if they
/// must be `held`, where something can hold them: a dof on which neither a closed contact nor another row acts has nothing between itself and its command.
pub(super) fn check(
    system: &System,
    step: &StepView<'_>,
    update: &Update<'_>,
    (may_deviate, held): (&[u32], bool),
) -> Result<(), StageError> {
    let prescribed = |i: &usize| DofRole::from_code(step.role[*i]) == DofRole::Prescribed;
    let size = step.command.iter().chain(step.drive_speed).fold(0.0_f64, |m, x| m.max(x.abs()));
    let strays = |i: &usize| {
        // NaN is found elsewhere.
        let off = (update.v[*i] - step.prescribed_speed(*i)).abs();
        let may = may_deviate.binary_search(&(*i as u32)).is_ok();
        off > if may { SOLVED } else { ROUNDING } * size
            && !(may && (!held || can_be_held(step, update.v, *i, SOLVED * step.h * size)))
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

/// Returns true if something can hold a dof back: another row acts on it, or a contact that is closed at the end of the step,
/// ψ + h W_nᵀ v⁺ ≤ 0 but for `slack` (m).
fn can_be_held(step: &StepView<'_>, v: &[f64], dof: usize, slack: f64) -> bool {
    let acts = |rows: &Csr<'_>, row: usize| rows.entries(row).any(|(column, w)| column == dof && w != 0.0);
    let (contacts, others) = (&step.contacts, step.row_wrenches());
    let closed = |i: &usize| {
        let rate = contacts.jacobian.row_dot(contacts.row(*i), v);
        contacts.open_gap(*i) + step.h * rate <= slack
    };
    let of_contact = |i: usize| contacts.row(i)..contacts.row(i) + contacts.stride();
    (0..others.n_rows()).any(|row| acts(&others, row))
        || (0..contacts.len()).filter(closed).flat_map(of_contact).any(|row| acts(&contacts.jacobian, row))
}

/// Largest |Δq_a − Δq̄_a| of an accepted step over `dofs`: how far driven dofs stayed from where their commands would have
/// taken them, m or rad.
pub fn deviation(accepted: &Accepted<'_>, dofs: &[u32]) -> f64 {
    let of = |dof: &u32| accepted.h * (accepted.v[*dof as usize] - accepted.command[*dof as usize]).abs();
    dofs.iter().map(of).fold(0.0, f64::max)
}
