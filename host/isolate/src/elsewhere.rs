//! Systems without the means: whoever wants a worker is told so.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use vinci_abi::load::{LoadError, LoadedPlugin};

use crate::limits::Limits;
use crate::program_start::Start;

/// Workers of a program; there are none.
#[derive(Debug)]
pub struct Workers(());

impl Workers {
    /// Workers that are `program` once more.
    pub fn of(_program: PathBuf) -> Arc<Self> {
        Arc::new(Self(()))
    }
}

/// Refuses a library that is to be loaded in a worker.
///
/// # Errors
/// Always.
pub fn load(
    path: &Path,
    _: &Arc<Workers>,
    _: Limits,
    _: impl FnOnce(&str) -> Result<(), LoadError>,
) -> Result<LoadedPlugin, LoadError> {
    let why = format!("{} cannot have a process of its own: only Linux has what that takes", path.display());
    Err(LoadError::Apart { path: path.to_owned(), why })
}

/// Refuses a program.
///
/// # Errors
/// Always.
pub fn load_program(
    path: &Path,
    _: &Arc<Workers>,
    _: (Limits, bool),
    _: impl FnOnce(&str) -> Result<(), LoadError>,
) -> Result<LoadedPlugin, LoadError> {
    let why = format!("{} is a program, which plugins can be on Linux alone", path.display());
    Err(LoadError::Apart { path: path.to_owned(), why })
}

/// Becomes a program: it does not.
///
/// # Errors
/// Always.
pub fn start(_: &Start) -> std::io::Error {
    std::io::ErrorKind::Unsupported.into()
}

/// Keeps this process from nothing.
pub fn confine_unwatched(_: Limits, _: &[PathBuf]) -> Vec<String> {
    vec!["only Linux has the means".to_owned()]
}

/// The worker: there is none.
///
/// # Errors
/// Always.
pub fn serve(_host: u32) -> std::io::Result<()> {
    Err(std::io::ErrorKind::Unsupported.into())
}
