//! Tables that are read back: CSV, or Parquet. Runs wrote them, or strangers.

mod columns;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::sealed::FileSum;
use crate::table::{cell_number, file_name, sound};
use bytes::Bytes;
use columns::Columns;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;
use parquet::schema::types::ColumnDescPtr;
use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics};
use vinci_scene::experiment::TableFormat;
use vinci_scene::files::{LARGEST_TABLE, read_regular, unreadable};

/// Cells of a Parquet table: so many are read of any file, and so many at most; between them [`PER_BYTE`] for every byte of the file. A few
/// bytes may stand for many equal numbers, and a run of 1e6 steps has 3.2e7 cells of contacts at two contacts a step.
const CELLS: [u64; 2] = [30_000_000, 1_000_000_000];
const PER_BYTE: u64 = 64;

/// Bytes of all words of a Parquet table at most, for the same reason.
const MOST_LETTERS: usize = 256 << 20;

/// Columns of words in the tables of a run; all others hold numbers.
pub const WORDS: [&str; 8] = ["body_a", "body_b", "mode", "kind", "bodies", "body", "row", "column"];

/// Bytes that are no table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Malformed {
    /// Reason.
    pub why: String,
    /// Advice.
    pub help: &'static str,
}

/// A table, column by column.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TableFile {
    /// The file, for messages.
    pub file: String,
    /// SHA-256 of its bytes, hex.
    pub digest: String,
    /// Names of the columns.
    pub names: Vec<String>,
    /// Numbers by column; NaN where a cell holds none.
    pub numbers: Vec<Vec<f64>>,
    /// Words by column; empty for columns that were not asked for as words.
    pub words: Vec<Vec<String>>,
    /// The first cell of text that is no number: name of its column, and its row from 1.
    pub stray: Option<(String, usize)>,
}

impl TableFile {
    /// Reads a file; columns in `words` are names, all others numbers.
    ///
    /// # Errors
    /// A file that is not there, too large, or neither CSV nor Parquet; rows of other lengths than the header; a name that stands twice.
    pub fn read(path: &Path, words: &[&str]) -> Result<Self, Diagnostics> {
        let missing = || "name a table in CSV or Parquet".to_owned();
        let bytes = read_regular(path, LARGEST_TABLE).map_err(|e| unreadable(path, &e, missing))?;
        let empty = Self { file: path.display().to_string(), ..Self::default() };
        Self::of_bytes(bytes, words)
            .map(|table| Self { file: empty.file.clone(), ..table })
            .map_err(|Malformed { why, help }| empty.bad(why, help))
    }

    /// A table in memory. Its file has no name.
    ///
    /// # Errors
    /// As of [`TableFile::read`].
    pub fn of_bytes(bytes: Vec<u8>, words: &[&str]) -> Result<Self, Malformed> {
        let empty = Self { digest: FileSum::of_bytes(&bytes).sha256, ..Self::default() };
        let (read, help) = match bytes.starts_with(b"PAR1") {
            true => (empty.of_parquet(bytes.into(), words), PARQUET),
            false => (empty.of_csv(&bytes, words), CSV),
        };
        let table = read.map_err(|why| Malformed { why, help })?;
        let mut seen = BTreeSet::new();
        match table.names.iter().find(|name| !seen.insert(*name)) {
            Some(name) => {
                Err(Malformed { why: format!("the column `{name}` stands twice"), help: "name it once" })
            }
            None => Ok(table),
        }
    }

    fn of_csv(mut self, bytes: &[u8], words: &[&str]) -> Result<Self, String> {
        let mut reader = csv::Reader::from_reader(bytes);
        let headers = reader.headers().map_err(|e| e.to_string())?.clone();
        self.name(headers.iter().map(|name| name.trim().to_owned()).collect());
        let is_word: Vec<bool> = self.names.iter().map(|n| words.contains(&n.as_str())).collect();
        let mut record = csv::StringRecord::new();
        let mut row = 0;
        while reader.read_record(&mut record).map_err(|e| e.to_string())? {
            row += 1;
            for (k, cell) in record.iter().enumerate() {
                let cell = cell.trim();
                if is_word[k] {
                    self.words[k].push(cell.to_owned());
                } else {
                    self.numbers[k].push(cell.parse().unwrap_or_else(|_| {
                        self.stray.get_or_insert_with(|| (self.names[k].clone(), row));
                        f64::NAN
                    }));
                }
            }
        }
        Ok(self)
    }

