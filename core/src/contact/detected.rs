//! Contacts that outlive the call of their detector.

use nalgebra::Vector3;

use super::{ContactKey, RawContacts};

/// Contacts of one query, structure of arrays, and the numbers of their OR groups: those that a detector finds, which it lends out
/// until its next call, or copies of those that others reported. Cleared, it keeps its memory.
#[derive(Debug, Default, Clone)]
pub struct DetectedContacts {
    key: Vec<ContactKey>,
    gap: Vec<f64>,
    normal: Vec<f64>,
    point_a: Vec<f64>,
    point_b: Vec<f64>,
    group: Vec<u32>,
    /// The largest number of a group so far.
    groups: u32,
}

impl DetectedContacts {
    /// Number of contacts.
    pub fn len(&self) -> usize {
        self.key.len()
    }

    /// Returns true if there are none.
    pub fn is_empty(&self) -> bool {
        self.key.is_empty()
    }

    /// Forgets contacts and groups, not the memory they were in.
    pub fn clear(&mut self) {
        self.key.clear();
        self.group.clear();
        self.groups = 0;
        let lists = [&mut self.gap, &mut self.normal, &mut self.point_a, &mut self.point_b];
        lists.into_iter().for_each(Vec::clear);
    }

    /// The number of a new OR group, for the contacts that will be its alternatives (at least one gap ≥ 0).
    pub fn new_group(&mut self) -> u32 {
        self.groups += 1;
        self.groups
    }

    /// The largest number of an OR group, 0 without any.
    pub fn last_group(&self) -> u32 {
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
        [normal, point_a, point_b]: [Vector3<f64>; 3],
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

    /// Takes over a report as it is.
    pub fn take(&mut self, raw: &RawContacts<'_>) {
        self.clear();
        (0..raw.len()).for_each(|i| self.copy(raw, i));
    }

    /// Appends contact i of a report.
    pub fn copy(&mut self, raw: &RawContacts<'_>, i: usize) {
        self.copy_as(raw, i, raw.key[i], 0);
    }

    /// Appends contact i of a report under another identity. Its OR group, if it has one, gets a number that is larger by `above`.
    pub fn copy_as(&mut self, raw: &RawContacts<'_>, i: usize, key: ContactKey, above: u32) {
        self.key.push(key);
        self.gap.push(raw.gap[i]);
        let lists = [&mut self.normal, &mut self.point_a, &mut self.point_b];
        for (to, from) in lists.into_iter().zip([raw.normal, raw.point_a, raw.point_b]) {
            to.extend_from_slice(&from[3 * i..3 * i + 3]);
        }
        let group = raw.group.get(i).copied().unwrap_or(0);
        self.group.push(if group == 0 { 0 } else { above + group });
        self.groups = self.groups.max(self.group[self.group.len() - 1]);
    }

    /// The contacts of `at` that `here` has, in its order; a contact that `at` does not have is taken as it was. `taken` is told of every
    /// contact of `here` which one of `at` it is.
    pub fn take_matching(
        &mut self,
        here: &Self,
        at: &RawContacts<'_>,
        mut taken: impl FnMut(usize, Option<usize>),
    ) {
        self.clear();
        for (i, key) in here.key.iter().enumerate() {
            let found = at.key.iter().position(|k| k == key);
            taken(i, found);
            match found {
                Some(k) => self.copy(at, k),
                None => self.copy(&here.view(), i),
            }
        }
    }

    /// Returns true if all numbers of the contacts from number `from` on are finite. Poses too large for double precision make some
    /// that are not.
    pub fn is_finite(&self, from: usize) -> bool {
        let lists = [&self.normal, &self.point_a, &self.point_b];
        self.gap[from..].iter().chain(lists.into_iter().flat_map(|l| &l[3 * from..])).all(|x| x.is_finite())
    }

    /// The contacts as a report, in the order in which they came; without groups where no number of one was given or appended.
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
