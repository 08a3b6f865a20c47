//! Places that hold libraries, and which files in them are some.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use vinci_abi::load::is_program;

use super::store::folders;

/// Whose word it is that the libraries of a place may run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// `--plugin-dir`.
    Flag,
    /// The variable of the environment.
    Variable,
    /// They were installed.
    Installed,
    /// They came with the program.
    Program,
}

impl Origin {
    /// Name in a word or two, for lists.
    pub fn name(self) -> &'static str {
        match self {
            Self::Flag => "--plugin-dir",
            Self::Variable => "VINCI_PLUGIN_PATH",
            Self::Installed => "installed",
            Self::Program => "the program's own",
        }
    }
}

/// A place where plugins are looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PluginDirectory {
    /// The directory, whole.
    pub directory: PathBuf,
    /// Reason why it is one.
    pub origin: Origin,
}

impl PluginDirectory {
    /// A directory; plugins may change the working directory, so it is made whole.
    pub(super) fn new(directory: &Path, origin: Origin) -> Self {
        let whole = std::path::absolute(directory);
        Self { directory: whole.unwrap_or_else(|_| directory.to_owned()), origin }
    }

    /// Shared libraries of the place: of a directory in alphabetical order, of what was installed by id, the highest version first.
    /// A directory that is not there has none; one that cannot be read is a cause for not finding something.
    pub(super) fn libraries(&self, causes: &mut Vec<String>) -> Vec<PathBuf> {
        match self.origin {
            Origin::Installed => {
                folders(&self.directory).iter().flat_map(|folder| libraries(folder, causes)).collect()
            }
            _ => libraries(&self.directory, causes),
        }
    }

    /// Returns true if a library, by its path without links, is one of this place.
    pub(super) fn holds(&self, library: &Path) -> bool {
        let up = if self.origin == Origin::Installed { 2 } else { 1 };
        let directory = self.directory.canonicalize().ok();
        directory.is_some_and(|directory| library.ancestors().nth(up) == Some(&directory))
    }
}

/// Returns true if a plugin is named by path rather than by id.
pub fn is_path(name: &str) -> bool {
    name.contains(['/', std::path::MAIN_SEPARATOR]) || is_plugin_file(Path::new(name))
}

/// Returns true if a file may hold plugins, by its name: a shared library, or the description of a program.
pub fn is_plugin_file(path: &Path) -> bool {
    let name = path.file_name().and_then(|n| n.to_str()).unwrap_or_default();
    name.ends_with(std::env::consts::DLL_SUFFIX) || is_program(path)
}

/// Returns true if the name of a file holds the last word of an id, as file names write it.
pub(super) fn is_named_after(library: &Path, id: &str) -> bool {
    let hint = id.rsplit('.').next().unwrap_or(id).replace('-', "_");
    let name = library.file_name().and_then(|n| n.to_str()).unwrap_or_default();
    name.replace('-', "_").contains(&hint)
}

fn libraries(directory: &Path, causes: &mut Vec<String>) -> Vec<PathBuf> {
    let entries = match std::fs::read_dir(directory) {
        Err(e) if matches!(e.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => return Vec::new(),
        Err(e) => {
            causes.push(format!("{}: {e}", directory.display()));
            return Vec::new();
        }
        Ok(entries) => entries,
    };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|e| e.path()).filter(|p| is_plugin_file(p)).collect();
    paths.sort();
    paths
}
