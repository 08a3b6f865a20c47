//! Rows as CSV and Parquet. Nothing of the clock is in them: the same rows are the same bytes.

use std::io::Write;
use std::sync::Arc;

use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;

use super::journal::Line;
use super::row::Row;
use super::shape::Shape;

use vinci_run::table::put;

/// Rows of a group in Parquet.
pub(super) const GROUP: usize = 65_536;

/// A column: its name and its values.
struct Column<'a> {
    name: &'a str,
    of: Cell<'a>,
}

type Text<'a> = Box<dyn Fn(&'a Row) -> &'a str + 'a>;

/// How a column reads a row. Empty texts are nulls.
enum Cell<'a> {
    Whole(fn(&Row) -> i64),
    Truth(fn(&Row) -> bool),
    Number(Text<'a>),
    Text(Text<'a>),
    /// Data beside the row: the time it took, the last words of its process.
    Seconds,
    Said,
}

fn columns(shape: &Shape) -> Vec<Column<'_>> {
    let rung = |row: &Row| shape.rungs.get(row.id.rung as usize).map_or("", |r| r.name.as_str());
    let mut columns = vec![
        Column { name: "case", of: Cell::Whole(|r| r.id.case as i64) },
        Column { name: "sample", of: Cell::Whole(|r| r.id.sample as i64) },
        Column { name: "rung", of: Cell::Text(Box::new(rung)) },
        Column { name: "status", of: Cell::Text(Box::new(|r| r.status.name())) },
        Column { name: "success", of: Cell::Truth(|r| r.success) },
    ];
    for (k, parameter) in shape.parameters.iter().enumerate() {
        let of: Text<'_> = Box::new(move |r| r.parameters[k].as_str());
        let of = if parameter.text { Cell::Text(of) } else { Cell::Number(of) };
        columns.push(Column { name: &parameter.name, of });
    }
    for (k, name) in shape.measures.iter().enumerate() {
        columns.push(Column { name, of: Cell::Number(Box::new(move |r| r.measures[k].as_str())) });
    }
    columns.extend([
        Column { name: "steps", of: Cell::Whole(|r| r.steps as i64) },
        Column { name: "t_end", of: Cell::Number(Box::new(|r| r.t_end.as_str())) },
        Column { name: "error", of: Cell::Text(Box::new(|r| r.error.as_str())) },
        Column { name: "message", of: Cell::Text(Box::new(|r| r.message.as_str())) },
    ]);
    columns
}

/// Columns of parts: those of rows, and what stands beside a row.
fn columns_of_part(shape: &Shape) -> Vec<Column<'_>> {
    let beside = [Column { name: SECONDS, of: Cell::Seconds }, Column { name: SAID, of: Cell::Said }];
    columns(shape).into_iter().chain(beside).collect()
}

/// Names of the columns of parts that rows do not have.
pub(super) const SECONDS: &str = "seconds";
pub(super) const SAID: &str = "said";

/// CSV as RFC 4180 has it, lines ended by a line feed.
pub(super) struct Csv<W: Write> {
    out: W,
}

impl<W: Write> Csv<W> {
    /// Begins with the names.
    ///
    /// # Errors
    /// Of the writer.
    pub(super) fn begin(shape: &Shape, mut out: W) -> std::io::Result<Self> {
        let names: Vec<String> = columns(shape).iter().map(|c| quoted(c.name)).collect();
        writeln!(out, "{}", names.join(","))?;
        Ok(Self { out })
    }

    /// Adds rows.
    ///
    /// # Errors
    /// Of the writer.
    pub(super) fn add(&mut self, shape: &Shape, lines: &[Line]) -> std::io::Result<()> {
        let columns = columns(shape);
        for Line { row, .. } in lines {
            let cells: Vec<String> = columns.iter().map(|column| cell(column, row)).collect();
            writeln!(self.out, "{}", cells.join(","))?;
        }
        Ok(())
    }
}

fn cell<'a>(column: &Column<'a>, row: &'a Row) -> String {
    match &column.of {
        Cell::Whole(of) => of(row).to_string(),
        Cell::Truth(of) => of(row).to_string(),
        Cell::Number(of) | Cell::Text(of) => quoted(of(row)),
        Cell::Seconds | Cell::Said => String::new(),
    }
}

fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

