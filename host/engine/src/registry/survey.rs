//! All libraries in the search order, and which of them an experiment would get.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use semver::Version;
use vinci_abi::load::{LoadError, LoadedPlugin, is_program, load};
use vinci_abi::{Manifest, Role};

use super::apart::Inspection;
use super::library_files::{Origin, PluginDirectory};
use super::note::Note;
use super::search::Registry;
use super::wanted::version_of;

/// A library found by a scan: what it holds, or why it was refused.
#[derive(Debug)]
pub struct Found {
    /// The file.
    pub path: PathBuf,
    /// The plugin, or the refusal.
    pub plugin: Result<LoadedPlugin, LoadError>,
}

/// A library found by a survey: what is said of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Surveyed {
    /// The file.
    pub path: PathBuf,
    /// Whose word it is that it may run.
    pub origin: Origin,
    /// Its manifests, or why it was refused.
    pub manifests: Result<Vec<Manifest>, String>,
    /// Ids that an experiment finds elsewhere, and the library that it gets.
    pub shadowed: Vec<(String, PathBuf)>,
}

impl Surveyed {
    /// The manifest of a role, if the library has it.
    pub fn manifest(&self, role: Role) -> Option<&Manifest> {
        self.manifests.iter().flatten().find(|m| m.role == role)
    }

    /// The library that hides an id of this one.
    pub fn hider(&self, id: &str) -> Option<&PathBuf> {
        self.shadowed.iter().find(|(hidden, _)| hidden == id).map(|(_, by)| by)
    }
}

impl Registry {
    /// Ids of a role, each once, in alphabetical order.
    pub fn ids(&self, role: Role) -> Vec<String> {
        let survey = self.survey();
        let ids: BTreeSet<_> = survey.iter().filter_map(|f| Some(f.manifest(role)?.id.clone())).collect();
        ids.into_iter().collect()
    }

    /// Manifests or refusals of all libraries, in the search order: by the notes beside them, or by children that load them. Without children those
    /// that have no note are loaded here.
    pub fn survey(&self) -> Vec<Surveyed> {
        let all = self.places().iter().enumerate().flat_map(|(k, place)| {
            place.libraries(&mut Vec::new()).into_iter().map(move |path| (k, place, path))
        });
        let all: Vec<_> = all.filter(|(.., path)| self.is_lockable(path)).collect();
        let noted: Vec<Option<Inspection>> = all.iter().map(|(_, place, path)| noted(place, path)).collect();
        let open: Vec<PathBuf> =
            all.iter().zip(&noted).filter(|(_, n)| n.is_none()).map(|((.., path), _)| path.clone()).collect();
        let asked = self.said_of(&open);
        let mut said =
            asked.unwrap_or_else(|| open.iter().map(|path| Inspection::at(path)).collect()).into_iter();
        let (mut found, mut digests) = (Vec::new(), BTreeSet::new());
        for ((k, place, path), note) in all.into_iter().zip(noted) {
            let manifests = match note.or_else(|| said.next()) {
                Some(Inspection::Plugin { digest, manifests }) if digests.insert(digest.clone()) => {
                    Ok(manifests)
                }
                // Not of ours, or the same bytes once more (cargo keeps copies).
                Some(Inspection::Plugin { .. } | Inspection::Foreign) | None => continue,
                Some(Inspection::Refused { why, .. }) => Err(why),
            };
            found.push((k, Surveyed { path, origin: place.origin, manifests, shadowed: Vec::new() }));
        }
        shadow(&mut found);
        found.into_iter().map(|(_, found)| found).collect()
    }

    /// The note that belongs beside a library, by a child that loads it. Where it lies does not matter: whoever asks has named it.
    ///
    /// # Errors
    /// Why it is no plugin, in one sentence; nothing where it is a shared library of others.
    pub fn note_on(&self, library: &Path) -> Result<Note, Option<String>> {
        let said = self.said_of(&[library.to_owned()]).and_then(|mut said| said.pop());
        match said.unwrap_or_else(|| Inspection::at(library)) {
            Inspection::Plugin { digest, manifests } => Ok(Note::new(library, digest, manifests)),
            Inspection::Foreign => Err(None),
            Inspection::Refused { why, .. } => Err(Some(why)),
        }
    }

    /// The plugin at a path that somebody has named, which permits it. A library is loaded into this process, a program gets one of its own.
    ///
    /// # Errors
    /// Why it is no plugin.
    pub fn named(&self, path: &Path) -> Result<LoadedPlugin, LoadError> {
        if is_program(path) { self.program(path, |_| Ok(())) } else { load(path) }
    }

    /// All plugins in the search order, loaded. Shared libraries that are no plugins at all are passed over.
    pub fn scan(&self) -> Vec<Found> {
        let mut found: Vec<Found> = Vec::new();
        for path in self.places().iter().flat_map(|place| place.libraries(&mut Vec::new())) {
            let plugin = self.named(&path);
            let copy = |p: &LoadedPlugin| {
                found.iter().any(|f: &Found| matches!(&f.plugin, Ok(o) if o.digest() == p.digest()))
            };
            // Not of ours, or the same bytes once more (cargo keeps copies).
            if matches!(plugin, Err(LoadError::NotAPlugin { .. })) || plugin.as_ref().is_ok_and(copy) {
                continue;
            }
            found.push(Found { path, plugin });
        }
        found
    }
}

/// Looks at the note beside a library. A library that was installed must have a note, and on these bytes; elsewhere a note on
/// other bytes says nothing.
fn noted(place: &PluginDirectory, path: &Path) -> Option<Inspection> {
    let note = Note::beside(path);
    match note.filter(|note| note.is_on(path)) {
        Some(note) => Some(Inspection::Plugin { digest: note.sha256, manifests: note.manifests }),
        None if place.origin == Origin::Installed => {
            let why = format!(
                "{} is not what was installed there; `vinci plugin install FILE` installs it again",
                path.display()
            );
            Some(Inspection::Refused { why, unread: false })
        }
        None => None,
    }
}

/// Marks what an experiment that names the id alone would not get: that is in the first place that has the id, and in it the highest
/// version.
fn shadow(found: &mut [(usize, Surveyed)]) {
    let mut first: BTreeMap<String, (usize, Option<Version>, PathBuf)> = BTreeMap::new();
    for (place, one) in found.iter() {
        for manifest in one.manifests.iter().flatten() {
            let version = version_of(manifest);
            let beats = |(k, known, _): &(usize, Option<Version>, PathBuf)| *k == *place && version > *known;
            if first.get(&manifest.id).is_none_or(beats) {
                first.insert(manifest.id.clone(), (*place, version, one.path.clone()));
            }
        }
    }
    for (_, one) in found {
        let hidden = one.manifests.iter().flatten().filter_map(|m| {
            let (.., by) = first.get(&m.id)?;
            (*by != one.path).then(|| (m.id.clone(), by.clone()))
        });
        one.shadowed = hidden.collect();
    }
}
