//! The search: from what an experiment writes to a loaded plugin.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use vinci_abi::load::{LoadError, LoadedPlugin, is_program, load_if};
use vinci_abi::{Manifest, Role};
use vinci_core::problem::ProblemClass;
use vinci_isolate::Limits;

use super::apart::{Inspection, is_unread, looks};
use super::error::FindError;
use super::isolation::{Apart, Isolation};
use super::library_files::{Origin, PluginDirectory, is_named_after, is_path};
use super::lock::Lock;
use super::note::Note;
use super::store::{installed_in, refuse_ids};
use super::wanted::{Wanted, version_of};
use crate::pipeline::SECOND_ORDER_CONES;
use crate::suggest::{did_you_mean, list};

/// The variable of the environment that lists directories with plugins, separated as PATH is.
pub const PLUGIN_PATH: &str = "VINCI_PLUGIN_PATH";

/// Where plugins are looked for, and which of them may be loaded.
#[derive(Debug, Clone, Default)]
pub struct Registry {
    places: Vec<PluginDirectory>,
    /// Libraries that may be loaded wherever they lie, without links.
    allowed: Vec<PathBuf>,
    /// The only plugins that may be loaded at all.
    lock: Option<Arc<Lock>>,
    /// The program whose children look at libraries that nobody asked for by name.
    program: Option<PathBuf>,
    /// Plugins that have a process of their own, and how.
    apart: Apart,
    /// Libraries found, where that is remembered.
    memory: Option<Arc<Mutex<Memory>>>,
    /// Findings of children about libraries, where they are remembered.
    said: Option<Arc<Mutex<BTreeMap<PathBuf, Inspection>>>>,
    /// Manifests of all plugins, where that is remembered.
    scanned: Option<Arc<OnceLock<Vec<Manifest>>>>,
    /// Warnings of plugins that were told.
    told: Arc<Mutex<BTreeSet<String>>>,
}

/// Plugins by name, role, base, and whether and how they are kept apart.
type Memory = BTreeMap<(String, Role, PathBuf, (Isolation, Limits)), LoadedPlugin>;

impl Registry {
    /// The search order with `extra` (from `--plugin-dir`) first.
    pub fn new(extra: &[PathBuf]) -> Self {
        let mut places: Vec<PluginDirectory> =
            extra.iter().map(|d| PluginDirectory::new(d, Origin::Flag)).collect();
        if let Some(path) = std::env::var_os(PLUGIN_PATH) {
            let named = std::env::split_paths(&path).filter(|p| !p.as_os_str().is_empty());
            places.extend(named.map(|d| PluginDirectory::new(&d, Origin::Variable)));
        }
        places.extend(installed_in().map(|store| PluginDirectory::new(&store, Origin::Installed)));
        // Links to the program are followed: its plugins lie where it lies.
        let program = std::env::current_exe().and_then(|exe| exe.canonicalize());
        if let Some(own) = program.ok().as_deref().and_then(Path::parent) {
            let prefix = own.parent().map(|prefix| prefix.join("lib/vinci/plugins"));
            let own = [Some(own.join("plugins")), prefix, Some(own.to_owned()), Some(own.join("deps"))];
            places.extend(own.into_iter().flatten().map(|d| PluginDirectory::new(&d, Origin::Program)));
        }
        Self { places, ..Self::default() }
    }

    /// This registry where `program` is a Vinci of its own beside this one: its child processes inspect libraries, and `plugins/` beside it
    /// is searched last. For programs that embed Vinci.
    #[must_use]
    pub fn beside(mut self, program: PathBuf) -> Self {
        let own =
            program.parent().map(|folder| PluginDirectory::new(&folder.join("plugins"), Origin::Program));
        self.places.extend(own);
        self.started_by(program)
    }

    /// This registry for the program `vinci`: libraries that were not asked for by name are inspected in child processes, so a damaged one
    /// ends only the child.
    #[must_use]
    pub fn with_children(self) -> Self {
        match std::env::current_exe() {
            Ok(program) => self.started_by(program),
            Err(_) => self,
        }
    }

