//! A solver in Python: an object with `solve(problem)`, asked and audited like any other.

use numpy::{PyArray1, PyArrayMethods};
use pyo3::prelude::*;
use vinci_core::error::ErrorKind;
use vinci_core::problem::{Problem, ProblemClass, Solution, Status};
use vinci_core::stage::Solver;
use vinci_core::{StageError, problem};
use vinci_engine::pipeline::NamedSolver;

use crate::errors::VinciError;
use crate::object::Object;
use crate::problem::problem_object;
use crate::raised::Raised;

/// Classes that a solver takes, by its own words.
#[derive(Debug, Clone)]
pub(crate) struct Takes {
    /// Name of its class.
    pub(crate) name: String,
    /// Set of problem classes.
    pub(crate) classes: u32,
}

impl Takes {
    /// From names of classes and whether second-order cones are taken.
    ///
    /// # Errors
    /// A name that is none.
    pub(crate) fn new(name: String, classes: &[String], cones: bool) -> PyResult<Self> {
        let bit = |word: &String| match ProblemClass::from_name(word) {
            Some(class @ (ProblemClass::Mlcp | ProblemClass::Cone | ProblemClass::Conic)) => Ok(class.bit()),
            _ => {
                let message =
                    format!("{name}.classes names `{word}`: a solver in Python takes Mlcp, Cone or Conic");
                Err(VinciError::new_err(message))
            }
        };
        let classes = classes.iter().map(bit).try_fold(0, |set, bit| bit.map(|bit| set | bit))?;
        let cones = if cones { problem::SECOND_ORDER_CONES } else { 0 };
        Ok(Self { name, classes: classes | cones })
    }
}

/// An object as a solver. Its last answer stays here until the next.
pub(crate) struct PySolver {
    object: Object,
    name: String,
    raised: Raised,
    status: Status,
    z: Vec<f64>,
    dual: Vec<f64>,
    iterations: u32,
    note: String,
}

impl PySolver {
    /// With the name and the classes that the chain of solvers has for it.
    pub(crate) fn named(object: Object, takes: &Takes, raised: Raised) -> NamedSolver {
        let name = takes.name.clone();
        let solver = Self {
            object,
            name: name.clone(),
            raised,
            status: Status::default(),
            z: Vec::new(),
            dual: Vec::new(),
            iterations: 0,
            note: String::new(),
        };
        NamedSolver { id: name, takes: takes.classes, solver: Box::new(solver) }
    }

    /// Asks the object, and takes its answer over.
    fn ask(&mut self, py: Python<'_>, problem: &Problem<'_>) -> PyResult<()> {
        let given = problem_object(py, problem)?;
        let answer = self.object.get(py)?.call_method1("solve", (given,))?;
        let sizes = (problem.len(), problem.dual_len());
        let answers = py.import("vinci._answers")?;
        let checked = answers.call_method1("solution", (answer, sizes.0, sizes.1, &self.name))?;
        let (z, dual, status, iterations, note): (Bound<'_, PyAny>, Bound<'_, PyAny>, String, u32, String) =
            checked.extract()?;
        self.z = z.cast_into::<PyArray1<f64>>()?.to_vec()?;
        self.dual = dual.cast_into::<PyArray1<f64>>()?.to_vec()?;
        self.status = Status::ALL.into_iter().find(|s| s.name() == status).unwrap_or_default();
        (self.iterations, self.note) = (iterations, note);
        Ok(())
    }
}

impl Solver for PySolver {
    fn solve<'s>(&'s mut self, problem: &Problem<'_>) -> Result<Solution<'s>, StageError> {
        Python::attach(|py| {
            self.ask(py, problem).map_err(|error| {
                let kind = match error.is_instance_of::<pyo3::exceptions::PyNotImplementedError>(py) {
                    true => ErrorKind::Unsupported,
                    false => ErrorKind::Other,
                };
                let said = self.raised.keep(py, error);
                StageError::new(kind, format!("{}.solve raised {said}", self.name)).by(&self.name)
            })
        })?;
        Ok(Solution {
            status: self.status,
            z: &self.z,
            dual: &self.dual,
            iterations: self.iterations,
            note: &self.note,
            ..Solution::default()
        })
    }
}
