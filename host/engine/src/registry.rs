//! Finding plugins: by path, or by id in the search order. The host never names a plugin crate.
//!
//! Search order: `--plugin-dir` (in order), `VINCI_PLUGIN_PATH` (separated as PATH is), then `plugins/` beside the
//! program, the program's own directory, and `deps/` beside it (where cargo leaves libraries). Never the current
//! directory unasked. The first library that has the id wins; libraries it hides are shown by `vinci plugin list`.

mod apart;

pub use apart::look_at;

use std::collections::{BTreeMap, BTreeSet};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use vinci_abi::load::{LoadError, LoadedPlugin, load};
use vinci_abi::{Manifest, Role};
use vinci_core::problem::ProblemClass;

use crate::pipeline::SECOND_ORDER_CONES;
use crate::suggest::{did_you_mean, list};
use apart::{Look, is_unread, looks};

/// The variable of the environment that lists directories with plugins, separated as PATH is.
pub const PLUGIN_PATH: &str = "VINCI_PLUGIN_PATH";

/// Where plugins are looked for.
#[derive(Debug, Clone, Default)]
pub struct Registry {
    directories: Vec<PathBuf>,
    /// The program whose children look at libraries that nobody asked for by name.
    program: Option<PathBuf>,
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
    /// Nothing that could be looked at has this id, but not everything could be.
    #[error("the {role} `{name}` was not found, and this could not be looked at: {causes}")]
    Unseen {
        /// What was asked for.
        name: String,
        /// Its role.
        role: &'static str,
        /// What the system says of directories and libraries.
        causes: String,
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

/// A library found by a survey: what is said of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Surveyed {
    /// The file.
    pub path: PathBuf,
    /// Its manifests, or why it was refused.
    pub manifests: Result<Vec<Manifest>, String>,
    /// Ids that an earlier directory already offers.
    pub shadowed: Vec<String>,
}

impl Surveyed {
    /// The manifest of a role, if the library has it.
    pub fn manifest(&self, role: Role) -> Option<&Manifest> {
        self.manifests.iter().flatten().find(|m| m.role == role)
    }
}

impl Registry {
    /// The search order with `extra` (from `--plugin-dir`) first.
    pub fn new(extra: &[PathBuf]) -> Self {
        let mut directories = extra.to_vec();
        if let Some(path) = std::env::var_os(PLUGIN_PATH) {
            directories.extend(std::env::split_paths(&path).filter(|p| !p.as_os_str().is_empty()));
        }
        if let Some(exe) = std::env::current_exe().ok().as_deref().and_then(Path::parent) {
            directories.extend([exe.join("plugins"), exe.to_path_buf(), exe.join("deps")]);
        }
        // Plugins may change the working directory.
        let directories = directories.into_iter().map(|d| std::path::absolute(&d).unwrap_or(d)).collect();
        Self { directories, program: None, memory: None, scanned: None }
    }

    /// The same for this program: libraries that nobody asked for by name are looked at in children of it, which a damaged one may end.
    #[must_use]
    pub fn with_children(self) -> Self {
        Self { program: std::env::current_exe().ok(), ..self }
    }

    /// The same where `program` is a Vinci of its own, beside this one: its children look at libraries, and `plugins/` beside it is
    /// searched last. For programs that embed Vinci and are none themselves.
    #[must_use]
    pub fn beside(mut self, program: PathBuf) -> Self {
        self.directories.extend(program.parent().map(|folder| folder.join("plugins")));
        Self { program: Some(program), ..self }
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
        let mut causes = Vec::new();
        // Most names are part of their file's name: look there first, and through everything only if that fails.
        for directory in &self.directories {
            let paths = libraries(directory, Some(&file_hint(name)), &mut causes);
            if let Some(plugin) = find_in(paths, true, name, role, &mut causes)? {
                return Ok(plugin);
            }
        }
        for directory in &self.directories {
            tracing::debug!(directory = %directory.display(), "no file is named after `{name}`: asks all libraries");
            let paths = self.answering(directory, name, role, &mut causes);
            if let Some(plugin) = find_in(paths, false, name, role, &mut causes)? {
                return Ok(plugin);
            }
        }
        causes.sort();
        causes.dedup();
        match causes.is_empty() {
            true => Err(self.unknown(name, role)),
            false => {
                Err(FindError::Unseen { name: name.into(), role: role.name(), causes: causes.join("; ") })
            }
        }
    }

    /// Libraries of a directory that say that they answer to a name; all of them where no child can be asked.
    fn answering(&self, directory: &Path, name: &str, role: Role, causes: &mut Vec<String>) -> Vec<PathBuf> {
        let paths = libraries(directory, None, causes);
        let Some(said) = self.program.as_ref().and_then(|program| looks(program, &paths)) else {
            return paths;
        };
        let fits = |look: &Look| match look {
            Look::Plugin { manifests, .. } => manifests.iter().any(|m| m.role == role && answers_to(m, name)),
            // Here, where it is told why.
            Look::Refused { unread, .. } => *unread,
            Look::Foreign => false,
        };
        paths.into_iter().zip(said).filter(|(_, look)| fits(look)).map(|(path, _)| path).collect()
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
        for found in self.survey() {
            ids.extend(found.manifest(role).map(|m| m.id.clone()));
        }
        ids.into_iter().collect()
    }

