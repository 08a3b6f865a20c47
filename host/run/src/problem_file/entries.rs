//! Entries of problem files: sparse matrices, bounds, and where rows come from.

use serde::{Deserialize, Serialize};
use vinci_core::problem::{Part, RowTag, UNTAGGED};
use vinci_core::{Csr, CsrBuf};

/// A sparse matrix as triplets.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Triplets {
    /// Rows.
    pub i: Vec<usize>,
    /// Columns.
    pub j: Vec<usize>,
    /// Values.
    pub v: Vec<f64>,
}

/// Provenance of one row in words.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// Part of its subject: velocity, normal, friction, slip, …
    pub part: String,
    /// Index of the contact, velocity or joint; null without a subject.
    pub subject: Option<u32>,
    /// Name of the owner for people: "block / ground", "block.vx".
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub what: String,
}

pub(super) fn matrix((n, columns): (usize, usize), t: &Triplets) -> Result<CsrBuf, String> {
    if t.i.len() != t.j.len() || t.i.len() != t.v.len() {
        return Err(format!(
            "the matrix has {} rows, {} columns and {} values",
            t.i.len(),
            t.j.len(),
            t.v.len()
        ));
    }
    if let Some(k) = (0..t.i.len()).find(|&k| t.i[k] >= n || t.j[k] >= columns) {
        return Err(format!(
            "entry {k} of the matrix stands at ({}, {}), outside {n} × {columns}",
            t.i[k], t.j[k]
        ));
    }
    let triplets: Vec<_> = (0..t.i.len()).map(|k| (t.i[k], t.j[k], t.v[k])).collect();
    Ok(CsrBuf::from_triplets(n, columns, &triplets))
}

pub(super) fn triplets(m: &Csr<'_>) -> Triplets {
    let mut out = Triplets { i: Vec::new(), j: Vec::new(), v: Vec::new() };
    for i in 0..m.n_rows() {
        for (j, v) in m.entries(i) {
            out.i.push(i);
            out.j.push(j);
            out.v.push(v);
        }
    }
    out
}

/// Bounds as files have them: null for none.
pub(super) fn written(bounds: &[f64]) -> Vec<Option<f64>> {
    bounds.iter().map(|x| x.is_finite().then_some(*x)).collect()
}

pub(super) fn read_bounds(list: Vec<Option<f64>>, none: f64) -> Vec<f64> {
    list.into_iter().map(|x| x.unwrap_or(none)).collect()
}

/// A list, or where a file leaves it out `value` for all.
pub(super) fn or_all<T: Clone>(list: Vec<T>, len: usize, value: T) -> Vec<T> {
    if list.is_empty() { vec![value; len] } else { list }
}

/// Typical sizes: 1 where a file leaves them out, positive where it has them.
pub(super) fn sizes(list: Vec<f64>, len: usize) -> Result<Vec<f64>, String> {
    match list.iter().position(|s| !(*s > 0.0 && s.is_finite())) {
        Some(k) => Err(format!("typical size {k} is {}; it must be positive", list[k])),
        None => Ok(or_all(list, len, 1.0)),
    }
}

/// Tolerance of a file that names none.
pub(super) const fn usual_tolerance() -> f64 {
    1e-8
}

pub(super) fn written_tags(tags: &[RowTag], what: &dyn Fn(&RowTag) -> String) -> Vec<Row> {
    let row = |tag: &RowTag| Row {
        part: tag.part.name().to_string(),
        subject: (tag.subject != UNTAGGED).then_some(tag.subject),
        what: what(tag),
    };
    tags.iter().map(row).collect()
}

pub(super) fn read_tags(rows: &[Row]) -> Vec<RowTag> {
    let tag =
        |row: &Row| RowTag { subject: row.subject.unwrap_or(UNTAGGED), part: Part::from_name(&row.part) };
    rows.iter().map(tag).collect()
}
