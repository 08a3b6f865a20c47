//! A Parquet file that is not whole yet: its groups of rows on the disk, and the footer that a checkpoint holds.

use std::fs::File;
use std::io::{self, BufReader, Chain, Cursor, Read, Seek, SeekFrom, Take};

use parquet::errors::{ParquetError, Result};
use parquet::file::reader::{ChunkReader, FileReader, Length, SerializedFileReader};

use super::cells::{cell_number, sound};
use crate::sealed::Tables;

/// The kept part of a file with its footer behind it: together a whole file.
pub(super) struct Kept {
    file: File,
    length: u64,
    footer: Vec<u8>,
}

impl Kept {
    /// The kept part of a table that goes on; nothing of one that is new, or not in Parquet.
    ///
    /// # Errors
    /// Of input.
    pub(super) fn of(tables: &Tables, name: &str) -> io::Result<Option<Self>> {
        let Some(footer) = tables.footer(name) else { return Ok(None) };
        Ok(tables.kept_file(name)?.map(|(file, length)| Self { file, length, footer: footer.to_vec() }))
    }

    /// Gives the numbers of every row.
    ///
    /// # Errors
    /// A footer that does not belong to the file, a row that holds something else than numbers, and those of `take`.
    pub(super) fn rows(self, mut take: impl FnMut(&[f64]) -> io::Result<()>) -> io::Result<()> {
        let damaged = || io::Error::other("its footer in the checkpoint is not its own");
        let mut row = Vec::new();
        sound(|| -> io::Result<()> {
            let reader = SerializedFileReader::new(self).map_err(io::Error::other)?;
            for cells in reader.get_row_iter(None).map_err(io::Error::other)? {
                row.clear();
                row.extend(
                    cells.map_err(io::Error::other)?.get_column_iter().map(|(_, cell)| cell_number(cell)),
                );
                take(&row)?;
            }
            Ok(())
        })
        .ok_or_else(damaged)?
    }

    /// Bytes of the file without footer.
    pub(super) fn length(&self) -> u64 {
        self.length
    }
}

impl Length for Kept {
    fn len(&self) -> u64 {
        self.length + self.footer.len() as u64
    }
}

impl ChunkReader for Kept {
    type T = BufReader<Chain<Take<File>, Cursor<Vec<u8>>>>;

    fn get_read(&self, start: u64) -> Result<Self::T> {
        let mut file = self.file.try_clone()?;
        file.seek(SeekFrom::Start(start.min(self.length)))?;
        let mut footer = Cursor::new(self.footer.clone());
        footer.set_position(start.saturating_sub(self.length));
        Ok(BufReader::new(file.take(self.length.saturating_sub(start)).chain(footer)))
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<bytes::Bytes> {
        let mut out = Vec::new();
        self.get_read(start)?.take(length as u64).read_to_end(&mut out)?;
        match out.len() == length {
            true => Ok(out.into()),
            false => Err(ParquetError::EOF(format!("{length} bytes from {start} on are not there"))),
        }
    }
}
