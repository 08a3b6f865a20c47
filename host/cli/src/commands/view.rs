//! `vinci view`: runs as a page that draws them.

use serde_json::json;

use super::drawing;
use super::files::{is_free, put_file};
use super::printing::tell;
use super::{view_live, view_page};
use crate::cli::{Global, ViewArgs};
use vinci_run::exit;
use vinci_scene::diagnostics::Diagnostics;

pub(crate) fn run(global: &Global, args: &ViewArgs) -> Result<u8, Diagnostics> {
    if args.png.is_some() || args.gif.is_some() || args.mp4.is_some() {
        return drawing::run(global, args);
    }
    if args.live {
        return view_live::serve(global, args);
    }
    args.out.as_ref().map_or(Ok(()), |out| is_free((out, "--out"), args.force))?;
    let runs = view_page::opened(args)?;
    let out = args.out.clone().unwrap_or_else(|| args.runs[0].join("view.html"));
    let text = view_page::made(&runs, args, false)?;
    put_file(&out, text.as_bytes(), [])?;
    let megabytes = text.len() as f64 / 1e6;
    let told = || format!("{}: written ({megabytes:.1} MB); open it in a browser\n", out.display());
    tell(global, ("view", exit::OK), told, || json!({ "file": out.to_string_lossy(), "bytes": text.len() }))?;
    Ok(exit::OK)
}
