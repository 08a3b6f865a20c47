//! Visco-elastic layers: what the referee remembers of their deformation, and the law they are held to.
//!
//! The deformed surfaces of a pressed contact touch, so δ_n⁺ = −(ψ + h ν_n⁺); along the tangents δ_t⁺ = δ_t + h σ with σ the slip
//! rate that the stepper tells. Then λ = k δ⁺ + c (δ⁺ − δ)/h and p = h λ, with k, c the pair's (tangents: times the ratio), divided
//! among at most as many contacts as the pair of shapes has; a node of the scene's patches has its own. Where nodes give way under the
//! forces on others the law is one of all of them (`coupled`), and where an edge has more nodes than contacts their forces follow from
//! the motion (`edges`). The work that layers of a pair of shapes
//! took, along normals and tangents, Σ p·Δδ since they touched, must never be negative: an overlap that they begin with counts as
//! ½ k δ_n². And no layer deforms along the surface by more than a body may overlap.
//!
//! A contact that comes under another identity is another contact, and its layer begins anew. Where a detector gives what sticks new
//! names again and again, it creeps by what its layers lose: that counts where it is more than a tenth of the thinner body.

use super::findings::{Criterion, Findings};
use super::judged_contact::JudgedContact;
use super::layer::{Layer, add, range, work_of_gone};
use super::layer_change::{Change, NO_DEFORMATION, Node, Terms};
use super::mode::Mode;
use crate::contact::Contacts;
use crate::geometry::is_same_cell;
use crate::stage::StepView;

/// Deformation below which a contact out of sight is forgotten, m.
const FORGOTTEN: f64 = 1e-15;
/// Part of the thinner body's width that contacts may lose with their identities: features meet now and then.
const RENAMED: f64 = 0.1;
/// Work below this part of its terms is rounding.
const ROUNDING: f64 = 1e-6;

/// Layers before and after the step under judgement, sorted by identity.
#[derive(Debug, Clone, Default)]
pub(super) struct Layers {
    pub(super) after: Vec<Layer>,
    /// Soft contacts of the step under coupled laws, and what they did.
    pub(super) nodes: Vec<Node>,
    pairs: Vec<Taken>,
    /// By pair of shapes, what layers began with and what they store more since their stiffness grew, J.
    begun: Vec<Taken>,
}

/// Work that the layers of a pair of shapes took so far, J, and the sum of its terms' sizes.
#[derive(Debug, Clone, Copy)]
struct Taken {
    shapes: [u32; 2],
    at: usize,
    work: [f64; 2],
}

impl Layers {
    /// Begins a step.
    pub(super) fn begin(&mut self) {
        self.after.clear();
        self.nodes.clear();
        self.pairs.clear();
        self.begun.clear();
    }

    /// Judges a soft contact and remembers it. `before`: all layers at the start of the step.
    pub(super) fn judge(
        &mut self,
        terms: Terms,
        step: &StepView<'_>,
        i: usize,
        contact: &JudgedContact,
        before: &[Layer],
        found: &mut Findings,
    ) {
        let mut change = Change::along_normal(&terms, step, i, contact, before);
        change.along_surface(&terms, step, i, contact);
        self.account(step, i, &mut change, before, terms.thin);
        let was = &change.was;
        if !was.on_edge {
            found.take(Criterion::Deformation, change.tangent.norm() / terms.thin, i);
            found.take(Criterion::Renamed, was.lost / terms.thin - RENAMED, i);
        }
        if terms.local {
            change.judge_law(&terms, step, i, contact, found);
        } else {
            self.nodes.push(change.node(&terms, step, i, contact, self.after.len()));
        }
        let stuck = change.pressed && contact.mode(0.0) == Mode::Stick;
        let stored = 0.5 * contact.p[0].max(0.0) * change.normal.max(0.0) / step.h;
        let k = step.contacts.pair.stiffness[i];
        let Change { normal, tangent, work, pressed, was, is_new, .. } = change;
        let gap = step.contacts.gap[i];
        if is_new && !was.on_edge && gap < 0.0 && stored > 0.0 {
            // ½ k_i δ² where it began, k_i that of the force that it has now.
            let energy = (stored * gap.powi(2) / normal.powi(2)).min(0.5 * k * gap.powi(2));
            add_to(&mut self.begun, &step.contacts, i, [energy, energy]);
        }
        self.after.push(Layer { normal, tangent, work, pressed, stuck, stored, stiffness: k, ..was });
    }