    /// The one place where the program of all children is set: those that look at libraries, and the workers of plugins.
    fn started_by(self, program: PathBuf) -> Self {
        Self { apart: Apart::by(&program), program: Some(program), ..self }
    }

    /// This registry, which gives these plugins processes of their own. Without a program for them ([`Registry::beside`],
    /// [`Registry::with_children`]) all plugins stay in this process.
    #[must_use]
    pub fn isolating(self, isolation: Isolation) -> Self {
        Self { apart: self.apart.with(isolation), ..self }
    }

    /// This registry for one plugin that is to have a process of its own, ours too, with these limits.
    ///
    /// # Errors
    /// No program is known that could hold the plugin, or the system cannot keep plugins apart.
    pub fn isolated(&self, limits: Limits) -> Result<Self, FindError> {
        Ok(Self { apart: self.apart.always(limits)?, ..self.clone() })
    }

    /// Plugins that have processes of their own.
    pub fn isolation(&self) -> Isolation {
        self.apart.isolation
    }

    /// This registry with a cache: every library is read once, for many runs in one process. Files that change meanwhile are not noticed.
    #[must_use]
    pub fn remembering(self) -> Self {
        let (memory, said, scanned) = (Some(Arc::default()), Some(Arc::default()), Some(Arc::default()));
        Self { memory, said, scanned, ..self }
    }

    /// Returns true if a warning of a plugin is new: of many runs with the plugin the first one tells it.
    pub fn is_news(&self, warning: &str) -> bool {
        self.told.lock().unwrap_or_else(PoisonError::into_inner).insert(warning.to_owned())
    }

    /// This registry, which may also load these libraries by path. Those that are not there are left out.
    #[must_use]
    pub fn allowing(mut self, libraries: &[PathBuf]) -> Self {
        self.allowed.extend(libraries.iter().filter_map(|path| path.canonicalize().ok()));
        self
    }

    /// This registry, which loads only plugins of a lock; its cache is empty.
    #[must_use]
    pub fn locked_by(&self, lock: Lock) -> Self {
        let fresh = Self { lock: Some(Arc::new(lock)), ..self.clone() };
        if self.memory.is_some() { fresh.remembering() } else { fresh }
    }

    /// The places in the order they are searched.
    pub fn places(&self) -> &[PluginDirectory] {
        &self.places
    }

    /// Libraries that may be loaded wherever they lie.
    pub fn allowed(&self) -> &[PathBuf] {
        &self.allowed
    }

    /// Plugins found so far by name or path, with the role they were asked for; none without a cache.
    pub fn remembered(&self) -> Vec<(Role, LoadedPlugin)> {
        let Some(memory) = &self.memory else { return Vec::new() };
        let memory = memory.lock().unwrap_or_else(PoisonError::into_inner);
        memory.iter().map(|((_, role, ..), plugin)| (*role, plugin.clone())).collect()
    }

    /// The plugin an experiment names: a path (relative to `base`), an id, or the last words of an id; behind `@` the versions that will do.
    ///
    /// # Errors
    /// Where nothing is found, or may be loaded.
    pub fn find(&self, name: &str, role: Role, base: &Path) -> Result<LoadedPlugin, FindError> {
        let Some(memory) = &self.memory else { return self.look_for(name, role, base) };
        let mut memory = memory.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (name.to_owned(), role, base.to_owned(), self.apart.key());
        if let Some(plugin) = memory.get(&key) {
            return Ok(plugin.clone());
        }
        let plugin = self.look_for(name, role, base)?;
        memory.insert(key, plugin.clone());
        Ok(plugin)
    }

    /// Checks that the library at a path may be loaded: it lies in one of the places, or is allowed. Nothing of it is read. Returns its
    /// path without links.
    ///
    /// # Errors
    /// [`FindError::NotAllowed`]; a library that is not there or cannot be reached.
    pub fn permits(&self, path: &Path) -> Result<PathBuf, FindError> {
        let whole = path.canonicalize().map_err(|e| match e.kind() {
            std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory => {
                LoadError::Missing { path: path.to_owned() }
            }
            _ => LoadError::Unreadable { path: path.to_owned(), reason: e.to_string() },
        })?;
        match self.allowed.contains(&whole) || self.places.iter().any(|place| place.holds(&whole)) {
            true => Ok(whole),
            false => Err(FindError::NotAllowed { path: path.display().to_string() }),
        }
    }

