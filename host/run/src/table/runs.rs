//! Columns of a group in which values repeat, as a dictionary and places in it: fewer bytes, and less work than to look every value up.

use bytes::Bytes;
use parquet::basic::Encoding;
use parquet::column::page::{CompressedPage, Page, PageWriter};
use parquet::column::writer::ColumnCloseResult;
use parquet::errors::ParquetError;
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::statistics::Statistics;
use parquet::file::writer::{SerializedPageWriter, TrackedWrite};
use parquet::schema::types::ColumnDescPtr;

/// Rows in a run at least, in the mean, for numbers to be written as runs.
const LONG: usize = 4;
/// Places are packed into bits where their runs are shorter in the mean.
const SHORT: usize = 8;

/// A column of a group, encoded.
pub(super) struct Chunk {
    pub(super) bytes: Bytes,
    pub(super) close: ColumnCloseResult,
}

/// Equal values one after the other: the place of the value in the dictionary, and their number.
type Run = (u32, usize);

/// Numbers, if they repeat often enough. The dictionary has a value for every run. `ranged`: the least and greatest are told.
///
/// # Errors
/// What the library says.
pub(super) fn numbers(
    list: &[f64],
    column: &ColumnDescPtr,
    ranged: bool,
) -> Result<Option<Chunk>, ParquetError> {
    let (mut dictionary, mut runs): (Vec<u8>, Vec<Run>) = Default::default();
    for same in list.chunk_by(|a, b| a.to_bits() == b.to_bits()) {
        if (runs.len() + 1) * LONG > list.len() {
            return Ok(None);
        }
        runs.push((runs.len() as u32, same.len()));
        dictionary.extend(same[0].to_le_bytes());
    }
    let fold = |least: fn(f64, f64) -> f64| list.iter().copied().reduce(least);
    let range = || Statistics::double(fold(f64::min), fold(f64::max), None, Some(0), false);
    chunk(column, (runs.len(), dictionary), (list.len(), &runs), ranged.then(range)).map(Some)
}

/// Words by their places in a list of all that there may be. The dictionary has those that occur.
///
/// # Errors
/// What the library says.
pub(super) fn words(places: &[u64], all: &[String], column: &ColumnDescPtr) -> Result<Chunk, ParquetError> {
    let (mut dictionary, mut runs): (Vec<u8>, Vec<Run>) = Default::default();
    let (mut known, mut count) = (vec![None; all.len()], 0);
    for same in places.chunk_by(u64::eq) {
        let place = same[0] as usize;
        let word = &all[place];
        let at = *known[place].get_or_insert_with(|| {
            dictionary.extend((word.len() as u32).to_le_bytes());
            dictionary.extend(word.as_bytes());
            count += 1;
            count - 1
        });
        runs.push((at, same.len()));
    }
    chunk(column, (count as usize, dictionary), (places.len(), &runs), None)
}

/// The pages of a column: the dictionary with its number of values, and the rows.
fn chunk(
    column: &ColumnDescPtr,
    (values, dictionary): (usize, Vec<u8>),
    (rows, runs): (usize, &[Run]),
    statistics: Option<Statistics>,
) -> Result<Chunk, ParquetError> {
    let encoding = Encoding::PLAIN;
    let first = Page::DictionaryPage {
        buf: dictionary.into(),
        num_values: values as u32,
        encoding,
        is_sorted: false,
    };
    let second = Page::DataPage {
        buf: places(values, rows, runs).into(),
        num_values: rows as u32,
        encoding: Encoding::RLE_DICTIONARY,
        def_level_encoding: Encoding::RLE,
        rep_level_encoding: Encoding::RLE,
        statistics: None,
    };
    let mut out = TrackedWrite::new(Vec::new());
    let mut pages = SerializedPageWriter::new(&mut out);
    let mut write = |page: Page| {
        let size = page.buffer().len();
        pages.write_page(CompressedPage::new(page, size)).map(|written| written.offset as i64)
    };
    let [dictionary_offset, data_offset] = [write(first)?, write(second)?];
    let bytes: Bytes = out.into_inner()?.into();
    let size = bytes.len() as i64;
    let metadata = ColumnChunkMetaData::builder(column.clone())
        .set_encodings(vec![Encoding::PLAIN, Encoding::RLE_DICTIONARY])
        .set_num_values(rows as i64)
        .set_total_compressed_size(size)
        .set_total_uncompressed_size(size)
        .set_dictionary_page_offset(Some(dictionary_offset))
        .set_data_page_offset(data_offset);
    let metadata = statistics.into_iter().fold(metadata, |metadata, told| metadata.set_statistics(told));
    let close = ColumnCloseResult {
        bytes_written: bytes.len() as u64,
        rows_written: rows as u64,
        metadata: metadata.build()?,
        bloom_filter: None,
        column_index: None,
        offset_index: None,
    };
    Ok(Chunk { bytes, close })
}

