//! An object of Python that a simulation calls, held once for all that call it, so that Python's collector can see who holds whom.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};

use pyo3::prelude::*;
use pyo3::{PyTraverseError, PyVisit};

use crate::errors::StateError;

/// An object of Python. Clones are the same reference.
#[derive(Debug, Clone)]
pub(crate) struct Object(Arc<Mutex<Option<Py<PyAny>>>>);

impl Object {
    /// Holds an object.
    pub(crate) fn new(object: Py<PyAny>) -> Self {
        Self(Arc::new(Mutex::new(Some(object))))
    }

    /// The object.
    ///
    /// # Errors
    /// Python's collector has taken the simulation apart.
    pub(crate) fn get<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let object = self.held().as_ref().map(|object| object.bind(py).clone());
        object.ok_or_else(|| StateError::new_err("the simulation is being collected: make another one"))
    }

    /// Shows the reference to Python's collector.
    ///
    /// # Errors
    /// The collector's own.
    pub(crate) fn visit(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        // Who holds the lock has just taken a reference, so the object is alive for the collector anyway.
        match self.0.try_lock() {
            Ok(held) => visit.call(&*held),
            Err(TryLockError::Poisoned(held)) => visit.call(&*held.into_inner()),
            Err(TryLockError::WouldBlock) => Ok(()),
        }
    }

    /// Lets the object go.
    pub(crate) fn clear(&self) {
        // Dropped when the lock is free again: the object's own end may ask for it.
        let object = self.held().take();
        drop(object);
    }

    fn held(&self) -> MutexGuard<'_, Option<Py<PyAny>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
