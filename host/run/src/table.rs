//! Tables of a run, written row by row while it goes on: as CSV, or as Parquet.

mod cells;
mod column;
mod kept;
mod parquet;
mod schema;
mod whole;

pub(crate) use self::cells::{number, sound};
pub use self::column::{Cells, Column};
pub use self::schema::put;
pub use self::whole::parquet;

use std::io::{self, BufRead, BufReader, Read, Write};

use vinci_scene::experiment::TableFormat;

use self::kept::Kept;
use self::parquet::ParquetTable;
use crate::sealed::{FileSum, Table, Tables};

/// A table that grows: cells from left to right, then the end of the row.
pub enum RowTable {
    /// As text.
    Csv(Box<CsvTable>),
    /// By columns, in groups of rows.
    Parquet(Box<ParquetTable>),
}

impl RowTable {
    /// Opens `NAME.csv` or `NAME.parquet`, a new one or that of a run that goes on.
    ///
    /// # Errors
    /// Of input and output; a table that goes on and is not what it was.
    pub fn open(tables: &Tables, format: TableFormat, name: &str, columns: Vec<Column>) -> io::Result<Self> {
        let file = file_name(format, name);
        Ok(match format {
            TableFormat::Csv => {
                let names: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
                Self::Csv(Box::new(CsvTable::of(tables.open(&file, &names.join(","))?)))
            }
            TableFormat::Parquet => Self::Parquet(Box::new(ParquetTable::open(tables, &file, columns)?)),
        })
    }

    /// The next cell, a number; −0 is written as 0.
    pub fn number(&mut self, x: f64) {
        match self {
            Self::Csv(table) => table.number(x),
            Self::Parquet(table) => table.number(x + 0.0),
        }
    }

    /// The next cells, numbers.
    pub fn numbers(&mut self, list: &[f64]) {
        match self {
            Self::Csv(table) => list.iter().for_each(|x| table.number(*x)),
            Self::Parquet(table) => list.iter().for_each(|x| table.number(x + 0.0)),
        }
    }

    /// The next cell, a count: digits alone as text.
    pub fn count(&mut self, n: usize) {
        match self {
            Self::Csv(table) => table.word(&n.to_string()),
            Self::Parquet(table) => table.number(n as f64),
        }
    }

    /// The next cell, a word without comma, quote or line feed.
    pub fn word(&mut self, word: &str) {
        match self {
            Self::Csv(table) => table.word(word),
            Self::Parquet(table) => table.word(word),
        }
    }

    /// The end of a row.
    ///
    /// # Errors
    /// Of output.
    pub fn end_row(&mut self) -> io::Result<()> {
        match self {
            Self::Csv(table) => table.end_row(),
            Self::Parquet(table) => table.end_row(),
        }
    }

    /// Brings everything written so far to the disk: name, sum, and of Parquet the footer that makes a whole file of it.
    ///
    /// # Errors
    /// Of output.
    pub fn sync(&mut self) -> io::Result<(String, FileSum, Option<Vec<u8>>)> {
        match self {
            Self::Csv(table) => table.out.sync().map(|(name, sum)| (name, sum, None)),
            Self::Parquet(table) => table.sync(),
        }
    }

    /// Brings it to the disk and gives it its name.
    ///
    /// # Errors
    /// Of output.
    pub fn seal(self) -> io::Result<(String, FileSum)> {
        match self {
            Self::Csv(table) => table.out.seal(),
            Self::Parquet(table) => table.seal(),
        }
    }
}

/// Gives the numbers of every row that is kept of a table that goes on; of a new one there are none.
///
/// # Errors
/// Of input, a cell that is no number, and those of `take`.
pub(crate) fn kept_rows(
    tables: &Tables,
    file: &str,
    take: impl FnMut(&[f64]) -> io::Result<()>,
) -> io::Result<()> {
    if let Some(kept) = Kept::of(tables, file)? {
        return kept.rows(take);
    }
    let Some((text, length)) = tables.kept_file(file)? else { return Ok(()) };
    lines(text.take(length), take)
}

