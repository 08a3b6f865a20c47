//! OR groups: contacts of which one open is enough. That is a word of the detector, and it takes contacts away.

use super::{DetectorCheck, DetectorReport};
use crate::contact::RawContacts;
use crate::lists::at;

/// Difference of unit normals below which they are one. Edges of two shapes that lie flat on each other count as one up to this.
const SAME: f64 = 1e-9;

impl DetectorCheck {
    /// Contacts of a group are of one pair of shapes, and no two of them have the same normal.
    pub(super) fn judge_groups(&self, raw: &RawContacts<'_>, report: &mut DetectorReport) {
        let mut members: Vec<(u32, usize)> =
            raw.group.iter().enumerate().filter(|(_, g)| **g != 0).map(|(i, g)| (*g, i)).collect();
        members.sort_unstable();
        for group in members.chunk_by(|a, b| a.0 == b.0) {
            for (k, &(_, i)) in group.iter().enumerate() {
                let is_none = |&(_, j): &(u32, usize)| !self.are_alternatives(raw, [i, j]);
                report.grouped.offer(f64::from(u8::from(group[..k].iter().any(is_none))), i);
            }
        }
    }

    /// Returns true if one of two contacts of the same shapes may be a way out of the other.
    fn are_alternatives(&self, raw: &RawContacts<'_>, [i, j]: [usize; 2]) -> bool {
        let shapes = |i: usize| [raw.key[i].shape_a, raw.key[i].shape_b];
        let ([a, b], [c, d]) = (shapes(i), shapes(j));
        let joined = [a, b].iter().any(|shape| self.joined[*shape as usize]);
        let turned = (a, b) == (d, c);
        let same = (a, b) == (c, d) || turned || joined && self.bodies(a, b) == self.bodies(c, d);
        let (n, m) = (at(raw.normal, i), at(raw.normal, j));
        same && (n - if turned { -m } else { m }).norm() > SAME
    }
}
