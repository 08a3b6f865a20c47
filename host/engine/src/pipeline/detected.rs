//! Contacts that outlive the call of their detector.

use vinci_core::contact::{ContactKey, RawContacts};

/// A copy of what a detector reports.
#[derive(Debug, Default, Clone)]
pub(super) struct DetectedContacts {
    key: Vec<ContactKey>,
    gap: Vec<f64>,
    normal: Vec<f64>,
    point_a: Vec<f64>,
    point_b: Vec<f64>,
    group: Vec<u32>,
}

impl DetectedContacts {
    /// Takes over what a detector reports.
    pub(super) fn take(&mut self, raw: &RawContacts<'_>) {
        self.clear();
        (0..raw.len()).for_each(|i| self.push(raw, i));
    }

    fn clear(&mut self) {
        self.key.clear();
        self.group.clear();
        for list in [&mut self.gap, &mut self.normal, &mut self.point_a, &mut self.point_b] {
            list.clear();
        }
    }

    /// Adds contact i of a report.
    pub(super) fn push(&mut self, raw: &RawContacts<'_>, i: usize) {
        self.key.push(raw.key[i]);
        self.gap.push(raw.gap[i]);
        self.group.extend(raw.group.get(i));
        let lists = [&mut self.normal, &mut self.point_a, &mut self.point_b];
        for (to, from) in lists.into_iter().zip([raw.normal, raw.point_a, raw.point_b]) {
            to.extend_from_slice(&from[3 * i..3 * i + 3]);
        }
    }

    /// The contacts of `at` that `here` has, in its order; a contact that is not found any more is taken as it was.
    pub(super) fn matching(&mut self, here: &Self, at: &RawContacts<'_>) {
        self.clear();
        for (i, key) in here.key.iter().enumerate() {
            match at.key.iter().position(|k| k == key) {
                Some(k) => self.push(at, k),
                None => self.push(&here.view(), i),
            }
        }
    }

    /// The report.
    pub(super) fn view(&self) -> RawContacts<'_> {
        let Self { key, gap, normal, point_a, point_b, group } = self;
        RawContacts { key, gap, normal, point_a, point_b, group }
    }
}
