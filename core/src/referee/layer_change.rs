//! A layer over a step: its deformation and work, and how far its impulses are from the law.

use nalgebra::Vector3;

use super::contacts::{beside, nan_max};
use super::findings::{Criterion, Findings};
use super::judged_contact::JudgedContact;
use super::layer::{Layer, add, is_on_edge, recall};
use crate::lists::at;
use crate::stage::StepView;

/// Part of the thinner body's width that is no deformation: steppers forget what has relaxed to nothing.
pub(super) const NO_DEFORMATION: f64 = 1e-9;

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

impl Node {
    /// Width of the thinner body, m.
    pub(super) fn thin(&self) -> f64 {
        self.noise / NO_DEFORMATION
    }
}

/// A layer over a step.
pub(super) struct Change {
    /// At its start, and true if it begins with this step.
    pub(super) was: Layer,
    pub(super) is_new: bool,
    /// −(ψ + h ν_n⁺), m: its deformation where it touches.
    pub(super) open: f64,
    pub(super) pressed: bool,
    /// δ at the end, m; along the surface in world axes, with its rate, m/s.
    pub(super) normal: f64,
    pub(super) tangent: Vector3<f64>,
    pub(super) rates: Vector3<f64>,
    /// Impulse along the surface, world axes, N s.
    pub(super) p_t: Vector3<f64>,
    /// Work that it took so far, J, and the sum of its terms' sizes.
    pub(super) work: [f64; 2],
    /// Part of the work of this step that counts: 1 or 0.
    pub(super) taken: f64,
    /// Least part of its stiffness that it has.
    pub(super) share: f64,
    /// Largest distance of an impulse from the law so far, and the sizes of what stands in it, N s.
    pub(super) worst: f64,
    pub(super) terms: f64,
}

impl Change {
    /// The layer over a step, along the normal so far.
    pub(super) fn along_normal(
        Terms { nodes, thin, .. }: &Terms,
        step: &StepView<'_>,
        i: usize,
        contact: &JudgedContact,
        before: &[Layer],
    ) -> Self {
        let (contacts, h) = (&step.contacts, step.h);
        let (k, c) = (contacts.pair.stiffness[i], contacts.pair.damping[i]);
        let on_edge = *nodes > 1 && contacts.n_t == 1 && is_on_edge(contacts, i);
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
        let share = if contacts.cell(i) > 0.0 { 1.0 } else { 1.0 / f64::from(was.shared.max(*nodes)) };
        let worst = off(contact.p[0], h * force.max(0.0), share);
        let mut work = was.work;
        // Nodes of an edge have accounts of their own: their forces do not work along the deformation of its ends.
        let taken = f64::from(u8::from(pressed && !was.on_edge));
        add(&mut work, taken * contact.p[0] * (normal - was.normal) / h);
        let [tangent, rates, p_t] = [Vector3::zeros(); 3];
        Self { was, is_new, open, pressed, normal, tangent, rates, p_t, work, taken, share, worst, terms }
    }

    /// Adds the change along the surface.
    pub(super) fn along_surface(
        &mut self,
        terms: &Terms,
        step: &StepView<'_>,
        i: usize,
        contact: &JudgedContact,
    ) {
        let (contacts, h) = (&step.contacts, step.h);
        let (k, c) = (contacts.pair.stiffness[i], contacts.pair.damping[i]);
        for t in 0..contacts.n_t {
            let axis = at(contacts.tangent, i * contacts.n_t + t);
            let rate = contact.slip[t] - contact.rate[1 + t].after;
            let after = self.was.tangent.dot(&axis) + h * rate;
            self.tangent += after * axis;
            self.rates += rate * axis;
            self.p_t += contact.p[1 + t] * axis;
            let force = terms.ratio * h * (k * after + c * rate);
            self.worst = nan_max(self.worst, off(contact.p[1 + t], force, self.share));
            add(&mut self.work, self.taken * contact.p[1 + t] * rate);
        }
    }

    /// Holds the impulses of a layer that knows nothing of others against its law.
    pub(super) fn judge_law(
        &self,
        terms: &Terms,
        step: &StepView<'_>,
        i: usize,
        contact: &JudgedContact,
        found: &mut Findings,
    ) {
        let k = step.contacts.pair.stiffness[i];
        let worst = nan_max(self.worst - step.h * k * NO_DEFORMATION * terms.thin, 0.0);
        found.take(Criterion::ForceLaw, beside(worst, self.terms, contact.weight), i);
        if self.pressed {
            // What presses touches: its surfaces are deformed, not apart.
            let (apart, scale) = (-self.open / step.h, contact.rate[0].scale.max(f64::MIN_POSITIVE));
            let press = (contact.p[0] * contact.rate[0].weight).min(1.0);
            found.take(Criterion::Distance, (apart / scale).min(press).max(0.0), i);
        }
    }

    /// The contact as a node under a law of all; `layer`: its place among the layers.
    pub(super) fn node(
        &self,
        terms: &Terms,
        step: &StepView<'_>,
        i: usize,
        contact: &JudgedContact,
        layer: usize,
    ) -> Node {
        let (h, tau, open, was) = (step.h, self.was.tau, self.open, self.was.normal);
        Node {
            at: i,
            layer,
            pressed: self.pressed,
            open,
            was,
            e_n: open + tau * (open - was) / h,
            moves: h * contact.rate[1].after,
            e_t: self.tangent + tau * self.rates,
            p_n: contact.p[0],
            p_t: self.p_t,
            tau,
            share: self.share,
            weight: contact.weight,
            noise: NO_DEFORMATION * terms.thin,
        }
    }
}

/// Distance of p to the interval between share · whole and whole.
fn off(p: f64, whole: f64, share: f64) -> f64 {
    let (low, high) = (whole.min(share * whole), whole.max(share * whole));
    nan_max(nan_max(low - p, p - high), 0.0)
}
