//! The runs of a comparison in one page that draws them.

use std::path::Path;

use super::compare_row::Row;
use super::files::{put_file, stem};
use super::view_page;
use vinci_compare::measures::{VIEW, drawn_looks};
use vinci_run::view::RunFiles;
use vinci_scene::diagnostics::Diagnostics;

/// Writes the page of runs that left results, in the colours of the figures: of many the one of every model's shortest step. Returns
/// false where there is none.
///
/// # Errors
/// A run that is damaged; output.
pub(super) fn write(rows: &[Row], axes: &[String], out: &Path) -> Result<bool, Diagnostics> {
    let (mut runs, mut names) = (Vec::new(), Vec::new());
    let rows: Vec<&Row> = rows.iter().filter(|row| !row.q.is_empty()).collect();
    let values: Vec<&[String]> = rows.iter().map(|row| row.label.as_slice()).collect();
    for (place, look) in drawn_looks(axes, &values) {
        let row = rows[place];
        let files = RunFiles::open(&row.directory)?;
        if files.has_states()? {
            runs.push(files);
            names.push((row.label.join(", "), look));
        }
    }
    if runs.is_empty() {
        return Ok(false);
    }
    let page = view_page::named(&runs, &stem(out), &names, rows.len())?;
    put_file(&out.join(VIEW), page.as_bytes(), [])?;
    Ok(true)
}
