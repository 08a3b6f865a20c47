//! `vinci view`: runs as a page that draws them.

use serde_json::json;

use super::files::{io_error, stem};
use super::printing::tell;
use crate::cli::{Global, ViewArgs};
use std::io::Write;
use std::path::{Path, PathBuf};
use vinci_run::atomic_write::write_atomic;
use vinci_run::exit;
use vinci_run::view::{RunFiles, of_runs, page};
use vinci_scene::diagnostics::Diagnostics;

pub(crate) fn run(global: &Global, args: &ViewArgs) -> Result<u8, Diagnostics> {
    let runs = args.runs.iter().map(|directory| RunFiles::open(directory)).collect::<Result<Vec<_>, _>>()?;
    let out = args.out.clone().unwrap_or_else(|| args.runs[0].join("view.html"));
    let title: Vec<String> = args.runs.iter().map(|directory| stem(directory)).collect();
    let (header, block) = of_runs(&runs, &title.join(", "))?;
    let text = page(header, &block).map_err(|e| io_error("cannot make", &out, &e))?;
    put(&out, &text).map_err(|e| io_error("cannot write", &out, &e))?;
    let megabytes = text.len() as f64 / 1e6;
    let told = || format!("{}: written ({megabytes:.1} MB); open it in a browser\n", out.display());
    tell(global, ("view", exit::OK), told, || json!({ "file": out, "bytes": text.len() }))?;
    Ok(exit::OK)
}

fn put(out: &Path, text: &str) -> std::io::Result<()> {
    let directory =
        out.parent().filter(|d| !d.as_os_str().is_empty()).map_or(PathBuf::from("."), Path::to_owned);
    let name = out.file_name().unwrap_or_default().to_string_lossy();
    write_atomic(&directory, &name, |file| file.write_all(text.as_bytes()))
}
