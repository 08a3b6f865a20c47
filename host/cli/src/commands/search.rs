//! Search for the plugins of a command line: the places, and which libraries may be loaded.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::printing::report;
use crate::cli::{Global, LockArgs, SearchArgs};
use vinci_engine::registry::{Lock, Origin, Registry};
use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics};

/// The file beside an experiment that holds its plugins.
pub(super) const LOCK: &str = "vinci.lock";

/// The registry of a command line. What somebody named and what is not there is a warning: what is found elsewhere is not what was meant.
pub(super) fn registry(global: &Global, search: &SearchArgs) -> Registry {
    let mut diagnostics = Diagnostics::new();
    let registry = quiet_registry(global, search);
    let named = registry.places().iter().filter(|p| [Origin::Flag, Origin::Variable].contains(&p.origin));
    for place in named.filter(|place| !place.directory.is_dir()) {
        let (by, directory) = (place.origin.name(), place.directory.display());
        diagnostics.push(Diagnostic::warning(
            Code::Plugin,
            format!("{by} names {directory}, which is not a directory"),
        ));
    }
    for library in allowed(global, search).iter().filter(|path| !path.is_file()) {
        let message = format!("--allow-plugin names {}, which is not a file", library.display());
        diagnostics.push(Diagnostic::warning(Code::Plugin, message));
    }
    report(global, &diagnostics);
    registry
}

/// The registry of a command line, without warnings: for child processes of a command that has printed them already.
pub(super) fn quiet_registry(global: &Global, search: &SearchArgs) -> Registry {
    let directories: Vec<PathBuf> = global.plugin_dir.iter().chain(&search.plugin_dir).cloned().collect();
    let registry = Registry::new(&directories).with_children().allowing(&allowed(global, search));
    registry.isolating(search.isolate.map_or_else(Default::default, Into::into))
}

/// Flags with which a child process finds and may load what this registry may, wherever on the command line that was said.
pub(super) fn child_flags(registry: &Registry) -> Vec<OsString> {
    let flagged = registry.places().iter().filter(|place| place.origin == Origin::Flag);
    let places = flagged.flat_map(|place| ["--plugin-dir".into(), place.directory.clone().into()]);
    let libraries = registry.allowed().iter().flat_map(|library| ["--allow-plugin".into(), library.into()]);
    let isolation = OsString::from(format!("--isolate={}", registry.isolation().name()));
    places.chain(libraries).chain([isolation]).collect()
}

fn allowed(global: &Global, search: &SearchArgs) -> Vec<PathBuf> {
    global.allow_plugin.iter().chain(&search.allow_plugin).cloned().collect()
}

/// The registry for an experiment or sweep: that of its lock, where one is asked for.
///
/// # Errors
/// Where the lock is not there, or is none.
pub(super) fn obeying(
    registry: &Registry,
    lock: LockArgs,
    experiment: &Path,
) -> Result<Registry, Diagnostics> {
    if !lock.locked {
        return Ok(registry.clone());
    }
    let lock = Lock::read(&experiment.with_file_name(LOCK)).map_err(|error| {
        Diagnostic::error(Code::Plugin, error.to_string())
            .help(format!("`vinci plugin lock {}` writes it", experiment.display()))
    })?;
    Ok(registry.locked_by(lock))
}