    fn look_for(&self, name: &str, role: Role, base: &Path) -> Result<LoadedPlugin, FindError> {
        if is_path(name) {
            return self.at_path(&base.join(name), role);
        }
        let wanted = Wanted::parse(name, role)?;
        self.refuse_unlocked(&wanted)?;
        let (mut causes, mut others) = (Vec::new(), Vec::new());
        // Most names are part of their file's name: look there first, and through everything only if that fails.
        for place in &self.places {
            let paths = self.named_in(place, &wanted, &mut causes);
            if let Some(plugin) = self.find_in(paths, true, &wanted, (&mut causes, &mut others))? {
                if self.lock.is_none() && !causes.is_empty() {
                    let found = plugin.path().display();
                    tracing::warn!(
                        "`{name}` is {found}, since others come before it but are refused: {}",
                        causes.join("; ")
                    );
                }
                return Ok(plugin);
            }
        }
        for place in self.places.iter().filter(|place| place.origin != Origin::Installed) {
            tracing::debug!(directory = %place.directory.display(), "no file is named after `{name}`: asks all libraries");
            let paths = self.answering(place, &wanted, &mut causes);
            if let Some(plugin) = self.find_in(paths, false, &wanted, (&mut causes, &mut others))? {
                return Ok(plugin);
            }
        }
        Err(self.not_found(&wanted, causes, others))
    }

    fn at_path(&self, path: &Path, role: Role) -> Result<LoadedPlugin, FindError> {
        // The very file that was permitted: a link may lead elsewhere a moment later.
        let plugin = self.open(&self.permits(path)?)?;
        if plugin.manifest(role).is_some() {
            return Ok(plugin);
        }
        let has = plugin.manifests().iter().map(|m| format!("{} {}", m.role.name(), m.id));
        let has = has.collect::<Vec<_>>().join(", ");
        Err(FindError::WrongRole { path: plugin.path().display().to_string(), role: role.name(), has })
    }

    /// Loads a library that may be loaded, unless the lock or the note of its installation mean another one.
    fn open(&self, path: &Path) -> Result<LoadedPlugin, LoadError> {
        let installed = self.places.iter().any(|p| p.origin == Origin::Installed && p.holds(path));
        let note = if installed { Note::beside(path) } else { None };
        let accepts = |digest: &str| {
            note.as_ref().map_or(Ok(()), |note| note.holds(path, digest))?;
            self.lock.as_ref().map_or(Ok(()), |lock| lock.admits(path, digest))
        };
        let plugin = match self.apart.workers(|| self.is_ours(path)) {
            _ if is_program(path) => self.program(path, accepts)?,
            Some(workers) => vinci_isolate::load(path, workers, self.apart.limits, accepts)?,
            None => load_if(path, accepts)?,
        };
        refuse_ids(path, plugin.manifests()).map(|()| plugin)
    }

    /// The program that a description describes, if `accepts` takes its digest.
    pub(super) fn program(
        &self,
        path: &Path,
        accepts: impl FnOnce(&str) -> Result<(), LoadError>,
    ) -> Result<LoadedPlugin, LoadError> {
        let why = || LoadError::Apart { path: path.to_owned(), why: FindError::NoWorkers.to_string() };
        let (workers, how) = self.apart.programs().ok_or_else(why)?;
        vinci_isolate::load_program(path, workers, how, accepts)
    }

    /// Returns true if a library came with the program.
    fn is_ours(&self, path: &Path) -> bool {
        let own = |whole: &Path| self.places.iter().any(|p| p.origin == Origin::Program && p.holds(whole));
        path.canonicalize().is_ok_and(|whole| own(&whole))
    }