/// The numbers of every line but the first.
fn lines(text: impl Read, mut take: impl FnMut(&[f64]) -> io::Result<()>) -> io::Result<()> {
    let mut row = Vec::new();
    for line in BufReader::new(text).lines().skip(1) {
        row.clear();
        for word in line?.split(',') {
            row.push(word.parse().map_err(io::Error::other)?);
        }
        take(&row)?;
    }
    Ok(())
}

/// File of a table.
pub fn file_name(format: TableFormat, name: &str) -> String {
    match format {
        TableFormat::Csv => format!("{name}.csv"),
        TableFormat::Parquet => format!("{name}.parquet"),
    }
}

/// A table as text, in the shortest decimals that read back to the same bits.
pub struct CsvTable {
    out: Table,
    line: Vec<u8>,
    digits: ryu::Buffer,
}

impl CsvTable {
    fn of(out: Table) -> Self {
        Self { out, line: Vec::with_capacity(1024), digits: ryu::Buffer::new() }
    }

    fn number(&mut self, x: f64) {
        push(&mut self.line, &mut self.digits, x);
        self.line.push(b',');
    }

    fn word(&mut self, word: &str) {
        self.line.extend_from_slice(word.as_bytes());
        self.line.push(b',');
    }

    fn end_row(&mut self) -> io::Result<()> {
        if let Some(end) = self.line.last_mut() {
            *end = b'\n';
        }
        let written = self.out.write_all(&self.line);
        self.line.clear();
        written
    }
}

