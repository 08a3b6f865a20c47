//! Memory of contacts from step to step, by identity: the host's.

use nalgebra::Vector3;

use super::{ContactKey, Contacts};

/// Memory of one contact between steps.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Remembered {
    /// Identity.
    pub key: ContactKey,
    /// Impulses (normal, tangent 1, tangent 2) of the last accepted step, N s.
    pub impulse: [f64; 3],
    /// Normal then, world.
    pub normal: Vector3<f64>,
    /// First tangent then, world.
    pub tangent: Vector3<f64>,
    /// Accepted steps it has been reported in.
    pub age: u32,
}

/// All remembered contacts, sorted by key.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ContactMemory {
    entries: Vec<Remembered>,
}

impl ContactMemory {
    /// The entry of a contact, if it was there in the last accepted step.
    pub fn get(&self, key: &ContactKey) -> Option<&Remembered> {
        self.entries.binary_search_by(|e| e.key.cmp(key)).ok().map(|i| &self.entries[i])
    }

    /// Replaces the memory by the contacts of an accepted step and their impulses ((1 + n_t) per contact).
    /// Contacts arrive sorted by key.
    pub fn remember(&mut self, contacts: &Contacts<'_>, impulse: &[f64]) {
        self.entries.clear();
        let stride = contacts.stride();
        for i in 0..contacts.len() {
            let mut kept = [0.0; 3];
            kept[..stride].copy_from_slice(&impulse[i * stride..][..stride]);
            self.entries.push(Remembered {
                key: contacts.key[i],
                impulse: kept,
                normal: Vector3::from_column_slice(&contacts.normal[3 * i..3 * i + 3]),
                tangent: Vector3::from_column_slice(&contacts.tangent[3 * i * contacts.n_t..][..3]),
                age: contacts.age[i].saturating_add(1),
            });
        }
    }

    /// All entries, sorted by key.
    pub fn entries(&self) -> &[Remembered] {
        &self.entries
    }

    /// Bases of all contacts: normal, then first tangent, six numbers each.
    pub fn bases(&self) -> impl Iterator<Item = f64> {
        self.entries.iter().flat_map(|e| [e.normal, e.tangent]).flat_map(|axis| [axis.x, axis.y, axis.z])
    }

    /// Replaces the bases by numbers in the order of [`ContactMemory::bases`]; contacts beyond the last of them keep theirs.
    pub fn set_bases(&mut self, numbers: &[f64]) {
        for (entry, basis) in self.entries.iter_mut().zip(numbers.chunks_exact(6)) {
            entry.normal = Vector3::from_column_slice(&basis[..3]);
            entry.tangent = Vector3::from_column_slice(&basis[3..]);
        }
    }

    /// A memory from saved entries; they are sorted.
    pub fn from_entries(mut entries: Vec<Remembered>) -> Self {
        entries.sort_by_key(|a| a.key);
        Self { entries }
    }
}
