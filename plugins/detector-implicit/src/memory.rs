//! Normals of last time, the start of the next search: a state that lasts.

use vinci_detect::Vec3;
use vinci_sdk::prelude::StageError;

/// Two shape indices and three coordinates.
const BYTES: usize = 32;

/// Normals by pairs of shapes, sorted.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    old: Vec<([u32; 2], Vec3)>,
    new: Vec<([u32; 2], Vec3)>,
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

    /// What was noted becomes what is remembered.
    pub(crate) fn turn(&mut self) {
        std::mem::swap(&mut self.old, &mut self.new);
        self.new.clear();
    }

    /// Forgets what was noted since the last turn.
    pub(crate) fn begin(&mut self) {
        self.new.clear();
    }

    pub(crate) fn save(&self, bytes: &mut Vec<u8>) {
        for ([i, j], n) in &self.old {
            bytes.extend_from_slice(&i.to_le_bytes());
            bytes.extend_from_slice(&j.to_le_bytes());
            n.iter().for_each(|x| bytes.extend_from_slice(&x.to_le_bytes()));
        }
    }

    /// Restores what [`Memory::save`] wrote, for a system of `shapes` shapes; nothing is changed where it is refused.
    pub(crate) fn load(&mut self, bytes: &[u8], shapes: u32) -> Result<(), StageError> {
        let entries = bytes.chunks_exact(BYTES);
        let whole = entries.remainder().is_empty();
        let mut last = None;
        self.new.clear();
        for entry in entries {
            let (pair, n) = read(entry);
            let sound =
                pair[0] < pair[1] && pair[1] < shapes && last < Some(pair) && (n.norm() - 1.0).abs() < 1e-9;
            if !sound || !whole {
                break;
            }
            last = Some(pair);
            self.new.push((pair, n));
        }
        if self.new.len() * BYTES != bytes.len() {
            self.new.clear();
            return Err(StageError::bad_input(
                "these bytes are no state of vinci.detector.implicit for this scene: they must be sorted pairs of shapes \
                 with unit normals, 32 bytes each",
            ));
        }
        self.turn();
        Ok(())
    }
}

fn read(entry: &[u8]) -> ([u32; 2], Vec3) {
    let index = |k: usize| u32::from_le_bytes(std::array::from_fn(|i| entry[4 * k + i]));
    let number = |k: usize| f64::from_le_bytes(std::array::from_fn(|i| entry[8 + 8 * k + i]));
    ([index(0), index(1)], Vec3::new(number(0), number(1), number(2)))
}
