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
use super::mode::Mode;
use crate::contact::{ContactKey, Contacts, transport};
use crate::lists::at;
use crate::stage::StepView;
use nalgebra::Vector3;
use std::cmp::Ordering;
use std::ops::Range;

/// Memory of one contact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Layer {
    key: ContactKey,
    /// δ_n, m.
    pub(super) normal: f64,
    /// δ_t, world axes, m; orthogonal to the normal it was written at.
    tangent: Vector3<f64>,
    /// The normal that `tangent` is orthogonal to.
    axis: Vector3<f64>,
    /// Work that the layer took so far, J, and the sum of its terms' sizes.
    work: [f64; 2],
    /// Most contacts that the pair of shapes had.
    shared: u32,
    /// c/k, s.
    tau: f64,
    /// True if it carried an impulse: then δ_n is known.
    pressed: bool,
    /// True if its surface stuck.
    stuck: bool,
    /// Deformation along the surface that layers of contacts before it lost with their identities while they stuck, m.
    lost: f64,
    /// True if nodes of an edge stood in its place: their deformations are not its own.
    on_edge: bool,
    /// ½ p_n δ_n/h, what it stored where it pressed, J.
    stored: f64,
    /// True if it begins with this step.
    is_new: bool,
}

/// Numbers per layer in a file.
pub(super) const NUMBERS: usize = 20;

impl Layer {
    /// The layer as numbers.
    pub(super) fn numbers(&self) -> [f64; NUMBERS] {
        let (t, n, w) = (&self.tangent, &self.axis, &self.work);
        let own = [
            self.normal,
            t.x,
            t.y,
            t.z,
            n.x,
            n.y,
            n.z,
            w[0],
            w[1],
            f64::from(self.shared),
            self.tau,
            f64::from(u8::from(self.pressed)),
            f64::from(u8::from(self.stuck)),
            self.lost,
            f64::from(u8::from(self.on_edge)),
            self.stored,
        ];
        let mut out = [0.0; NUMBERS];
        out[..4].copy_from_slice(&self.key.numbers());
        out[4..].copy_from_slice(&own);
        out
    }

    /// The reverse.
    pub(super) fn of_numbers(n: &[f64]) -> Option<Self> {
        let n: &[f64; NUMBERS] = n.try_into().ok()?;
        Some(Self {
            key: ContactKey::of_numbers([n[0], n[1], n[2], n[3]]),
            normal: n[4],
            tangent: Vector3::new(n[5], n[6], n[7]),
            axis: Vector3::new(n[8], n[9], n[10]),
            work: [n[11], n[12]],
            shared: n[13] as u32,
            tau: n[14],
            pressed: n[15] != 0.0,
            stuck: n[16] != 0.0,
            lost: n[17],
            on_edge: n[18] != 0.0,
            stored: n[19],
            is_new: false,
        })
    }

