//! OR groups: contacts of which one open is enough.

use super::{ContactKey, Contacts, RawContacts};

/// Returns true if i is the most open of its group (ties: the smaller identity); contacts without a group are.
fn is_most_open(group: &[u32], gap: &[f64], key: &[ContactKey], i: usize) -> bool {
    let number = group.get(i).copied().unwrap_or(0);
    number == 0
        || (0..group.len())
            .filter(|&j| group[j] == number && j != i)
            .all(|j| gap[j] < gap[i] || (gap[j] == gap[i] && key[i] < key[j]))
}

impl RawContacts<'_> {
    /// Returns true if contact i has an alternative: another contact of its OR group. A group of one is none.
    pub fn has_alternative(&self, i: usize) -> bool {
        let number = self.group.get(i).copied().unwrap_or(0);
        number != 0 && self.group.iter().filter(|&&g| g == number).take(2).count() == 2
    }

    /// Returns true if contact i has the largest gap of its OR group (ties: the smaller identity); without a group: yes.
    pub fn is_most_open(&self, i: usize) -> bool {
        is_most_open(self.group, self.gap, self.key, i)
    }
}

impl Contacts<'_> {
    /// Returns true if contact i has the largest gap of its OR group (ties: the smaller identity); without a group: yes.
    pub fn is_most_open(&self, i: usize) -> bool {
        is_most_open(self.group, self.gap, self.key, i)
    }

    /// The OR group of contact i as indices of contacts, i among them; without a group i alone.
    pub fn alternatives(&self, i: usize) -> impl Iterator<Item = usize> + '_ {
        let number = self.group.get(i).copied().unwrap_or(0);
        let last = if number == 0 { 0 } else { self.group.len() };
        let others = (0..last).filter(move |&j| self.group[j] == number);
        (number == 0).then_some(i).into_iter().chain(others)
    }

    /// The gap that counts: ψ of contact i, or the largest of its OR group, m.
    #[inline]
    pub fn open_gap(&self, i: usize) -> f64 {
        if self.group.is_empty() {
            return f64::NEG_INFINITY.max(self.gap[i]);
        }
        self.alternatives(i).fold(f64::NEG_INFINITY, |most, j| most.max(self.gap[j]))
    }
}
