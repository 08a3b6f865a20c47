//! Parquet column by column: numbers and words as runs write them. A row of many cells costs many times as much.

use bytes::Bytes;
use parquet::basic::{ConvertedType, Type as Physical};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{ByteArray, DataType};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::schema::types::ColumnDescriptor;

/// Cells that are read at a time.
const BATCH: usize = 4096;

/// Returns true if every column holds doubles, or words.
pub(super) fn are_plain(reader: &SerializedFileReader<Bytes>) -> bool {
    let is_plain = |c: &ColumnDescriptor| match c.physical_type() {
        Physical::DOUBLE => c.converted_type() == ConvertedType::NONE,
        Physical::BYTE_ARRAY => c.converted_type() == ConvertedType::UTF8,
        _ => false,
    };
    reader.metadata().file_metadata().schema_descr().columns().iter().all(|c| is_plain(c))
}

/// Cells by column: of numbers, and of words where those are asked for.
pub(super) struct Columns {
    pub(super) numbers: Vec<Vec<f64>>,
    pub(super) words: Vec<Vec<String>>,
}

impl Columns {
    /// All cells of a file of plain columns, some of which are words. `letters`: bytes of all its words at most.
    pub(super) fn read(
        reader: &SerializedFileReader<Bytes>,
        is_word: &[bool],
        mut letters: usize,
    ) -> Result<Self, String> {
        let mut read =
            Self { numbers: vec![Vec::new(); is_word.len()], words: vec![Vec::new(); is_word.len()] };
        for g in 0..reader.num_row_groups() {
            let group = reader.get_row_group(g).map_err(|e| e.to_string())?;
            let rows = usize::try_from(group.metadata().num_rows()).map_err(|e| e.to_string())?;
            for (k, &is_word) in is_word.iter().enumerate() {
                let column = group.get_column_reader(k).map_err(|e| e.to_string())?;
                read.take(k, column, is_word, (rows, &mut letters))?;
            }
        }
        Ok(read)
    }

    fn take(
        &mut self,
        k: usize,
        column: ColumnReader,
        is_word: bool,
        (rows, left): (usize, &mut usize),
    ) -> Result<(), String> {
        let (numbers, words) = (&mut self.numbers[k], &mut self.words[k]);
        match column {
            ColumnReader::DoubleColumnReader(column) => cells(column, rows, |x| {
                match is_word {
                    true => words.push(String::new()),
                    false => numbers.push(x.copied().unwrap_or(f64::NAN)),
                }
                Ok(())
            }),
            ColumnReader::ByteArrayColumnReader(column) => cells(column, rows, |text: Option<&ByteArray>| {
                let text = text.map_or(&[][..], ByteArray::data);
                *left = left.checked_sub(text.len()).ok_or("its words are too long")?;
                match is_word {
                    true => words.push(std::str::from_utf8(text).map_err(|e| e.to_string())?.to_owned()),
                    false => numbers.push(f64::NAN),
                }
                Ok(())
            }),
            _ => Err("a column holds neither numbers nor words".into()),
        }
    }
}

/// Calls back with every cell of a column, nothing where it is empty.
fn cells<T: DataType>(
    mut column: ColumnReaderImpl<T>,
    rows: usize,
    mut take: impl FnMut(Option<&T::T>) -> Result<(), String>,
) -> Result<(), String> {
    let (mut levels, mut values, mut count) = (Vec::new(), Vec::new(), 0);
    loop {
        levels.clear();
        values.clear();
        let (records, full, _) =
            column.read_records(BATCH, Some(&mut levels), None, &mut values).map_err(|e| e.to_string())?;
        if records == 0 {
            break;
        }
        count += records;
        if count > rows {
            break;
        }
        if full == records {
            values.iter().try_for_each(|v| take(Some(v)))?;
            continue;
        }
        let mut next = values.iter();
        levels.iter().try_for_each(|&level| take(if level > 0 { next.next() } else { None }))?;
    }
    (count == rows).then_some(()).ok_or_else(|| format!("a column has {count} cells of {rows}"))
}