    /// Manifests of a role, of every id the one that an experiment would get, in alphabetical order.
    pub fn manifests(&self, role: Role) -> Vec<Manifest> {
        let read = || {
            let mut first: BTreeMap<String, Manifest> = BTreeMap::new();
            for manifest in self.survey().into_iter().flat_map(|found| found.manifests).flatten() {
                first.entry(format!("{} {}", manifest.role.name(), manifest.id)).or_insert(manifest);
            }
            first.into_values().collect::<Vec<_>>()
        };
        let all = match &self.scanned {
            Some(memory) => memory.get_or_init(read).clone(),
            None => read(),
        };
        all.into_iter().filter(|m| m.role == role).collect()
    }

    /// What is said of all libraries in the search order, as [`Registry::scan`] finds them. None of them is loaded here where children
    /// can be asked.
    pub fn survey(&self) -> Vec<Surveyed> {
        let paths: Vec<_> =
            self.directories.iter().flat_map(|d| libraries(d, None, &mut Vec::new())).collect();
        let asked = self.program.as_ref().and_then(|program| looks(program, &paths));
        let said = asked.unwrap_or_else(|| paths.iter().map(|path| Look::at(path)).collect());
        let (mut found, mut ids, mut digests) = (Vec::new(), BTreeSet::new(), BTreeSet::new());
        for (path, look) in paths.into_iter().zip(said) {
            let manifests = match look {
                Look::Plugin { digest, manifests } if digests.insert(digest.clone()) => Ok(manifests),
                // Not of ours, or the same bytes once more (cargo keeps copies).
                Look::Plugin { .. } | Look::Foreign => continue,
                Look::Refused { why, .. } => Err(why),
            };
            let all = manifests.iter().flatten().map(|m| m.id.clone());
            let shadowed = all.filter(|id| !ids.insert(id.clone())).collect();
            found.push(Surveyed { path, manifests, shadowed });
        }
        found
    }

    /// All plugin libraries in the search order. Shared libraries that are no plugins at all are passed over.
    pub fn scan(&self) -> Vec<Found> {
        let (mut found, mut seen) = (Vec::new(), BTreeSet::new());
        for directory in &self.directories {
            for path in libraries(directory, None, &mut Vec::new()) {
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

/// The library among some that answers to a name. `named`: their files are named so, and each of them that is refused may be the one.
fn find_in(
    paths: Vec<PathBuf>,
    named: bool,
    name: &str,
    role: Role,
    causes: &mut Vec<String>,
) -> Result<Option<LoadedPlugin>, FindError> {
    let mut matching: Vec<LoadedPlugin> = Vec::new();
    for path in paths {
        let plugin = match load(&path) {
            Ok(plugin) => plugin,
            Err(why) => {
                // One that is no plugin, or has another name and another fault, is not what was asked for; `plugin list` shows it.
                let foreign = matches!(why, LoadError::NotAPlugin { .. });
                causes.extend((!foreign && (named || is_unread(&why))).then(|| why.to_string()));
                continue;
            }
        };
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

/// The set of classes that a manifest names ([`ProblemClass::bit`]), with [`SECOND_ORDER_CONES`] where it has the
/// capability `second-order-cones`: without it, programs of class Conic must have linear rows only.
pub fn classes(manifest: &Manifest) -> u32 {
    let named: u32 =
        ProblemClass::ALL.into_iter().filter(|c| manifest.has_class(*c)).map(ProblemClass::bit).sum();
    named | if manifest.has_capability("second-order-cones") { SECOND_ORDER_CONES } else { 0 }
}

/// Whether a plugin is named by path rather than by id.
pub fn is_path(name: &str) -> bool {
    name.contains(['/', std::path::MAIN_SEPARATOR]) || name.ends_with(std::env::consts::DLL_SUFFIX)
}

/// The last word of an id as file names write it.
fn file_hint(name: &str) -> String {
    name.rsplit('.').next().unwrap_or(name).replace('-', "_")
}

/// Shared libraries of a directory in alphabetical order, those whose name contains `hint` if one is given. A directory that is not
/// there has none; one that cannot be read is a cause for not finding something.
fn libraries(directory: &Path, hint: Option<&str>, causes: &mut Vec<String>) -> Vec<PathBuf> {
    let entries = match std::fs::read_dir(directory) {
        Err(e) if matches!(e.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => return Vec::new(),
        Err(e) => {
            causes.push(format!("{}: {e}", directory.display()));
            return Vec::new();
        }
        Ok(entries) => entries,
    };
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