    fn of_parquet(mut self, bytes: Bytes, words: &[&str]) -> Result<Self, String> {
        // A damaged file must not end the program, whatever its reader makes of it.
        let mut read = Self::default();
        sound(|| read.take_parquet(bytes, words)).ok_or("it is not a whole Parquet file")??;
        (self.names, self.numbers, self.words) = (read.names, read.numbers, read.words);
        Ok(self)
    }

    /// Takes a Parquet file in: plain columns one after the other; else by rows, each of which is many times as large as its numbers.
    fn take_parquet(&mut self, file: Bytes, words: &[&str]) -> Result<(), String> {
        let most = CELLS[1].min(CELLS[0].max(PER_BYTE.saturating_mul(file.len() as u64)));
        let reader = SerializedFileReader::new(file).map_err(|e| e.to_string())?;
        self.name(names_of(&reader, most)?);
        if columns::are_plain(&reader) {
            let is_word: Vec<bool> = self.names.iter().map(|n| words.contains(&n.as_str())).collect();
            Columns { numbers: self.numbers, words: self.words } =
                Columns::read(&reader, &is_word, MOST_LETTERS)?;
            return Ok(());
        }
        let mut left = MOST_LETTERS;
        for row in reader.get_row_iter(None).map_err(|e| e.to_string())? {
            for (k, (name, field)) in row.map_err(|e| e.to_string())?.get_column_iter().enumerate() {
                left = left.checked_sub(letters(field)).ok_or("its words are too long")?;
                match field {
                    Field::Str(text) if words.contains(&name.as_str()) => self.words[k].push(text.clone()),
                    _ if words.contains(&name.as_str()) => self.words[k].push(String::new()),
                    field => self.numbers[k].push(cell_number(field)),
                }
            }
        }
        Ok(())
    }

    fn name(&mut self, names: Vec<String>) {
        self.numbers = vec![Vec::new(); names.len()];
        self.words = vec![Vec::new(); names.len()];
        self.names = names;
    }

    /// Numbers of a column; nothing where there is no such column.
    pub fn column(&self, name: &str) -> Option<&[f64]> {
        self.at(name).map(|k| self.numbers[k].as_slice())
    }

    /// Words of a column; nothing where there is no such column, or where it was read as numbers.
    pub fn words_of(&self, name: &str) -> &[String] {
        self.at(name).map_or(&[], |k| &self.words[k])
    }

    /// File of a table of a directory: as Parquet, if there is one, else as CSV.
    pub fn path_in(directory: &Path, name: &str) -> PathBuf {
        let [parquet, csv] =
            [TableFormat::Parquet, TableFormat::Csv].map(|f| directory.join(file_name(f, name)));
        if parquet.exists() { parquet } else { csv }
    }

    /// Place of a column.
    pub fn at(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|n| n == name)
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.numbers.iter().map(Vec::len).chain(self.words.iter().map(Vec::len)).max().unwrap_or(0)
    }

    /// A column of finite numbers.
    ///
    /// # Errors
    /// The first cell that is none.
    pub fn finite(&self, k: usize) -> Result<&[f64], Diagnostics> {
        let column = &self.numbers[k];
        match column.iter().position(|x| !x.is_finite()) {
            None => Ok(column),
            Some(row) => {
                let message = format!("row {}, column `{}`: not a finite number", row + 1, self.names[k]);
                Err(self.bad(message, "a motion has a number in every cell"))
            }
        }
    }

    /// Something wrong with the file.
    pub fn bad(&self, message: String, help: &str) -> Diagnostics {
        Diagnostic::error(Code::Io, format!("{}: {message}", self.file)).help(help).into()
    }
}

