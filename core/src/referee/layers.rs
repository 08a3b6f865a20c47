//! Visco-elastic layers: what the referee remembers of their deformation, and the law they are held to.
//!
//! The deformed surfaces of a pressed contact touch, so δ_n⁺ = −(ψ + h ν_n⁺); along the tangents δ_t⁺ = δ_t + h σ with σ the slip
//! rate that the stepper tells. Then λ = k δ⁺ + c (δ⁺ − δ)/h and p = h λ, with k, c the pair's (tangents: times the ratio), divided
//! among at most as many contacts as the pair of shapes has. Where the layers of a patch are coupled no contact has a law of its
//! own; then the layers must not give more work than they took.

use super::contacts::{Seen, nan_max};
use super::findings::{Criterion, Findings};
use crate::contact::{ContactKey, Contacts};
use crate::stage::StepView;
use nalgebra::Vector3;

/// What is remembered of one contact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Layer {
    key: ContactKey,
    /// δ_n, m.
    normal: f64,
    /// δ_t, world axes, m.
    tangent: Vector3<f64>,
    /// Work that the tangents of the layer took so far, J, and the sum of its terms' sizes.
    work: [f64; 2],
    /// Most contacts that the pair of shapes had.
    shared: u32,
    /// c/k, s.
    tau: f64,
}

/// Numbers per layer in a file.
pub(super) const NUMBERS: usize = 12;

impl Layer {
    /// The layer as numbers.
    pub(super) fn numbers(&self) -> [f64; NUMBERS] {
        let (t, w) = (&self.tangent, &self.work);
        let own = [self.normal, t.x, t.y, t.z, w[0], w[1], f64::from(self.shared), self.tau];
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
            work: [n[8], n[9]],
            shared: n[10] as u32,
            tau: n[11],
        })
    }
}

/// Deformation below which a contact out of sight is forgotten, m.
const FORGOTTEN: f64 = 1e-15;
/// Work below this part of its terms is rounding.
const ROUNDING: f64 = 1e-6;

/// Layers before and after the step under judgement, sorted by identity.
#[derive(Debug, Clone, Default)]
pub(super) struct Layers {
    pub(super) after: Vec<Layer>,
}

impl Layers {
    /// Begins a step.
    pub(super) fn begin(&mut self) {
        self.after.clear();
    }

    /// Judges a soft contact and remembers it. `before`: all layers at the start of the step.
    pub(super) fn judge(
        &mut self,
        (ratio, local): (f64, bool),
        step: &StepView<'_>,
        i: usize,
        seen: &Seen,
        before: &[Layer],
        found: &mut Findings,
    ) {
        let (contacts, h) = (&step.contacts, step.h);
        let (k, c) = (contacts.stiffness[i], contacts.damping[i]);
        let was = recall(before, contacts, i);
        let open = -(contacts.gap[i] + h * seen.rate[0].after);
        let rest = was.tau / (h + was.tau) * was.normal;
        let normal = if seen.p[0] > 0.0 { open } else { rest.max(open) };
        let force = k * normal + c * (normal - was.normal) / h;
        let share = 1.0 / f64::from(was.shared.max(1));
        let mut own = Vector3::zeros();
        let mut worst = off(seen.p[0], h * force.max(0.0), share);
        let mut work = was.work;
        for t in 0..contacts.n_t {
            let axis = vector(contacts.tangent, i * contacts.n_t + t);
            let rate = seen.slip[t] - seen.rate[1 + t].after;
            let after = was.tangent.dot(&axis) + h * rate;
            own += after * axis;
            worst = nan_max(worst, off(seen.p[1 + t], ratio * h * (k * after + c * rate), share));
            work[0] += seen.p[1 + t] * rate;
            work[1] += (seen.p[1 + t] * rate).abs();
        }
        if local {
            found.take(Criterion::ForceLaw, worst * seen.weight, i);
        } else if work[1] > 0.0 {
            found.take(Criterion::ForceLaw, (-work[0] / work[1] - ROUNDING).max(0.0), i);
            found.take(Criterion::Approach, self.too_deep(seen, h, k, normal), i);
        }
        self.after.push(Layer { normal, tangent: own, work, ..was });
    }

    /// Coupled layers: a contact without an impulse must not stay deep.
    fn too_deep(&self, seen: &Seen, h: f64, k: f64, normal: f64) -> f64 {
        if seen.p[0] > 0.0 {
            0.0
        } else {
            h * k * normal.max(0.0) * seen.weight * f64::from(u8::from(seen.rate[0].after < 0.0))
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
            unseen(layer) && layer.normal.abs() + layer.tangent.norm() > FORGOTTEN
        });
        into.extend_from_slice(&self.after);
        into.sort_by_key(|layer| layer.key);
    }
}

/// δ at the start of the step; a contact that begins closed begins where its surfaces just touch.
fn recall(before: &[Layer], contacts: &Contacts<'_>, i: usize) -> Layer {
    let key = contacts.key[i];
    let pair = |k: &&ContactKey| (k.shape_a, k.shape_b) == (key.shape_a, key.shape_b);
    let now = contacts.key.iter().filter(pair).count() as u32;
    let normal = vector(contacts.normal, i);
    match before.binary_search_by_key(&key, |layer| layer.key) {
        Ok(at) => {
            let was = before[at];
            let tangent = was.tangent - was.tangent.dot(&normal) * normal;
            let turned = tangent.norm();
            let kept = if turned > 0.0 { tangent * (was.tangent.norm() / turned) } else { tangent };
            Layer { tangent: kept, shared: was.shared.max(now), ..was }
        }
        Err(_) => Layer {
            key,
            normal: (-contacts.gap[i]).max(0.0),
            tangent: Vector3::zeros(),
            work: [0.0; 2],
            shared: now,
            tau: contacts.damping[i] / contacts.stiffness[i],
        },
    }
}

/// Distance of p to the interval between share · whole and whole.
fn off(p: f64, whole: f64, share: f64) -> f64 {
    let (low, high) = (whole.min(share * whole), whole.max(share * whole));
    nan_max(nan_max(low - p, p - high), 0.0)
}

fn vector(list: &[f64], i: usize) -> Vector3<f64> {
    Vector3::new(list[3 * i], list[3 * i + 1], list[3 * i + 2])
}
