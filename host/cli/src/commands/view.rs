//! `vinci view`: runs as a page that draws them.

use serde_json::json;

use super::drawing;
use super::files::{io_error, put_file, stem};
use super::printing::tell;
use crate::cli::{Global, ViewArgs};
use vinci_run::exit;
use vinci_run::view::{RunFiles, of_runs, page};
use vinci_scene::diagnostics::Diagnostics;

pub(crate) fn run(global: &Global, args: &ViewArgs) -> Result<u8, Diagnostics> {
    if args.png.is_some() || args.gif.is_some() {
        return drawing::run(global, args);
    }
    let runs = args.runs.iter().map(|directory| RunFiles::open(directory)).collect::<Result<Vec<_>, _>>()?;
    let out = args.out.clone().unwrap_or_else(|| args.runs[0].join("view.html"));
    let title: Vec<String> = args.runs.iter().map(|directory| stem(directory)).collect();
    let (header, block) = of_runs(&runs, &title.join(", "))?;
    let text = page(header, &block).map_err(|e| io_error("cannot make", &out, &e))?;
    put_file(&out, text.as_bytes(), [])?;
    let megabytes = text.len() as f64 / 1e6;
    let told = || format!("{}: written ({megabytes:.1} MB); open it in a browser\n", out.display());
    tell(global, ("view", exit::OK), told, || json!({ "file": out.to_string_lossy(), "bytes": text.len() }))?;
    Ok(exit::OK)
}