const CSV: &str = "a table has one line of names, then lines of as many cells, separated by commas";
const PARQUET: &str = "write it anew: columns of numbers, uncompressed or with snappy";

/// Names of the columns of a Parquet file, which has at most so many cells, and one number or word in a cell.
fn names_of(reader: &SerializedFileReader<Bytes>, most: u64) -> Result<Vec<String>, String> {
    let file = reader.metadata().file_metadata();
    let columns = file.schema_descr().num_columns();
    // The number of rows does not bound the size of a column of lists.
    let is_flat = |c: &ColumnDescPtr| c.path().parts().len() == 1 && c.max_rep_level() == 0;
    if let Some(other) = file.schema_descr().columns().iter().find(|c| !is_flat(c)) {
        return Err(format!(
            "its column `{}` holds more than a number or a word in a row",
            other.path().string()
        ));
    }
    let count = u64::try_from(file.num_rows()).map_err(|e| e.to_string())?;
    if count.saturating_mul(columns as u64) > most {
        return Err(format!(
            "it says that it has {count} rows of {columns} columns, which is too much for its size"
        ));
    }
    Ok(file.schema_descr().columns().iter().map(|c| c.name().to_owned()).collect())
}

fn letters(field: &Field) -> usize {
    match field {
        Field::Str(text) => text.len(),
        Field::Bytes(bytes) => bytes.len(),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parquet::column::writer::ColumnWriter;
    use parquet::data_type::ByteArray;
    use parquet::file::properties::WriterProperties;
    use parquet::file::writer::SerializedFileWriter;
    use parquet::schema::parser::parse_message_type;
    use std::fs::File;
    use std::sync::Arc;

    /// A table of one column of words or of lists, in which one word or number stands `n` times: a few bytes for all.
    fn repeated(path: &Path, schema: &str, word: &str, n: usize) {
        let schema = Arc::new(parse_message_type(schema).unwrap());
        let properties = Arc::new(WriterProperties::builder().build());
        let mut file = SerializedFileWriter::new(File::create(path).unwrap(), schema, properties).unwrap();
        let mut group = file.next_row_group().unwrap();
        let mut column = group.next_column().unwrap().unwrap();
        match column.untyped() {
            ColumnWriter::ByteArrayColumnWriter(words) => {
                words.write_batch(&vec![ByteArray::from(word); n], None, None).unwrap();
            }
            ColumnWriter::DoubleColumnWriter(numbers) => {
                let begins: Vec<i16> = (0..n).map(|k| i16::from(k > 0)).collect();
                numbers.write_batch(&vec![0.5; n], Some(&vec![1; n]), Some(&begins)).unwrap();
            }
            _ => panic!("neither words nor numbers"),
        };
        column.close().unwrap();
        group.close().unwrap();
        file.close().unwrap();
    }

    /// 200 kB of Parquet took all memory as names of bodies, and never came to an end as numbers.
    #[test]
    fn words_and_lists_that_unfold_without_measure_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("t.parquet");
        let words = "message t { required binary body_a (UTF8); }";
        let why = |asked: &[&str]| {
            TableFile::read(&path, asked).unwrap_err().iter().next().unwrap().message.clone()
        };
        repeated(&path, words, &"x".repeat(1 << 19), 600);
        assert!(std::fs::metadata(&path).unwrap().len() < 1 << 20);
        for asked in [&["body_a"][..], &[]] {
            assert!(why(asked).ends_with("its words are too long"), "{}", why(asked));
        }
        repeated(&path, "message t { repeated double time; }", "", 1000);
        assert!(why(&[]).contains("`time` holds more than a number or a word in a row"), "{}", why(&[]));
        repeated(&path, words, "block", 300);
        let table = TableFile::read(&path, &["body_a"]).unwrap();
        assert_eq!((table.rows(), table.words[0][299].as_str()), (300, "block"));
    }
}
