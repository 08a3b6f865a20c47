//! Normals of last time, the start of the next search: a state that lasts.

use vinci_detect::Vec3;
use vinci_sdk::prelude::StageError;
use vinci_sdk::state;

/// First bytes of a saved state.
const MARK: u32 = 0x314c_504d;
const WHO: &str = "vinci.detector.implicit for this scene";

/// A pair of shapes and its normal.
type Entry = ([u32; 2], Vec3);

/// Normals by pairs of shapes, sorted.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    old: Vec<Entry>,
    new: Vec<Entry>,
}

impl Memory {
    /// The normal of a pair last time.
    pub(crate) fn get(&self, pair: [u32; 2]) -> Option<Vec3> {
        self.old.binary_search_by_key(&pair, |e| e.0).ok().map(|i| self.old[i].1)
    }

    /// Notes a normal; pairs come sorted.
    pub(crate) fn put(&mut self, pair: [u32; 2], n: Vec3) {
        self.new.push((pair, n));
    }

    /// Makes the notes of this query the memory of the next.
    pub(crate) fn turn(&mut self) {
        std::mem::swap(&mut self.old, &mut self.new);
        self.new.clear();
    }

    /// Forgets what was noted since the last turn.
    pub(crate) fn begin(&mut self) {
        self.new.clear();
    }

    pub(crate) fn save(&self, bytes: &mut Vec<u8>) {
        state::save(MARK, &self.old, bytes);
    }

    /// Restores what [`Memory::save`] wrote, for a system of `shapes` shapes; nothing is changed where it is refused.
    pub(crate) fn load(&mut self, bytes: &[u8], shapes: u32) -> Result<(), StageError> {
        let saved: Vec<Entry> = state::load(MARK, WHO, bytes)?;
        let sorted = saved.is_sorted_by(|a, b| a.0 < b.0);
        let sound =
            |(pair, n): &Entry| pair[0] < pair[1] && pair[1] < shapes && (n.norm() - 1.0).abs() < 1e-9;
        if !(sorted && saved.iter().all(sound)) {
            return Err(state::foreign(WHO, bytes));
        }
        self.old = saved;
        self.new.clear();
        Ok(())
    }
}
