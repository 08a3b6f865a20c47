//! The runs of a comparison in one page that draws them.

use std::path::Path;

use super::compare_row::Row;
use super::files::{put_file, stem};
use super::view_page;
use vinci_compare::measures::{VIEW, looks};
use vinci_run::view::RunFiles;
use vinci_scene::diagnostics::Diagnostics;

/// Most runs of a page.
const MOST: usize = 8;

/// Writes the page of the first runs that left results, in the colours of the figures; returns false where there is none.
///
/// # Errors
/// A run that is damaged; output.
pub(super) fn write(rows: &[Row], axes: &[String], out: &Path) -> Result<bool, Diagnostics> {
    let (mut runs, mut names) = (Vec::new(), Vec::new());
    let rows: Vec<&Row> = rows.iter().filter(|row| !row.q.is_empty()).collect();
    let looks = looks(axes, rows.iter().map(|row| row.label.as_slice()));
    for (row, look) in rows.into_iter().zip(looks).take(MOST) {
        let files = RunFiles::open(&row.directory)?;
        if files.has_states()? {
            runs.push(files);
            names.push((row.label.join(", "), look));
        }
    }
    if runs.is_empty() {
        return Ok(false);
    }
    let page = view_page::named(&runs, &stem(out), &names)?;
    put_file(&out.join(VIEW), page.as_bytes(), [])?;
    Ok(true)
}
