//! The document with all files that it includes.

use crate::diagnostics::{Code, Diagnostic, Diagnostics, Source, TextSpan};
use crate::import::document::{Loader, included, real, text_of};
use crate::import::model::ModelOptions;
use crate::import::tag::Tag;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

/// The root element of a model, includes replaced by what the files hold. `None` if an error was found.
pub(super) fn read(
    path: &Path,
    source: &Arc<Source>,
    options: &ModelOptions,
    diagnostics: &mut Diagnostics,
) -> Option<Tag> {
    let before = diagnostics.errors();
    let seen = BTreeSet::from([real(path)]);
    let mut includer = Includer { path, options, diagnostics, seen, loader: Loader::default() };
    let root = includer.file(source, 1)?;
    (includer.diagnostics.errors() == before).then_some(root)
}

struct Includer<'a> {
    /// The model, which all names of files are relative to.
    path: &'a Path,
    options: &'a ModelOptions,
    diagnostics: &'a mut Diagnostics,
    /// Files that were read: every file may stand in a model once, so that none includes itself.
    seen: BTreeSet<PathBuf>,
    loader: Loader,
}

impl Includer<'_> {
    fn error(&mut self, code: Code, place: TextSpan, message: String, help: &str) {
        self.diagnostics.push(Diagnostic::error(code, message).at(place).help(help));
    }

    /// The root of a file, `depth` elements deep, with what it includes.
    fn file(&mut self, source: &Arc<Source>, depth: usize) -> Option<Tag> {
        let root = self.loader.file(source, depth, self.diagnostics)?;
        self.expanded(root, depth)
    }

    /// An element with the elements of files in the place of each `<include>`.
    fn expanded(&mut self, mut tag: Tag, depth: usize) -> Option<Tag> {
        let mut children = Vec::with_capacity(tag.children.len());
        for child in std::mem::take(&mut tag.children) {
            if child.name == "include" {
                children.extend(self.include(&child, depth)?);
            } else {
                children.push(Rc::new(self.expanded(Rc::unwrap_or_clone(child), depth + 1)?));
            }
        }
        tag.children = children;
        Some(tag)
    }

    /// Elements in the root of an included file.
    fn include(&mut self, tag: &Tag, depth: usize) -> Option<Vec<Rc<Tag>>> {
        let Some(file) = tag.attribute("file") else {
            let message = "<include> has no `file`".to_owned();
            self.error(Code::MissingKey, tag.place.clone(), message, "");
            return None;
        };
        let source = self.included(&file.text, &file.place)?;
        // The elements of the file stand where the include stands.
        let root = self.loader.file(&source, depth, self.diagnostics)?;
        if !matches!(root.name.as_str(), "mujoco" | "mujocoinclude") {
            let message = format!("the included file `{}` has the root <{}>", file.text, root.name);
            let help = "included files have one <mujoco> or <mujocoinclude>";
            self.error(Code::WrongFormat, root.place, message, help);
            return None;
        }
        Some(self.expanded(root, depth)?.children)
    }

    /// The text of an included file: one of the model's folder or its packages, that was not read yet.
    fn included(&mut self, file: &str, place: &TextSpan) -> Option<Arc<Source>> {
        let path =
            included(file, self.path, self.options, place).map_err(|d| self.diagnostics.push(d)).ok()?;
        if !self.seen.insert(real(&path)) {
            let message = format!("the file `{file}` is included a second time, or includes itself");
            self.error(Code::ExtendsCycle, place.clone(), message, "a file may stand in a model once");
            return None;
        }
        text_of(&path, place).map_err(|d| self.diagnostics.push(d)).ok()
    }
}
