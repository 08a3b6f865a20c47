//! The page of `vinci view`, for a file and for a browser that follows.

use std::path::Path;

use super::files::{io_error, stem};
use crate::cli::ViewArgs;
use vinci_run::view::{INTERRUPTED, RunFiles, of_runs, page};
use vinci_scene::diagnostics::Diagnostics;

/// The directories of the runs, read as far as a page needs.
pub(super) fn opened(args: &ViewArgs) -> Result<Vec<RunFiles>, Diagnostics> {
    args.runs.iter().map(|directory| RunFiles::open(directory)).collect()
}

/// The page of runs; a live one asks the program that serves it for more.
pub(super) fn made(runs: &[RunFiles], args: &ViewArgs, live: bool) -> Result<String, Diagnostics> {
    let title: Vec<String> = args.runs.iter().map(|directory| stem(directory)).collect();
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
