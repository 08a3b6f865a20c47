//! Hashes of states: what a run that is made again must come to.

use std::io;

use sha2::{Digest, Sha256};
use vinci_core::model::System;
use vinci_scene::experiment::TableFormat;

use crate::sealed::{Tables, hex};
use crate::table::{file_name, kept_rows};

/// The hash of all states in the rows of a trajectory.
pub(super) struct StateHash {
    /// Cells of a row in the order of the hash: all of q, then all of v.
    order: Vec<usize>,
    hash: Sha256,
    bytes: Vec<u8>,
}

impl StateHash {
    /// The hash of the states in a trajectory that goes on, as if they were recorded once more; of a new one that of none.
    ///
    /// # Errors
    /// Of input; a row that is too short.
    pub(super) fn of_recorded(system: &System, tables: &Tables, format: TableFormat) -> io::Result<Self> {
        let mut hash = Self { order: order(system), hash: Sha256::new(), bytes: Vec::new() };
        let width = 1 + hash.order.len();
        kept_rows(tables, &file_name(format, "trajectory"), |row| {
            let short = || io::Error::other("a row of the trajectory is too short");
            let row = row.get(..width).ok_or_else(short)?;
            hash.add(row, |x| (x + 0.0).to_bits());
            Ok(())
        })?;
        Ok(hash)
    }

    /// Takes in rows of cells.
    pub(super) fn rows(&mut self, cells: &[u64]) {
        cells.chunks_exact(1 + self.order.len()).for_each(|row| self.add(row, |cell| cell));
    }

    fn add<T: Copy>(&mut self, row: &[T], bits: impl Fn(T) -> u64) {
        self.bytes.clear();
        self.order.iter().for_each(|&k| self.bytes.extend_from_slice(&bits(row[k]).to_le_bytes()));
        self.hash.update(&self.bytes);
    }

    /// Hex.
    pub(super) fn finish(self) -> String {
        hex(&self.hash.finalize())
    }
}

/// Columns of a trajectory, behind the time q and v of one block after the other: those of all q, then those of all v.
fn order(system: &System) -> Vec<usize> {
    let (layout, mut at) = (system.layout(), 1);
    let [mut q, mut v] = [Vec::new(), Vec::new()];
    for b in 0..system.n_blocks() {
        for (columns, start) in [(&mut q, layout.q_start), (&mut v, layout.block_start)] {
            let n = (start[b + 1] - start[b]) as usize;
            columns.extend(at..at + n);
            at += n;
        }
    }
    [q, v].concat()
}

/// Hash of a text, hex.
pub fn text_hash(text: &str) -> String {
    hex(&Sha256::digest(text.as_bytes()))
}

/// Hash of one state's bits (q, then v, little-endian, −0 as 0), hex.
pub fn state_hash(q: &[f64], v: &[f64]) -> String {
    let mut hash = Sha256::new();
    for x in q.iter().chain(v) {
        hash.update((x + 0.0).to_bits().to_le_bytes());
    }
    hex(&hash.finalize())
}
