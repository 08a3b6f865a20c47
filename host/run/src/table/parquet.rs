//! Tables as Parquet: rows are gathered by column and written in groups, so that memory stays bounded however long a run is.

use std::io::{self, Write};
use std::sync::Arc;

use parquet::basic::Repetition;
use parquet::column::writer::ColumnCloseResult;
use parquet::data_type::DoubleType;
use parquet::errors::ParquetError;
use parquet::file::metadata::{FileMetaData, ParquetMetaData, ParquetMetaDataReader, ParquetMetaDataWriter};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::ColumnDescPtr;

use super::cells::sound;
use super::column::{Cells, Column};
use super::kept::Kept;
use super::runs;
use super::schema::{RANGED, begin, put};
use crate::sealed::{FileSum, Table, Tables};

/// Rows of the first groups, and of a group at most.
const GROUP: [usize; 2] = [4096, 65_536];
/// A group has this part of the rows before it at most: at its end a run waits for the last one.
const GROWTH: usize = 16;
/// Cells of a group at most: 16 MB of numbers.
const CELLS: usize = 1 << 21;

/// A growing file of which a writer repeats the bytes that are there already.
struct Appending {
    table: Table,
    /// Bytes that are still to be repeated.
    there: u64,
}

impl Write for Appending {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.there == 0 {
            return self.table.write(bytes);
        }
        let n = bytes.len().min(usize::try_from(self.there).unwrap_or(usize::MAX));
        self.there -= n as u64;
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.table.flush()
    }
}

/// Cells of a column that are not written yet.
enum Gathered {
    Numbers(Vec<f64>),
    /// Places in the list of words.
    Words(Vec<u64>),
}

impl Gathered {
    /// Takes in every cell of this column: the k-th of rows of `width` cells.
    fn take(&mut self, rows: &[u64], k: usize, width: usize) {
        let column = rows.chunks_exact(width).map(|row| row[k]);
        match self {
            Self::Numbers(list) => list.extend(column.map(f64::from_bits)),
            Self::Words(list) => list.extend(column),
        }
    }

    /// Writes the next column of a group.
    fn write<W: Write + Send>(
        &self,
        group: &mut SerializedRowGroupWriter<'_, W>,
        column: &ColumnDescPtr,
        words: &[String],
    ) -> Result<(), ParquetError> {
        let chunk = match self {
            Self::Numbers(list) => match runs::numbers(list, column, column.name() == RANGED)? {
                Some(chunk) => chunk,
                None => return put::<DoubleType, _>(group, list, None),
            },
            Self::Words(list) => runs::words(list, words, column)?,
        };
        group.append_column(&chunk.bytes, chunk.close)
    }

    fn clear(&mut self) {
        match self {
            Self::Numbers(list) => list.clear(),
            Self::Words(list) => list.clear(),
        }
    }
}

/// An error of the writer as it came from the disk: whether that is full is known by its kind.
fn plain(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(inside) => match inside.downcast::<io::Error>() {
            Ok(error) => *error,
            Err(other) => io::Error::other(other),
        },
        other => io::Error::other(other),
    }
}

/// A table as Parquet.
pub struct ParquetTable {
    writer: SerializedFileWriter<Appending>,
    columns: Vec<Gathered>,
    described: Vec<ColumnDescPtr>,
    /// Rows in the groups that are written.
    written: usize,
    /// Rows that are not written yet.
    rows: usize,
    words: Arc<[String]>,
}

impl ParquetTable {
    /// Opens a table, a new one or that of a run that goes on.
    ///
    /// # Errors
    /// Of input and output; a table that goes on and is not what it was.
    pub(super) fn open(
        tables: &Tables,
        file: &str,
        columns: &[Column],
        words: Arc<[String]>,
    ) -> io::Result<Self> {
        let kept = Kept::of(tables, file)?;
        let there = kept.as_ref().map_or(0, Kept::length);
        let out = Appending { table: tables.open_plain(file)?, there };
        let mut writer = begin(out, columns, Repetition::REQUIRED).map_err(plain)?;
        if let Some(kept) = kept {
            repeat(&mut writer, kept, file)?;
        }
        let gathered = |column: &Column| match column.cells {
            Cells::Numbers(_) | Cells::Counts => Gathered::Numbers(Vec::new()),
            Cells::Words => Gathered::Words(Vec::new()),
        };
        let columns = columns.iter().map(gathered).collect();
        let described = writer.schema_descr().columns().to_vec();
        let written = writer.flushed_row_groups().iter().map(|group| group.num_rows()).sum::<i64>();
        let written = usize::try_from(written).unwrap_or_default();
        Ok(Self { writer, columns, described, written, rows: 0, words })
    }

