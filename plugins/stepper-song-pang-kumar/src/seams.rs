//! Patches side by side on one surface of two shapes. A half-space couples the nodes of one pair of shapes; over a seam its surface would give
//! way in two parts that know nothing of each other, and carry too much.

use vinci_sdk::core::contact::along_surface;
use vinci_sdk::core::lists::at;
use vinci_sdk::prelude::*;

use crate::nodes::Nodes;

/// Distance of nodes that are neighbours, in sides of a cell.
const NEXT: f64 = 1.5;
/// Distance of nodes of one surface from its plane, in sides of a cell.
const FLUSH: f64 = 1e-3;

/// Refuses two patches that are parts of one surface.
///
/// Errors: nodes of two pairs of shapes side by side.
pub(crate) fn refuse_seams(step: &StepView<'_>, nodes: &Nodes) -> Result<(), StageError> {
    let contacts = &step.contacts;
    for p in 0..nodes.n_patches() {
        for q in 0..p {
            let pairs =
                nodes.of_patch(p).iter().flat_map(|i| nodes.of_patch(q).iter().map(move |j| (*i, *j)));
            if pairs.into_iter().any(|(i, j)| are_beside(contacts, i as usize, j as usize)) {
                let message = "`half_space` couples nodes of one pair of shapes, and two pairs meet side by side on one \
                               surface: make it one shape, or leave out `half_space`";
                return Err(StageError::new(ErrorKind::Unsupported, message));
            }
        }
    }
    Ok(())
}

/// Returns true if two nodes of patches are neighbours on one surface of two shapes.
fn are_beside(contacts: &Contacts<'_>, i: usize, j: usize) -> bool {
    let (a, b) = (contacts.key[i], contacts.key[j]);
    let shares = [a.shape_a, a.shape_b].iter().any(|shape| [b.shape_a, b.shape_b].contains(shape));
    let cell = contacts.cell(i).min(contacts.cell(j));
    if !shares || a.shapes() == b.shapes() || cell == 0.0 || !contacts.same_normal(i, j) {
        return false;
    }
    let normal = at(contacts.normal, i);
    let is_flush = |points: &[f64]| {
        let d = at(points, i) - at(points, j);
        normal.dot(&d).abs() <= FLUSH * cell
    };
    let [x, y] = [i, j].map(|k| at(contacts.point_b, k));
    along_surface(&x, &y, &normal) <= NEXT * contacts.cell(i).max(contacts.cell(j))
        && (is_flush(contacts.point_a) || is_flush(contacts.point_b))
}
