//! The Zeno guard: against infinitely many impacts in a finite time.

use vinci_core::contact::{ContactBuf, ContactKey};

/// Impacts of every contact within the present grid step, and the contacts that bounce no more.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ZenoGuard {
    counts: Vec<(ContactKey, u32)>,
    calmed: Vec<Calmed>,
}

/// Impacts counted per contact, and calm contacts with whether they have landed.
pub type GuardParts = (Vec<(ContactKey, u32)>, Vec<(ContactKey, bool)>);

/// A contact without restitution.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Calmed {
    key: ContactKey,
    /// True if it has closed again since its last bounce.
    landed: bool,
}

impl ZenoGuard {
    /// Impacts counted per contact, and calm contacts with whether they have landed.
    pub fn parts(&self) -> GuardParts {
        (self.counts.clone(), self.calmed.iter().map(|c| (c.key, c.landed)).collect())
    }

    /// A guard of these [`ZenoGuard::parts`].
    pub fn of_parts((mut counts, calmed): GuardParts) -> Self {
        counts.sort_by_key(|(key, _)| *key);
        Self { counts, calmed: calmed.into_iter().map(|(key, landed)| Calmed { key, landed }).collect() }
    }

    /// Takes over another guard, in memory that is there.
    pub(super) fn assign(&mut self, from: &Self) {
        self.counts.clear();
        self.counts.extend_from_slice(&from.counts);
        self.calmed.clear();
        self.calmed.extend_from_slice(&from.calmed);
    }

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
        self.counts[at].1 = self.counts[at].1.saturating_add(1);
        if self.counts[at].1 < most || self.calmed.iter().any(|c| c.key == key) {
            return false;
        }
        self.calmed.push(Calmed { key, landed: false });
        true
    }

    /// Looks at calm contacts at the start of a step. One that is closed and does not separate has landed; one that has
    /// landed and opens may bounce again: its gap is above the tolerance, or it is gone while no contact of the same two
    /// shapes is closed. (The bounce after which it was calmed is still in the air until it lands.)
    pub(super) fn watch(&mut self, contacts: &ContactBuf, v: &[f64], tolerance: f64) {
        let c = contacts.view();
        let closed = |i: usize| c.gap[i] <= tolerance;
        self.calmed.retain_mut(|calm| {
            let found = c.key.binary_search(&calm.key);
            let touches = match found {
                Ok(i) => closed(i),
                Err(_) => (0..c.len()).any(|i| same_pair(&c.key[i], &calm.key) && closed(i)),
            };
            calm.landed |= found.is_ok_and(|i| closed(i) && c.jacobian.row_dot(c.row(i), v) <= 0.0);
            touches || !calm.landed
        });
    }

    /// Takes the restitution of calm contacts away.
    pub(super) fn apply(&self, contacts: &mut ContactBuf) {
        for calm in &self.calmed {
            let found = contacts.view().key.binary_search(&calm.key);
            if let Ok(i) = found {
                contacts.set_restitution(i, 0.0);
            }
        }
    }
}

/// Returns true if two contacts are between the same two shapes.
pub(super) fn same_pair(a: &ContactKey, b: &ContactKey) -> bool {
    (a.shape_a, a.shape_b) == (b.shape_a, b.shape_b)
}
