//! Hashes of states: what a run that is made again must come to.

use std::io;

use sha2::{Digest, Sha256};
use vinci_core::model::System;
use vinci_scene::experiment::TableFormat;

use crate::sealed::{Tables, hex};
use crate::table::{file_name, kept_rows};

/// The hash of the states in a trajectory that goes on, as if they were recorded once more.
pub(super) fn recorded(system: &System, tables: &Tables, format: TableFormat) -> io::Result<Sha256> {
    let (layout, mut hash) = (system.layout(), Sha256::new());
    let length = |start: &[u32], b: usize| (start[b + 1] - start[b]) as usize;
    kept_rows(tables, &file_name(format, "trajectory"), |row| {
        let (mut rest, mut q, mut v) = (row.get(1..).unwrap_or_default(), Vec::new(), Vec::new());
        for b in 0..system.n_blocks() {
            for (list, n) in [(&mut q, length(layout.q_start, b)), (&mut v, length(layout.block_start, b))] {
                let short = || io::Error::other("a row of the trajectory is too short");
                let (own, after) = rest.split_at_checked(n).ok_or_else(short)?;
                list.extend_from_slice(own);
                rest = after;
            }
        }
        hash_state(&mut hash, &q, &v);
        Ok(())
    })?;
    Ok(hash)
}

/// Adds the bits of a state to a hash.
pub(super) fn hash_state(hash: &mut Sha256, q: &[f64], v: &[f64]) {
    for x in q.iter().chain(v) {
        hash.update((x + 0.0).to_bits().to_le_bytes());
    }
}

/// Hash of a text, hex.
pub fn text_hash(text: &str) -> String {
    hex(&Sha256::digest(text.as_bytes()))
}

/// Hash of one state's bits (q, then v, little-endian, −0 as 0), hex.
pub fn state_hash(q: &[f64], v: &[f64]) -> String {
    let mut hash = Sha256::new();
    hash_state(&mut hash, q, v);
    hex(&hash.finalize())
}
