//! Files: their versions, what they include, and directories of models with a `model.config`.

use super::reader::{Context, Reader};
use crate::diagnostics::{Code, Diagnostic, Source, TextSpan};
use crate::import::document::{included, real, text_of};
use crate::import::tag::{Attribute, Tag};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

/// Versions 1.n that are read.
const VERSIONS: std::ops::RangeInclusive<u32> = 4..=12;
/// Includes of a model with all that it includes.
const MOST_INCLUDES: usize = 20_000;
/// File of a directory that holds a model, where its `model.config` names none.
const USUAL: &str = "model.sdf";

impl Reader<'_> {
    /// The root of the file that was asked for.
    pub(super) fn root(&mut self, path: &Path, source: &Arc<Source>) -> Option<Rc<Tag>> {
        let root = self.loader.file(source, 1, self.robot.found).map(Rc::new);
        self.roots.insert(real(path), root.clone());
        if let Some(root) = &root {
            self.list_dropped(root, "");
        }
        root
    }

    /// n of the version 1.n that a file says it has.
    pub(super) fn version(&mut self, root: &Tag) -> Option<u32> {
        let version = self.named_as(root, "version")?.clone();
        let minor = version.text.trim().strip_prefix("1.").and_then(|minor| minor.parse().ok());
        let minor = minor.filter(|minor| VERSIONS.contains(minor));
        if minor.is_none() {
            let message = format!("this file is of version {} of SDF", version.text);
            let help = "versions 1.4 to 1.12 are read: `gz sdf -p FILE` writes others anew";
            self.robot.error(Code::UnknownValue, &version.place, message, help);
        }
        minor
    }

    /// The model of an included file, and where that stands.
    pub(super) fn include(&mut self, uri: &Attribute, context: &Context) -> Option<(Rc<Tag>, Context)> {
        if !self.count_include(&uri.place) {
            return None;
        }
        let path = self.place_of(uri, context)?;
        let own = real(&path);
        if context.files.contains(&own) {
            let message = format!("the model `{}` includes itself", uri.text);
            let help = "a model may stand in others any number of times, never in itself";
            self.robot.error(Code::ExtendsCycle, &uri.place, message, help);
            return None;
        }
        let root = self.root_of(&path, &own, &uri.place)?;
        if root.name != "sdf" {
            let message = format!("the included file `{}` has the root <{}>", uri.text, root.name);
            let help = "included files have one <sdf> with one <model>";
            self.robot.error(Code::WrongFormat, &root.place, message, help);
            return None;
        }
        let minor = self.version(&root)?;
        let models: Vec<&Rc<Tag>> = root.named("model").collect();
        let [model] = models[..] else {
            let message = format!("the included file `{}` holds {} models", uri.text, models.len());
            self.robot.error(Code::Contradiction, &root.place, message, "it must hold one <model>");
            return None;
        };
        let mut files = context.files.clone();
        files.push(own);
        Some((model.clone(), Context { file: path.into(), files, minor, ..context.clone() }))
    }

    /// Counts an include; false when there are too many, which is said once.
    fn count_include(&mut self, place: &TextSpan) -> bool {
        self.includes += 1;
        if self.includes == MOST_INCLUDES + 1 {
            let message = format!("this model includes others more than {MOST_INCLUDES} times");
            let help = "does a file include others again and again?";
            self.robot.error(Code::Syntax, place, message, help);
        }
        self.includes <= MOST_INCLUDES
    }

    /// The root of a file, read once.
    fn root_of(&mut self, path: &Path, own: &Path, place: &TextSpan) -> Option<Rc<Tag>> {
        if let Some(known) = self.roots.get(own) {
            return known.clone();
        }
        let source = self.taken(text_of(path, place));
        let root = source.and_then(|source| self.loader.file(&source, 1, self.robot.found)).map(Rc::new);
        self.roots.insert(own.to_owned(), root.clone());
        if let Some(root) = &root {
            self.list_dropped(root, "");
        }
        root
    }

    fn taken<T>(&mut self, result: Result<T, Diagnostic>) -> Option<T> {
        result.map_err(|error| self.robot.found.push(error)).ok()
    }

    /// The file that a uri leads to, looked for once.
    fn place_of(&mut self, uri: &Attribute, context: &Context) -> Option<PathBuf> {
        let key = (context.file.to_path_buf(), uri.text.clone());
        if let Some(known) = self.places.get(&key) {
            return known.clone();
        }
        let path = self.path_of(uri, context);
        self.places.insert(key, path.clone());
        path
    }

    /// The file that a uri leads to.
    fn path_of(&mut self, uri: &Attribute, context: &Context) -> Option<PathBuf> {
        let Attribute { text, place, .. } = uri;
        if text.starts_with("http://") || text.starts_with("https://") {
            let message = format!("the model `{text}` lies elsewhere: nothing is fetched");
            let help = "fetch it, and write model://NAME with --package NAME=DIR, or a path";
            self.robot.error(Code::NoSuchFile, place, message, help);
            return None;
        }
        let path = self.taken(included(text, &context.file, self.robot.options, place))?;
        if !path.is_dir() {
            return Some(path);
        }
        let config = path.join("model.config");
        // A `model.config` that is a link out of the directory of the model does not count.
        if !config.is_file() || !real(&config).starts_with(real(&path)) {
            return self.inside(&path, USUAL, uri);
        }
        let source = self.taken(text_of(&config, place))?;
        let root = self.loader.file(&source, 1, self.robot.found)?;
        let file = newest(&root).unwrap_or_else(|| USUAL.to_owned());
        self.inside(&path, &file, uri)
    }

    /// A file of the directory of a model, not of one around it.
    fn inside(&mut self, directory: &Path, file: &str, uri: &Attribute) -> Option<PathBuf> {
        let path = directory.join(file);
        let within = real(&path).starts_with(real(directory));
        if within && path.is_file() {
            return Some(path);
        }
        let message = format!("the directory `{}` holds no model `{file}`", uri.text);
        let help = "a directory of a model has a `model.config` that names its file, or a `model.sdf`";
        self.robot.error(Code::NoSuchFile, &uri.place, message, help);
        None
    }
}

/// The file of the newest version that can be read.
fn newest(config: &Tag) -> Option<String> {
    let minor =
        |tag: &Tag| tag.text("version").and_then(|v| v.trim().strip_prefix("1.")?.parse::<u32>().ok());
    let all = config.named("sdf").filter(|tag| minor(tag).is_none_or(|minor| VERSIONS.contains(&minor)));
    let best = all.max_by_key(|tag| minor(tag).unwrap_or(0))?;
    Some(best.content.text.clone()).filter(|file| !file.is_empty())
}
