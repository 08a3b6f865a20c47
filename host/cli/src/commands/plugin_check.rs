//! `vinci plugin check`.

use std::path::Path;
use std::time::Duration;

use serde_json::json;
use vinci_abi::Manifest;
use vinci_abi::load::is_program;
use vinci_conformance::{Child, check_isolated};

use super::files::{io_error, put_file};
use super::plugin_badge;
use super::printing::{report, tell_asked};
use super::refused::not_found;
use crate::cli::Global;
use vinci_engine::registry::Registry;
use vinci_run::exit;
use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics};

/// Longest time a test of the conformance suite may take.
const PATIENCE: Duration = Duration::from_secs(60);

pub(super) fn check(
    (global, registry): (&Global, &Registry),
    path: &Path,
    (seed, level): (u64, u8),
    (json, badge): (bool, Option<&Path>),
) -> Result<u8, Diagnostics> {
    // A library that takes its process along takes a child along. Refusals are told as everywhere else; the suite would repeat them for every
    // test.
    let note = registry.note_on(path);
    match &note {
        Err(Some(why)) => return Err(not_found(why)),
        Ok(_) if !is_program(path) => {}
        // Nothing of a program is run, nor of a library without the entry of a plugin.
        _ => drop(registry.named(path).map_err(|e| not_found(&e.to_string()))?),
    }
    let program = std::env::current_exe().map_err(|e| io_error("cannot find", Path::new("vinci"), &e))?;
    let head = ["plugin".into(), "check".into(), path.as_os_str().to_owned(), "--seed".into()];
    let arguments = head.into_iter().chain([seed.to_string().into(), "--one".into()]).collect();
    let suite = check_isolated(path, seed, level, &Child { program, arguments, timeout: PATIENCE });
    if let Some(place) = badge {
        put_file(place, plugin_badge::badge(&suite).as_bytes(), [path])?;
    }
    let code = if suite.passed() { exit::OK } else { exit::NOT_ACCEPTED };
    let value = || {
        let mut value = json!(suite);
        value["level"] = json!(level);
        value["reached"] = json!(suite.reached());
        if let Ok(note) = &note {
            let plugin = |m: &Manifest| json!({ "role": m.role.name(), "id": m.id, "version": m.version });
            value["sha256"] = json!(note.sha256);
            value["plugins"] = note.manifests.iter().map(plugin).collect();
        }
        value
    };
    tell_asked(global, ("plugin check", code), json, || format!("{suite}\n"), value)?;
    if !suite.passed() {
        let [_, failed, _, crashed] = suite.counts();
        let message = format!("{failed} tests of the conformance suite failed and {crashed} crashed");
        report(global, &Diagnostic::error(Code::Run, message).into());
    }
    Ok(code)
}
