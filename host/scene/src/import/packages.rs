//! Packages: the directories that `package://NAME/…` leads to.

use super::model::ModelOptions;
use super::xml;
use crate::files::read_regular;
use std::path::{Component, Path, PathBuf};

/// Largest `package.xml`, bytes.
const LARGEST_MANIFEST: u64 = 1 << 20;

/// The file that a model means by `written`.
///
/// `package://NAME/REST` (and `model://`): REST in the root that the options give for NAME; else, going up from the model, in
/// the first directory that is called NAME, holds a directory NAME, says in its `package.xml` that it is NAME, or holds REST.
/// `file://` is a plain path; anything else is relative to the model. Whether the file may be read is for [`Roots`] to say.
///
/// # Errors
/// What was looked for, when no directory of that name was found.
pub(super) fn resolve(written: &str, model: &Path, options: &ModelOptions) -> Result<PathBuf, String> {
    let Some((name, rest)) = package_of(written) else {
        let plain = written.strip_prefix("file://").unwrap_or(written);
        return Ok(directory(model).join(plain));
    };
    root_of(name, rest, model, options).map(|root| root.join(rest)).ok_or_else(|| {
        format!("no package `{name}` is above the model; name its directory: --package {name}=DIR, or `packages` in the scene")
    })
}

/// Name and rest of a path in a package.
fn package_of(written: &str) -> Option<(&str, &str)> {
    let package = written.strip_prefix("package://").or_else(|| written.strip_prefix("model://"))?;
    Some(package.split_once('/').unwrap_or((package, "")))
}

/// The root of a package.
fn root_of(name: &str, rest: &str, model: &Path, options: &ModelOptions) -> Option<PathBuf> {
    if let Some((_, root)) = options.packages.iter().find(|(n, _)| n == name) {
        return Some(root.clone());
    }
    above(model).find_map(|at| root_here(&at, name, rest))
}

/// The directory of the model and those above it, without the root of the file system.
fn above(model: &Path) -> impl Iterator<Item = PathBuf> {
    let start = directory(model);
    let start = start.canonicalize().unwrap_or(start);
    let all: Vec<PathBuf> =
        start.ancestors().filter(|at| at.parent().is_some()).map(Path::to_owned).collect();
    all.into_iter()
}

/// The directories whose files a model may have read: its own, the packages it is in, those the user named, and the one a path
/// in a package leads to.
#[derive(Debug)]
pub(super) struct Roots(Vec<PathBuf>);

impl Roots {
    /// Packages of a model, for a file it calls `written`.
    pub(super) fn of(written: &str, model: &Path, options: &ModelOptions) -> Self {
        let named = options.packages.iter().map(|(_, root)| root.clone());
        let around = above(model).filter(|at| at.join("package.xml").is_file());
        let meant = package_of(written).and_then(|(name, rest)| {
            let root = root_of(name, rest, model, options)?;
            // A directory that only holds REST is no package: what is meant is the directory that REST begins with.
            let is_root = root.file_name().is_some_and(|n| n == name) || manifest_says(&root, name);
            let named = options.packages.iter().any(|(n, _)| n == name);
            let first = rest.split('/').next().unwrap_or_default();
            if is_root || named {
                return Some(root);
            }
            Some(root.join(first)).filter(|directory| first != ".." && directory.is_dir())
        });
        let all = std::iter::once(directory(model)).chain(named).chain(around).chain(meant);
        Self(all.filter_map(|root| root.canonicalize().ok()).collect())
    }

    /// Returns true if a file lies in one of them, links followed, or would lie there if it were there.
    pub(super) fn hold(&self, path: &Path) -> bool {
        let path = led_to(path);
        self.0.iter().any(|root| path.starts_with(root))
    }
}

/// Where a path leads: links are followed as far as there is something, and the rest is taken as it is written. Nothing is said of what
/// stands around a file that is not there before it is known where that is.
fn led_to(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let there = path.ancestors().find_map(|at| Some((at, at.canonicalize().ok()?)));
    let Some((at, mut real)) = there else { return path };
    for part in path.strip_prefix(at).unwrap_or(Path::new("")).components() {
        match part {
            Component::ParentDir => drop(real.pop()),
            part => real.push(part),
        }
    }
    real
}

fn directory(model: &Path) -> PathBuf {
    match model.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
        _ => PathBuf::from("."),
    }
}

/// The root of the package, if `at` is it or holds it.
fn root_here(at: &Path, name: &str, rest: &str) -> Option<PathBuf> {
    let is_it = at.file_name().is_some_and(|n| n == name) || manifest_says(at, name);
    let inside = at.join(name);
    if is_it {
        Some(at.to_owned())
    } else if inside.is_dir() {
        Some(inside)
    } else {
        let leads_up = rest.split('/').any(|part| part == "..");
        (!rest.is_empty() && !leads_up && at.join(rest).is_file()).then(|| at.to_owned())
    }
}

/// Returns true if a `package.xml` here names the package.
fn manifest_says(at: &Path, name: &str) -> bool {
    let Ok(bytes) = read_regular(&at.join("package.xml"), LARGEST_MANIFEST) else { return false };
    let Ok(text) = String::from_utf8(bytes) else { return false };
    if xml::excess(&text).is_some() {
        return false;
    }
    let Ok(document) = roxmltree::Document::parse(&text) else { return false };
    let own = document.root_element().children().find(|n| n.has_tag_name("name")).and_then(|n| n.text());
    own.is_some_and(|own| own.trim() == name)
}
