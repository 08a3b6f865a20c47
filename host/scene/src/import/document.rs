//! Files of a model as elements, and the files that they include.

use super::files::{nearest_file, read_text};
use super::model::ModelOptions;
use super::packages::{Roots, resolve};
use super::tag::{Attribute, Tag};
use super::xml::{Element, parse};
use crate::diagnostics::{Code, Diagnostic, Diagnostics, Source, TextSpan};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

/// Elements inside each other, includes counted with what they hold.
const DEEPEST: usize = 128;
/// Elements of all files together.
const MOST_ELEMENTS: usize = 1_000_000;
/// Attributes of all files together.
const MOST_ATTRIBUTES: usize = 4_000_000;

/// A place in the file system as it is, links followed.
pub(super) fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// Counts of everything that was read of a model.
#[derive(Debug, Default)]
pub(super) struct Loader {
    elements: usize,
    attributes: usize,
}

impl Loader {
    /// The root element of a file, `depth` elements deep in what includes it. `None` if it was refused.
    pub(super) fn file(
        &mut self,
        source: &Arc<Source>,
        depth: usize,
        diagnostics: &mut Diagnostics,
    ) -> Option<Tag> {
        let document = parse(source, diagnostics)?;
        self.tag(&Element::new(document.root_element(), source), depth, diagnostics)
    }

    fn tag(&mut self, element: &Element<'_>, depth: usize, diagnostics: &mut Diagnostics) -> Option<Tag> {
        self.elements += 1;
        self.attributes += element.attributes().count();
        let excess = [
            (depth, DEEPEST, "elements inside each other"),
            (self.elements, MOST_ELEMENTS, "elements"),
            (self.attributes, MOST_ATTRIBUTES, "attributes"),
        ];
        if let Some((_, most, what)) = excess.into_iter().find(|(diagnostics, most, _)| diagnostics > most) {
            let message = format!("with what it includes this model has more than {most} {what}");
            let help = "no robot needs that: is a file damaged?";
            diagnostics.push(Diagnostic::error(Code::Syntax, message).at(element.place()).help(help));
            return None;
        }
        let attributes = element.all_attributes();
        let attributes = attributes.map(|(key, text, place)| Attribute { key, text, place }).collect();
        let children =
            element.children().map(|child| Some(Rc::new(self.tag(&child, depth + 1, diagnostics)?)));
        let children = children.collect::<Option<Vec<_>>>()?;
        let (text, place) =
            if children.is_empty() { element.content() } else { (String::new(), element.place()) };
        let content = Attribute { key: String::new(), text, place };
        Some(Tag { name: element.name().to_owned(), place: element.place(), attributes, content, children })
    }
}

/// Where a file lies that the model at `from` includes as `file`: in its folder or its packages.
///
/// # Errors
/// Files that cannot be found, lie elsewhere, or are not there.
pub(super) fn included(
    file: &str,
    from: &Path,
    options: &ModelOptions,
    place: &TextSpan,
) -> Result<PathBuf, Diagnostic> {
    let error = |code, message: String, help: String| {
        Err(Diagnostic::error(code, message).at(place.clone()).help(help))
    };
    let path = match resolve(file, from, options) {
        // Beside a model without directory: without one in messages too.
        Ok(path) => path.strip_prefix(".").map(Path::to_owned).unwrap_or(path),
        Err(help) => {
            return error(Code::NoSuchFile, format!("the file `{file}` cannot be found"), help);
        }
    };
    if !Roots::of(file, from, options).hold(&path) {
        let message = format!("the file `{file}` lies outside the model's folder and its packages");
        let help = "put it there, or name its directory: --package NAME=DIR, or `packages` in the scene";
        return error(Code::UnreadableFile, message, help.into());
    }
    if !path.exists() {
        let message = format!("the included file `{file}` is not there: no file `{}`", path.display());
        return error(Code::NoSuchFile, message, nearest_file(&path));
    }
    Ok(path)
}

/// The text of an included file.
///
/// # Errors
/// Files that cannot be read.
pub(super) fn text_of(path: &Path, place: &TextSpan) -> Result<Arc<Source>, Diagnostic> {
    read_text(path).map_err(|error| error.at(place.clone()))
}
