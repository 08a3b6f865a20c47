//! Sealed parts of a plan: the rows of neighbouring units as Parquet, with the time that each took and, in the metadata, whose they are
//! and the sum of the whole file.

use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::Path;

use parquet::column::reader::ColumnReaderImpl;
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, RowGroupReader, SerializedFileReader};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use vinci_run::atomic_write::write_atomic;

use super::journal::Line;
use super::level::written;
use super::order::Order;
use super::row::{Row, RunId, Status};
use super::shape::Shape;
use super::table::{Parquet, SAID, SECONDS};

/// Key of what a part says of itself.
const KEY: &str = "vinci.part";
const PART_FORMAT: &str = "vinci/sweep-part@1";

/// Rows of a group: what is in memory of a part that is read.
const GROUP: usize = 16_384;

/// Seal of a part: what it says of itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Seal {
    format: String,
    /// Hash of the plan.
    pub(super) plan: String,
    /// [i, n]: part i of n.
    pub(super) shard: [u64; 2],
    /// How many rows it has.
    pub(super) rows: u64,
    /// SHA-256 of the file with zeros in the place of this text.
    sha256: String,
}

/// The name of a part's file.
pub(super) fn name_of([i, n]: [u64; 2]) -> String {
    format!("part-{i}-of-{n}.parquet")
}

/// Bytes before the sum, and the zeros in its place.
const BEFORE: &[u8] = b"\"sha256\":\"";
const DIGITS: usize = 64;

/// Bytes at the end of a file among which the sum stands.
const TAIL: usize = 1 << 16;

/// Where the sum stands in the last bytes of a file.
fn place_of_sum(tail: &[u8]) -> Option<usize> {
    let at = tail.windows(BEFORE.len()).rposition(|bytes| bytes == BEFORE)? + BEFORE.len();
    (at + DIGITS <= tail.len()).then_some(at)
}

fn hex(sum: Sha256) -> String {
    sum.finalize().iter().map(|b| format!("{b:02x}")).collect()
}

/// A file whose sum grows with it, and its last bytes.
struct Summed<'a> {
    out: &'a mut BufWriter<File>,
    sum: Sha256,
    length: u64,
    tail: Vec<u8>,
}

impl Write for Summed<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let n = self.out.write(bytes)?;
        self.sum.update(&bytes[..n]);
        self.length += n as u64;
        self.tail.extend_from_slice(&bytes[..n]);
        if self.tail.len() > 2 * TAIL {
            self.tail.drain(..self.tail.len() - TAIL);
        }
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl Summed<'_> {
    /// Puts the sum in its place.
    fn end(self) -> io::Result<()> {
        let at = place_of_sum(&self.tail).ok_or_else(|| io::Error::other("there is no place for the sum"))?;
        let from_end = (self.tail.len() - at) as u64;
        self.out.seek(SeekFrom::Start(self.length - from_end))?;
        self.out.write_all(hex(self.sum).as_bytes())
    }
}

/// Checks that a file is what was written; nothing of it is decoded before.
fn check_sum(file: &mut File) -> io::Result<()> {
    let length = file.metadata()?.len();
    let start = length.saturating_sub(TAIL as u64);
    let mut tail = Vec::new();
    file.seek(SeekFrom::Start(start))?;
    file.take(TAIL as u64).read_to_end(&mut tail)?;
    let at = place_of_sum(&tail).ok_or_else(|| no_part("it does not end as one"))?;
    let written = tail[at..at + DIGITS].to_vec();
    tail[at..at + DIGITS].fill(b'0');
    let mut sum = Sha256::new();
    file.seek(SeekFrom::Start(0))?;
    let (mut left, mut buffer) = (start, vec![0; 1 << 16]);
    while left > 0 {
        let most = buffer.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        file.read_exact(&mut buffer[..most])?;
        sum.update(&buffer[..most]);
        left -= most as u64;
    }
    sum.update(&tail);
    match hex(sum).as_bytes() == written {
        true => Ok(()),
        false => Err(other_rows()),
    }
}

