//! `vinci view`: runs as a page that draws them.

use std::path::Path;

use serde_json::json;

use super::drawing;
use super::files::{io_error, put_file, stem};
use super::printing::tell;
use super::view_live;
use crate::cli::{Global, ViewArgs};
use vinci_run::exit;
use vinci_run::view::{INTERRUPTED, RunFiles, of_runs, page};
use vinci_scene::diagnostics::Diagnostics;

pub(crate) fn run(global: &Global, args: &ViewArgs) -> Result<u8, Diagnostics> {
    if args.png.is_some() || args.gif.is_some() {
        return drawing::run(global, args);
    }
    if args.live {
        return view_live::serve(global, args);
    }
    let runs = opened(args)?;
    let out = args.out.clone().unwrap_or_else(|| args.runs[0].join("view.html"));
    let text = made(&runs, args, false)?;
    put_file(&out, text.as_bytes(), [])?;
    let megabytes = text.len() as f64 / 1e6;
    let told = || format!("{}: written ({megabytes:.1} MB); open it in a browser\n", out.display());
    tell(global, ("view", exit::OK), told, || json!({ "file": out.to_string_lossy(), "bytes": text.len() }))?;
    Ok(exit::OK)
}

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
