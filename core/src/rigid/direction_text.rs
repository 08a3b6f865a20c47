//! Directions of motion in words.

use super::determined::{Determined, ZERO};
use crate::model::Space;
use crate::stage::StepView;

/// The block of a velocity.
pub(super) fn block_of(step: &StepView<'_>, dof: u32) -> u32 {
    step.block_of(dof as usize) as u32
}

/// The velocity that moves most in direction k (of those that are velocities), with its value.
pub(super) fn first_of(step: &StepView<'_>, found: &Determined, k: usize) -> (u32, f64) {
    let n = found.dofs.len();
    let moving =
        found.dofs.iter().zip(&found.null[k * n..][..n]).filter(|(dof, _)| (**dof as usize) < step.nv());
    moving.fold((0, 0.0), |best, (&dof, &d)| if d.abs() > f64::abs(best.1) { (dof, d) } else { best })
}

/// Direction k in words, as far as it is of the body that moves most: `y`, or `(x: 1, angle: -0.5)`.
pub(super) fn direction(step: &StepView<'_>, found: &Determined, k: usize) -> String {
    let n = found.dofs.len();
    let (most, largest) = first_of(step, found, k);
    let block = block_of(step, most);
    let names: &[&str] = match step.space {
        Space::Planar => &["x", "y", "angle"],
        Space::Spatial => &["x", "y", "z", "rx", "ry", "rz"],
    };
    let name =
        |dof: u32| names.get((dof - step.block_start[block as usize]) as usize).copied().unwrap_or("?");
    let own = |dof: u32| (dof as usize) < step.nv() && block_of(step, dof) == block;
    let parts: Vec<(&str, f64)> = found
        .dofs
        .iter()
        .zip(&found.null[k * n..][..n])
        .filter(|(dof, d)| own(**dof) && d.abs() > ZERO * largest.abs())
        .map(|(dof, d)| (name(*dof), d / largest))
        .collect();
    match parts[..] {
        [(only, _)] => format!("`{only}`"),
        _ => {
            let list: Vec<String> = parts.iter().map(|(name, d)| format!("{name}: {d:.4}")).collect();
            format!("({})", list.join(", "))
        }
    }
}
