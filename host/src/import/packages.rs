//! Where `package://NAME/…` leads.

use super::ModelOptions;
use std::path::{Path, PathBuf};

/// The file that a model means by `written`.
///
/// `package://NAME/REST` (and `model://`): REST in the root that the options give for NAME; else, going up from the model, in
/// the first directory that is called NAME, holds a directory NAME, says in its `package.xml` that it is NAME, or holds REST.
/// `file://` is a plain path; anything else is relative to the model.
///
/// # Errors
/// What was looked for, when no directory of that name was found.
pub(super) fn resolve(written: &str, model: &Path, options: &ModelOptions) -> Result<PathBuf, String> {
    let package = written.strip_prefix("package://").or_else(|| written.strip_prefix("model://"));
    let Some(package) = package else {
        let plain = written.strip_prefix("file://").unwrap_or(written);
        return Ok(directory(model).join(plain));
    };
    let (name, rest) = package.split_once('/').unwrap_or((package, ""));
    if let Some((_, root)) = options.packages.iter().find(|(n, _)| n == name) {
        return Ok(root.join(rest));
    }
    let start = directory(model);
    let start = start.canonicalize().unwrap_or(start);
    start.ancestors().find_map(|at| root_here(at, name, rest)).map(|root| root.join(rest)).ok_or_else(|| {
        format!("no package `{name}` is above the model; name its directory: --package {name}=DIR, or `packages` in the scene")
    })
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
        (!rest.is_empty() && at.join(rest).is_file()).then(|| at.to_owned())
    }
}

/// Whether a `package.xml` here names the package.
fn manifest_says(at: &Path, name: &str) -> bool {
    let Ok(text) = std::fs::read_to_string(at.join("package.xml")) else { return false };
    let Ok(document) = roxmltree::Document::parse(&text) else { return false };
    let own = document.root_element().children().find(|n| n.has_tag_name("name")).and_then(|n| n.text());
    own.is_some_and(|own| own.trim() == name)
}
