//! A state to come back to.

use std::sync::Arc;

use pyo3::prelude::*;
use vinci_core::clock::seconds;
use vinci_run::RunSnapshot;

use crate::controller::Given;

/// A state of a simulation, with what its plugins remember, values that were changed and events that fired. It belongs to the scene it was
/// taken of.
#[pyclass(frozen, name = "Snapshot", module = "vinci._vinci")]
pub(crate) struct PySnapshot {
    pub(crate) state: RunSnapshot,
    /// Forces of Python's controller that hold there.
    pub(crate) given: Option<Given>,
    /// Meaning of q, v and plugins' memories: the scene's layout and the plugins, at the start of the experiment.
    pub(crate) of: Arc<[String]>,
}

#[pymethods]
impl PySnapshot {
    /// Time it was taken at, s.
    #[getter]
    fn time(&self) -> f64 {
        self.state.simulation.state.t
    }

    fn __repr__(&self) -> String {
        format!("<vinci.Snapshot at t = {} s>", seconds(self.state.simulation.state.t))
    }
}
