//! Rows as CSV and Parquet. Nothing of the clock is in them: the same rows are the same bytes.

use std::io::Write;
use std::sync::Arc;

use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;

use super::row::Row;
use super::shape::Shape;

/// Rows of a group in Parquet.
const GROUP: usize = 65_536;

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

/// CSV as RFC 4180 has it, lines ended by a line feed.
///
/// # Errors
/// Of the writer.
pub(super) fn csv(shape: &Shape, rows: &[Row], out: &mut impl Write) -> std::io::Result<()> {
    let columns = columns(shape);
    let names: Vec<String> = columns.iter().map(|c| quoted(c.name)).collect();
    writeln!(out, "{}", names.join(","))?;
    for row in rows {
        let cells: Vec<String> = columns
            .iter()
            .map(|column| match &column.of {
                Cell::Whole(of) => of(row).to_string(),
                Cell::Truth(of) => of(row).to_string(),
                Cell::Number(of) | Cell::Text(of) => quoted(of(row)),
            })
            .collect();
        writeln!(out, "{}", cells.join(","))?;
    }
    Ok(())
}

fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

/// Parquet, not compressed.
///
/// # Errors
/// Of the writer.
pub(super) fn parquet(shape: &Shape, rows: &[Row], out: impl Write + Send) -> Result<(), ParquetError> {
    let columns = columns(shape);
    let fields: String = columns
        .iter()
        .map(|c| match c.of {
            Cell::Whole(_) => format!("required int64 {};\n", c.name),
            Cell::Truth(_) => format!("required boolean {};\n", c.name),
            Cell::Number(_) => format!("optional double {};\n", c.name),
            Cell::Text(_) => format!("optional binary {} (UTF8);\n", c.name),
        })
        .collect();
    let schema = Arc::new(parse_message_type(&format!("message rows {{\n{fields}}}"))?);
    let made = format!("vinci {}", env!("CARGO_PKG_VERSION"));
    let properties = Arc::new(WriterProperties::builder().set_created_by(made).build());
    let mut writer = SerializedFileWriter::new(out, schema, properties)?;
    for group in rows.chunks(GROUP) {
        let mut at = writer.next_row_group()?;
        for column in &columns {
            write_column(&mut at, column, group)?;
        }
        at.close()?;
    }
    writer.close()?;
    Ok(())
}

fn write_column<'a, W: Write + Send>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    column: &Column<'a>,
    rows: &'a [Row],
) -> Result<(), ParquetError> {
    match &column.of {
        Cell::Whole(of) => put::<Int64Type, W>(group, &rows.iter().map(of).collect::<Vec<_>>(), None),
        Cell::Truth(of) => put::<BoolType, W>(group, &rows.iter().map(of).collect::<Vec<_>>(), None),
        Cell::Number(of) => {
            let parsed: Vec<Option<f64>> = rows.iter().map(|r| of(r).parse().ok()).collect();
            let levels: Vec<i16> = parsed.iter().map(|x| i16::from(x.is_some())).collect();
            put::<DoubleType, W>(group, &parsed.into_iter().flatten().collect::<Vec<_>>(), Some(&levels))
        }
        Cell::Text(of) => {
            let levels: Vec<i16> = rows.iter().map(|r| i16::from(!of(r).is_empty())).collect();
            let texts: Vec<ByteArray> =
                rows.iter().map(of).filter(|t| !t.is_empty()).map(ByteArray::from).collect();
            put::<ByteArrayType, W>(group, &texts, Some(&levels))
        }
    }
}

fn put<T: DataType, W: Write + Send>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    values: &[T::T],
    levels: Option<&[i16]>,
) -> Result<(), ParquetError> {
    let Some(mut column) = group.next_column()? else {
        return Err(ParquetError::General("the schema has fewer columns".into()));
    };
    column.typed::<T>().write_batch(values, levels, None)?;
    column.close()
}
