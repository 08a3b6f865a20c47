//! A problem as Python sees it: arrays of its own in a `vinci.Problem`.

use numpy::PyArray1;
use pyo3::exceptions::PyNotImplementedError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use vinci_core::problem::{Cone, Conic, Mlcp, Problem, RowTag};
use vinci_core::sparse::Csr;

/// A copy of a problem as an object.
///
/// # Errors
/// A class that Python is not given; whatever making the object raises.
pub(crate) fn problem_object<'py>(py: Python<'py>, problem: &Problem<'_>) -> PyResult<Bound<'py, PyAny>> {
    let fields = PyDict::new(py);
    fields.set_item("kind", problem.class().name())?;
    match problem {
        Problem::Mlcp(p) => mlcp(&fields, p)?,
        Problem::Cone(p) => cone(&fields, p)?,
        Problem::Conic(p) => conic(&fields, p)?,
        other => {
            let message = format!("problems of class {} are not given to Python", other.class().name());
            return Err(PyNotImplementedError::new_err(message));
        }
    }
    py.import("vinci.problem")?.getattr("Problem")?.call((), Some(&fields))
}

fn mlcp(fields: &Bound<'_, PyDict>, p: &Mlcp<'_>) -> PyResult<()> {
    matrix(fields, "_m", &p.m)?;
    vectors(
        fields,
        &[
            ("q", p.q),
            ("lower", p.lower),
            ("upper", p.upper),
            ("z_scale", p.z_scale),
            ("w_scale", p.w_scale),
            ("guess", p.guess),
        ],
    )?;
    tags(fields, p.tag)?;
    fields.set_item("tolerance", p.tolerance)
}

fn cone(fields: &Bound<'_, PyDict>, p: &Cone<'_>) -> PyResult<()> {
    mlcp(fields, &p.rows)?;
    let blocks: Vec<(i64, u32, u32, f64)> = p
        .blocks
        .iter()
        .map(|b| (if b.is_disc() { -1 } else { i64::from(b.normal) }, b.tangent, b.dim, b.size))
        .collect();
    fields.set_item("blocks", blocks)
}

fn conic(fields: &Bound<'_, PyDict>, p: &Conic<'_>) -> PyResult<()> {
    matrix(fields, "_p", &p.p)?;
    matrix(fields, "_g_rows", &p.rows)?;
    vectors(
        fields,
        &[
            ("c", p.c),
            ("g", p.g),
            ("lower", p.lower),
            ("upper", p.upper),
            ("z_scale", p.x_scale),
            ("w_scale", p.s_scale),
            ("guess", p.guess),
            ("dual_guess", p.dual_guess),
        ],
    )?;
    let cones: Vec<(u32, u32)> = p.cones.chunks_exact(2).map(|k| (k[0], k[1])).collect();
    fields.set_item("cones", cones)?;
    tags(fields, p.s_tag)?;
    fields.set_item("tolerance", p.tolerance)
}

fn vectors(fields: &Bound<'_, PyDict>, all: &[(&str, &[f64])]) -> PyResult<()> {
    all.iter()
        .try_for_each(|(name, values)| fields.set_item(*name, PyArray1::from_slice(fields.py(), values)))
}

/// Rows as (values, columns, beginnings of rows, shape).
fn matrix(fields: &Bound<'_, PyDict>, name: &str, m: &Csr<'_>) -> PyResult<()> {
    let py = fields.py();
    let starts: &[u32] = if m.row_start.is_empty() { &[0] } else { m.row_start };
    let whole = |list: &[u32]| PyArray1::from_iter(py, list.iter().map(|&i| i64::from(i)));
    let parts = (PyArray1::from_slice(py, m.value), whole(m.column), whole(starts), (m.n_rows(), m.n_cols));
    fields.set_item(name, parts)
}

/// Provenance of rows: (part, subject), -1 for no subject.
fn tags(fields: &Bound<'_, PyDict>, tags: &[RowTag]) -> PyResult<()> {
    let subject = |tag: &RowTag| if tag.subject == u32::MAX { -1 } else { i64::from(tag.subject) };
    let list: Vec<(&str, i64)> = tags.iter().map(|tag| (tag.part.name(), subject(tag))).collect();
    fields.set_item("rows", list)
}
