//! Parts that the files of the gallery share: program, folders, what is shown of an experiment.

use std::path::PathBuf;
use std::process::Command;

use super::cells::Cell;
use super::list::Entry;
use crate::shell::{self, program, root, target};

/// Steppers that cannot run an experiment, each with the reason.
pub(crate) type Refused = Vec<(String, String)>;

/// The program, and the folders between which the gallery is made.
pub(crate) struct Studio {
    /// The program `vinci`, up to date.
    pub(super) program: PathBuf,
    /// Where comparisons and runs go.
    pub(super) results: PathBuf,
    /// Pages and pictures.
    pub(super) book: PathBuf,
}

/// One experiment of the gallery with what its comparison gave.
pub(crate) struct Shown<'a> {
    pub(super) entry: &'a Entry,
    pub(super) cells: Vec<Cell>,
    /// Steppers that cannot run it, each with the reason.
    pub(super) refused: Refused,
}

impl Studio {
    /// Builds the program and its plugins first.
    pub(super) fn open() -> Result<Self, String> {
        shell::build()?;
        Ok(Self::built())
    }

    /// The program and plugins that were built.
    pub(super) fn built() -> Self {
        Self {
            program: program("debug"),
            results: target().join("gallery"),
            book: root().join("docs/src/gallery"),
        }
    }

    pub(super) fn vinci(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.current_dir(root()).env("NO_COLOR", "1");
        command
    }
}
