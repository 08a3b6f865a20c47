//! Contacts that outlive the call of their detector.

use super::{ContactKey, RawContacts};

/// Copies of contacts that detectors reported. Cleared, it keeps its memory.
#[derive(Debug, Default, Clone)]
pub struct DetectedContacts {
    key: Vec<ContactKey>,
    gap: Vec<f64>,
    normal: Vec<f64>,
    point_a: Vec<f64>,
    point_b: Vec<f64>,
    group: Vec<u32>,
}

impl DetectedContacts {
    /// Takes over a report as it is.
    pub fn take(&mut self, raw: &RawContacts<'_>) {
        self.clear();
        (0..raw.len()).for_each(|i| self.push(raw, i));
    }

    /// Forgets all contacts, not the memory they were in.
    pub fn clear(&mut self) {
        self.key.clear();
        self.group.clear();
        for list in [&mut self.gap, &mut self.normal, &mut self.point_a, &mut self.point_b] {
            list.clear();
        }
    }

    /// Adds contact i of a report.
    pub fn push(&mut self, raw: &RawContacts<'_>, i: usize) {
        self.push_as(raw, i, raw.key[i], 0);
    }

    /// Adds contact i of a report under another identity. Its OR group, if it has one, gets a number that is larger by `above`.
    pub fn push_as(&mut self, raw: &RawContacts<'_>, i: usize, key: ContactKey, above: u32) {
        self.key.push(key);
        self.gap.push(raw.gap[i]);
        let lists = [&mut self.normal, &mut self.point_a, &mut self.point_b];
        for (to, from) in lists.into_iter().zip([raw.normal, raw.point_a, raw.point_b]) {
            to.extend_from_slice(&from[3 * i..3 * i + 3]);
        }
        let group = raw.group.get(i).copied().unwrap_or(0);
        self.group.push(if group == 0 { 0 } else { above + group });
    }

    /// The contacts of `at` that `here` has, in its order; a contact that `at` does not have is taken as it was.
    pub fn take_matching(&mut self, here: &Self, at: &RawContacts<'_>) {
        self.clear();
        for (i, key) in here.key.iter().enumerate() {
            match at.key.iter().position(|k| k == key) {
                Some(k) => self.push(at, k),
                None => self.push(&here.view(), i),
            }
        }
    }

    /// The largest number of an OR group, 0 without any.
    pub fn last_group(&self) -> u32 {
        self.group.iter().copied().max().unwrap_or(0)
    }

    /// The contacts as a report; without groups where no contact has one.
    pub fn view(&self) -> RawContacts<'_> {
        let Self { key, gap, normal, point_a, point_b, group } = self;
        let group: &[u32] = if self.last_group() > 0 { group } else { &[] };
        RawContacts { key, gap, normal, point_a, point_b, group }
    }
}
