//! Memory of the visco-elastic layer of one contact, and what a layer begins a step with.

use std::cmp::Ordering;
use std::ops::Range;

use nalgebra::Vector3;

use crate::contact::{ContactKey, Contacts, transport};
use crate::lists::at;

/// Memory of one contact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Layer {
    pub(super) key: ContactKey,
    /// δ_n, m.
    pub(super) normal: f64,
    /// δ_t, world axes, m; orthogonal to the normal it was written at.
    pub(super) tangent: Vector3<f64>,
    /// The normal that `tangent` is orthogonal to.
    pub(super) axis: Vector3<f64>,
    /// Work that the layer took so far, J, and the sum of its terms' sizes.
    pub(super) work: [f64; 2],
    /// Most contacts that the pair of shapes had.
    pub(super) shared: u32,
    /// c/k, s.
    pub(super) tau: f64,
    /// True if it carried an impulse: then δ_n is known.
    pub(super) pressed: bool,
    /// True if its surface stuck.
    pub(super) stuck: bool,
    /// Deformation along the surface that layers of contacts before it lost with their identities while they stuck, m.
    pub(super) lost: f64,
    /// True if nodes of an edge stood in its place: their deformations are not its own.
    pub(super) on_edge: bool,
    /// ½ p_n δ_n/h, what it stored where it pressed, J.
    pub(super) stored: f64,
    /// Its stiffness then, N/m: that of a node changes with the area that the side sees of its cell.
    pub(super) stiffness: f64,
}

/// Numbers per layer in a file.
pub(super) const NUMBERS: usize = 21;

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
            self.stiffness,
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
            stiffness: n[20],
        })
    }

    /// Energy that it stores more where its stiffness has become k, at the same deformation, J: nothing moved the bodies for it.
    pub(super) fn grown(&self, k: f64) -> f64 {
        if self.stored > 0.0 && self.stiffness.is_finite() {
            self.stored * (k / self.stiffness - 1.0)
        } else {
            0.0
        }
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

/// δ at the start of the step. A contact that carried no impulse begins no farther apart than its surfaces touch, δ_n ≥ −ψ. All
/// share the stiffness of their pair with as many as any of them did. Where an edge has become one contact, or one contact an edge, the
/// deformations of before are those of other nodes: it begins anew. True beside a layer that begins with this step.
pub(super) fn recall(before: &[Layer], contacts: &Contacts<'_>, i: usize, on_edge: bool) -> (Layer, bool) {
    let key = contacts.key[i];
    // Both lists are sorted by shapes. Also a contact that comes back has the share of those that were there meanwhile.
    let pair = |k: &ContactKey| k.shapes().cmp(&key.shapes());
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
            (layer, false)
        }
        _ => {
            let layer = Layer {
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
                stiffness: k,
            };
            (layer, true)
        }
    }
}

/// Returns true if a planar contact is one of two of its pair of shapes with one normal: an edge that may have more nodes.
pub(super) fn is_on_edge(contacts: &Contacts<'_>, i: usize) -> bool {
    let own = contacts.key[i].shapes();
    let same = range(contacts.key, |k| k.shapes().cmp(&own)).filter(|j| contacts.same_normal(i, *j));
    same.count() == 2
}

/// Work that layers took which are out of sight now, less what they had stored, for the first contact of their pair of shapes: the others go on with it.
pub(super) fn work_of_gone(before: &[Layer], contacts: &Contacts<'_>, i: usize) -> [f64; 2] {
    let own = contacts.key[i].shapes();
    if i > 0 && contacts.key[i - 1].shapes() == own {
        return [0.0; 2];
    }
    let known = &before[range(before, |l| l.key.shapes().cmp(&own))];
    let gone = known.iter().filter(|l| contacts.key.binary_search(&l.key).is_err());
    gone.fold([0.0; 2], |sum, l| [sum[0] + l.work[0] - l.stored, sum[1] + l.work[1]])
}

/// Deformation along the surface that sticking layers of a pair of shapes have just lost, m: their contacts are gone, where others come.
fn lost(known: &[Layer], contacts: &Contacts<'_>) -> f64 {
    let gone = known.iter().filter(|l| l.stuck && contacts.key.binary_search(&l.key).is_err());
    gone.map(|l| l.lost + l.tangent.norm()).fold(0.0, f64::max)
}

/// Range of a sorted list in which the comparison says equal.
pub(super) fn range<T>(list: &[T], compare: impl Fn(&T) -> Ordering) -> Range<usize> {
    list.partition_point(|x| compare(x).is_lt())..list.partition_point(|x| compare(x).is_le())
}

/// Adds a term to a sum and to the sum of its terms' sizes.
pub(super) fn add(sum: &mut [f64; 2], term: f64) {
    sum[0] += term;
    sum[1] += term.abs();
}

#[cfg(test)]
mod tests {
    use super::*;

    fn planted() -> Layer {
        Layer {
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
            stiffness: 2e4,
        }
    }

    /// From the normal z to (.6, 0, .8): x becomes (.8, 0, −.6) and y stays. (A projection of x + y points elsewhere.)
    #[test]
    fn deformations_turn_by_the_smallest_rotation() {
        let layer = planted();
        let turned = layer.turned_to(Vector3::new(0.6, 0.0, 0.8));
        assert!((turned.tangent - Vector3::new(8e-4, 1e-3, -6e-4)).norm() < 1e-18, "{turned:?}");
        assert_eq!((turned.normal, turned.axis), (1e-3, Vector3::new(0.6, 0.0, 0.8)));
        assert_eq!(turned.turned_to(turned.axis), turned);
        assert_eq!(Layer::of_numbers(&turned.numbers()), Some(turned));
    }

    /// Twice the stiffness at one deformation is twice the energy; a layer that was not pressed, or had no stiffness, stored none.
    #[test]
    fn a_layer_whose_area_grows_stores_more() {
        let layer = |stored: f64, stiffness: f64| Layer { stored, stiffness, ..planted() };
        assert_eq!(layer(3e-5, 2e4).grown(4e4), 3e-5);
        assert_eq!(layer(3e-5, 2e4).grown(1e4), -1.5e-5);
        assert_eq!(layer(0.0, 2e4).grown(4e4), 0.0);
        assert_eq!(layer(3e-5, f64::INFINITY).grown(4e4), 0.0);
    }
}
