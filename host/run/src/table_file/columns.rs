//! Parquet column by column: numbers and words as runs write them. A row of many cells costs many times as much.

use super::{MOST_LETTERS, TableFile};
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

impl TableFile {
    /// Takes the cells of a file of plain columns in; the columns have their names.
    pub(super) fn take_columns(
        &mut self,
        reader: &SerializedFileReader<Bytes>,
        words: &[&str],
    ) -> Result<(), String> {
        let mut left = MOST_LETTERS;
        for g in 0..reader.num_row_groups() {
            let group = reader.get_row_group(g).map_err(|e| e.to_string())?;
            let rows = usize::try_from(group.metadata().num_rows()).map_err(|e| e.to_string())?;
            for k in 0..self.names.len() {
                let column = group.get_column_reader(k).map_err(|e| e.to_string())?;
                self.take_column(k, column, words, (rows, &mut left))?;
            }
        }
        Ok(())
    }

    fn take_column(
        &mut self,
        k: usize,
        column: ColumnReader,
        words: &[&str],
        (rows, left): (usize, &mut usize),
    ) -> Result<(), String> {
        let is_word = words.contains(&self.names[k].as_str());
        let (numbers, texts) = (&mut self.numbers[k], &mut self.words[k]);
        match column {
            ColumnReader::DoubleColumnReader(column) => cells(column, rows, |x| {
                match is_word {
                    true => texts.push(String::new()),
                    false => numbers.push(x.copied().unwrap_or(f64::NAN)),
                }
                Ok(())
            }),
            ColumnReader::ByteArrayColumnReader(column) => cells(column, rows, |text: Option<&ByteArray>| {
                let text = text.map_or(&[][..], ByteArray::data);
                *left = left.checked_sub(text.len()).ok_or("its words are too long")?;
                if is_word {
                    texts.push(std::str::from_utf8(text).map_err(|e| e.to_string())?.to_owned());
                } else {
                    numbers.push(f64::NAN);
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
