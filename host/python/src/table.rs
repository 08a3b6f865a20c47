//! Tables: columns of numbers and of words, handed over through Arrow's C interface.

use std::path::PathBuf;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::types::Float64Type;
use arrow_array::{Array, ArrayRef, Float64Array, RecordBatch, RecordBatchIterator, StringArray};
use arrow_schema::{ArrowError, Field, Schema};
use numpy::PyArray1;
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyList};
use vinci_core::model::Space;
use vinci_engine::pipeline::Simulation;
use vinci_engine::suggest::did_you_mean;
use vinci_run::record::{CONTACT_PLACES, CONTACTS, contact_place};
use vinci_run::table_file::{TableFile, WORDS};
use vinci_scene::files::{LARGEST_TABLE, read_regular};

use crate::errors::{self, VinciError};

/// A table: named columns of numbers (float64) and of words.
///
/// `table["column"]` is a NumPy array of a column of numbers, a list of one of words. Whatever knows Arrow takes the whole without a
/// copy of its numbers: `table.to_pandas()`, `table.to_polars()`, `pyarrow.table(table)`, DuckDB.
#[pyclass(frozen, module = "vinci")]
pub(crate) struct Table(RecordBatch);

#[pymethods]
impl Table {
    /// Reads a table of a run's directory.
    #[staticmethod]
    fn _read(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let failed = |e: std::io::Error| errors::io("cannot read", &path, &e);
        let batch = py.detach(|| {
            let bytes = read_regular(&path, LARGEST_TABLE).map_err(std::io::Error::from)?;
            parsed(bytes)
        });
        batch.map(Self).map_err(failed)
    }

    /// Names of the columns.
    #[getter]
    fn columns(&self) -> Vec<String> {
        self.0.schema().fields().iter().map(|field| field.name().clone()).collect()
    }

    fn __len__(&self) -> usize {
        self.0.num_rows()
    }

    fn __getitem__<'py>(&self, py: Python<'py>, column: &str) -> PyResult<Bound<'py, PyAny>> {
        let Some(array) = self.0.column_by_name(column) else {
            let columns = self.columns();
            let meant = did_you_mean(column, columns.iter().map(String::as_str));
            let hint = meant.map_or_else(String::new, |m| format!(" ({m})"));
            let message = format!("there is no column `{column}`{hint}; columns: {}", columns.join(", "));
            return Err(PyKeyError::new_err(message));
        };
        match array.as_primitive_opt::<Float64Type>() {
            Some(numbers) => Ok(PyArray1::from_slice(py, numbers.values()).into_any()),
            None => Ok(PyList::new(py, array.as_string::<i32>().iter().flatten())?.into_any()),
        }
    }

    fn __contains__(&self, column: &str) -> bool {
        self.0.column_by_name(column).is_some()
    }

    /// Arrow's C stream of the table (the PyCapsule interface); `requested_schema` is not looked at, as it may be.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        drop(requested_schema);
        let batches = [Ok::<_, ArrowError>(self.0.clone())];
        let reader = RecordBatchIterator::new(batches, self.0.schema());
        PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(Box::new(reader)), c"arrow_array_stream")
    }

    /// The table as `pandas.DataFrame`; needs pandas 2.2 or later with pyarrow.
    fn to_pandas<'py>(slf: Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("pyarrow")?.call_method1("table", (slf,))?.call_method0("to_pandas")
    }

    /// The table as `polars.DataFrame`; needs polars.
    fn to_polars<'py>(slf: Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("polars")?.call_method1("DataFrame", (slf,))
    }

    fn __repr__(&self) -> String {
        format!("<vinci.Table: {} rows, columns {}>", self.0.num_rows(), self.columns().join(", "))
    }
}

impl Table {
    /// Contacts of the last step of a simulation, with the columns of `contacts.csv`; no rows where `stepped` is false.
    ///
    /// # Errors
    /// Columns of different lengths, which this function does not make.
    pub(crate) fn of_contacts(simulation: &Simulation, stepped: bool) -> PyResult<Self> {
        let (system, last) = (&simulation.system, simulation.last());
        let n = if stepped { last.contacts.len() } else { 0 };
        let body = |index: u32| system.bodies[index as usize].name.as_str();
        let names: Vec<&str> = CONTACTS
            .split(',')
            .chain(CONTACT_PLACES[usize::from(system.space == Space::Spatial)].split(','))
            .collect();
        let mut numbers: Vec<Vec<f64>> = vec![Vec::with_capacity(n); names.len()];
        let mut words: [Vec<&str>; 3] = Default::default();
        for i in 0..n {
            let p = &last.impulse[last.contacts.row(i)..][..last.contacts.stride()];
            words[0].push(body(last.contacts.body_a[i]));
            words[1].push(body(last.contacts.body_b[i]));
            words[2].push(last.mode[i].name());
            let first = [last.contacts.gap[i], p[0], p[1], p.get(2).copied().unwrap_or(0.0), last.slip[i]];
            let row = [last.t, 0.0, 0.0].into_iter().chain(first).chain([0.0]);
            let place = contact_place(&last.contacts, i, p, last.h);
            let row = row.chain(place.numbers().iter().copied());
            numbers.iter_mut().zip(row).for_each(|(column, value)| column.push(value));
        }
        let [a, b, mode] = words.map(|list| Arc::new(StringArray::from(list)) as ArrayRef);
        let columns = names.iter().zip(numbers).map(|(name, list)| match *name {
            "body_a" => Arc::clone(&a),
            "body_b" => Arc::clone(&b),
            "mode" => Arc::clone(&mode),
            _ => Arc::new(Float64Array::from(list)) as ArrayRef,
        });
        let batch = batch(&names, columns.collect());
        batch.map(Self).map_err(|e| VinciError::new_err(e.to_string()))
    }
}

fn batch(names: &[&str], columns: Vec<ArrayRef>) -> Result<RecordBatch, ArrowError> {
    let field = |(name, column): (&&str, &ArrayRef)| Field::new(*name, column.data_type().clone(), false);
    let schema = Schema::new(names.iter().zip(&columns).map(field).collect::<Vec<_>>());
    RecordBatch::try_new(Arc::new(schema), columns)
}

/// The table of a run, CSV or Parquet.
fn parsed(bytes: Vec<u8>) -> std::io::Result<RecordBatch> {
    let TableFile { names, numbers, words, .. } =
        TableFile::of_bytes(bytes, &WORDS).map_err(|malformed| std::io::Error::other(malformed.why))?;
    let columns = names.iter().zip(numbers.into_iter().zip(words));
    let columns = columns.map(|(name, (numbers, words))| match WORDS.contains(&name.as_str()) {
        true => Arc::new(StringArray::from(words)) as ArrayRef,
        false => Arc::new(Float64Array::from(numbers)) as ArrayRef,
    });
    let columns = columns.collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    batch(&names, columns).map_err(std::io::Error::other)
}