/// Places of rows in a dictionary of so many values, behind the width of one in bits: as runs, or packed.
fn places(values: usize, rows: usize, runs: &[Run]) -> Vec<u8> {
    let width = (usize::BITS - values.saturating_sub(1).leading_zeros()).max(1);
    let mut out = vec![width as u8];
    if runs.len() * SHORT <= rows {
        for &(place, length) in runs {
            count(&mut out, length << 1);
            out.extend(&place.to_le_bytes()[..width.div_ceil(8) as usize]);
        }
    } else {
        pack(&mut out, rows, runs, width);
    }
    out
}

/// Places in so many bits each, in groups of eight.
fn pack(out: &mut Vec<u8>, rows: usize, runs: &[Run], width: u32) {
    count(out, rows.div_ceil(8) << 1 | 1);
    let fill = std::iter::repeat_n(0, rows.next_multiple_of(8) - rows);
    let all = runs.iter().flat_map(|&(place, length)| std::iter::repeat_n(place, length)).chain(fill);
    let (mut bits, mut held) = (0_u64, 0);
    for place in all {
        bits |= u64::from(place) << held;
        held += width;
        while held >= 8 {
            out.push(bits as u8);
            (bits, held) = (bits >> 8, held - 8);
        }
    }
}

/// A count in groups of seven bits, the last one without the eighth.
fn count(out: &mut Vec<u8>, mut n: usize) {
    while n >= 0x80 {
        out.push(n as u8 | 0x80);
        n >>= 7;
    }
    out.push(n as u8);
}

#[cfg(test)]
mod tests {
    use super::super::column::Column;
    use super::super::schema::{begin, put};
    use super::*;
    use crate::table_file::TableFile;
    use parquet::basic::Repetition;
    use parquet::data_type::DoubleType;

    /// Numbers and words that a reader finds in a file of two groups with these rows.
    fn read(list: &[f64], places: &[u64], all: &[String]) -> (Vec<f64>, Vec<String>) {
        let columns = [Column::numbers("x", "m"), Column::words("body")];
        let mut writer = begin(Vec::new(), &columns, Repetition::REQUIRED).unwrap();
        let described = [0, 1].map(|k| writer.schema_descr().column(k));
        for half in 0..2 {
            let mid = list.len() / 2;
            let rows = if half == 0 { 0..mid } else { mid..list.len() };
            let mut group = writer.next_row_group().unwrap();
            match numbers(&list[rows.clone()], &described[0], true).unwrap() {
                Some(chunk) => group.append_column(&chunk.bytes, chunk.close).unwrap(),
                None => put::<DoubleType, _>(&mut group, &list[rows.clone()], None).unwrap(),
            }
            let chunk = words(&places[rows], all, &described[1]).unwrap();
            group.append_column(&chunk.bytes, chunk.close).unwrap();
            group.close().unwrap();
        }
        let table = TableFile::of_bytes(writer.into_inner().unwrap(), &["body"]).unwrap();
        (table.numbers[0].clone(), table.words[1].clone())
    }

    #[test]
    fn what_repeats_reads_back_to_the_same_bits() {
        let all: Vec<String> = (0..300).map(|k| format!("body {k}")).collect();
        // Rows in a run, of numbers and of words; words that there are.
        for (of_numbers, of_words, known) in
            [(1, 1, 1), (16, 1, 2), (9, 20, 3), (1000, 1000, 1), (3, 2, 300), (40, 9, 300), (4, 1, 5)]
        {
            let list: Vec<f64> = (0..1003)
                .map(|k| if k / of_numbers == 3 { -0.0 } else { (k / of_numbers) as f64 / 3.0 })
                .collect();
            let places: Vec<u64> = (0..1003).map(|k| (k / of_words * 7 % known) as u64).collect();
            let (numbers, words) = read(&list, &places, &all);
            assert!(numbers.iter().map(|x| x.to_bits()).eq(list.iter().map(|x| x.to_bits())), "{of_numbers}");
            assert!(words.iter().eq(places.iter().map(|&k| &all[k as usize])), "{of_words} of {known}");
        }
    }

    #[test]
    fn numbers_that_do_not_repeat_are_left_alone_and_those_that_do_are_small() {
        let columns = [Column::numbers("x", "m")];
        let writer = begin(Vec::new(), &columns, Repetition::REQUIRED).unwrap();
        let column = writer.schema_descr().column(0);
        let of = |run: usize| {
            let list: Vec<f64> = (0..4096).map(|k| (k / run) as f64).collect();
            numbers(&list, &column, true).unwrap()
        };
        assert!(of(1).is_none() && of(3).is_none());
        let chunk = of(16).unwrap();
        // 256 numbers of eight bytes, and runs of two bytes each, in the place of 32 kB.
        assert_eq!(
            chunk.close.metadata.statistics().unwrap().max_bytes_opt(),
            Some(&255_f64.to_le_bytes()[..])
        );
        assert!(chunk.bytes.len() < 256 * 10 + 100, "{}", chunk.bytes.len());
        assert!(of(4096).unwrap().bytes.len() < 100);
    }
}