    fn refuse_unlocked(&self, wanted: &Wanted<'_>) -> Result<(), FindError> {
        let Some(lock) = &self.lock else { return Ok(()) };
        let holds = |e: &super::lock::LockEntry| wanted.is(&Manifest::new(&e.id, e.role, &e.version));
        if lock.plugins.iter().any(holds) {
            return Ok(());
        }
        let (name, command) = (wanted.name.to_owned(), lock.origin.command());
        let lock = lock.path.display().to_string();
        Err(FindError::NotLocked { name, role: wanted.role.name(), lock, command })
    }

    /// Libraries of a place whose note or name says that they may be the one.
    fn named_in(
        &self,
        place: &PluginDirectory,
        wanted: &Wanted<'_>,
        causes: &mut Vec<String>,
    ) -> Vec<PathBuf> {
        let is_installed = place.origin == Origin::Installed;
        let may_be = |path: &PathBuf| {
            let noted = Note::beside(path).is_some_and(|n| n.manifests.iter().any(|m| wanted.is_named(m)));
            // What was not installed with a note was not installed.
            noted || !is_installed && is_named_after(path, wanted.id)
        };
        place.libraries(causes).into_iter().filter(may_be).collect()
    }

    /// Libraries of a place that say that they answer to a name; all of them where no child can be asked.
    fn answering(
        &self,
        place: &PluginDirectory,
        wanted: &Wanted<'_>,
        causes: &mut Vec<String>,
    ) -> Vec<PathBuf> {
        let mut paths = place.libraries(causes);
        paths.retain(|path| self.is_lockable(path));
        let Some(said) = self.said_of(&paths) else { return paths };
        let fits = |look: &Inspection| match look {
            Inspection::Plugin { manifests, .. } => manifests.iter().any(|m| wanted.is_named(m)),
            // Here, where it is told why.
            Inspection::Refused { unread, .. } => *unread,
            Inspection::Foreign => false,
        };
        paths.into_iter().zip(said).filter(|(_, look)| fits(look)).map(|(path, _)| path).collect()
    }

    /// Findings about plugins, of children about libraries; none where no child can be asked. Of programs nothing runs.
    pub(super) fn said_of(&self, paths: &[PathBuf]) -> Option<Vec<Inspection>> {
        let libraries: Vec<PathBuf> = paths.iter().filter(|path| !is_program(path)).cloned().collect();
        let mut said = self.said_of_libraries(&libraries)?.into_iter();
        paths
            .iter()
            .map(|path| if is_program(path) { Some(Inspection::at(path)) } else { said.next() })
            .collect()
    }

    fn said_of_libraries(&self, paths: &[PathBuf]) -> Option<Vec<Inspection>> {
        let program = self.program.as_ref()?;
        let looks = |paths: &[PathBuf]| looks(program, paths, |path| self.is_ours(path));
        let Some(said) = &self.said else { return Some(looks(paths)) };
        let mut said = said.lock().unwrap_or_else(PoisonError::into_inner);
        let new: Vec<PathBuf> = paths.iter().filter(|path| !said.contains_key(*path)).cloned().collect();
        let answers = looks(&new);
        said.extend(new.into_iter().zip(answers));
        paths.iter().map(|path| said.get(path).cloned()).collect()
    }

    /// Returns true if a lock, if there is one, holds the bytes of a library.
    pub(super) fn is_lockable(&self, path: &Path) -> bool {
        let holds =
            |lock: &Arc<Lock>| vinci_abi::load::digest_of(path).is_ok_and(|digest| lock.holds(&digest));
        self.lock.as_ref().is_none_or(holds)
    }

