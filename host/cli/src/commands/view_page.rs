//! The page of `vinci view`, for a file and for a browser that follows.

use std::path::{Path, PathBuf};

use super::files::{io_error, put_file};
use super::printing::report;
use crate::cli::{Global, ViewArgs};
use vinci_run::view::{INTERRUPTED, RunFiles, of_runs, page};
use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics};

/// The directories of the runs, read as far as a page needs.
pub(super) fn opened(args: &ViewArgs) -> Result<Vec<RunFiles>, Diagnostics> {
    args.runs.iter().map(|directory| RunFiles::open(directory)).collect()
}

/// The page of runs that have names of their own.
pub(super) fn named(runs: &[RunFiles], title: &str, names: &[String]) -> Result<String, Diagnostics> {
    let (mut header, block) = of_runs(runs, title)?;
    for (run, name) in header["runs"].as_array_mut().into_iter().flatten().zip(names) {
        run["name"] = name.as_str().into();
    }
    page(header, &block).map_err(|e| io_error("cannot make", Path::new("the page"), &e))
}

/// Bytes of tables up to which a run is drawn without being asked: a tenth of a second.
const UNASKED: u64 = 4_000_000;

/// Writes the page of a run that has ended, for its report to show, where that takes no time to speak of. A run without it is complete.
pub(super) fn beside_report(global: &Global, directory: &Path) {
    let size = |name: &str| directory.join(name).metadata().map_or(0, |m| m.len());
    let states = size("trajectory.csv") + size("trajectory.parquet");
    let others = ["links.csv", "links.parquet", "contacts.csv", "contacts.parquet"].map(size);
    if states == 0 || states + others.iter().sum::<u64>() > UNASKED {
        return;
    }
    if let Err(why) = drawn(directory) {
        let first = why.iter().next().map_or(String::new(), |d| d.message.clone());
        let message = format!("the report shows no motion: {first}");
        report(global, &Diagnostic::warning(Code::Io, message).help("`vinci view` writes it").into());
    }
}

fn drawn(directory: &Path) -> Result<(), Diagnostics> {
    let runs = vec![RunFiles::open(directory)?];
    let name = directory.file_name().unwrap_or_default().to_string_lossy();
    let (header, block) = of_runs(&runs, &name)?;
    let text = page(header, &block).map_err(|e| io_error("cannot make", Path::new("the page"), &e))?;
    put_file(&directory.join("view.html"), text.as_bytes(), [])
}

/// The page of runs; a live one asks the program that serves it for more.
pub(super) fn made(runs: &[RunFiles], args: &ViewArgs, live: bool) -> Result<String, Diagnostics> {
    // Not the stem: a directory of a comparison may end in the digits of its step.
    let name = |directory: &PathBuf| directory.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let title: Vec<String> = args.runs.iter().map(name).collect();
    let (mut header, block) = of_runs(runs, &title.join(", "))?;
    if live {
        header["live"] = true.into();
        for run in header["runs"].as_array_mut().into_iter().flatten() {
            // Nobody can tell a run that goes on from one that was killed.
            if run["status"] == INTERRUPTED {
                run["status"] = "no end yet".into();
            }
        }
    }
    page(header, &block).map_err(|e| io_error("cannot make", Path::new("the page"), &e))
}
