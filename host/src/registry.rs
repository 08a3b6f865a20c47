//! Finding plugins: by path, or by id in the search order. The host never names a plugin crate.
//!
//! Search order: `--plugin-dir` (in order), `VINCI_PLUGIN_PATH` (separated as PATH is), then `plugins/` beside the
//! program, the program's own directory, and `deps/` beside it (where cargo leaves libraries). Never the current
//! directory unasked. The first library that has the id wins; libraries it hides are shown by `vinci plugin list`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use vinci_abi::load::{LoadError, LoadedPlugin, load};
use vinci_abi::{Manifest, Role};

use crate::diagnostics::{did_you_mean, list};

/// Where plugins are looked for.
#[derive(Debug, Clone, Default)]
pub struct Registry {
    directories: Vec<PathBuf>,
    /// What was found, where that is remembered.
    memory: Option<Arc<Mutex<Memory>>>,
    /// Manifests of all plugins, where that is remembered.
    scanned: Option<Arc<OnceLock<Vec<Manifest>>>>,
}

/// Plugins by name, role and base.
type Memory = BTreeMap<(String, &'static str, PathBuf), LoadedPlugin>;

/// Why no plugin was found.
#[derive(Debug, thiserror::Error)]
pub enum FindError {
    /// A library was named and refused.
    #[error(transparent)]
    Refused(#[from] LoadError),
    /// Nothing has this id.
    #[error("there is no {role} `{name}`{hint}; known: {known}; searched: {searched}")]
    Unknown {
        /// What was asked for.
        name: String,
        /// Its role.
        role: &'static str,
        /// A near miss, or empty.
        hint: String,
        /// All ids of the role that were found.
        known: String,
        /// The directories.
        searched: String,
    },
    /// A short name fits several ids.
    #[error("`{name}` may be {ids}; write the id in full")]
    Ambiguous {
        /// What was asked for.
        name: String,
        /// What it may mean.
        ids: String,
    },
    /// The library at a path has other roles only.
    #[error("{path} has no {role}, only {has}")]
    WrongRole {
        /// The library.
        path: String,
        /// The role asked for.
        role: &'static str,
        /// What it has.
        has: String,
    },
}

/// A library found by a scan: what it holds, or why it was refused.
#[derive(Debug)]
pub struct Found {
    /// The file.
    pub path: PathBuf,
    /// The plugin, or the refusal.
    pub plugin: Result<LoadedPlugin, LoadError>,
    /// Ids that an earlier directory already offers.
    pub shadowed: Vec<String>,
}

impl Registry {
    /// The search order with `extra` (from `--plugin-dir`) first.
    pub fn new(extra: &[PathBuf]) -> Self {
        let mut directories = extra.to_vec();
        if let Some(path) = std::env::var_os("VINCI_PLUGIN_PATH") {
            directories.extend(std::env::split_paths(&path).filter(|p| !p.as_os_str().is_empty()));
        }
        if let Some(exe) = std::env::current_exe().ok().as_deref().and_then(Path::parent) {
            directories.extend([exe.join("plugins"), exe.to_path_buf(), exe.join("deps")]);
        }
        Self { directories, memory: None, scanned: None }
    }

    /// The same, reading every library once only: for many runs in one process. Files that change meanwhile are not seen.
    #[must_use]
    pub fn remembering(self) -> Self {
        Self { memory: Some(Arc::default()), scanned: Some(Arc::default()), ..self }
    }

    /// The directories in the order they are searched.
    pub fn directories(&self) -> &[PathBuf] {
        &self.directories
    }

    /// The plugin an experiment names: a path (relative to `base`), an id, or the last words of an id.
    pub fn find(&self, name: &str, role: Role, base: &Path) -> Result<LoadedPlugin, FindError> {
        let Some(memory) = &self.memory else { return self.look_for(name, role, base) };
        let mut memory = memory.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (name.to_owned(), role.name(), base.to_owned());
        if let Some(plugin) = memory.get(&key) {
            return Ok(plugin.clone());
        }
        let plugin = self.look_for(name, role, base)?;
        memory.insert(key, plugin.clone());
        Ok(plugin)
    }

    fn look_for(&self, name: &str, role: Role, base: &Path) -> Result<LoadedPlugin, FindError> {
        if is_path(name) {
            let plugin = load(&base.join(name))?;
            if plugin.manifest(role).is_some() {
                return Ok(plugin);
            }
            let has = plugin.manifests().iter().map(|m| format!("{} {}", m.role.name(), m.id));
            let has = has.collect::<Vec<_>>().join(", ");
            return Err(FindError::WrongRole {
                path: plugin.path().display().to_string(),
                role: role.name(),
                has,
            });
        }
        // Most names are part of their file's name: look there first, and through everything only if that fails.
        for hint in [Some(file_hint(name)), None] {
            for directory in &self.directories {
                if let Some(plugin) = find_in(directory, hint.as_deref(), name, role)? {
                    return Ok(plugin);
                }
            }
        }
        Err(self.unknown(name, role))
    }

    fn unknown(&self, name: &str, role: Role) -> FindError {
        let ids = self.ids(role);
        let hint = did_you_mean(name, ids.iter().map(String::as_str))
            .map_or_else(String::new, |h| format!(" ({h})"));
        let known = if ids.is_empty() { "none".into() } else { list(ids.iter().map(String::as_str)) };
        let searched =
            self.directories.iter().map(|d| d.display().to_string()).collect::<Vec<_>>().join(", ");
        FindError::Unknown { name: name.into(), role: role.name(), hint, known, searched }
    }

    /// Ids of a role, each once, in alphabetical order.
    pub fn ids(&self, role: Role) -> Vec<String> {
        let mut ids = BTreeSet::new();
        for found in self.scan() {
            if let Ok(plugin) = found.plugin {
                ids.extend(plugin.manifest(role).map(|m| m.id.clone()));
            }
        }
        ids.into_iter().collect()
    }

    /// Manifests of a role, of every id the one that an experiment would get, in alphabetical order.
    pub fn manifests(&self, role: Role) -> Vec<Manifest> {
        let read = || {
            let mut first: BTreeMap<String, Manifest> = BTreeMap::new();
            for plugin in self.scan().into_iter().filter_map(|found| found.plugin.ok()) {
                for manifest in plugin.manifests() {
                    let key = format!("{} {}", manifest.role.name(), manifest.id);
                    first.entry(key).or_insert_with(|| manifest.clone());
                }
            }
            first.into_values().collect::<Vec<_>>()
        };
        let all = match &self.scanned {
            Some(memory) => memory.get_or_init(read).clone(),
            None => read(),
        };
        all.into_iter().filter(|m| m.role == role).collect()
    }

    /// All plugin libraries in the search order. Shared libraries that are no plugins at all are passed over.
    pub fn scan(&self) -> Vec<Found> {
        let (mut found, mut seen) = (Vec::new(), BTreeSet::new());
        for directory in &self.directories {
            for path in libraries(directory, None) {
                let plugin = load(&path);
                let copy = |p: &LoadedPlugin| {
                    found.iter().any(|f: &Found| matches!(&f.plugin, Ok(o) if o.digest() == p.digest()))
                };
                // Not of ours, or the same bytes once more (cargo keeps copies).
                if matches!(plugin, Err(LoadError::NotAPlugin { .. })) || plugin.as_ref().is_ok_and(copy) {
                    continue;
                }
                let mut shadowed = Vec::new();
                for manifest in plugin.iter().flat_map(LoadedPlugin::manifests) {
                    if !seen.insert(manifest.id.clone()) {
                        shadowed.push(manifest.id.clone());
                    }
                }
                found.push(Found { path, plugin, shadowed });
            }
        }
        found
    }
}

fn find_in(
    directory: &Path,
    hint: Option<&str>,
    name: &str,
    role: Role,
) -> Result<Option<LoadedPlugin>, FindError> {
    let mut matching: Vec<LoadedPlugin> = Vec::new();
    for path in libraries(directory, hint) {
        // A library that is refused cannot be the one that was asked for; `plugin list` shows the refusal.
        let Ok(plugin) = load(&path) else { continue };
        let fits = plugin.manifest(role).is_some_and(|m| answers_to(m, name));
        let id = |p: &LoadedPlugin| p.manifest(role).map(|m| m.id.clone());
        if fits && !matching.iter().any(|m| id(m) == id(&plugin)) {
            matching.push(plugin);
        }
    }
    let exact = matching.iter().position(|p| p.manifest(role).is_some_and(|m| m.id == name));
    match (exact, matching.len()) {
        (Some(k), _) => Ok(Some(matching.swap_remove(k))),
        (None, 0 | 1) => Ok(matching.pop()),
        _ => {
            let ids = matching.iter().filter_map(|p| p.manifest(role)).map(|m| m.id.as_str());
            Err(FindError::Ambiguous { name: name.into(), ids: list(ids) })
        }
    }
}

/// Whether a manifest is meant by an id or by the last words of one.
fn answers_to(manifest: &Manifest, name: &str) -> bool {
    manifest.id == name || manifest.id.ends_with(&format!(".{name}"))
}

/// Whether a plugin is named by path rather than by id.
fn is_path(name: &str) -> bool {
    name.contains(['/', std::path::MAIN_SEPARATOR]) || name.ends_with(std::env::consts::DLL_SUFFIX)
}

/// The last word of an id as file names write it.
fn file_hint(name: &str) -> String {
    name.rsplit('.').next().unwrap_or(name).replace('-', "_")
}

/// Shared libraries of a directory in alphabetical order, those whose name contains `hint` if one is given.
fn libraries(directory: &Path, hint: Option<&str>) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(directory) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries
        .flatten()
        .map(|e| e.path())
        .filter(|p| {
            let name = p.file_name().and_then(|n| n.to_str()).unwrap_or_default();
            name.ends_with(std::env::consts::DLL_SUFFIX)
                && hint.is_none_or(|h| name.replace('-', "_").contains(h))
        })
        .collect();
    paths.sort();
    paths
}
