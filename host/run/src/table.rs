//! Tables of a run, written while it goes on: as CSV, or as Parquet.

mod cells;
mod column;
mod csv;
mod kept;
mod parquet;
mod runs;
mod schema;
mod text;
mod whole;

pub(crate) use self::cells::{cell_number, sound};
pub use self::column::{Cells, Column};
pub use self::csv::CsvTable;
pub(crate) use self::csv::push;
pub use self::schema::put;
pub use self::text::{csv_line, number};
pub use self::whole::parquet;

use std::io::{self, BufRead, BufReader, Read};
use std::sync::Arc;

use vinci_scene::experiment::TableFormat;

use self::kept::Kept;
use self::parquet::ParquetTable;
use crate::sealed::{FileSum, Table, Tables};

/// A table that grows, in one of two forms.
///
/// A cell is 64 bits: of a number those of the number, of a count those of the same number, of a word its place in the list of words
/// that the table may hold.
pub enum RowTable {
    /// As text.
    Csv(Box<CsvTable>),
    /// By columns, in groups of rows.
    Parquet(Box<ParquetTable>),
}

impl RowTable {
    /// Opens `NAME.csv` or `NAME.parquet`, a new one or that of a run that goes on. `words`: all that its cells may hold, without comma,
    /// quote or line feed.
    ///
    /// # Errors
    /// Of input and output; a table that goes on and is not what it was.
    pub fn open(
        tables: &Tables,
        (format, name): (TableFormat, &str),
        columns: &[Column],
        words: Arc<[String]>,
    ) -> io::Result<Self> {
        let file = file_name(format, name);
        Ok(match format {
            TableFormat::Csv => {
                let names: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
                let out = tables.open(&file, &names.join(","))?;
                Self::Csv(Box::new(CsvTable::of(out, columns, words)))
            }
            TableFormat::Parquet => {
                Self::Parquet(Box::new(ParquetTable::open(tables, &file, columns, words)?))
            }
        })
    }

    /// Adds rows: cells from left to right, row after row.
    ///
    /// # Errors
    /// Of output.
    pub fn add(&mut self, cells: &[u64]) -> io::Result<()> {
        match self {
            Self::Csv(table) => table.add(cells),
            Self::Parquet(table) => table.add(cells),
        }
    }

    /// Brings everything written so far to the disk: name, sum, and of Parquet the footer that makes a whole file of it.
    ///
    /// # Errors
    /// Of output.
    pub fn sync(&mut self) -> io::Result<(String, FileSum, Option<Vec<u8>>)> {
        match self {
            Self::Csv(table) => table.sync().map(|(name, sum)| (name, sum, None)),
            Self::Parquet(table) => table.sync(),
        }
    }

    /// The file with all rows, to be sealed.
    ///
    /// # Errors
    /// Of output.
    pub fn finish(self) -> io::Result<Table> {
        match self {
            Self::Csv(table) => Ok(table.finish()),
            Self::Parquet(table) => table.finish(),
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

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::sealed::Synced;
    use crate::table_file::TableFile;

    fn columns() -> Vec<Column> {
        vec![Column::numbers("time", "s"), Column::words("body"), Column::numbers("a.x", "m")]
    }

    fn words() -> Arc<[String]> {
        ["block", "ball"].map(str::to_owned).into()
    }

    fn row(table: &mut RowTable, k: usize) {
        let cells = [(k as f64 * 0.1).to_bits(), (k % 2) as u64, (-(k as f64) + 0.0).to_bits()];
        table.add(&cells).unwrap();
    }

    fn read(path: &Path) -> TableFile {
        TableFile::read(path, &["body"]).unwrap()
    }

    fn open(tables: &Tables, format: TableFormat) -> RowTable {
        RowTable::open(tables, (format, "t"), &columns(), words()).unwrap()
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
            let (name, sum) = table.finish().unwrap().seal().unwrap();
            let path = dir.path().join(name);
            assert_eq!(FileSum::of(&path).unwrap(), sum.file);
            let table = read(&path);
            assert_eq!((table.rows(), table.words_of("body")[8].as_str()), (9, "block"));
            read_back.push((table.names, table.numbers, table.words));
        }
        assert_eq!(read_back[0], read_back[1]);
    }

    /// As they come: one by one, or many at once, over the end of a group.
    #[test]
    fn bytes_do_not_depend_on_how_many_rows_come_at_once() {
        let cells = |k: usize| [k as f64, (k % 2) as f64, 1.0 / k as f64].map(f64::to_bits);
        let columns = [Column::numbers("time", "s"), Column::counts("n"), Column::numbers("x", "m")];
        let all: Vec<u64> = (0..70_000).flat_map(cells).collect();
        for format in [TableFormat::Csv, TableFormat::Parquet] {
            let sums = [3, 3 * 1000, 3 * 70_000].map(|at_once| {
                let dir = tempfile::tempdir().unwrap();
                let tables = Tables::new(dir.path());
                let mut table = RowTable::open(&tables, (format, "t"), &columns, words()).unwrap();
                all.chunks(at_once).for_each(|rows| table.add(rows).unwrap());
                table.finish().unwrap().seal().unwrap().1
            });
            assert!(sums[0] == sums[1] && sums[1] == sums[2], "{sums:?}");
        }
    }

    #[test]
    fn rows_that_are_kept_are_read_from_both_forms() {
        let columns = || vec![Column::numbers("time", "s"), Column::numbers("a.x", "m")];
        for format in [TableFormat::Csv, TableFormat::Parquet] {
            let dir = tempfile::tempdir().unwrap();
            let tables = Tables::new(dir.path());
            let mut table = RowTable::open(&tables, (format, "t"), &columns(), words()).unwrap();
            table.add(&[0.5_f64, 0.0].map(f64::to_bits)).unwrap();
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
            match RowTable::open(&tables, (TableFormat::Parquet, "t"), &columns(), words()) {
                Err(e) => assert!(e.to_string().contains("is not its own"), "{e}"),
                Ok(_) => assert!(k >= 4, "footer {k}"),
            }
        }
        let own = Synced { sums: [(name.clone(), sum)].into(), footers: [(name.clone(), footer)].into() };
        let path = dir.path().join(&name);
        open(&Tables::resumed(dir.path(), own).unwrap(), TableFormat::Parquet)
            .finish()
            .unwrap()
            .seal()
            .unwrap();
        assert_eq!(read(&path).rows(), 9);
    }

    #[test]
    fn groups_of_rows_are_bounded_and_units_stand_in_the_file() {
        use ::parquet::file::reader::{FileReader, SerializedFileReader};
        let dir = tempfile::tempdir().unwrap();
        let mut table = open(&Tables::new(dir.path()), TableFormat::Parquet);
        (0..70_000).for_each(|k| row(&mut table, k));
        let path = dir.path().join(table.finish().unwrap().seal().unwrap().0);
        let reader = SerializedFileReader::new(std::fs::File::open(path).unwrap()).unwrap();
        let sizes: Vec<i64> = reader.metadata().row_groups().iter().map(|group| group.num_rows()).collect();
        // The last one, for which a run waits, is a small part of the table.
        assert_eq!((&sizes[..17], &sizes[17..]), (&[4096; 17][..], &[368][..]));
        let notes = reader.metadata().file_metadata().key_value_metadata().unwrap();
        let units = notes.iter().find(|note| note.key == "vinci.units").unwrap();
        assert_eq!(units.value.as_deref(), Some(r#"{"a.x":"m","time":"s"}"#));
        assert!(notes.iter().any(|note| note.key == "vinci.frame"));
    }
}
