//! The contacts in the form the host reads.

use crate::frame::Vec3;
use vinci_core::contact::{ContactKey, RawContacts};

/// Contacts of one query, structure of arrays, and the numbers of their OR groups. Cleared, it keeps its memory: a detector
/// holds one and lends it out until its next call.
#[derive(Debug, Default)]
pub struct Report {
    key: Vec<ContactKey>,
    gap: Vec<f64>,
    normal: Vec<f64>,
    point_a: Vec<f64>,
    point_b: Vec<f64>,
    group: Vec<u32>,
    /// The largest number of a group so far.
    groups: u32,
}

impl Report {
    /// Forgets contacts and groups, not the memory they were in.
    pub fn clear(&mut self) {
        self.key.clear();
        self.group.clear();
        self.groups = 0;
        let lists = [&mut self.gap, &mut self.normal, &mut self.point_a, &mut self.point_b];
        lists.into_iter().for_each(Vec::clear);
    }

    /// Number of contacts.
    pub fn len(&self) -> usize {
        self.key.len()
    }

    /// Returns true if there are none.
    pub fn is_empty(&self) -> bool {
        self.key.is_empty()
    }

    /// The number of a new OR group, for the contacts that will be its alternatives (at least one gap ≥ 0).
    pub fn new_group(&mut self) -> u32 {
        self.groups += 1;
        self.groups
    }

    /// Appends a contact of the shapes [a, b] at their features [of a, of b], with its signed gap ψ (m, positive when
    /// apart) and [normal, point on A, point on B] in the world frame: the normal unit, from A to B, so that
    /// ψ = normal · (point on B − point on A); points in m, z = 0 in planar scenes. `group`: its OR group, 0: none.
    #[inline]
    pub fn push(
        &mut self,
        [shape_a, shape_b]: [u32; 2],
        [feature_a, feature_b]: [u32; 2],
        gap: f64,
        [normal, point_a, point_b]: [Vec3; 3],
        group: u32,
    ) {
        self.key.push(ContactKey { shape_a, shape_b, feature_a, feature_b });
        self.gap.push(gap);
        self.normal.extend_from_slice(normal.as_slice());
        self.point_a.extend_from_slice(point_a.as_slice());
        self.point_b.extend_from_slice(point_b.as_slice());
        self.group.push(group);
        self.groups = self.groups.max(group);
    }

    /// Returns true if all numbers of the contacts from number `from` on are finite. Poses too large for double precision are not:
    /// see [`crate::Placement::lost`].
    pub fn is_finite(&self, from: usize) -> bool {
        let lists = [&self.normal, &self.point_a, &self.point_b];
        self.gap[from..].iter().chain(lists.into_iter().flat_map(|l| &l[3 * from..])).all(|x| x.is_finite())
    }

    /// The contacts in the order in which they came; without groups where no number of one was given or pushed.
    pub fn view(&self) -> RawContacts<'_> {
        RawContacts {
            key: &self.key,
            gap: &self.gap,
            normal: &self.normal,
            point_a: &self.point_a,
            point_b: &self.point_b,
            group: if self.groups == 0 { &[] } else { &self.group },
        }
    }
}
