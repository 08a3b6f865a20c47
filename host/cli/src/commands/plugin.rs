//! `vinci plugin`: its actions, of which `list` and `info` stand here.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use vinci_abi::load::LoadedPlugin;
use vinci_abi::{Manifest, Role};
use vinci_conformance::{Outcome, run_one_of, word_from};

use super::files::io_error;
use super::plugin_check::check;
use super::plugin_lock::lock;
use super::plugin_new::{NewPlugin, begin};
use super::plugin_store::{install, note, remove};
use super::printing::{say, tell_asked};
use super::refused::not_found;
use super::search::registry;
use crate::cli::{Global, PluginAction, PluginArgs, libraries_in};
use vinci_core::error::one_line;
use vinci_core::model::MotionModel;
use vinci_engine::registry::{FindError, PluginDirectory, Registry, Surveyed, look_at};
use vinci_isolate::{Limits, Start, start};
use vinci_run::exit;
use vinci_run::physics::{default_motion_of, known_motions};
use vinci_scene::diagnostics::Diagnostics;

pub(crate) fn run(global: &Global, args: &PluginArgs) -> Result<u8, Diagnostics> {
    match &args.action {
        PluginAction::List => list(global, &registry(global, &args.search)),
        PluginAction::Info { id } => {
            info(global, &registry(global, &args.search).allowing(&libraries_in(id)).remembering(), id)
        }
        PluginAction::Look { paths } => {
            look_at(paths).map_err(|e| io_error("cannot write to", Path::new("standard output"), &e))?;
            Ok(exit::OK)
        }
        PluginAction::Worker { host } => {
            vinci_isolate::serve(*host)
                .map_err(|e| io_error("cannot read", Path::new("standard input"), &e))?;
            Ok(exit::OK)
        }
        PluginAction::Start { host, memory, open, read, command } => {
            let limits = Limits { memory: *memory, ..Limits::default() };
            let (readable, command) = (read.clone(), command.clone());
            let program = PathBuf::from(command.first().cloned().unwrap_or_default());
            let refused = start(&Start { host: *host, limits, open: *open, readable, command });
            Err(io_error("cannot start", &program, &refused))
        }
        PluginAction::New { role, name, lang, owner, sdk, out } => {
            begin(global, &NewPlugin { role: *role, name, lang: *lang, owner, sdk: sdk.as_deref(), out })
        }
        PluginAction::Install { paths, force } => {
            install(global, &registry(global, &args.search), paths, *force)
        }
        PluginAction::Remove { id } => remove(global, id),
        PluginAction::Note { paths } => note(global, &registry(global, &args.search), paths),
        PluginAction::Lock { experiments } => lock(global, &registry(global, &args.search), experiments),
        PluginAction::Check { path, seed, one: Some(test), .. } => {
            // Before anything of the plugin runs: it is not to hear it.
            let word = word_from(std::io::stdin());
            end_with_parent();
            let registry = registry(global, &args.search);
            let outcome = registry.named(path).map(|plugin| run_one_of(plugin, test, *seed));
            let outcome = outcome.unwrap_or_else(|e| Outcome::Failed { reason: e.to_string() });
            say(&format!("{}\n", outcome.to_line(&word)))?;
            Ok(exit::OK)
        }
        PluginAction::Check { path, level, seed, json, badge, one: None } => {
            let registry = registry(global, &args.search);
            check((global, &registry), path, (*seed, *level), (*json, badge.as_deref()))
        }
    }
}

/// A child of the suite has a group of its own, which no key of a terminal reaches.
fn end_with_parent() {
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL))
    {
        tracing::warn!("a test may outlive its suite: {error}");
    }
}

fn list(global: &Global, registry: &Registry) -> Result<u8, Diagnostics> {
    let found = &registry.survey();
    let all = || {
        let roles = Role::ALL.into_iter();
        roles.flat_map(move |role| found.iter().filter_map(move |one| Some((one, one.manifest(role)?))))
    };
    let refused = || found.iter().filter_map(|one| one.manifests.as_ref().err());
    let place = |place: &PluginDirectory| format!("{} ({})", place.directory.display(), place.origin.name());
    let searched: Vec<_> = registry.places().iter().map(place).collect();
    let text = || {
        let mut out: String = all().map(|(one, m)| line(found, one, m)).collect();
        refused().for_each(|refusal| out.push_str(&format!("refused   {refusal}\n")));
        if out.is_empty() {
            out.push_str("no plugins found\n");
        }
        searched.iter().for_each(|place| out.push_str(&format!("searched  {place}\n")));
        out
    };
    let one = |(one, m): (&Surveyed, &Manifest)| {
        json!({ "role": m.role, "id": m.id, "version": m.version, "title": m.title, "path": one.path.to_string_lossy(),
            "origin": one.origin.name(), "hidden": one.hider(&m.id).is_some(),
            "hidden_by": one.hider(&m.id).map(|by| by.to_string_lossy()) })
    };
    let value = || {
        json!({ "plugins": all().map(one).collect::<Vec<_>>(),
            "refused": refused().collect::<Vec<_>>(), "searched": searched })
    };
    tell_asked(global, ("plugin list", exit::OK), false, text, value)?;
    Ok(exit::OK)
}