/// Writes the part of a shape, whose rows come in their order; whole or not at all.
///
/// # Errors
/// Of input and output; rows that are not exactly those of the part.
pub(super) fn write_part(
    directory: &Path,
    shape: &Shape,
    lines: impl Iterator<Item = io::Result<Line>>,
) -> io::Result<()> {
    write_atomic(directory, &name_of(shape.shard), |out| {
        let mut out = Summed { out, sum: Sha256::new(), length: 0, tail: Vec::new() };
        let mut table = Parquet::begin(shape, &mut out, true).map_err(io::Error::other)?;
        let (mut order, mut rows, mut group) = (Order::of(shape), 0, Vec::new());
        for line in lines {
            let line = line?;
            order.add(&line.row).map_err(io::Error::other)?;
            rows += 1;
            group.push(line);
            if group.len() == GROUP {
                table.add(shape, &group).map_err(io::Error::other)?;
                group.clear();
            }
        }
        if !group.is_empty() {
            table.add(shape, &group).map_err(io::Error::other)?;
        }
        order.finish().map_err(io::Error::other)?;
        let (format, plan, sha256) = (PART_FORMAT.to_owned(), shape.hash.clone(), "0".repeat(DIGITS));
        let seal = Seal { format, plan, shard: shape.shard, rows, sha256 };
        table.end(Some((KEY, serde_json::to_string(&seal)?))).map_err(io::Error::other)?;
        out.end()
    })
}

/// A part that is read group by group.
pub(super) struct Part {
    reader: SerializedFileReader<File>,
    pub(super) seal: Seal,
}

/// Reason why a file is no part.
fn no_part(why: impl std::fmt::Display) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("it is truncated, or no part of a sweep ({why})"))
}

impl Part {
    /// Opens a file.
    ///
    /// # Errors
    /// A file that cannot be read, or is no whole part.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        if !std::fs::metadata(path)?.is_file() {
            return Err(no_part("not a regular file"));
        }
        let mut file = File::open(path)?;
        check_sum(&mut file)?;
        let reader = SerializedFileReader::new(file).map_err(no_part)?;
        let notes = reader.metadata().file_metadata().key_value_metadata();
        let note = notes.and_then(|all| all.iter().find(|note| note.key == KEY)?.value.as_deref());
        let note = note.ok_or_else(|| no_part("its metadata do not say whose it is"))?;
        let seal: Seal = serde_json::from_str(note).map_err(no_part)?;
        let [i, n] = seal.shard;
        match seal.format == PART_FORMAT && 1 <= i && i <= n {
            true => Ok(Self { reader, seal }),
            false => Err(no_part("its format is another one")),
        }
    }

    /// The rows in their order.
    pub(super) fn lines(self, shape: &Shape) -> impl Iterator<Item = io::Result<Line>> {
        let groups = 0..self.reader.num_row_groups();
        groups.flat_map(move |k| match read_group(&self.reader, k, shape) {
            Ok(lines) => lines.into_iter().map(Ok).collect::<Vec<_>>(),
            Err(error) => vec![Err(error)],
        })
    }
}

fn other_rows() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "it does not hold what its run wrote")
}

fn read_group(reader: &SerializedFileReader<File>, k: usize, shape: &Shape) -> io::Result<Vec<Line>> {
    let group = reader.get_row_group(k).map_err(no_part)?;
    Group::of(&*group, shape)?.lines(shape).map_err(no_part)
}

/// A group of rows, column by column.
struct Group<'a> {
    group: &'a dyn RowGroupReader,
    rows: usize,
    next: usize,
}

impl<'a> Group<'a> {
    /// A group whose columns are those of the shape.
    fn of(group: &'a dyn RowGroupReader, shape: &Shape) -> io::Result<Self> {
        let columns = group.metadata().schema_descr().columns().iter().map(|c| c.name());
        let (first, last) =
            (["case", "sample", "rung", "status", "success"], ["steps", "t_end", "error", "message"]);
        let own = shape.parameters.iter().map(|c| c.name.as_str());
        let own = own.chain(shape.measures.iter().map(String::as_str));
        let expected = first.into_iter().chain(own).chain(last).chain([SECONDS, SAID]);
        let rows = usize::try_from(group.metadata().num_rows()).ok().filter(|n| *n <= GROUP);
        match rows {
            Some(rows) if columns.eq(expected) => Ok(Self { group, rows, next: 0 }),
            _ => Err(no_part("its columns are others")),
        }
    }