    /// The layer at the normal of now: δ_t is carried by the smallest rotation between the two, as tangents are.
    fn turned_to(self, axis: Vector3<f64>) -> Self {
        let size = self.tangent.norm();
        if size == 0.0 || self.axis == axis {
            return Self { axis, ..self };
        }
        Self { tangent: transport(&(self.tangent / size), &self.axis, &axis) * size, axis, ..self }
    }
}

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
    /// By pair of shapes, what layers began with, J.
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
        let was = recall(before, contacts, i, nodes > 1 && contacts.n_t == 1 && is_on_edge(contacts, i));
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
        if was.is_new && !was.on_edge && contacts.gap[i] < 0.0 && stored > 0.0 {
            // ½ k_i δ² where it began, k_i that of the force that it has now.
            let deep = contacts.gap[i].powi(2);
            let energy = (stored * deep / normal.powi(2)).min(0.5 * k * deep);
            add_to(&mut self.begun, contacts, i, [energy, energy]);
        }
        self.after.push(Layer { normal, tangent: own, work, pressed, stuck, stored, is_new: false, ..was });
    }

    /// Energy that layers of a pair of shapes bring with them where it was in sight already, beyond what those had stored that are gone: nothing
    /// moved the bodies into it. `created` takes the contact and the energy, J.
    pub(super) fn judge_begun(&self, before: &[Layer], mut created: impl FnMut(usize, f64)) {
        for pair in self.begun.iter().filter(|pair| pair.work[0] > 0.0) {
            let known = &before[range(before, |l| [l.key.shape_a, l.key.shape_b].cmp(&pair.shapes))];
            let goes_on = |l: &Layer| {
                let now = self.after.binary_search_by_key(&l.key, |now| now.key);
                now.is_ok_and(|k| self.after[k].on_edge == l.on_edge)
            };
            let gone = known.iter().filter(|l| !goes_on(l)).map(|l| l.stored).sum::<f64>();
            if !known.is_empty() && pair.work[0] > gone {
                created(pair.at, pair.work[0] - gone);
            }
        }
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
        let pair = |l: &Layer| [l.key.shape_a, l.key.shape_b];
        let unseen = |layer: &Layer| self.after.binary_search_by_key(&layer.key, |l| l.key).is_err();
        into.retain_mut(|layer| {
            let left = layer.tau / (h + layer.tau);
            layer.normal *= left;
            layer.tangent *= left;
            (layer.pressed, layer.stuck) = (false, false);
            if !range(&self.after, |l| pair(l).cmp(&pair(layer))).is_empty() {
                // The layers that are left have taken it over.
                (layer.work, layer.stored) = ([0.0; 2], 0.0);
            }
            unseen(layer) && layer.normal.abs() + layer.tangent.norm() > FORGOTTEN
        });
        into.extend_from_slice(&self.after);
        into.sort_by_key(|layer| layer.key);
    }
}

/// δ at the start of the step. A contact that carried no impulse begins no farther apart than its surfaces touch, δ_n ≥ −ψ. All
/// share the stiffness of their pair with as many as any of them did. Where an edge has become one contact, or one contact an edge, the
/// deformations of before are those of other nodes: it begins anew.
fn recall(before: &[Layer], contacts: &Contacts<'_>, i: usize, on_edge: bool) -> Layer {
    let key = contacts.key[i];
    // Both lists are sorted by shapes. Also a contact that comes back has the share of those that were there meanwhile.
    let pair = |k: &ContactKey| [k.shape_a, k.shape_b].cmp(&[key.shape_a, key.shape_b]);
    let now = range(contacts.key, pair).len() as u32;
    let known = &before[range(before, |l| pair(&l.key))];
    let shared = known.iter().fold(now, |most, l| most.max(l.shared));
    let (normal, k) = (at(contacts.normal, i), contacts.pair.stiffness[i]);
    match before.binary_search_by_key(&key, |layer| layer.key) {
        Ok(place) if before[place].on_edge == on_edge => {
            let was = before[place].turned_to(normal);
            let closed = if was.pressed { f64::NEG_INFINITY } else { (-contacts.gap[i]).max(0.0) };
            let mut layer = Layer { normal: was.normal.max(closed), shared, ..was };
            if !on_edge {
                add(&mut layer.work, 0.5 * k * (layer.normal.powi(2) - was.normal.powi(2)));
            }
            layer
        }
        _ => Layer {
            key,
            normal: (-contacts.gap[i]).max(0.0),
            tangent: Vector3::zeros(),
            axis: normal,
            work: if on_edge { [0.0; 2] } else { [0.5 * k * contacts.gap[i].min(0.0).powi(2); 2] },
            shared,
            tau: contacts.pair.damping[i] / contacts.pair.stiffness[i],
            pressed: false,
            stuck: false,
            lost: lost(known, contacts),
            on_edge,
            stored: 0.0,
            is_new: true,
        },
    }
}

/// Returns true if a planar contact is one of two of its pair of shapes with one normal: an edge that may have more nodes.
fn is_on_edge(contacts: &Contacts<'_>, i: usize) -> bool {
    let shapes = |k: &ContactKey| [k.shape_a, k.shape_b];
    let own = shapes(&contacts.key[i]);
    let same = range(contacts.key, |k| shapes(k).cmp(&own)).filter(|j| contacts.same_normal(i, *j));
    same.count() == 2
}

