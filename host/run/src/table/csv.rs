//! Tables as text, in the shortest decimals that read back to the same bits.

use std::io::{self, Write};
use std::sync::Arc;

use super::column::{Cells, Column};
use crate::sealed::{FileSum, Table};

/// A table as text.
pub struct CsvTable {
    out: Table,
    cells: Vec<Cells>,
    words: Arc<[String]>,
    /// Lines that are not written yet.
    text: Vec<u8>,
    digits: ryu::Buffer,
}

impl CsvTable {
    pub(super) fn of(out: Table, columns: &[Column], words: Arc<[String]>) -> Self {
        let cells = columns.iter().map(|column| column.cells).collect();
        Self { out, cells, words, text: Vec::new(), digits: ryu::Buffer::new() }
    }

    /// As of [`super::RowTable::add`].
    pub(super) fn add(&mut self, cells: &[u64]) -> io::Result<()> {
        self.text.clear();
        for row in cells.chunks_exact(self.cells.len()) {
            self.line(row)?;
        }
        self.out.write_all(&self.text)?;
        // Whoever looks on while the run goes on sees whole rows.
        self.out.flush()
    }

    fn line(&mut self, row: &[u64]) -> io::Result<()> {
        let text = &mut self.text;
        for (cell, kind) in row.iter().zip(&self.cells) {
            match kind {
                Cells::Numbers(_) => push(text, &mut self.digits, f64::from_bits(*cell)),
                Cells::Counts => write!(text, "{}", f64::from_bits(*cell))?,
                Cells::Words => text.extend_from_slice(self.words[*cell as usize].as_bytes()),
            }
            text.push(b',');
        }
        if let Some(end) = text.last_mut() {
            *end = b'\n';
        }
        Ok(())
    }

    /// As of [`super::RowTable::sync`].
    pub(super) fn sync(&mut self) -> io::Result<(String, FileSum)> {
        self.out.sync()
    }

    /// As of [`super::RowTable::finish`].
    pub(super) fn finish(self) -> Table {
        self.out
    }
}

/// Shortest decimal that reads back to the same bits; −0 is written as 0.
pub(crate) fn push(line: &mut Vec<u8>, digits: &mut ryu::Buffer, x: f64) {
    line.extend_from_slice(digits.format(x + 0.0).as_bytes());
}
