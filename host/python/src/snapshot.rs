//! A state to come back to.

use pyo3::prelude::*;
use vinci_engine::pipeline;

/// A state of a simulation, with what its plugins remember. It belongs to the scene it was taken of.
#[pyclass(frozen, name = "Snapshot", module = "vinci._vinci")]
pub(crate) struct PySnapshot {
    pub(crate) state: pipeline::Snapshot,
    /// Meaning of q, v and plugins' memories: the scene's layout and the plugins.
    pub(crate) of: Vec<String>,
}

#[pymethods]
impl PySnapshot {
    /// Time it was taken at, s.
    #[getter]
    fn time(&self) -> f64 {
        self.state.state.t
    }

    fn __repr__(&self) -> String {
        format!("<vinci.Snapshot at t = {} s>", self.state.state.t)
    }
}
