//! Directories that belong to a comparison: its runs are not written over.

use std::path::{Path, PathBuf};

use super::compare_plan::{COMPARE_FORMAT, COMPARED, Plan};
use serde_json::Value;
use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics};
use vinci_scene::read_format;

/// Refuses the directory of a run of a comparison, whether that has ended or can go on.
///
/// # Errors
/// The directory belongs to a comparison.
pub(super) fn refuse_row(directory: &Path) -> Result<(), Diagnostics> {
    let Some(above) = comparison_of(directory) else { return Ok(()) };
    let message =
        format!("{} is in use: it belongs to the comparison in {}", directory.display(), above.display());
    let help = "choose another --out, or add --force to give up its part of the comparison";
    Err(Diagnostic::error(Code::Io, message).help(help).into())
}

/// The directory of the comparison that names a directory as that of a run.
fn comparison_of(directory: &Path) -> Option<PathBuf> {
    let place = std::path::absolute(directory).ok()?;
    let place = place.canonicalize().unwrap_or(place);
    let (above, name) = (place.parent()?, place.file_name()?.to_str()?);
    let mut rows = planned(above).into_iter().chain(compared(above));
    rows.any(|row| row == name).then(|| above.to_owned())
}

/// Directories of the runs of a comparison that can go on.
fn planned(above: &Path) -> Vec<String> {
    let plan = Plan::read(above);
    plan.map_or_else(|_| Vec::new(), |plan| plan.folders().map(str::to_owned).collect())
}

/// Directories of the runs of a comparison that has ended.
fn compared(above: &Path) -> Vec<String> {
    let table = read_format(&above.join(COMPARED), COMPARE_FORMAT).map(|node| node.to_json());
    let table = table.unwrap_or_default();
    let name = |run: &Value| Some(Path::new(run["directory"].as_str()?).file_name()?.to_str()?.to_owned());
    table["runs"].as_array().into_iter().flatten().filter_map(name).collect()
}
