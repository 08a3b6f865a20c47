//! The document with all files that it includes.

use super::tag::{Attribute, Tag};
use crate::diagnostics::{Code, Diagnostic, Diagnostics, Source, TextSpan};
use crate::import::files::{nearest_file, read_text};
use crate::import::model::ModelOptions;
use crate::import::packages::{Roots, resolve};
use crate::import::xml::{Element, parse};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

/// Elements inside each other, includes counted with what they hold.
const DEEPEST: usize = 128;
/// Elements of all files together.
const MOST_ELEMENTS: usize = 1_000_000;
/// Attributes of all files together.
const MOST_ATTRIBUTES: usize = 4_000_000;

/// The root element of a model, includes replaced by what the files hold. `None` if an error was found.
pub(super) fn read(
    path: &Path,
    source: &Arc<Source>,
    options: &ModelOptions,
    found: &mut Diagnostics,
) -> Option<Tag> {
    let before = found.errors();
    let mut loader =
        Loader { path, options, found, seen: BTreeSet::from([real(path)]), elements: 0, attributes: 0 };
    let document = parse(source, loader.found)?;
    let root = loader.tag(&Element::new(document.root_element(), source), 1)?;
    (loader.found.errors() == before).then_some(root)
}

fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

struct Loader<'a> {
    /// The model, which all names of files are relative to.
    path: &'a Path,
    options: &'a ModelOptions,
    found: &'a mut Diagnostics,
    /// Files that were read: every file may stand in a model once, so that none includes itself.
    seen: BTreeSet<PathBuf>,
    elements: usize,
    attributes: usize,
}

impl Loader<'_> {
    fn error(&mut self, code: Code, place: TextSpan, message: String, help: impl Into<String>) {
        self.found.push(Diagnostic::error(code, message).at(place).help(help));
    }

    fn tag(&mut self, element: &Element<'_>, depth: usize) -> Option<Tag> {
        self.elements += 1;
        self.attributes += element.attributes().count();
        let excess = [
            (depth, DEEPEST, "elements inside each other"),
            (self.elements, MOST_ELEMENTS, "elements"),
            (self.attributes, MOST_ATTRIBUTES, "attributes"),
        ];
        if let Some((_, most, what)) = excess.into_iter().find(|(found, most, _)| found > most) {
            let message = format!("with what it includes this model has more than {most} {what}");
            self.error(Code::Syntax, element.place(), message, "no robot needs that: is a file damaged?");
            return None;
        }
        let attributes = element.all_attributes();
        let attributes = attributes.map(|(key, text, place)| Attribute { key, text, place }).collect();
        let mut children = Vec::new();
        for child in element.children() {
            if child.name() == "include" {
                children.extend(self.include(&child, depth)?);
            } else {
                children.push(Rc::new(self.tag(&child, depth + 1)?));
            }
        }
        Some(Tag { name: element.name().to_owned(), place: element.place(), attributes, children })
    }

    /// Elements in the root of an included file.
    fn include(&mut self, element: &Element<'_>, depth: usize) -> Option<Vec<Rc<Tag>>> {
        let Some(file) = element.attribute("file") else {
            let message = "<include> has no `file`".to_owned();
            self.error(Code::MissingKey, element.place(), message, "");
            return None;
        };
        let source = self.included(file.text, &file.place)?;
        let document = parse(&source, self.found)?;
        let root = Element::new(document.root_element(), &source);
        if !matches!(root.name(), "mujoco" | "mujocoinclude") {
            let message = format!("the included file `{}` has the root <{}>", file.text, root.name());
            self.error(
                Code::WrongFormat,
                root.place(),
                message,
                "included files have one <mujoco> or <mujocoinclude>",
            );
            return None;
        }
        // The elements of the file stand where the include stands.
        Some(self.tag(&root, depth)?.children)
    }

    /// The text of an included file: one of the model's folder or its packages, that was not read yet.
    fn included(&mut self, file: &str, place: &TextSpan) -> Option<Arc<Source>> {
        let path = match resolve(file, self.path, self.options) {
            // Beside a model without directory: without one in messages too.
            Ok(path) => path.strip_prefix(".").map(Path::to_owned).unwrap_or(path),
            Err(help) => {
                self.error(
                    Code::NoSuchFile,
                    place.clone(),
                    format!("the file `{file}` cannot be found"),
                    help,
                );
                return None;
            }
        };
        if !Roots::of(file, self.path, self.options).hold(&path) {
            let message = format!("the file `{file}` lies outside the model's folder and its packages");
            let help = "put it there, or name its directory: --package NAME=DIR, or `packages` in the scene";
            self.error(Code::UnreadableFile, place.clone(), message, help);
            return None;
        }
        if !path.exists() {
            let message = format!("the included file `{file}` is not there: no file `{}`", path.display());
            self.error(Code::NoSuchFile, place.clone(), message, nearest_file(&path));
            return None;
        }
        if !self.seen.insert(real(&path)) {
            let message = format!("the file `{file}` is included a second time, or includes itself");
            self.error(Code::ExtendsCycle, place.clone(), message, "a file may stand in a model once");
            return None;
        }
        read_text(&path).map_err(|d| self.found.push(d.at(place.clone()))).ok()
    }
}
