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
/// must be `held`, where something can hold them: a dof on which neither a closed contact nor another row can act against the command has nothing between
/// itself and it.
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
            && !(may && (!held || can_be_held(step, update, *i, SOLVED * step.h * size)))
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

/// Returns true if something can hold a dof back: another row (see [`row_holds`]), or a contact that is closed at the end of the step,
/// ψ + h W_nᵀ v⁺ ≤ 0 but for `slack` (m). Its normal row holds where the contact presses, and where the deviation opens what the command would have
/// closed; its tangent rows hold where there is friction and something for it to hold by.
fn can_be_held(step: &StepView<'_>, update: &Update<'_>, dof: usize, slack: f64) -> bool {
    let off = update.v[dof] - step.prescribed_speed(dof);
    let contacts = &step.contacts;
    let holds = |i: usize| {
        let row = contacts.row(i);
        let p = update.impulse.get(row).copied().unwrap_or(0.0);
        let normal = entry(&contacts.jacobian, row, dof);
        let along = (row + 1..row + contacts.stride()).any(|row| entry(&contacts.jacobian, row, dof) != 0.0);
        let closed = || contacts.open_gap(i) + step.h * contacts.jacobian.row_dot(row, update.v) <= slack;
        contact_holds((normal, along), (p, contacts.pair.friction[i]), off) && closed()
    };
    (0..contacts.len()).any(holds)
        || (0..step.rows.rate.len()).any(|k| row_holds(step, update, k, (dof, off)))
}

/// The entry of a row at a column, 0 where it has none.
fn entry(rows: &Csr<'_>, row: usize, column: usize) -> f64 {
    rows.entries(row).filter(|(at, _)| *at == column).map(|(_, w)| w).sum()
}

/// Returns true if a closed contact can hold a dof with the deviation `off`. `normal`: the entry of its normal row there; `along`: its tangent
/// rows have one; with its normal impulse and its friction.
fn contact_holds((normal, along): (f64, bool), (p, mu): (f64, f64), off: f64) -> bool {
    normal * off > 0.0 || (p > 0.0 && (normal != 0.0 || (mu > 0.0 && along)))
}

/// Returns true if row k can hold a dof with the deviation `off`.
fn row_holds(step: &StepView<'_>, update: &Update<'_>, k: usize, (dof, off): (usize, f64)) -> bool {
    let (rows, w) = (&step.rows, entry(&step.row_wrenches(), k, dof));
    let p = update.row_impulse.get(k).copied().unwrap_or(0.0);
    bounds_hold([rows.lower[k], rows.upper[k]], (w, p), off)
}

/// Returns true if a row with the entry w has an impulse, or its bounds let it have one that way.
fn bounds_hold([lower, upper]: [f64; 2], (w, p): (f64, f64), off: f64) -> bool {
    w != 0.0 && (p != 0.0 || (w * off > 0.0 && upper > 0.0) || (w * off < 0.0 && lower < 0.0))
}

/// Largest |Δq_a − Δq̄_a| of an accepted step over `dofs`: how far driven dofs stayed from where their commands would have
/// taken them, m or rad.
pub fn deviation(accepted: &Accepted<'_>, dofs: &[u32]) -> f64 {
    let of = |dof: &u32| accepted.h * (accepted.v[*dof as usize] - accepted.command[*dof as usize]).abs();
    dofs.iter().map(of).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A pusher told 1 m/s on a frictionless floor stood still, or went backwards: the floor's tangent row was something that acts on it.
    #[test]
    fn a_frictionless_floor_holds_no_pusher() {
        let floor = (0.0, true);
        assert!(!contact_holds(floor, (10.0, 0.0), -1.0));
        assert!(!contact_holds(floor, (0.0, 0.5), -1.0));
        assert!(contact_holds(floor, (10.0, 0.5), -1.0));
        // A wall ahead, and one behind.
        assert!(contact_holds((-1.0, false), (0.0, 0.0), -1.0));
        assert!(!contact_holds((1.0, false), (0.0, 0.0), -1.0));
        assert!(contact_holds((1.0, false), (10.0, 0.0), -1.0));
    }

    #[test]
    fn rows_hold_as_their_bounds_let_them() {
        let limit = [0.0, f64::INFINITY];
        assert!(bounds_hold(limit, (-1.0, 0.0), -1.0) && !bounds_hold(limit, (1.0, 0.0), -1.0));
        assert!(bounds_hold(limit, (1.0, 0.1), -1.0) && !bounds_hold(limit, (0.0, 0.1), -1.0));
        assert!(!bounds_hold([0.0; 2], (1.0, 0.0), -1.0));
    }
}
