//! The experiment behind `vinci.Experiment`: files read once, and changes to them.

use std::path::PathBuf;

use pyo3::prelude::*;
use vinci_scene::diagnostics::Diagnostics;
use vinci_scene::{Documents, Loaded, Override};

use crate::errors;

/// An experiment with changes; never changed itself.
#[pyclass(frozen, module = "vinci._vinci")]
pub(crate) struct Core {
    documents: Documents,
    overrides: Vec<Override>,
}

#[pymethods]
impl Core {
    /// Reads an experiment from its file.
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        Self::of(py.detach(|| Documents::read(&path)))
    }

    /// An experiment that is no file: its text. `file` stands for it in messages, and files that it names lie beside it.
    #[staticmethod]
    fn of_text(py: Python<'_>, text: &str, file: PathBuf) -> PyResult<Self> {
        Self::of(py.detach(|| Documents::of_text(text, &file)))
    }

    /// A new experiment with a value (JSON) at a path.
    fn put(&self, path: &str, value: &str) -> PyResult<Self> {
        let one = Override::set(&format!("{path}={value}")).map_err(|found| errors::input(&found))?;
        let mut overrides = self.overrides.clone();
        overrides.push(one);
        Ok(Self { documents: self.documents.clone(), overrides })
    }

    /// The whole experiment, its scene inside, as JSON; and the findings that do not stop it, as JSON lines.
    fn resolved(&self, py: Python<'_>) -> PyResult<(String, String)> {
        let loaded = py.detach(|| self.completed()).map_err(|found| errors::input(&found))?;
        Ok((loaded.standalone().to_json().to_string(), loaded.warnings.render_json()))
    }
}

impl Core {
    fn of(read: Result<Documents, Diagnostics>) -> PyResult<Self> {
        let documents = read.map_err(|diagnostics| errors::input(&diagnostics))?;
        Ok(Self { documents, overrides: Vec::new() })
    }

    /// The experiment, completed and checked.
    ///
    /// # Errors
    /// All findings when at least one is an error.
    pub(crate) fn completed(&self) -> Result<Loaded, Diagnostics> {
        self.documents.with(&self.overrides)
    }
}