    /// As of [`super::RowTable::add`].
    pub(super) fn add(&mut self, mut cells: &[u64]) -> io::Result<()> {
        let width = self.columns.len();
        while !cells.is_empty() {
            let most = group(self.written).min(CELLS / width).max(1);
            let (rows, later) = cells.split_at(cells.len().min((most - self.rows) * width));
            self.columns.iter_mut().enumerate().for_each(|(k, column)| column.take(rows, k, width));
            self.rows += rows.len() / width;
            if self.rows == most {
                self.write_group().map_err(plain)?;
            }
            cells = later;
        }
        Ok(())
    }

    fn write_group(&mut self) -> Result<(), ParquetError> {
        if self.rows == 0 {
            return Ok(());
        }
        self.written += std::mem::take(&mut self.rows);
        let mut group = self.writer.next_row_group()?;
        for (column, described) in self.columns.iter_mut().zip(&self.described) {
            column.write(&mut group, described, &self.words)?;
            column.clear();
        }
        group.close().map(drop)
    }

    /// As of [`super::RowTable::sync`].
    pub(super) fn sync(&mut self) -> io::Result<(String, FileSum, Option<Vec<u8>>)> {
        self.write_group().map_err(plain)?;
        self.writer.flush()?;
        let footer = self.footer().map_err(plain)?;
        let (name, sum) = self.writer.inner_mut().table.sync()?;
        Ok((name, sum, Some(footer)))
    }

    /// Bytes that make a whole file of the groups that are written.
    fn footer(&self) -> Result<Vec<u8>, ParquetError> {
        let groups = self.writer.flushed_row_groups().to_vec();
        let rows = groups.iter().map(|group| group.num_rows()).sum();
        let schema = Arc::new(self.writer.schema_descr().clone());
        let file = FileMetaData::new(2, rows, None, None, schema, None);
        let (metadata, mut bytes) = (ParquetMetaData::new(file, groups), Vec::new());
        ParquetMetaDataWriter::new(&mut bytes, &metadata).finish()?;
        Ok(bytes)
    }

    /// As of [`super::RowTable::finish`].
    pub(super) fn finish(mut self) -> io::Result<Table> {
        self.write_group().map_err(plain)?;
        Ok(self.writer.into_inner().map_err(plain)?.table)
    }
}

/// Rows of the group behind so many rows.
fn group(written: usize) -> usize {
    (written / GROWTH).clamp(GROUP[0], GROUP[1])
}

/// Brings the writer behind the groups that are kept: it writes again what stands there.
fn repeat(writer: &mut SerializedFileWriter<Appending>, kept: Kept, file: &str) -> io::Result<()> {
    let length = kept.length();
    let repeated = sound(|| groups(writer, &kept));
    let is_whole = repeated.is_some_and(|groups| groups.is_ok())
        && writer.flush().is_ok()
        && (writer.inner().there, writer.bytes_written() as u64) == (0, length);
    let message =
        || io::Error::other(format!("the footer that the checkpoint has for {file} is not its own"));
    if is_whole { Ok(()) } else { Err(message()) }
}

fn groups(writer: &mut SerializedFileWriter<Appending>, kept: &Kept) -> Result<(), ParquetError> {
    let metadata = ParquetMetaDataReader::new().parse_and_finish(kept)?;
    for from in metadata.row_groups() {
        let mut group = writer.next_row_group()?;
        for column in from.columns() {
            let close = ColumnCloseResult {
                bytes_written: u64::try_from(column.compressed_size()).unwrap_or_default(),
                rows_written: u64::try_from(from.num_rows()).unwrap_or_default(),
                metadata: column.clone(),
                bloom_filter: None,
                column_index: None,
                offset_index: None,
            };
            group.append_column(kept, close)?;
        }
        group.close()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// "External: No space left on device" came without the advice that tables in CSV have.
    #[test]
    fn a_full_disk_is_told_as_what_it_is() {
        let full = io::Error::from(io::ErrorKind::StorageFull);
        assert_eq!(plain(ParquetError::from(full)).kind(), io::ErrorKind::StorageFull);
        assert_eq!(plain(ParquetError::General("no".to_owned())).kind(), io::ErrorKind::Other);
    }

    #[test]
    fn groups_grow_with_their_table_up_to_a_bound() {
        let sizes = [0, 65_536, 131_072, 1_000_000, 1 << 40].map(group);
        assert_eq!(sizes, [4096, 4096, 8192, 62_500, 65_536]);
    }
}