    /// Adds the work that a layer took to that of its pair of shapes, with what it stores more since its area grew, and with the work of those
    /// that are gone. `thin`: width of the thinner body, m.
    fn account(&mut self, step: &StepView<'_>, i: usize, change: &mut Change, before: &[Layer], thin: f64) {
        let contacts = &step.contacts;
        let k = contacts.pair.stiffness[i];
        let grown = if contacts.cell(i) > 0.0 { change.was.grown(k) } else { 0.0 };
        add(&mut change.work, grown);
        if grown != 0.0 {
            add_to(&mut self.begun, contacts, i, [grown, grown]);
        }
        let gone = work_of_gone(before, contacts, i);
        (0..2).for_each(|k| change.work[k] += gone[k]);
        // Rounding of impulses that carry nothing gives no work.
        let dust = k * (NO_DEFORMATION * thin).powi(2);
        add_to(&mut self.pairs, contacts, i, [change.work[0] + dust, change.work[1]]);
    }

    /// Energy that layers of a pair of shapes bring with them where it was in sight already, and that they store more since their nodes' areas
    /// grew, beyond what those had stored that are gone: nothing moved the bodies into it. `created` takes the contact and the energy, J.
    pub(super) fn judge_begun(&self, before: &[Layer], mut created: impl FnMut(usize, f64)) {
        for pair in self.begun.iter().filter(|pair| pair.work[0] > 0.0) {
            let known = &before[range(before, |l| l.key.shapes().cmp(&pair.shapes))];
            let left = before.iter().filter(|l| l.stored > 0.0 && self.heir(l) == Some(pair.shapes));
            let gone = left.map(|l| l.stored).sum::<f64>();
            if !known.is_empty() && pair.work[0] > gone {
                created(pair.at, pair.work[0] - gone);
            }
        }
    }

    /// Shapes whose layers go on with what a layer had stored that is gone: over a seam those of its cell, else its own. None where it is there.
    fn heir(&self, layer: &Layer) -> Option<[u32; 2]> {
        let now = self.after.binary_search_by_key(&layer.key, |now| now.key);
        if now.is_ok_and(|k| self.after[k].on_edge == layer.on_edge) {
            return None;
        }
        let over_seam = self.after.iter().find(|now| is_same_cell(&now.key, &layer.key));
        Some(over_seam.map_or(layer.key.shapes(), |now| now.key.shapes()))
    }

    /// Layers of a pair of shapes give no more work than they took, however they share its stiffness.
    pub(super) fn judge_work(&self, found: &mut Findings) {
        for pair in &self.pairs {
            found.take(Criterion::ForceLaw, given(pair.work), pair.at);
        }
    }

    /// The step is accepted: contacts out of sight relax.
    pub(super) fn commit(&self, h: f64, into: &mut Vec<Layer>) {
        if self.after.is_empty() && into.is_empty() {
            return;
        }
        let unseen = |layer: &Layer| self.after.binary_search_by_key(&layer.key, |l| l.key).is_err();
        into.retain_mut(|layer| {
            let left = layer.tau / (h + layer.tau);
            layer.normal *= left;
            layer.tangent *= left;
            (layer.pressed, layer.stuck) = (false, false);
            if !range(&self.after, |l| l.key.shapes().cmp(&layer.key.shapes())).is_empty() {
                // The layers that are left have taken it over.
                (layer.work, layer.stored) = ([0.0; 2], 0.0);
            }
            unseen(layer) && layer.normal.abs() + layer.tangent.norm() > FORGOTTEN
        });
        into.extend_from_slice(&self.after);
        into.sort_by_key(|layer| layer.key);
    }
}

