//! A controller in Python: `f(t, q, v)` gives forces.

use std::cell::RefCell;
use std::rc::Rc;

use numpy::{PyArray1, PyArrayMethods};
use pyo3::prelude::*;
use vinci_engine::control::Efforts;

use crate::raised::Raised;

/// A callable as a law.
#[derive(Debug)]
pub(crate) struct PyEfforts {
    object: Py<PyAny>,
    raised: Raised,
}

impl PyEfforts {
    pub(crate) fn new(object: Py<PyAny>, raised: Raised) -> Rc<RefCell<Self>> {
        Rc::new(RefCell::new(Self { object, raised }))
    }

    fn called(&self, py: Python<'_>, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) -> PyResult<()> {
        let arguments = (t, PyArray1::from_slice(py, q), PyArray1::from_slice(py, v));
        let answer = self.object.bind(py).call1(arguments)?;
        let checked = py.import("vinci._answers")?.call_method1("efforts", (answer, out.len(), v.len()))?;
        let array = checked.cast_into::<PyArray1<f64>>()?;
        out.copy_from_slice(&array.to_vec()?);
        Ok(())
    }
}

impl Efforts for PyEfforts {
    fn efforts(&mut self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) -> Result<(), String> {
        Python::attach(|py| self.called(py, t, q, v, out).map_err(|error| self.raised.keep(py, error)))
    }
}
