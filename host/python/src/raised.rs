//! Exceptions that solvers and controllers in Python raise, kept until the step that they are part of has failed.

use std::sync::{Arc, Mutex, PoisonError};

use pyo3::prelude::*;

/// The exception that was raised last. Clones are the same one.
#[derive(Debug, Clone, Default)]
pub(crate) struct Raised(Arc<Mutex<Option<PyErr>>>);

impl Raised {
    /// Keeps an exception; gives it in one line, as `ValueError: what it says`.
    pub(crate) fn keep(&self, py: Python<'_>, error: PyErr) -> String {
        let text = format!(
            "{}: {}",
            error.get_type(py).name().map_or_else(|_| "an exception".to_owned(), |n| n.to_string()),
            error.value(py)
        );
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
        text
    }

    /// Takes it out.
    pub(crate) fn take(&self) -> Option<PyErr> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}