    /// The library among some that is wanted, of every id the highest version. `named`: they are named so, and each of them that is refused
    /// may be the one.
    fn find_in(
        &self,
        paths: Vec<PathBuf>,
        named: bool,
        wanted: &Wanted<'_>,
        (causes, others): (&mut Vec<String>, &mut Vec<String>),
    ) -> Result<Option<LoadedPlugin>, FindError> {
        let mut matching: Vec<(Manifest, LoadedPlugin)> = Vec::new();
        for path in paths {
            let plugin = match self.open(&path) {
                Ok(plugin) => plugin,
                Err(why) => {
                    // One that is no plugin, or has another name and another fault, is not what was asked for; `plugin list` shows it.
                    let foreign = matches!(why, LoadError::NotAPlugin { .. }) || self.is_another(&why);
                    causes.extend((!foreign && (named || is_unread(&why))).then(|| why.to_string()));
                    continue;
                }
            };
            let Some(manifest) = plugin.manifest(wanted.role).filter(|m| wanted.is_named(m)).cloned() else {
                continue;
            };
            if !wanted.is(&manifest) {
                others.push(format!("{} {}", manifest.id, manifest.version));
                continue;
            }
            match matching.iter_mut().find(|(known, _)| known.id == manifest.id) {
                None => matching.push((manifest, plugin)),
                Some(known) if version_of(&manifest) > version_of(&known.0) => *known = (manifest, plugin),
                Some(_) => {}
            }
        }
        let exact = matching.iter().position(|(m, _)| m.id == wanted.id);
        match (exact, matching.len()) {
            (Some(k), _) => Ok(Some(matching.swap_remove(k).1)),
            (None, 0 | 1) => Ok(matching.pop().map(|(_, plugin)| plugin)),
            _ => {
                let ids = list(matching.iter().map(|(m, _)| m.id.as_str()));
                Err(FindError::Ambiguous { name: wanted.name.into(), ids })
            }
        }
    }

    /// Returns true if a lock refuses a library that has not even the name of one that it holds.
    fn is_another(&self, why: &LoadError) -> bool {
        let LoadError::Changed { path, .. } = why else { return false };
        let is_its = |lock: &Arc<Lock>| lock.plugins.iter().any(|e| path.ends_with(&e.file));
        self.lock.as_ref().is_some_and(|lock| !is_its(lock))
    }

    /// Reason why nothing was found.
    fn not_found(&self, wanted: &Wanted<'_>, mut causes: Vec<String>, mut others: Vec<String>) -> FindError {
        let (name, role) = (wanted.name.to_owned(), wanted.role.name());
        [&mut causes, &mut others].into_iter().for_each(|list| {
            list.sort();
            list.dedup();
        });
        if let Some(lock) = &self.lock {
            if causes.is_empty() {
                causes.push("no library that was found has its SHA-256".into());
            }
            let lock = lock.path.display().to_string();
            return FindError::NotAsLocked { name, role, lock, causes: causes.join("; ") };
        }
        match (causes.is_empty(), others.is_empty()) {
            (false, _) => FindError::Unseen { name, role, causes: causes.join("; ") },
            (true, false) => FindError::OtherVersions { name, role, found: others.join(", ") },
            (true, true) => self.unknown(wanted),
        }
    }

    fn unknown(&self, wanted: &Wanted<'_>) -> FindError {
        let ids = self.ids(wanted.role);
        let hint = did_you_mean(wanted.id, ids.iter().map(String::as_str))
            .map_or_else(String::new, |h| format!(" ({h})"));
        let known = if ids.is_empty() { "none".into() } else { list(ids.iter().map(String::as_str)) };
        let searched = self.places.iter().map(|p| p.directory.display().to_string());
        let searched = searched.collect::<Vec<_>>().join(", ");
        FindError::Unknown { name: wanted.name.into(), role: wanted.role.name(), hint, known, searched }
    }

    /// Manifests of a role, of every id the one that an experiment would get, in alphabetical order.
    pub fn manifests(&self, role: Role) -> Vec<Manifest> {
        let read = || {
            let mut first: BTreeMap<(Role, String), Manifest> = BTreeMap::new();
            for found in self.survey() {
                for manifest in found.manifests.iter().flatten().filter(|m| found.hider(&m.id).is_none()) {
                    first.entry((manifest.role, manifest.id.clone())).or_insert_with(|| manifest.clone());
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
}

/// The set of classes that a manifest names ([`ProblemClass::bit`]), with [`SECOND_ORDER_CONES`] where it has the
/// capability `second-order-cones`: without it, programs of class Conic must have linear rows only.
pub fn classes(manifest: &Manifest) -> u32 {
    let named: u32 =
        ProblemClass::ALL.into_iter().filter(|c| manifest.has_class(*c)).map(ProblemClass::bit).sum();
    named | if manifest.has_capability("second-order-cones") { SECOND_ORDER_CONES } else { 0 }
}