/// Shortest decimal that reads back to the same bits; −0 is written as 0.
pub(crate) fn push(line: &mut Vec<u8>, digits: &mut ryu::Buffer, x: f64) {
    line.extend_from_slice(digits.format(x + 0.0).as_bytes());
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::sealed::Synced;
    use crate::table_file::TableFile;

    fn columns() -> Vec<Column> {
        vec![Column::numbers("time", "s"), Column::words("body"), Column::numbers("a.x", "m")]
    }

    fn row(table: &mut RowTable, k: usize) {
        table.number(k as f64 * 0.1);
        table.word(["block", "ball"][k % 2]);
        table.number(-(k as f64));
        table.end_row().unwrap();
    }

    fn read(path: &Path) -> TableFile {
        TableFile::read(path, &["body"]).unwrap()
    }

    fn open(tables: &Tables, format: TableFormat) -> RowTable {
        RowTable::open(tables, format, "t", columns()).unwrap()
    }

    /// Rows that come after the checkpoint are lost with the process; the kept ones are there once.
    #[test]
    fn both_forms_hold_the_same_numbers_and_go_on_from_a_checkpoint() {
        let mut read_back = Vec::new();
        for format in [TableFormat::Csv, TableFormat::Parquet] {
            let dir = tempfile::tempdir().unwrap();
            let mut table = open(&Tables::new(dir.path()), format);
            (0..5).for_each(|k| row(&mut table, k));
            let (name, sum, footer) = table.sync().unwrap();
            (90..95).for_each(|k| row(&mut table, k));
            table.sync().unwrap();
            drop(table);
            let footers = footer.map(|footer| (name.clone(), footer)).into_iter().collect();
            let tables = Tables::resumed(dir.path(), Synced { sums: [(name, sum)].into(), footers }).unwrap();
            let mut table = open(&tables, format);
            (5..9).for_each(|k| row(&mut table, k));
            let (name, sum) = table.seal().unwrap();
            let path = dir.path().join(name);
            assert_eq!(FileSum::of(&path).unwrap(), sum);
            let table = read(&path);
            assert_eq!((table.rows(), table.words_of("body")[8].as_str()), (9, "block"));
            read_back.push((table.names, table.numbers, table.words));
        }
        assert_eq!(read_back[0], read_back[1]);
    }

    #[test]
    fn rows_that_are_kept_are_read_from_both_forms() {
        let columns = || vec![Column::numbers("time", "s"), Column::numbers("a.x", "m")];
        for format in [TableFormat::Csv, TableFormat::Parquet] {
            let dir = tempfile::tempdir().unwrap();
            let open = |tables: &Tables| RowTable::open(tables, format, "t", columns()).unwrap();
            let mut table = open(&Tables::new(dir.path()));
            table.numbers(&[0.5, -0.0]);
            table.end_row().unwrap();
            let (name, sum, footer) = table.sync().unwrap();
            let footers = footer.map(|footer| (name.clone(), footer)).into_iter().collect();
            let kept = Synced { sums: [(name.clone(), sum)].into(), footers };
            let mut rows = Vec::new();
            let take = |row: &[f64]| {
                rows.push([row[0].to_bits(), row[1].to_bits()]);
                Ok(())
            };
            kept_rows(&Tables::resumed(dir.path(), kept).unwrap(), &name, take).unwrap();
            assert_eq!(rows, [[0.5_f64.to_bits(), 0]]);
        }
    }

    /// A checkpoint of a stranger may hold any footer: it must not end the program, nor begin a table that is not whole.
    #[test]
    fn a_footer_that_is_not_the_files_own_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let mut table = open(&Tables::new(dir.path()), TableFormat::Parquet);
        (0..5).for_each(|k| row(&mut table, k));
        let (_, _, early) = table.sync().unwrap();
        (5..9).for_each(|k| row(&mut table, k));
        let (name, sum, footer) = table.sync().unwrap();
        let footer = footer.unwrap();
        let mut footers = vec![Vec::new(), b"PAR1".to_vec(), early.unwrap(), footer[1..].to_vec()];
        for at in 0..footer.len() {
            footers
                .push(footer.iter().enumerate().map(|(k, b)| if k == at { b ^ 0x55 } else { *b }).collect());
        }
        for (k, other) in footers.into_iter().enumerate() {
            let other = Synced {
                sums: [(name.clone(), sum.clone())].into(),
                footers: [(name.clone(), other)].into(),
            };
            let tables = Tables::resumed(dir.path(), other).unwrap();
            // A name or a sum within it may be another and the file still whole: then it holds all rows.
            match RowTable::open(&tables, TableFormat::Parquet, "t", columns()) {
                Err(e) => assert!(e.to_string().contains("is not its own"), "{e}"),
                Ok(_) => assert!(k >= 4, "footer {k}"),
            }
        }
        let own = Synced { sums: [(name.clone(), sum)].into(), footers: [(name.clone(), footer)].into() };
        let path = dir.path().join(&name);
        open(&Tables::resumed(dir.path(), own).unwrap(), TableFormat::Parquet).seal().unwrap();
        assert_eq!(read(&path).rows(), 9);
    }

    #[test]
    fn groups_of_rows_are_bounded_and_units_stand_in_the_file() {
        use ::parquet::file::reader::{FileReader, SerializedFileReader};
        let dir = tempfile::tempdir().unwrap();
        let mut table = open(&Tables::new(dir.path()), TableFormat::Parquet);
        (0..70_000).for_each(|k| row(&mut table, k));
        let path = dir.path().join(table.seal().unwrap().0);
        let reader = SerializedFileReader::new(std::fs::File::open(path).unwrap()).unwrap();
        assert_eq!(reader.metadata().num_row_groups(), 2);
        let notes = reader.metadata().file_metadata().key_value_metadata().unwrap();
        let units = notes.iter().find(|note| note.key == "vinci.units").unwrap();
        assert_eq!(units.value.as_deref(), Some(r#"{"a.x":"m","time":"s"}"#));
        assert!(notes.iter().any(|note| note.key == "vinci.frame"));
    }
}
