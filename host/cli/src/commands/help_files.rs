//! `vinci completions` and `vinci man`: what shells and `man` know of the command line.

use std::path::Path;

use clap::CommandFactory;
use clap_complete::Shell;
use serde_json::json;

use super::files::io_error;
use super::printing::{names, say, tell};
use crate::cli::{Cli, Global};
use vinci_run::exit;
use vinci_scene::diagnostics::Diagnostics;

pub(super) fn completions(shell: Shell) -> Result<u8, Diagnostics> {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "vinci", &mut text);
    say(&String::from_utf8_lossy(&text))?;
    Ok(exit::OK)
}

pub(super) fn manual(global: &Global, out: &Path) -> Result<u8, Diagnostics> {
    let written = std::fs::create_dir_all(out).and_then(|()| {
        clap_mangen::generate_to(Cli::command(), out)?;
        let all = std::fs::read_dir(out)?.flatten().map(|entry| entry.path());
        let mut pages: Vec<_> = all.filter(|path| path.extension().is_some_and(|e| e == "1")).collect();
        pages.sort();
        Ok(pages)
    });
    let pages = written.map_err(|e| io_error("cannot write to", out, &e))?;
    let text = || format!("{}: {} pages\n", out.display(), pages.len());
    tell(global, ("man", exit::OK), text, || json!({ "files": names(&pages) }))?;
    Ok(exit::OK)
}
