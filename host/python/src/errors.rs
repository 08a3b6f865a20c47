//! Exceptions, and what becomes each of them.

use pyo3::prelude::*;
use vinci_core::clock::seconds;
use vinci_engine::pipeline::StepFailure;
use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics};

use crate::raised::Raised;

pyo3::import_exception!(vinci.errors, VinciError);
pyo3::import_exception!(vinci.errors, InputError);
pyo3::import_exception!(vinci.errors, StepError);
pyo3::import_exception!(vinci.errors, StateError);

/// Findings with at least one error among them, as `InputError`: with places and advice, and as a list.
pub(crate) fn input(diagnostics: &Diagnostics) -> PyErr {
    InputError::new_err((diagnostics.render_text(false).trim_end().to_owned(), diagnostics.render_json()))
}

/// Reason why a file or directory could not be written or read.
pub(crate) fn io(what: &str, path: &std::path::Path, error: &std::io::Error) -> PyErr {
    let message = format!("{what} {}: {error}", path.display());
    input(&Diagnostic::error(Code::Io, message).into())
}

/// A step that could not be made.
#[derive(Debug)]
pub(crate) struct Failed {
    /// The failure, and the bodies and contacts involved.
    pub(crate) message: String,
    /// Time where the simulation stands, s.
    pub(crate) time: f64,
    /// Exception of a solver or controller in Python, if that is the reason.
    pub(crate) cause: Option<PyErr>,
}

impl Failed {
    /// A failure of the engine. What was raised meanwhile in Python is taken along.
    pub(crate) fn of(failure: &StepFailure, time: f64, raised: &Raised) -> Self {
        Self {
            message: format!("{} at t = {} s", failure_text(failure), seconds(time)),
            time,
            cause: raised.take(),
        }
    }

    /// The failure as a `StepError`, with what was raised as its cause.
    pub(crate) fn raise(self, py: Python<'_>) -> PyErr {
        let error = StepError::new_err((self.message, self.time));
        error.set_cause(py, self.cause);
        error
    }
}

/// A failure in words: of a problem that nobody solved, every solver's answer, and who is involved.
fn failure_text(failure: &StepFailure) -> String {
    let StepFailure::Unsolved { attempts, squeezed, falling, involved, advice, .. } = failure else {
        return failure.to_string();
    };
    let mut parts = vec![format!("{failure}")];
    parts.extend(attempts.iter().map(ToString::to_string));
    let list =
        |what: &str, names: Vec<String>| (!names.is_empty()).then(|| format!("{what} {}", names.join(", ")));
    let named = [
        list(
            "nothing can move where these contacts squeeze:",
            squeezed.iter().map(ToString::to_string).collect(),
        ),
        list("nothing holds", falling.iter().map(ToString::to_string).collect()),
        list("these rows contradict one another:", involved.iter().map(ToString::to_string).collect()),
    ];
    parts.extend(named.into_iter().flatten());
    parts.extend((!advice.is_empty()).then(|| advice.to_string()));
    parts.join("; ")
}
