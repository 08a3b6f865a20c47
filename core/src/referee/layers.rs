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

use super::contacts::{beside, nan_max};
use super::findings::{Criterion, Findings};
use super::judged_contact::JudgedContact;
use super::layer::{Layer, add, is_on_edge, range, recall, work_of_gone};
use super::mode::Mode;
use crate::contact::Contacts;
use crate::geometry::is_same_cell;
use crate::lists::at;
use crate::stage::StepView;
use nalgebra::Vector3;

/// Deformation below which a contact out of sight is forgotten, m.
const FORGOTTEN: f64 = 1e-15;
/// Part of the thinner body's width that is no deformation: steppers forget what has relaxed to nothing.
const NO_DEFORMATION: f64 = 1e-9;
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

/// The law of soft contacts, and the width of the thinner body, m.
#[derive(Debug, Clone, Copy)]
pub(super) struct Terms {
    pub(super) ratio: f64,
    pub(super) local: bool,
    pub(super) nodes: u32,
    pub(super) thin: f64,
}

/// A soft contact under a coupled law: what its layer would have to be, if it was pressed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Node {
    /// The contact, and its place among the layers.
    pub(super) at: usize,
    pub(super) layer: usize,
    pub(super) pressed: bool,
    /// −(ψ + h ν_n⁺), m, δ_n before the step, and e_n = δ_n⁺ + τ (δ_n⁺ − δ_n)/h of the first.
    pub(super) open: f64,
    pub(super) was: f64,
    pub(super) e_n: f64,
    /// h ν_t⁺ along the first tangent, m.
    pub(super) moves: f64,
    /// e_t, world, m.
    pub(super) e_t: Vector3<f64>,
    /// Impulses, N s; along the surface in world axes.
    pub(super) p_n: f64,
    pub(super) p_t: Vector3<f64>,
    pub(super) tau: f64,
    /// Least part of the pair's stiffness it has.
    pub(super) share: f64,
    /// 1/(N s), and of the noise of a deformation, m.
    pub(super) weight: f64,
    pub(super) noise: f64,
}

/// Work that the layers of a pair of shapes took so far, J, and the sum of its terms' sizes.
#[derive(Debug, Clone, Copy)]
struct Taken {
    shapes: [u32; 2],
    at: usize,
    work: [f64; 2],
}

impl Node {
    /// Width of the thinner body, m.
    pub(super) fn thin(&self) -> f64 {
        self.noise / NO_DEFORMATION
    }
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
        Terms { ratio, local, nodes, thin }: Terms,
        step: &StepView<'_>,
        i: usize,
        contact: &JudgedContact,
        before: &[Layer],
        found: &mut Findings,
    ) {
        let (contacts, h) = (&step.contacts, step.h);
        let (k, c) = (contacts.pair.stiffness[i], contacts.pair.damping[i]);
        let on_edge = nodes > 1 && contacts.n_t == 1 && is_on_edge(contacts, i);
        let (was, is_new) = recall(before, contacts, i, on_edge);
        let open = -(contacts.gap[i] + h * contact.rate[0].after);
        let rest = was.tau / (h + was.tau) * was.normal;
        // Rounding of an impulse at a distance touches nothing. Between prescribed sides only the layer says how much that is.
        let carries = contact.is_pressed() && (contact.felt || contact.p[0] > h * k * NO_DEFORMATION * thin);
        let pressed = contact.p[0] > 0.0 && (open >= 0.0 || carries);
        let normal = if pressed { open } else { rest.max(open) };
        let force = k * normal + c * (normal - was.normal) / h;
        // Both terms may cancel: the sizes of each count.
        let terms = h * k * normal.abs() + c * (normal - was.normal).abs();
        let share = if contacts.cell(i) > 0.0 { 1.0 } else { 1.0 / f64::from(was.shared.max(nodes)) };
        let [mut own, mut rates, mut p_t] = [Vector3::zeros(); 3];
        let mut worst = off(contact.p[0], h * force.max(0.0), share);
        let mut work = was.work;
        // Nodes of an edge have accounts of their own: their forces do not work along the deformation of its ends.
        let taken = f64::from(u8::from(pressed && !was.on_edge));
        add(&mut work, taken * contact.p[0] * (normal - was.normal) / h);
        for t in 0..contacts.n_t {
            let axis = at(contacts.tangent, i * contacts.n_t + t);
            let rate = contact.slip[t] - contact.rate[1 + t].after;
            let after = was.tangent.dot(&axis) + h * rate;
            own += after * axis;
            rates += rate * axis;
            p_t += contact.p[1 + t] * axis;
            worst = nan_max(worst, off(contact.p[1 + t], ratio * h * (k * after + c * rate), share));
            add(&mut work, taken * contact.p[1 + t] * rate);
        }
        let grown = if contacts.cell(i) > 0.0 { was.grown(k) } else { 0.0 };
        add(&mut work, grown);
        if grown != 0.0 {
            add_to(&mut self.begun, contacts, i, [grown, grown]);
        }
        let gone = work_of_gone(before, contacts, i);
        (0..2).for_each(|k| work[k] += gone[k]);
        // Rounding of impulses that carry nothing gives no work.
        let dust = k * (NO_DEFORMATION * thin).powi(2);
        add_to(&mut self.pairs, contacts, i, [work[0] + dust, work[1]]);
        if !was.on_edge {
            found.take(Criterion::Deformation, own.norm() / thin, i);
            found.take(Criterion::Renamed, was.lost / thin - RENAMED, i);
        }
        if local {
            let worst = nan_max(worst - h * k * NO_DEFORMATION * thin, 0.0);
            found.take(Criterion::ForceLaw, beside(worst, terms, contact.weight), i);
            if pressed {
                // What presses touches: its surfaces are deformed, not apart.
                let (apart, scale) = (-open / h, contact.rate[0].scale.max(f64::MIN_POSITIVE));
                let press = (contact.p[0] * contact.rate[0].weight).min(1.0);
                found.take(Criterion::Distance, (apart / scale).min(press).max(0.0), i);
            }
        } else {
            let (tau, weight, noise) = (was.tau, contact.weight, NO_DEFORMATION * thin);
            let e_n = open + tau * (open - was.normal) / h;
            let (e_t, p_n) = (own + tau * rates, contact.p[0]);
            let (layer, was) = (self.after.len(), was.normal);
            let moves = h * contact.rate[1].after;
            let node = Node {
                at: i,
                layer,
                pressed,
                open,
                was,
                e_n,
                moves,
                e_t,
                p_n,
                p_t,
                tau,
                share,
                weight,
                noise,
            };
            self.nodes.push(node);
        }
        let stuck = pressed && contact.mode(0.0) == Mode::Stick;
        let stored = 0.5 * contact.p[0].max(0.0) * normal.max(0.0) / h;
        if is_new && !was.on_edge && contacts.gap[i] < 0.0 && stored > 0.0 {
            // ½ k_i δ² where it began, k_i that of the force that it has now.
            let deep = contacts.gap[i].powi(2);
            let energy = (stored * deep / normal.powi(2)).min(0.5 * k * deep);
            add_to(&mut self.begun, contacts, i, [energy, energy]);
        }
        self.after.push(Layer { normal, tangent: own, work, pressed, stuck, stored, stiffness: k, ..was });
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

/// Distance of p to the interval between share · whole and whole.
fn off(p: f64, whole: f64, share: f64) -> f64 {
    let (low, high) = (whole.min(share * whole), whole.max(share * whole));
    nan_max(nan_max(low - p, p - high), 0.0)
}

#[cfg(test)]
mod tests {
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
