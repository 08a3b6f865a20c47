//! Rows on their way from the run to the writer.

use std::io;

use super::writer::Writer;

/// Cells of a batch: 32 kB.
pub(super) const BATCH: usize = 4096;

/// Rows of a table that the writer does not have yet: copies of numbers, and places of words in the table's list.
pub(super) struct Rows {
    /// Number of the table.
    table: usize,
    /// Cells of a row.
    width: usize,
    cells: Vec<u64>,
}

impl Rows {
    pub(super) fn of(table: usize, width: usize) -> Self {
        Self { table, width, cells: Vec::with_capacity(BATCH) }
    }

    /// The next cell, a number; −0 is written as 0.
    pub(super) fn number(&mut self, x: f64) {
        self.cells.push((x + 0.0).to_bits());
    }

    /// The next cells, numbers.
    pub(super) fn numbers(&mut self, list: &[f64]) {
        self.cells.extend(list.iter().map(|x| (x + 0.0).to_bits()));
    }

    /// The next cell, a count.
    pub(super) fn count(&mut self, n: usize) {
        self.number(n as f64);
    }

    /// The next cell, a word by its place in the table's list.
    pub(super) fn word(&mut self, place: usize) {
        self.cells.push(place as u64);
    }

    /// The end of a row.
    ///
    /// # Errors
    /// What ended the writer.
    pub(super) fn end_row(&mut self, writer: &mut Writer) -> io::Result<()> {
        debug_assert!(self.cells.len().is_multiple_of(self.width), "a row has a cell in every column");
        if self.cells.len() + self.width > BATCH { self.hand_over(writer) } else { Ok(()) }
    }

    /// Gives all rows to the writer.
    ///
    /// # Errors
    /// What ended the writer.
    pub(super) fn hand_over(&mut self, writer: &mut Writer) -> io::Result<()> {
        if self.cells.is_empty() { Ok(()) } else { writer.add(self.table, &mut self.cells) }
    }
}
