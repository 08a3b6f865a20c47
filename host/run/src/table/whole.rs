//! A Parquet file of rows that are all there.

use parquet::basic::Repetition;
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType};
use parquet::errors::ParquetError;

use super::column::{Cells, Column};
use super::schema::{begin, put};

/// Bytes of a Parquet file with these rows, a text to a cell: numbers in decimals, empty where there is none.
///
/// # Errors
/// What the library says.
pub fn parquet(columns: &[Column], rows: &[Vec<String>]) -> Result<Vec<u8>, ParquetError> {
    let mut writer = begin(Vec::new(), columns, Repetition::OPTIONAL)?;
    let mut group = writer.next_row_group()?;
    for (k, column) in columns.iter().enumerate() {
        let cells = rows.iter().map(|row| row.get(k).map_or("", String::as_str));
        match column.cells {
            Cells::Numbers(_) | Cells::Counts => {
                let numbers: Vec<Option<f64>> = cells.map(|cell| cell.parse().ok()).collect();
                let levels: Vec<i16> = numbers.iter().map(|x| i16::from(x.is_some())).collect();
                let numbers: Vec<f64> = numbers.into_iter().flatten().collect();
                put::<DoubleType, _>(&mut group, &numbers, Some(&levels))?;
            }
            Cells::Words => {
                let levels: Vec<i16> = cells.clone().map(|cell| i16::from(!cell.is_empty())).collect();
                let words: Vec<ByteArray> =
                    cells.filter(|cell| !cell.is_empty()).map(ByteArray::from).collect();
                put::<ByteArrayType, _>(&mut group, &words, Some(&levels))?;
            }
        }
    }
    group.close()?;
    writer.into_inner()
}
