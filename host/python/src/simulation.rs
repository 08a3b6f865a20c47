//! `vinci.Simulation`: one simulation, step by step.

use std::sync::{Arc, Mutex, PoisonError};

use numpy::{PyArray1, PyArray2};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::{PyTraverseError, PyVisit};
use vinci_core::clock::seconds;
use vinci_engine::labels;
use vinci_run::record::state_hash;
use vinci_run::signals::Stop;
use vinci_scene::Override;

use crate::controller::{LastAnswer, Sampled};
use crate::errors::{self, StateError};
use crate::experiment::Core;
use crate::home::Home;
use crate::live::{Live, Own, Refused, Shown, prescribed};
use crate::object::Object;
use crate::registry::Plugins;
use crate::snapshot::PySnapshot;
use crate::solver::Takes;
use crate::table::Table;

/// A simulation that goes step by step.
///
/// Made by `vinci.Experiment.simulation`. It may be used from any thread, by one at a time; while it computes, other threads of Python
/// run. Arrays that it gives are copies and stay as they are.
#[pyclass(frozen, module = "vinci", weakref)]
pub(crate) struct Simulation {
    home: Home<Live>,
    /// The solver and the controller that are Python's.
    objects: Vec<Object>,
    shown: Arc<Mutex<Shown>>,
    columns: [Vec<String>; 2],
    warnings: String,
    step: f64,
    duration: f64,
}

#[pymethods]
impl Simulation {
    /// `classes`: what `solver` takes, with whether it takes second-order cones. `controller` is asked at every `every`-th grid time.
    #[new]
    #[pyo3(signature = (experiment, plugins, solver=None, classes=None, controller=None, every=1))]
    fn new(
        py: Python<'_>,
        experiment: &Core,
        plugins: &Plugins,
        solver: Option<Py<PyAny>>,
        classes: Option<(String, Vec<String>, bool)>,
        controller: Option<Py<PyAny>>,
        every: u64,
    ) -> PyResult<Self> {
        let takes = classes.map(|(name, words, cones)| Takes::new(name, &words, cones)).transpose()?;
        let (solver, controller) = (solver.map(Object::new), controller.map(Object::new));
        let objects = solver.iter().chain(&controller).cloned().collect();
        let controller = controller.map(|object| Sampled { object, every: every.max(1) });
        let own = Own { solver: solver.zip(takes), controller, last: LastAnswer::default() };
        let loaded = py.detach(|| experiment.completed()).map_err(|found| errors::input(&found))?;
        let duration = loaded.experiment.time.duration;
        let shown = Arc::new(Mutex::new(Shown::default()));
        let (registry, show) = (plugins.0.clone(), Arc::clone(&shown));
        let make = move || Live::new(loaded, &registry, own, show);
        let home = Home::new(py, make, |refused| raise(py, refused))?;
        let facts = home.ask(
            py,
            || (),
            |live| (columns(live), live.prepared.warnings.render_json(), live.simulation().settings.step),
        )?;
        let (columns, warnings, step) = facts;
        Ok(Self { home, objects, shown, columns, warnings, step, duration })
    }

    /// Goes on by `n` steps of the grid, `n` times `h` seconds, or to an event that stops it.
    ///
    /// Raises `StepError` where a step cannot be made: the simulation then stands where the step began.
    #[pyo3(signature = (n=1))]
    fn step(&self, py: Python<'_>, n: i64) -> PyResult<()> {
        let n = u64::try_from(n).map_err(|_| PyValueError::new_err(format!("n = {n}: steps go forward")))?;
        self.go(py, move |live, stop| live.step(n, stop))
    }

    /// Goes on to the first grid time that is not before `t`, s.
    ///
    /// To the experiment's duration itself where `t` is that: `sim.run_until(sim.duration)` is the whole run.
    fn run_until(&self, py: Python<'_>, t: f64) -> PyResult<()> {
        self.go(py, move |live, stop| live.run_until(t, stop))
    }

    /// Time, s.
    #[getter]
    fn time(&self) -> f64 {
        self.shown().time
    }

    /// Step of the grid, s.
    #[getter]
    fn h(&self) -> f64 {
        self.step
    }

    /// Duration of the experiment, s.
    #[getter]
    fn duration(&self) -> f64 {
        self.duration
    }

    /// Reason why an event of the experiment has stopped it, else None.
    #[getter]
    fn stopped(&self) -> Option<String> {
        self.shown().stopped.clone()
    }

    /// Number of accepted steps.
    #[getter]
    fn step_count(&self) -> u64 {
        self.shown().steps
    }

