//! The files of a comparison in a bundle: tables, figures and page against their sums, runs against what the table says of them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::compare_plan::{COMPARE_FORMAT, COMPARED};
use super::files::io_error;
use vinci_compare::measures::FILES;
use vinci_run::bundle;
use vinci_run::results::summary_of;
use vinci_run::sealed::FileSum;
use vinci_scene::diagnostics::Diagnostics;
use vinci_scene::read_format;

/// The files of one comparison.
pub(super) struct Tables {
    name: String,
    /// Their folder, relative to the directory of all.
    pub(super) folder: PathBuf,
    /// Sentences about what is not as it was written; empty where all is.
    pub(super) differences: Vec<String>,
    files: usize,
}

/// SHA-256 by file as JSON lists them: a summary, or the table of a comparison.
pub(super) fn listed(files: &Value) -> BTreeMap<&str, &str> {
    let files = files.as_object().into_iter().flatten();
    files.filter_map(|(name, sum)| Some((name.as_str(), sum["sha256"].as_str()?))).collect()
}

/// Files of a directory that are not what somebody says of them, in sentences: changed or missing.
pub(super) fn changed(directory: &Path, listed: &BTreeMap<&str, &str>, who: &str) -> Vec<String> {
    let one = |(file, sum): (&&str, &&str)| match FileSum::of(&directory.join(file)) {
        Ok(own) if own.sha256 == **sum => None,
        Ok(_) => Some(format!("{file} is not what {who} says of it: it was changed")),
        Err(e) => Some(format!("{file} cannot be read: {e}")),
    };
    listed.iter().filter_map(one).collect()
}

/// The files of all comparisons within a directory.
///
/// # Errors
/// Of input; a table of a comparison that is none, or of another version.
pub(super) fn tables_within(directory: &Path) -> Result<Vec<Tables>, Diagnostics> {
    let files = bundle::files(directory).map_err(|e| io_error("cannot read", directory, &e))?;
    let compared = files.iter().filter(|file| file.ends_with(COMPARED));
    compared.map(|file| Tables::of(directory, file)).collect()
}

impl Tables {
    fn of(within: &Path, file: &Path) -> Result<Self, Diagnostics> {
        let compared = read_format(&within.join(file), COMPARE_FORMAT)?.to_json();
        let folder = file.parent().map_or_else(PathBuf::new, Path::to_owned);
        let directory = within.join(&folder);
        let name =
            if folder == Path::new("") { "comparison".to_owned() } else { folder.display().to_string() };
        let listed = listed(&compared["files"]);
        let mut differences = changed(&directory, &listed, COMPARED);
        let extra: Vec<&str> = FILES
            .into_iter()
            .filter(|file| directory.join(file).exists() && !listed.contains_key(file))
            .collect();
        if !extra.is_empty() {
            differences.push(format!("{COMPARED} says nothing of {}", extra.join(", ")));
        }
        for run in compared["runs"].as_array().into_iter().flatten() {
            differences.extend(other_summary(&directory, run)?);
        }
        Ok(Self { name, folder, differences, files: listed.len() })
    }

    pub(super) fn text(&self) -> String {
        let lines: String = self.differences.iter().map(|what| format!("  differs  {what}\n")).collect();
        match self.differences.is_empty() {
            true => format!("{}: {} files as they were written\n", self.name, self.files),
            false => format!("{}: not as it was written\n{lines}", self.name),
        }
    }

    pub(super) fn to_json(&self) -> Value {
        json!({ "name": self.name, "differences": self.differences, "files": self.files })
    }
}

/// A sentence where the table says something else of a run than the run's own summary. A run whose process died has none.
fn other_summary(directory: &Path, run: &Value) -> Result<Option<String>, Diagnostics> {
    // Its folder: the whole comparison may have been moved.
    let folder = run["directory"].as_str().and_then(|place| Path::new(place).file_name());
    let Some(folder) = folder else { return Ok(Some(format!("{COMPARED} has a run without a directory"))) };
    let own = summary_of(&directory.join(folder))?;
    Ok(own
        .filter(|own| *own != run["summary"])
        .map(|_| format!("{COMPARED} says something else of {} than its summary", folder.to_string_lossy())))
}
