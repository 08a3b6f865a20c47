//! Schema and metadata of Parquet files, and their columns.

use std::io::Write;
use std::sync::Arc;

use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use parquet::data_type::DataType;
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::{ColumnPath, Type, TypePtr};

use super::column::{Cells, Column};

/// Frame of all vectors, in the metadata of every file.
const FRAME: &str = "world axes; coordinates and efforts of joints along and about their own axes";

/// The column whose range is told for every group.
pub(super) const RANGED: &str = "time";

/// A writer with the schema, its cells required or optional, and with units and frame in the metadata of the file.
pub(super) fn begin<W: Write + Send>(
    out: W,
    columns: &[Column],
    repetition: Repetition,
) -> Result<SerializedFileWriter<W>, ParquetError> {
    let fields = columns.iter().map(|column| field(column, repetition)).collect::<Result<Vec<_>, _>>()?;
    let schema = Type::group_type_builder("rows").with_fields(fields).build()?;
    SerializedFileWriter::new(out, Arc::new(schema), Arc::new(properties(columns)))
}

fn field(column: &Column, repetition: Repetition) -> Result<TypePtr, ParquetError> {
    let (physical, logical) = match column.cells {
        Cells::Numbers(_) | Cells::Counts => (Physical::DOUBLE, None),
        Cells::Words => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
    };
    let field = Type::primitive_type_builder(&column.name, physical)
        .with_repetition(repetition)
        .with_logical_type(logical);
    field.build().map(Arc::new)
}

/// Numbers as they are, through Snappy: contacts take a third of the bytes. Words by dictionary. The range of [`RANGED`] is told for every
/// group, so that readers can skip groups.
fn properties(columns: &[Column]) -> WriterProperties {
    let mut units = serde_json::Map::new();
    let mut properties = WriterProperties::builder()
        .set_created_by(format!("vinci {}", env!("CARGO_PKG_VERSION")))
        .set_compression(Compression::SNAPPY)
        .set_dictionary_enabled(false)
        .set_statistics_enabled(EnabledStatistics::None)
        .set_column_statistics_enabled(ColumnPath::from(RANGED), EnabledStatistics::Chunk)
        .set_offset_index_disabled(true);
    for Column { name, cells } in columns {
        match cells {
            Cells::Numbers(unit) => drop(units.insert(name.clone(), (*unit).into())),
            Cells::Counts => drop(units.insert(name.clone(), "1".into())),
            Cells::Words => {
                let path = ColumnPath::new(vec![name.clone()]);
                properties = properties.set_column_dictionary_enabled(path, true);
            }
        }
    }
    let note = |key: &str, text: String| KeyValue::new(key.to_owned(), text);
    let notes = [
        note("vinci.units", serde_json::Value::Object(units).to_string()),
        note("vinci.frame", FRAME.to_owned()),
    ];
    properties.set_key_value_metadata(Some(notes.to_vec())).build()
}

/// Writes the next column of a group. `levels`: 1 where there is a value, 0 where there is none; none for required columns.
///
/// # Errors
/// Of the writer; more columns than the schema has.
pub fn put<T: DataType, W: Write + Send>(
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