/// Work that layers took which are out of sight now, less what they had stored, for the first contact of their pair of shapes: the others go on with it.
fn work_of_gone(before: &[Layer], contacts: &Contacts<'_>, i: usize) -> [f64; 2] {
    let shapes = |k: &ContactKey| [k.shape_a, k.shape_b];
    let own = shapes(&contacts.key[i]);
    if i > 0 && shapes(&contacts.key[i - 1]) == own {
        return [0.0; 2];
    }
    let known = &before[range(before, |l| shapes(&l.key).cmp(&own))];
    let gone = known.iter().filter(|l| contacts.key.binary_search(&l.key).is_err());
    gone.fold([0.0; 2], |sum, l| [sum[0] + l.work[0] - l.stored, sum[1] + l.work[1]])
}

/// Deformation along the surface that sticking layers of a pair of shapes have just lost, m: their contacts are gone, where others come.
fn lost(known: &[Layer], contacts: &Contacts<'_>) -> f64 {
    let gone = known.iter().filter(|l| l.stuck && contacts.key.binary_search(&l.key).is_err());
    gone.map(|l| l.lost + l.tangent.norm()).fold(0.0, f64::max)
}

/// Range of a sorted list in which the comparison says equal.
fn range<T>(list: &[T], compare: impl Fn(&T) -> Ordering) -> Range<usize> {
    list.partition_point(|x| compare(x).is_lt())..list.partition_point(|x| compare(x).is_le())
}

/// Adds the numbers of contact i to those of its pair of shapes; contacts come sorted by their shapes.
fn add_to(pairs: &mut Vec<Taken>, contacts: &Contacts<'_>, i: usize, work: [f64; 2]) {
    let shapes = [contacts.key[i].shape_a, contacts.key[i].shape_b];
    match pairs.last_mut().filter(|pair| pair.shapes == shapes) {
        Some(pair) => (0..2).for_each(|k| pair.work[k] += work[k]),
        None => pairs.push(Taken { shapes, at: i, work }),
    }
}

/// Part of the terms of a work that is given, not taken: 0 where none is, or rounding.
pub(super) fn given([work, terms]: [f64; 2]) -> f64 {
    if terms > 0.0 { (-work / terms - ROUNDING).max(0.0) } else { 0.0 }
}

/// Adds a term to a sum and to the sum of its terms' sizes.
pub(super) fn add(sum: &mut [f64; 2], term: f64) {
    sum[0] += term;
    sum[1] += term.abs();
}

/// Distance of p to the interval between share · whole and whole.
fn off(p: f64, whole: f64, share: f64) -> f64 {
    let (low, high) = (whole.min(share * whole), whole.max(share * whole));
    nan_max(nan_max(low - p, p - high), 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From the normal z to (.6, 0, .8): x becomes (.8, 0, −.6) and y stays. (A projection of x + y points elsewhere.)
    #[test]
    fn deformations_turn_by_the_smallest_rotation() {
        let layer = Layer {
            key: ContactKey::default(),
            normal: 1e-3,
            tangent: Vector3::new(1e-3, 1e-3, 0.0),
            axis: Vector3::z(),
            work: [0.0; 2],
            shared: 1,
            tau: 0.0,
            pressed: true,
            stuck: true,
            lost: 2e-4,
            on_edge: true,
            stored: 3e-5,
            is_new: false,
        };
        let turned = layer.turned_to(Vector3::new(0.6, 0.0, 0.8));
        assert!((turned.tangent - Vector3::new(8e-4, 1e-3, -6e-4)).norm() < 1e-18, "{turned:?}");
        assert_eq!((turned.normal, turned.axis), (1e-3, Vector3::new(0.6, 0.0, 0.8)));
        assert_eq!(turned.turned_to(turned.axis), turned);
        assert_eq!(Layer::of_numbers(&turned.numbers()), Some(turned));
    }
}
