//! Files: finding, reading, and what to say when that fails.

use super::node::{Node, Value};
use super::parse::parse;
use super::schema::SCHEMA_KEY;
use crate::diagnostics::{Code, Diagnostic, Diagnostics, Source, TextSpan, nearest};
use crate::files::{LARGEST_DOCUMENT, read_text};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Reads and parses a file; `named_at` is where it was named (nowhere: the command line).
pub fn read_document(
    path: &Path,
    named_at: Option<&TextSpan>,
    diagnostics: &mut Diagnostics,
) -> Option<Node> {
    let asking = named_at.and_then(|p| Path::new(p.source.name()).file_name()?.to_str().map(str::to_owned));
    let source = match read_source(path, &asking.unwrap_or_default()) {
        Ok(source) => source,
        Err(diagnostic) => {
            let place = diagnostic.place.clone().or_else(|| named_at.cloned());
            diagnostics.push(diagnostic.at(place));
            return None;
        }
    };
    document(&source, diagnostics)
}

/// The document in a text; `name` stands for it in messages, and files that it names lie beside it.
pub fn document_of(text: &str, name: &str, diagnostics: &mut Diagnostics) -> Option<Node> {
    document(&Source::new(name, text), diagnostics)
}

fn document(source: &Arc<Source>, diagnostics: &mut Diagnostics) -> Option<Node> {
    let mut node = parse(source, diagnostics)?;
    drop_schema_key(&mut node);
    if !matches!(node.value, Value::Object(_)) {
        let message = format!("the file must hold an object, found {}", node.describe());
        let help = "an experiment or scene is { \"format\": …, … }";
        diagnostics.push(Diagnostic::error(Code::WrongType, message).at(node.place).help(help));
        return None;
    }
    Some(node)
}

/// Drops the key that an editor writes for itself. (A value that is no text stays, and is an unknown key.)
pub(crate) fn drop_schema_key(document: &mut Node) {
    if let Value::Object(entries) = &mut document.value {
        entries.retain(|e| e.key != SCHEMA_KEY || e.node.as_str().is_none());
    }
}

/// `asking` is the name of the file that asks for this one; it is never suggested.
fn read_source(path: &Path, asking: &str) -> Result<Arc<Source>, Diagnostic> {
    if path.is_dir() {
        let message = format!("`{}` is a directory, not a file", path.display());
        return Err(Diagnostic::error(Code::UnreadableFile, message).help(suggest_inside(path)));
    }
    let kind = "experiments and scenes are JSON in UTF-8";
    read_text(path, LARGEST_DOCUMENT, kind, || suggest_file(path, asking))
}

fn names_in(directory: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries.filter_map(|e| e.file_name().into_string().ok()).collect();
    names.sort();
    names
}

/// The nearest existing file, or where the search ended.
fn suggest_file(path: &Path, asking: &str) -> String {
    let directory = directory_of(path);
    if !directory.is_dir() {
        return format!("the directory `{}` does not exist", directory.display());
    }
    let wanted = path.file_name().and_then(|n| n.to_str()).unwrap_or_default();
    let mut names = names_in(&directory);
    names.retain(|name| name != asking);
    match nearest(wanted, names.iter().map(String::as_str)) {
        Some(name) => format!("did you mean `{}`?", path.with_file_name(name).display()),
        None => {
            let json: Vec<&str> =
                names.iter().map(String::as_str).filter(|n| n.ends_with(".json")).take(8).collect();
            match json.as_slice() {
                [] => format!("there are no JSON files in `{}`", directory.display()),
                names => format!("in `{}` there are: {}", directory.display(), names.join(", ")),
            }
        }
    }
}

fn suggest_inside(directory: &Path) -> String {
    let names = names_in(directory);
    let json: Vec<&str> = names.iter().map(String::as_str).filter(|n| n.ends_with(".json")).take(8).collect();
    if json.is_empty() { String::new() } else { format!("name a file in it: {}", json.join(", ")) }
}

/// The directory a file is in; `.` for a bare name.
pub(crate) fn directory_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
        _ => PathBuf::from("."),
    }
}

/// A path written in a file, taken relative to that file.
pub fn relative_to(file: &Path, written: &str) -> PathBuf {
    match file.parent() {
        Some(parent) => parent.join(written),
        None => PathBuf::from(written),
    }
}
