//! The places of plugins: those that came with the package, and the user's.

use std::path::PathBuf;

use pyo3::prelude::*;
use vinci_engine::registry::Registry;

/// Finds plugins, and remembers what it found: the user's directories, `VINCI_PLUGIN_PATH`, then those that came with the package.
#[pyclass(frozen, module = "vinci._vinci")]
pub(crate) struct Plugins(pub(crate) Registry);

#[pymethods]
impl Plugins {
    /// `directories`: searched first. `program`: the `vinci` that came with the package; `plugins` lies beside it.
    #[new]
    fn new(directories: Vec<PathBuf>, program: PathBuf) -> Self {
        Self(Registry::new(&directories).beside(program).remembering())
    }

    /// The directories in the order they are searched.
    fn directories(&self) -> Vec<PathBuf> {
        self.0.places().iter().map(|place| place.directory.clone()).collect()
    }
}