    /// Values of the next column that are there, and which rows have one.
    fn next<T: DataType>(&mut self) -> Result<(Vec<T::T>, Vec<i16>), ParquetError> {
        let column = self.group.get_column_reader(self.next)?;
        self.next += 1;
        let reader: Option<ColumnReaderImpl<T>> = T::get_column_reader(column);
        let mut reader = reader.ok_or_else(|| ParquetError::General("a column of another type".into()))?;
        let (mut values, mut levels) = (Vec::new(), Vec::new());
        let mut there = 0;
        while there < self.rows {
            let (records, ..) =
                reader.read_records(self.rows - there, Some(&mut levels), None, &mut values)?;
            if records == 0 {
                return Err(ParquetError::General("a column is shorter than others".into()));
            }
            there += records;
        }
        Ok((values, levels))
    }

    fn all<T: DataType>(&mut self) -> Result<std::vec::IntoIter<T::T>, ParquetError> {
        let (values, _) = self.next::<T>()?;
        match values.len() == self.rows {
            true => Ok(values.into_iter()),
            false => Err(ParquetError::General("a column has holes".into())),
        }
    }

    /// Texts of a column, empty where there is no value.
    fn texts<T: DataType>(
        &mut self,
        text: impl Fn(T::T) -> Result<String, ParquetError>,
    ) -> Result<std::vec::IntoIter<String>, ParquetError> {
        let (values, levels) = self.next::<T>()?;
        let mut values = values.into_iter();
        let of = |level: i16| match level {
            0 => Ok(String::new()),
            _ => values
                .next()
                .ok_or_else(|| ParquetError::General("a value is missing".into()))
                .and_then(&text),
        };
        let texts = levels.into_iter().map(of).collect::<Result<Vec<_>, _>>()?;
        match texts.len() == self.rows {
            true => Ok(texts.into_iter()),
            false => Err(ParquetError::General("a column is shorter than others".into())),
        }
    }

    fn numbers(&mut self) -> Result<std::vec::IntoIter<String>, ParquetError> {
        self.texts::<DoubleType>(|x| Ok(written(x)))
    }

    fn strings(&mut self) -> Result<std::vec::IntoIter<String>, ParquetError> {
        self.texts::<ByteArrayType>(|bytes: ByteArray| Ok(bytes.as_utf8()?.to_owned()))
    }

    /// The rows.
    fn lines(mut self, shape: &Shape) -> Result<Vec<Line>, ParquetError> {
        let (mut case, mut sample) = (self.all::<Int64Type>()?, self.all::<Int64Type>()?);
        let (mut rung, mut status, mut success) = (self.strings()?, self.strings()?, self.all::<BoolType>()?);
        let mut parameters = Vec::new();
        for column in &shape.parameters {
            parameters.push(if column.text { self.strings()? } else { self.numbers()? });
        }
        let measures = shape.measures.iter().map(|_| self.numbers()).collect::<Result<Vec<_>, _>>();
        let (mut measures, mut steps) = (measures?, self.all::<Int64Type>()?);
        let (mut t_end, mut error, mut message) = (self.numbers()?, self.strings()?, self.strings()?);
        let (mut seconds, mut said) = (self.all::<DoubleType>()?, self.strings()?);
        let mut line = || {
            let rung = rung.next()?;
            let rung = shape.rungs.iter().position(|r| r.name == rung)? as u32;
            let id = RunId { case: case.next()? as u64, sample: sample.next()? as u64, rung };
            let said = said.next()?;
            let row = Row {
                id,
                status: Status::named(&status.next()?)?,
                success: success.next()?,
                parameters: parameters.iter_mut().filter_map(Iterator::next).collect(),
                measures: measures.iter_mut().filter_map(Iterator::next).collect(),
                steps: steps.next()? as u64,
                t_end: t_end.next()?,
                error: error.next()?,
                message: message.next()?,
            };
            let said = if said.is_empty() { Vec::new() } else { serde_json::from_str(&said).ok()? };
            Some(Line { row, seconds: seconds.next()?, said })
        };
        let rows = self.rows;
        (0..rows)
            .map(|_| line())
            .collect::<Option<Vec<_>>>()
            .ok_or_else(|| ParquetError::General("a row is none".into()))
    }
}
