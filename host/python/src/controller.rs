//! A controller in Python: `f(t, q, v)` gives forces at grid times, and they hold until it is asked again.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use numpy::{PyArray1, PyArrayMethods};
use pyo3::prelude::*;
use vinci_engine::control::Efforts;

use crate::object::Object;
use crate::raised::Raised;

/// Part of itself by which a time may miss its grid time.
const ROUNDING: f64 = 1e-12;

/// A callable, and how often it is asked.
#[derive(Debug, Clone)]
pub(crate) struct Sampled {
    /// The callable.
    pub(crate) object: Object,
    /// It is asked at every n-th grid time.
    pub(crate) every: u64,
}

/// Forces that hold, and number of the grid time at which they were given.
#[derive(Debug, Clone)]
pub(crate) struct Given {
    grid: u64,
    forces: Vec<f64>,
}

/// The last answer of a controller. Clones are the same one.
#[derive(Debug, Clone, Default)]
pub(crate) struct LastAnswer(Arc<Mutex<Option<Given>>>);

impl LastAnswer {
    /// A copy of it.
    pub(crate) fn saved(&self) -> Option<Given> {
        self.held().clone()
    }

    /// Puts one in its place.
    pub(crate) fn put(&self, given: Option<Given>) {
        *self.held() = given;
    }

    fn held(&self) -> MutexGuard<'_, Option<Given>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A callable as a law.
#[derive(Debug)]
pub(crate) struct PyEfforts {
    /// The callable.
    pub(crate) sampled: Sampled,
    /// Velocities it acts on, ascending; drives prescribe the others.
    pub(crate) dofs: Vec<usize>,
    /// Step of the grid, s.
    pub(crate) h: f64,
    /// Its last answer.
    pub(crate) last: LastAnswer,
    /// Where its exceptions are kept.
    pub(crate) raised: Raised,
}

impl PyEfforts {
    /// For the engine.
    pub(crate) fn shared(self) -> Rc<RefCell<Self>> {
        Rc::new(RefCell::new(self))
    }

    /// Forces along all velocities.
    fn called(&self, py: Python<'_>, t: f64, q: &[f64], v: &[f64]) -> PyResult<Vec<f64>> {
        let arguments = (t, PyArray1::from_slice(py, q), PyArray1::from_slice(py, v));
        let answer = self.sampled.object.get(py)?.call1(arguments)?;
        let checked = py.import("vinci._answers")?.call_method1("efforts", (answer, v.len(), &self.dofs))?;
        Ok(checked.cast_into::<PyArray1<f64>>()?.to_vec()?)
    }
}

impl Efforts for PyEfforts {
    fn efforts(&mut self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) -> Result<(), String> {
        let grid = (t / self.h * (1.0 + ROUNDING)).floor() as u64;
        let every = self.sampled.every;
        let held = self.last.saved().filter(|given| given.grid / every == grid / every);
        let given = match held {
            Some(given) => given,
            None => {
                let forces = Python::attach(|py| {
                    self.called(py, t, q, v).map_err(|error| self.raised.keep(py, error))
                })?;
                Given { grid, forces }
            }
        };
        out.iter_mut().zip(&self.dofs).for_each(|(out, dof)| *out = given.forces[*dof]);
        self.last.put(Some(given));
        Ok(())
    }
}
