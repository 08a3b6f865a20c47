//! The runs of a comparison in one page that draws them.

use std::path::Path;

use super::compare_row::Row;
use super::files::{put_file, stem};
use super::view_page;
use vinci_compare::measures::VIEW;
use vinci_run::view::RunFiles;
use vinci_scene::diagnostics::Diagnostics;

/// Most runs of a page.
const MOST: usize = 8;

/// Writes the page of the first runs that left results; returns false where there is none.
///
/// # Errors
/// A run that is damaged; output.
pub(super) fn write(rows: &[Row], out: &Path) -> Result<bool, Diagnostics> {
    let (mut runs, mut names) = (Vec::new(), Vec::new());
    for row in rows.iter().filter(|row| !row.q.is_empty()).take(MOST) {
        let files = RunFiles::open(&row.directory)?;
        if files.has_states()? {
            runs.push(files);
            names.push(row.label.join(", "));
        }
    }
    if runs.is_empty() {
        return Ok(false);
    }
    let page = view_page::named(&runs, &stem(out), &names)?;
    put_file(&out.join(VIEW), page.as_bytes(), [])?;
    Ok(true)
}
