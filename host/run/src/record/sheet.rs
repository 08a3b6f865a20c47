//! Tables on the side of the writer.

use std::io;

use super::state_hash::StateHash;
use crate::sealed::{Sums, Synced, Table};
use crate::table::RowTable;

/// A table, and of the trajectory the hash of its states.
pub(super) struct Sheet {
    pub(super) table: RowTable,
    pub(super) hash: Option<StateHash>,
}

/// Tables that are whole, by name, and the hash of all recorded states, hex.
pub(super) type Sealed = (Vec<(String, Sums)>, String);

impl Sheet {
    /// Adds rows.
    ///
    /// # Errors
    /// Of output.
    pub(super) fn add(&mut self, cells: &[u64]) -> io::Result<()> {
        if let Some(hash) = &mut self.hash {
            hash.rows(cells);
        }
        self.table.add(cells)
    }

    /// Brings all that was added to the disk.
    ///
    /// # Errors
    /// Of output.
    pub(super) fn sync(sheets: &mut [Self]) -> io::Result<Synced> {
        let mut synced = Synced::default();
        for sheet in sheets {
            let (name, sum, footer) = sheet.table.sync()?;
            synced.footers.extend(footer.map(|footer| (name.clone(), footer)));
            synced.sums.insert(name, sum);
        }
        Ok(synced)
    }

    /// Gives the tables their names.
    ///
    /// # Errors
    /// Of output.
    pub(super) fn seal(sheets: Vec<Self>) -> io::Result<Sealed> {
        let (mut tables, mut states) = (Vec::with_capacity(sheets.len()), String::new());
        for Self { table, hash } in sheets {
            tables.push(table.finish()?);
            if let Some(hash) = hash {
                states = hash.finish();
            }
        }
        Ok((Table::seal_all(tables)?, states))
    }
}
