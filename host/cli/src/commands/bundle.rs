//! `vinci bundle`: results as one file.

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use serde_json::json;

use super::files::{io_error, put_plain_file};
use super::printing::tell;
use super::rerun::{damaged, runs_within};
use super::rerun_tables::tables_within;
use crate::cli::{BundleArgs, Global};
use vinci_run::results::summary_of;
use vinci_run::{bundle, exit};
use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics};

pub(crate) fn run(global: &Global, args: &BundleArgs) -> Result<u8, Diagnostics> {
    let directory = &args.directory;
    let runs = runs_within(directory)?;
    if runs.is_empty() {
        let message = format!("there is no run that ended in {}", directory.display());
        let help = "name a directory that `vinci run` or `vinci compare` wrote";
        return Err(Diagnostic::error(Code::Io, message).help(help).into());
    }
    whole(directory, &runs)?;
    let out = args.out.clone().unwrap_or_else(|| beside(directory));
    if out.exists() && !args.force {
        let message = format!("{} is there already", out.display());
        return Err(Diagnostic::error(Code::Io, message).help("choose another --out, or add --force").into());
    }
    let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    if absolute(&out).starts_with(absolute(directory)) {
        let message = format!("{} lies within what it would hold", out.display());
        return Err(Diagnostic::error(Code::Io, message).help("choose another --out").into());
    }
    let files = put_plain_file(&out, |file| {
        let mut buffered = BufWriter::new(file);
        let files = bundle::pack(directory, &mut buffered)?;
        buffered.flush()?;
        Ok(files)
    })?;
    let bytes = std::fs::metadata(&out).map_err(|e| io_error("cannot read", &out, &e))?.len();
    let megabytes = bytes as f64 / 1e6;
    let told = || {
        format!("{}: written ({files} files, {megabytes:.1} MB); `vinci rerun` repeats it\n", out.display())
    };
    tell(global, ("bundle", exit::OK), told, || json!({ "file": out.to_string_lossy(), "files": files }))?;
    Ok(exit::OK)
}

/// Refuses results that this program cannot read, or that are not as they were written: whoever gets the bundle is to repeat it.
fn whole(directory: &Path, runs: &[PathBuf]) -> Result<(), Diagnostics> {
    let mut found = Vec::new();
    for run in runs {
        let place = directory.join(run);
        if let Some(summary) = summary_of(&place)? {
            found.extend(damaged(&place, &summary)?.into_iter().map(|what| (place.clone(), what)));
        }
    }
    for tables in tables_within(directory)? {
        let place = directory.join(&tables.folder);
        found.extend(tables.differences.into_iter().map(|what| (place.clone(), what)));
    }
    let help = "put back what was there, or make the results again: nobody could repeat this bundle";
    let mut told = Diagnostics::new();
    for (place, what) in found {
        told.push(Diagnostic::error(Code::Io, format!("{}: {what}", place.display())).help(help));
    }
    told.accept(|_| ())
}

/// DIR.zip beside the directory.
fn beside(directory: &Path) -> PathBuf {
    let whole = std::path::absolute(directory).unwrap_or_else(|_| directory.to_owned());
    let mut name = whole.file_name().unwrap_or_default().to_owned();
    name.push(".zip");
    if directory.file_name().is_some() { directory.with_file_name(name) } else { whole.with_file_name(name) }
}
