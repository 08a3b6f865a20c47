//! `vinci plugin lock`: the plugins of experiments, by version and digest.

use std::path::PathBuf;

use serde_json::json;
use vinci_engine::registry::{Lock, Registry};
use vinci_run::exit;
use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics};
use vinci_sweep::{Ask, load_sweep};

use super::compare_ready;
use super::files::{io_error, is_comparison, is_sweep, put_file};
use super::printing::tell;
use super::refused::not_found;
use super::run::ready;
use super::search::LOCK;
use crate::cli::{ChangeArgs, Global};

pub(super) fn lock(global: &Global, registry: &Registry, experiments: &[PathBuf]) -> Result<u8, Diagnostics> {
    let registry = registry.clone().remembering();
    let place = experiments[0].with_file_name(LOCK);
    if let Some(other) = experiments.iter().find(|e| e.with_file_name(LOCK) != place) {
        let message =
            format!("{} and {} do not lie in one folder", experiments[0].display(), other.display());
        let help = "every folder of experiments has a lock of its own";
        return Err(Diagnostic::error(Code::Usage, message).help(help).into());
    }
    for experiment in experiments {
        // What a run would find is what is locked: fallbacks, further detectors, and what events, sweeps and comparisons put in their place.
        if is_sweep(experiment) {
            drop(load_sweep(experiment, Ask::default(), &registry)?);
        } else if is_comparison(experiment) {
            drop(compare_ready::looked_at(experiment, &[], &registry, false)?);
        } else {
            drop(ready(experiment, &ChangeArgs::default(), &registry, false)?);
        }
    }
    let lock = Lock::of(&registry.remembered()).map_err(|e| not_found(&e.to_string()))?;
    let text =
        serde_json::to_string_pretty(&lock).map_err(|e| io_error("cannot write", &place, &e.into()))?;
    put_file(&place, (text + "\n").as_bytes(), experiments.iter().map(PathBuf::as_path))?;
    let words = || {
        let line = |e: &vinci_engine::registry::LockEntry| {
            format!("{:<10} {:<32} {:<8} {}\n", e.role.name(), e.id, e.version, &e.sha256[..12])
        };
        lock.plugins.iter().map(line).collect::<String>() + &format!("{}: written\n", place.display())
    };
    let value = || json!({ "file": place.to_string_lossy(), "plugins": lock.plugins });
    tell(global, ("plugin lock", exit::OK), words, value)?;
    Ok(exit::OK)
}