/// Parquet, not compressed.
pub(super) struct Parquet<W: Write + Send> {
    writer: SerializedFileWriter<W>,
    /// True if the columns are those of parts.
    of_part: bool,
}

impl<W: Write + Send> Parquet<W> {
    /// Begins the table of the rows, or of a part.
    ///
    /// # Errors
    /// Of the writer.
    pub(super) fn begin(shape: &Shape, out: W, of_part: bool) -> Result<Self, ParquetError> {
        let columns = if of_part { columns_of_part(shape) } else { columns(shape) };
        let fields: String = columns
            .iter()
            .map(|c| match c.of {
                Cell::Whole(_) => format!("required int64 {};\n", c.name),
                Cell::Truth(_) => format!("required boolean {};\n", c.name),
                Cell::Number(_) => format!("optional double {};\n", c.name),
                Cell::Text(_) | Cell::Said => format!("optional binary {} (UTF8);\n", c.name),
                Cell::Seconds => format!("required double {};\n", c.name),
            })
            .collect();
        let schema = Arc::new(parse_message_type(&format!("message rows {{\n{fields}}}"))?);
        let made = format!("vinci {}", env!("CARGO_PKG_VERSION"));
        let properties = Arc::new(WriterProperties::builder().set_created_by(made).build());
        Ok(Self { writer: SerializedFileWriter::new(out, schema, properties)?, of_part })
    }

    /// Adds a group of rows.
    ///
    /// # Errors
    /// Of the writer.
    pub(super) fn add(&mut self, shape: &Shape, lines: &[Line]) -> Result<(), ParquetError> {
        let mut group = self.writer.next_row_group()?;
        let columns = if self.of_part { columns_of_part(shape) } else { columns(shape) };
        for column in &columns {
            write_column(&mut group, column, lines)?;
        }
        group.close()?;
        Ok(())
    }

    /// Ends the file, with a text in its metadata.
    ///
    /// # Errors
    /// Of the writer.
    pub(super) fn end(mut self, note: Option<(&str, String)>) -> Result<(), ParquetError> {
        if let Some((key, text)) = note {
            self.writer.append_key_value_metadata(KeyValue::new(key.to_owned(), text));
        }
        self.writer.close()?;
        Ok(())
    }
}

fn write_column<'a, W: Write + Send>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    column: &Column<'a>,
    lines: &'a [Line],
) -> Result<(), ParquetError> {
    let rows = || lines.iter().map(|line| &line.row);
    match &column.of {
        Cell::Whole(of) => put::<Int64Type, W>(group, &rows().map(of).collect::<Vec<_>>(), None),
        Cell::Truth(of) => put::<BoolType, W>(group, &rows().map(of).collect::<Vec<_>>(), None),
        Cell::Number(of) => {
            let parsed: Vec<Option<f64>> = rows().map(|r| of(r).parse().ok()).collect();
            let levels: Vec<i16> = parsed.iter().map(|x| i16::from(x.is_some())).collect();
            put::<DoubleType, W>(group, &parsed.into_iter().flatten().collect::<Vec<_>>(), Some(&levels))
        }
        Cell::Text(of) => put_texts(group, rows().map(|r| ByteArray::from(of(r)))),
        Cell::Seconds => {
            put::<DoubleType, W>(group, &lines.iter().map(|l| l.seconds).collect::<Vec<_>>(), None)
        }
        Cell::Said => {
            let texts = lines.iter().map(said_of).collect::<serde_json::Result<Vec<_>>>();
            put_texts(group, texts.map_err(|e| ParquetError::External(e.into()))?.into_iter())
        }
    }
}

/// The last lines of a process, JSON; nothing where there are none.
fn said_of(line: &Line) -> serde_json::Result<ByteArray> {
    let text = if line.said.is_empty() { String::new() } else { serde_json::to_string(&line.said)? };
    Ok(text.into_bytes().into())
}

/// Texts, of which the empty ones are nulls.
fn put_texts<W: Write + Send>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    texts: impl Iterator<Item = ByteArray>,
) -> Result<(), ParquetError> {
    let texts: Vec<ByteArray> = texts.collect();
    let levels: Vec<i16> = texts.iter().map(|t| i16::from(!t.is_empty())).collect();
    let some: Vec<ByteArray> = texts.into_iter().filter(|t| !t.is_empty()).collect();
    put::<ByteArrayType, W>(group, &some, Some(&levels))
}
