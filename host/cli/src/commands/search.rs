//! Where the plugins of a command line are looked for.

use std::path::PathBuf;

use super::printing::report;
use crate::cli::{Global, SearchArgs};
use vinci_engine::registry::{PLUGIN_PATH, Registry};
use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics};

/// The registry of a command line. A named directory that does not exist is a warning, because plugins found elsewhere may not be those that were
/// meant.
pub(super) fn registry(global: &Global, search: &SearchArgs) -> Registry {
    let mut found = Diagnostics::new();
    let flags = search.plugin_dir.iter().map(|d| ("--plugin-dir", d.clone()));
    let variable = std::env::var_os(PLUGIN_PATH).unwrap_or_default();
    let variable: Vec<PathBuf> = std::env::split_paths(&variable).collect();
    let variable = variable.into_iter().filter(|d| !d.as_os_str().is_empty()).map(|d| (PLUGIN_PATH, d));
    for (by, directory) in flags.chain(variable).filter(|(_, d)| !d.is_dir()) {
        let message = format!("{by} names {}, which is not a directory", directory.display());
        found.push(Diagnostic::warning(Code::Plugin, message));
    }
    report(global, &found);
    Registry::new(&search.plugin_dir).with_children()
}