/// Adds the numbers of contact i to those of its pair of shapes; contacts come sorted by their shapes.
fn add_to(pairs: &mut Vec<Taken>, contacts: &Contacts<'_>, i: usize, work: [f64; 2]) {
    let shapes = contacts.key[i].shapes();
    match pairs.last_mut().filter(|pair| pair.shapes == shapes) {
        Some(pair) => (0..2).for_each(|k| pair.work[k] += work[k]),
        None => pairs.push(Taken { shapes, at: i, work }),
    }
}

/// Part of the terms of a work that is given, not taken: 0 where none is, or rounding.
pub(super) fn given([work, terms]: [f64; 2]) -> f64 {
    if terms > 0.0 { (-work / terms - ROUNDING).max(0.0) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use nalgebra::Vector3;

    use super::*;
    use crate::contact::ContactKey;

    /// A cell of the grid of shape 2 over another shape, that presses on face 4 there.
    fn cell(over: u32, place: u32) -> ContactKey {
        ContactKey { shape_a: over, shape_b: 2, feature_a: 3 << 30 | 1 << 29 | 4, feature_b: place }
    }

    fn layer(key: ContactKey, stored: f64) -> Layer {
        let zero = Vector3::zeros();
        Layer {
            key,
            normal: 1e-3,
            tangent: zero,
            axis: Vector3::z(),
            work: [0.0; 2],
            shared: 1,
            tau: 0.0,
            pressed: true,
            stuck: false,
            lost: 0.0,
            on_edge: false,
            stored,
            stiffness: 1e4,
        }
    }

    /// Energy that the layers of the shapes (1, 2) are told to have created, J, which begin with so much.
    fn created(before: &[(ContactKey, f64)], after: &[(ContactKey, f64)], begun: f64) -> f64 {
        let layers = |list: &[(ContactKey, f64)]| {
            let mut layers: Vec<_> = list.iter().map(|(key, stored)| layer(*key, *stored)).collect();
            layers.sort_by_key(|layer| layer.key);
            layers
        };
        let begun = vec![Taken { shapes: [1, 2], at: 7, work: [begun; 2] }];
        let now = Layers { after: layers(after), begun, ..Layers::default() };
        let mut sum = 0.0;
        now.judge_begun(&layers(before), |at, energy| {
            assert_eq!(at, 7);
            sum += energy;
        });
        sum
    }

    /// A cell that goes over a seam brings what it had stored with it. Nothing else pays for a layer that begins pressed in: no cell that
    /// stays, no cell of another place, no contact that is none of a grid.
    #[test]
    fn only_the_cell_that_crosses_a_seam_pays_for_its_layer() {
        let seen = (cell(1, 9), 0.5);
        let crosses = created(&[(cell(0, 3), 0.2), seen], &[(cell(1, 3), 0.2), seen], 0.2);
        assert_eq!(crosses, 0.0);
        // It begins with more than it had.
        let more = created(&[(cell(0, 3), 0.2), seen], &[(cell(1, 3), 0.3), seen], 0.3);
        assert!((more - 0.1).abs() < 1e-15, "{more}");
        // It is over both sides: what it had it keeps.
        let both = created(&[(cell(0, 3), 0.2), seen], &[(cell(0, 3), 0.2), (cell(1, 3), 0.2), seen], 0.2);
        assert_eq!(both, 0.2);
        let elsewhere = created(&[(cell(0, 4), 0.2), seen], &[(cell(1, 3), 0.2), seen], 0.2);
        assert_eq!(elsewhere, 0.2);
        let single = |over| ContactKey { feature_a: 5, ..cell(over, 3) };
        let no_cell = created(&[(single(0), 0.2), seen], &[(single(1), 0.2), seen], 0.2);
        assert_eq!(no_cell, 0.2);
        // One cell pays once, where two begin.
        let twice = created(&[(cell(0, 3), 0.2), seen], &[(cell(1, 3), 0.2), (cell(1, 4), 0.2), seen], 0.4);
        assert!((twice - 0.2).abs() < 1e-15, "{twice}");
        // A layer of the pair that is gone pays, as before.
        assert_eq!(created(&[(cell(1, 5), 0.2), seen], &[(cell(1, 3), 0.2), seen], 0.2), 0.0);
    }
}
