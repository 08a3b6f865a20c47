//! Tables of numbers and names from strangers: CSV, or Parquet.

use std::collections::BTreeSet;
use std::fs::File;
use std::path::Path;

use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;
use vinci_run::sealed::FileSum;
use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics};
use vinci_scene::files::{LARGEST_TABLE, open_regular, read_regular, unreadable};

/// Cells of a Parquet table at most: a few of its bytes may stand for many equal numbers.
const MOST: u64 = 30_000_000;

/// A table, column by column.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Table {
    /// The file, for messages.
    pub(crate) file: String,
    /// SHA-256 of its bytes, hex.
    pub(crate) digest: String,
    pub(crate) names: Vec<String>,
    /// Numbers by column; NaN where a cell holds none.
    pub(crate) numbers: Vec<Vec<f64>>,
    /// Words by column; empty for columns that were not asked for as words.
    pub(crate) words: Vec<Vec<String>>,
}

impl Table {
    /// Reads a file; columns in `words` are names, all others numbers.
    ///
    /// # Errors
    /// A file that is not there, too large, or neither CSV nor Parquet; rows of other lengths than the header; a name that stands twice.
    pub(crate) fn read(path: &Path, words: &[&str]) -> Result<Self, Diagnostics> {
        let missing = || "name a table in CSV or Parquet".to_owned();
        let bytes = read_regular(path, LARGEST_TABLE).map_err(|e| unreadable(path, &e, missing))?;
        let digest = FileSum::of_bytes(&bytes).sha256;
        let file = path.display().to_string();
        let empty = Self { file, digest, ..Self::default() };
        let table = if bytes.starts_with(b"PAR1") {
            drop(bytes);
            let (file, _) = open_regular(path, LARGEST_TABLE).map_err(|e| unreadable(path, &e, missing))?;
            empty.of_parquet(file, words)?
        } else {
            empty.of_csv(&bytes, words)?
        };
        let mut seen = BTreeSet::new();
        let twice = (0..table.names.len()).find(|k| !seen.insert(&table.names[*k]));
        match twice {
            Some(k) => {
                Err(table.bad(format!("the column `{}` stands twice", table.names[k]), "name it once"))
            }
            None => Ok(table),
        }
    }

    fn of_csv(mut self, bytes: &[u8], words: &[&str]) -> Result<Self, Diagnostics> {
        let mut reader = csv::Reader::from_reader(bytes);
        let headers = reader.headers().map_err(|e| self.bad(e.to_string(), CSV))?.clone();
        self.name(headers.iter().map(|name| name.trim().to_owned()).collect());
        let is_word: Vec<bool> = self.names.iter().map(|n| words.contains(&n.as_str())).collect();
        let mut record = csv::StringRecord::new();
        while reader.read_record(&mut record).map_err(|e| self.bad(e.to_string(), CSV))? {
            for (k, cell) in record.iter().enumerate() {
                let cell = cell.trim();
                if is_word[k] {
                    self.words[k].push(cell.to_owned());
                } else {
                    self.numbers[k].push(cell.parse().unwrap_or(f64::NAN));
                }
            }
        }
        Ok(self)
    }

    fn of_parquet(mut self, file: File, words: &[&str]) -> Result<Self, Diagnostics> {
        // A damaged file must not end the program, whatever its reader makes of it.
        let mut read = Self::default();
        let reading = std::panic::AssertUnwindSafe(|| read.take_parquet(file, words));
        let whole = std::panic::catch_unwind(reading);
        let damaged = || self.bad("it is not a whole Parquet file".into(), PARQUET);
        whole.map_err(|_| damaged())?.map_err(|e| self.bad(e, PARQUET))?;
        (self.names, self.numbers, self.words) = (read.names, read.numbers, read.words);
        Ok(self)
    }

    /// Takes the rows of a Parquet file in, one after the other: a row of them is many times as large as its numbers.
    fn take_parquet(&mut self, file: File, words: &[&str]) -> Result<(), String> {
        let reader = SerializedFileReader::new(file).map_err(|e| e.to_string())?;
        self.name(names_of(&reader)?);
        for row in reader.get_row_iter(None).map_err(|e| e.to_string())? {
            for (k, (name, field)) in row.map_err(|e| e.to_string())?.get_column_iter().enumerate() {
                match field {
                    Field::Str(text) if words.contains(&name.as_str()) => self.words[k].push(text.clone()),
                    _ if words.contains(&name.as_str()) => self.words[k].push(String::new()),
                    field => self.numbers[k].push(number(field)),
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

    /// Place of a column.
    pub(crate) fn at(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|n| n == name)
    }

    /// Number of rows.
    pub(crate) fn len(&self) -> usize {
        self.numbers.iter().map(Vec::len).chain(self.words.iter().map(Vec::len)).max().unwrap_or(0)
    }

    /// A column of finite numbers.
    ///
    /// # Errors
    /// The first cell that is none.
    pub(crate) fn finite(&self, k: usize) -> Result<&[f64], Diagnostics> {
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
    pub(crate) fn bad(&self, message: String, help: &str) -> Diagnostics {
        Diagnostic::error(Code::Io, format!("{}: {message}", self.file)).help(help).into()
    }
}

const CSV: &str = "a table has one line of names, then lines of as many cells, separated by commas";
const PARQUET: &str = "write it anew: columns of numbers, uncompressed or with snappy";

/// Names of the columns of a Parquet file, which is not too large.
fn names_of(reader: &SerializedFileReader<File>) -> Result<Vec<String>, String> {
    let file = reader.metadata().file_metadata();
    let columns = file.schema_descr().num_columns();
    let count = u64::try_from(file.num_rows()).map_err(|e| e.to_string())?;
    if count.saturating_mul(columns as u64) > MOST {
        return Err(format!("it says that it has {count} rows of {columns} columns, which is too much"));
    }
    Ok(file.schema_descr().columns().iter().map(|c| c.name().to_owned()).collect())
}

fn number(field: &Field) -> f64 {
    match *field {
        Field::Double(x) => x,
        Field::Float(x) => x.into(),
        Field::Int(x) => x.into(),
        Field::Long(x) => x as f64,
        _ => f64::NAN,
    }
}
