//! The guard against Zeno: infinitely many impacts in a finite time.

use vinci_core::contact::{ContactBuf, ContactKey};

/// Impacts of every contact within the present grid step, and the contacts that bounce no more.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ImpactGuard {
    counts: Vec<(ContactKey, u32)>,
    calmed: Vec<ContactKey>,
}

impl ImpactGuard {
    /// A new grid step begins.
    pub(super) fn begin_grid_step(&mut self) {
        self.counts.clear();
    }

    /// Counts an impact of a contact; whether it was one too many and the contact is calm from now on.
    pub(super) fn count(&mut self, key: ContactKey, most: u32) -> bool {
        let at = match self.counts.binary_search_by(|e| e.0.cmp(&key)) {
            Ok(at) => at,
            Err(at) => {
                self.counts.insert(at, (key, 0));
                at
            }
        };
        self.counts[at].1 += 1;
        if self.counts[at].1 < most || self.calmed.contains(&key) {
            return false;
        }
        self.calmed.push(key);
        true
    }

    /// Contacts that have opened may bounce again: their gap is above the tolerance, or they are gone while no contact of
    /// the same two shapes is closed.
    pub(super) fn release(&mut self, contacts: &ContactBuf, tolerance: f64) {
        let c = contacts.view();
        self.calmed.retain(|key| match c.key.binary_search(key) {
            Ok(i) => c.gap[i] <= tolerance,
            Err(_) => (0..c.len()).any(|i| same_pair(&c.key[i], key) && c.gap[i] <= tolerance),
        });
    }

    /// Takes the restitution of calm contacts away.
    pub(super) fn apply(&self, contacts: &mut ContactBuf) {
        for key in &self.calmed {
            let found = contacts.view().key.binary_search(key);
            if let Ok(i) = found {
                contacts.set_restitution(i, 0.0);
            }
        }
    }
}

/// Whether two contacts are between the same two shapes.
pub(super) fn same_pair(a: &ContactKey, b: &ContactKey) -> bool {
    (a.shape_a, a.shape_b) == (b.shape_a, b.shape_b)
}
