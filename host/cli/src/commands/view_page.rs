//! The page of `vinci view`, for a file and for a browser that follows.

use std::path::{Path, PathBuf};

use super::files::io_error;
use crate::cli::ViewArgs;
use vinci_compare::measures::Look;
use vinci_run::view::{INTERRUPTED, RunFiles, of_runs, page};
use vinci_scene::diagnostics::Diagnostics;

/// The directories of the runs, read as far as a page needs.
pub(super) fn opened(args: &ViewArgs) -> Result<Vec<RunFiles>, Diagnostics> {
    args.runs.iter().map(|directory| RunFiles::open(directory)).collect()
}

/// The page of runs that have names and colours of their own. `all`: how many runs there are; the page says that it has a part of them.
pub(super) fn named(
    runs: &[RunFiles],
    title: &str,
    names: &[(String, Look)],
    all: usize,
) -> Result<String, Diagnostics> {
    let (mut header, block) = of_runs(runs, title)?;
    if all > runs.len() {
        header["of"] = all.into();
    }
    for (run, (name, look)) in header["runs"].as_array_mut().into_iter().flatten().zip(names) {
        run["name"] = name.as_str().into();
        run["colour"] = look.colour.into();
        run["dash"] = look.dash.into();
    }
    page(header, &block).map_err(|e| io_error("cannot make", Path::new("the page"), &e))
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