    /// Positions, a copy, shape (nq,): m, rad, quaternions as w, x, y, z. `q_columns` names them.
    #[getter]
    fn q<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, &self.shown().q)
    }

    /// Velocities, a copy, shape (nv,): m/s, rad/s. `v_columns` names them.
    #[getter]
    fn v<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, &self.shown().v)
    }

    /// Names of the positions, as columns of the trajectory have them: `ball.x`, `arm.elbow.q`.
    #[getter]
    fn q_columns(&self) -> Vec<String> {
        self.columns[0].clone()
    }

    /// Names of the velocities: `ball.vx`, `arm.elbow.v`.
    #[getter]
    fn v_columns(&self) -> Vec<String> {
        self.columns[1].clone()
    }

    /// Names of the velocities that drives prescribe: no force acts along them.
    #[getter]
    fn prescribed(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        let which = self.home.ask(py, || (), |live| prescribed(live.simulation()))?;
        Ok(self.columns[1].iter().zip(which).filter(|(_, is)| *is).map(|(name, _)| name.clone()).collect())
    }

    /// Kinetic energy, and potential energy of weight and of the scene's `springs`, J; not that of drives and controllers, as which the
    /// springs of imported joints are read.
    #[getter]
    fn energy(&self, py: Python<'_>) -> PyResult<f64> {
        self.home.ask(py, || (), |live| live.simulation().energy())
    }

    /// Contacts of the last step as a `Table` with the columns of `contacts.csv`. It has no rows before the first step, and after
    /// `restore`, `set` or an event that changed the experiment, until there is a step again.
    #[getter]
    fn contacts(&self, py: Python<'_>) -> PyResult<Table> {
        self.home.ask(py, || (), |live| Table::of_contacts(live.simulation(), live.last_step().is_some()))?
    }

    /// Relative residual of the solution of the last step, recomputed by the host; 0 where `contacts` is empty for want of a step.
    #[getter]
    fn residual(&self, py: Python<'_>) -> PyResult<f64> {
        self.home.ask(py, || (), |live| live.last_step().map_or(0.0, |s| s.last().residual))
    }

    /// Derivatives of the last step where the stepper gives them, else None: shape (nv, 2 nv), by commanded displacements, then by
    /// positions (rotations as rotation vectors).
    #[getter]
    fn gradient<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyArray2<f64>>>> {
        let copied = |live: &mut Live| {
            let gradient = live.last_step().map(|s| s.last().gradient.to_vec());
            (gradient.unwrap_or_default(), live.simulation().v().len())
        };
        let (values, nv) = self.home.ask(py, || (), copied)?;
        if values.is_empty() {
            return Ok(None);
        }
        let rows: Vec<Vec<f64>> = values.chunks(2 * nv).map(<[f64]>::to_vec).collect();
        Ok(Some(PyArray2::from_vec2(py, &rows)?))
    }

    /// SHA-256 of the bits of q and v, as `summary.json` has it.
    #[getter]
    fn state_hash(&self) -> String {
        let shown = self.shown();
        state_hash(&shown.q, &shown.v)
    }

    /// Findings about the experiment and its events so far that did not stop it, one dict each, as `InputError.findings` has them.
    #[getter]
    fn warnings<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let errors = py.import("vinci.errors")?;
        let events = self.shown().warnings.clone();
        errors.call_method1("findings_with", (&self.warnings, events))
    }

    /// The state as it is now, to come back to with `restore`: with values that `set` or events have changed, and events that fired.
    ///
    /// What a controller or solver in Python remembers by itself is not in it.
    fn snapshot(&self, py: Python<'_>) -> PyResult<PySnapshot> {
        self.home.ask(py, || (), |live| live.snapshot())
    }

    /// Back to a snapshot of this simulation, or of another one of the same scene with the same plugins.
    ///
    /// Values that were changed since are those of the snapshot again, and events that fired since fire anew. Raises `StateError` for a
    /// snapshot of something else.
    fn restore(&self, py: Python<'_>, snapshot: &PySnapshot) -> PyResult<()> {
        let (state, given, of) = (snapshot.state.clone(), snapshot.given.clone(), Arc::clone(&snapshot.of));
        let back = move |live: &mut Live| live.restore((&state, given), &of);
        self.home.ask(py, || (), back)?.map_err(|refused| raise(py, refused))
    }

    /// Changes the experiment where the simulation stands, as an event of a run does: `set("scene.materials.rubber.friction", 0.3)`.
    ///
    /// Values of the scene, plugins with their options, `tolerance`, and how steps are divided. Gives pairs of bodies that overlap
    /// by it, in words. Raises `InputError` for what cannot be; the simulation then is as it was.
    fn set(&self, py: Python<'_>, path: &str, value: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
        let text: String = py.import("vinci._json")?.call_method1("text_of", (value,))?.extract()?;
        let one = Override::set(&format!("{path}={text}")).map_err(|found| errors::input(&found))?;
        self.home.ask(py, || (), move |live| live.set(one))?.map_err(|refused| raise(py, refused))
    }

    fn __repr__(&self) -> String {
        let shown = self.shown();
        format!(
            "<vinci.Simulation at t = {} s, {} steps, nq = {}, nv = {}>",
            seconds(shown.time),
            shown.steps,
            shown.q.len(),
            shown.v.len()
        )
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.objects.iter().try_for_each(|object| object.visit(&visit))
    }

    fn __clear__(&self) {
        self.objects.iter().for_each(Object::clear);
    }

    fn __reduce__(&self) -> PyResult<()> {
        let advice = "a live simulation cannot be pickled: its plugins live in this process. Pickle the experiment \
                      (`vinci.Experiment`) and make a simulation from it where it is needed";
        Err(PyTypeError::new_err(advice))
    }
}

impl Simulation {
    fn go(
        &self,
        py: Python<'_>,
        body: impl FnOnce(&mut Live, &Stop) -> Result<(), Refused> + Send + 'static,
    ) -> PyResult<()> {
        let stop = Stop::default();
        let ask = stop.clone();
        self.home
            .ask(py, move || ask.ask(), move |live| body(live, &stop))?
            .map_err(|refused| raise(py, refused))
    }

    fn shown(&self) -> std::sync::MutexGuard<'_, Shown> {
        self.shown.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn raise(py: Python<'_>, refused: Refused) -> PyErr {
    match refused {
        Refused::Input(found) => errors::input(&found),
        Refused::Failed(failed) => failed.raise(py),
        Refused::State(message) => StateError::new_err(message),
    }
}

/// Labels of all positions and of all velocities.
fn columns(live: &Live) -> [Vec<String>; 2] {
    let system = &live.simulation().system;
    let mut all = [Vec::new(), Vec::new()];
    for block in 0..system.n_blocks() {
        let labels = labels::block(system, block);
        all.iter_mut().zip(labels).for_each(|(list, own)| list.extend(own.iter().map(ToString::to_string)));
    }
    all
}