fn line(found: &[Surveyed], one: &Surveyed, m: &Manifest) -> String {
    let hidden = one.hider(&m.id).map_or_else(String::new, |by| {
        let same = |other: &Manifest| (&other.id, &other.version) == (&m.id, &m.version);
        // The first of a version is the one that is found, whoever asks for it.
        let first = found.iter().find(|other| other.manifests.iter().flatten().any(same));
        let way = match first.is_some_and(|first| first.path == one.path) {
            true => format!("; {}@={} asks for this one", m.id, m.version),
            false => ", which has the same version".to_owned(),
        };
        format!("  (hidden by {}{way})", by.display())
    });
    let (role, path, title) = (m.role.name(), one.path.display(), one_line(&m.title));
    format!("{role:<10} {:<32} {:<8} {title}  [{path}]{hidden}\n", m.id, m.version)
}

fn info(global: &Global, registry: &Registry, id: &str) -> Result<u8, Diagnostics> {
    let mut refused = None;
    for role in Role::ALL {
        match registry.find(id, role, Path::new("")) {
            Ok(plugin) => {
                if let Some(manifest) = plugin.manifest(role) {
                    let (path, digest) = (plugin.path(), plugin.digest());
                    let value =
                        || json!({ "path": path.to_string_lossy(), "sha256": digest, "manifest": manifest });
                    let text = || describe(&plugin, manifest);
                    tell_asked(global, ("plugin info", exit::OK), false, text, value)?;
                    return Ok(exit::OK);
                }
            }
            Err(error @ FindError::Refused(_)) => return Err(not_found(&error.to_string())),
            Err(FindError::Unknown { .. } | FindError::WrongRole { .. }) => {}
            Err(error) => refused = Some(error.to_string()),
        }
    }
    let known = Role::ALL.into_iter().flat_map(|role| registry.ids(role)).collect::<Vec<_>>();
    Err(not_found(
        &refused.unwrap_or_else(|| format!("there is no plugin `{id}`; known: {}", known.join(", "))),
    ))
}

fn describe(plugin: &LoadedPlugin, m: &Manifest) -> String {
    let mut out = format!("{} {} ({})\n{}\n", m.id, m.version, m.role.name(), one_line(&m.title));
    let mut line = |what: &str, value: String| {
        if !value.is_empty() {
            out.push_str(&format!("{what:<13} {}\n", one_line(&value)));
        }
    };
    line("file", plugin.path().display().to_string());
    line("sha256", plugin.digest().to_string());
    line("licence", m.licence.clone());
    line("authors", m.authors.join(", "));
    for citation in &m.citation {
        line("cite", citation.clone());
    }
    line(if m.role == Role::Solver { "takes" } else { "emits" }, m.classes.join(", "));
    line("can", m.capabilities.join(", "));
    line("spaces", m.spaces.join(", "));
    line("shapes", m.shapes.join(", "));
    line("reads", m.parameters.reads.join(", "));
    line("ignores", m.parameters.ignores.join(", "));
    for sense in &m.parameters.reinterprets {
        line("reinterprets", sense.clone());
    }
    line("refuses", m.parameters.refuses.join(", "));
    if m.role == Role::Stepper {
        line("motion", motion(m));
    }
    line("contract", format!("{}, built by {}, panic = {}", m.contract, m.rustc, m.panic));
    line("deterministic", if m.deterministic { "yes" } else { "no" }.to_string());
    out.push_str(&options(m));
    out
}

/// The motion model of bodies that name none, and those that bodies may ask for.
fn motion(m: &Manifest) -> String {
    let all: Vec<&str> = known_motions(m).map(MotionModel::name).collect();
    match default_motion_of(m, "{}") {
        Some(default) => format!("{} by default; bodies may ask for {}", default.name(), all.join(", ")),
        None => "not said".to_owned(),
    }
}

/// Options with their defaults and descriptions, from the schema.
fn options(m: &Manifest) -> String {
    let Some(properties) = m.options.get("properties").and_then(|p| p.as_object()).filter(|p| !p.is_empty())
    else {
        return "options       none\n".to_string();
    };
    let mut out = String::from("options\n");
    for (name, schema) in properties {
        let default = match schema.get("default") {
            None => String::new(),
            Some(Value::Null) => " (default none)".to_owned(),
            Some(value) => format!(" (default {value})"),
        };
        let text = schema.get("description").and_then(|d| d.as_str()).unwrap_or_default().replace('\n', " ");
        let (head, text) = (one_line(&format!("{name}{default}")), one_line(&text));
        out.push_str(&format!("  {head}\n      {text}\n"));
        for (value, means) in choices(m, schema) {
            let means = if means.is_empty() { means } else { format!(": {means}") };
            out.push_str(&format!("      {}\n", one_line(&format!("{value}{means}"))));
        }
    }
    out
}

/// The values of an option that has a list of them, with what they mean; the list may stand behind a reference, or an `allOf` of one.
fn choices(m: &Manifest, schema: &Value) -> Vec<(String, String)> {
    let referred = |s: &Value| {
        let reference = s.get("$ref").or_else(|| s.pointer("/allOf/0/$ref"))?.as_str()?;
        m.options.pointer(reference.strip_prefix('#')?).cloned()
    };
    let schema = referred(schema).unwrap_or_else(|| schema.clone());
    let list = |key: &str| schema.get(key).and_then(Value::as_array).cloned().unwrap_or_default();
    let described = list("oneOf").into_iter().filter_map(|choice| {
        let text = choice.get("description").and_then(Value::as_str).unwrap_or_default().replace('\n', " ");
        Some((choice.get("const")?.to_string(), text))
    });
    described.chain(list("enum").into_iter().map(|value| (value.to_string(), String::new()))).collect()
}
