//! A whole run in this process: the same files as `vinci run` writes.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use pyo3::prelude::*;
use vinci_engine::registry::Registry;
use vinci_run::lock::Lock;
use vinci_run::signals::Stop;
use vinci_run::view::{RunFiles, of_runs, page};
use vinci_run::{Guidance, RunEnd, execute_guided, ready, shortfall};
use vinci_scene::diagnostics::Diagnostics;

use crate::errors;
use crate::experiment::Core;
use crate::registry::Plugins;

/// How often a run tells how far it is, and looks for signals.
const TELL: Duration = Duration::from_millis(100);

/// How a run went: exit code, why it did not succeed and what was found before it (both as JSON lines).
type RunOutcome = (u8, String, String);

/// Runs an experiment into a new or empty directory. `progress`: called some times a second with the time reached, s.
#[pyfunction]
#[pyo3(signature = (experiment, plugins, out, progress=None))]
pub(crate) fn run_into(
    py: Python<'_>,
    experiment: &Core,
    plugins: &Plugins,
    out: PathBuf,
    progress: Option<Py<PyAny>>,
) -> PyResult<RunOutcome> {
    let mut watch = Watch { stop: Stop::default(), progress, last: Instant::now(), raised: None };
    let made = py.detach(|| experiment.made(&plugins.0, &out, &mut watch));
    match watch.raised {
        Some(raised) => Err(raised),
        None => made,
    }
}

impl Core {
    fn made(&self, registry: &Registry, out: &Path, watch: &mut Watch) -> PyResult<RunOutcome> {
        let prepared = self.completed().and_then(|loaded| ready(loaded, registry, false, None));
        let prepared = prepared.map_err(|diagnostics| errors::input(&diagnostics))?;
        let failed = |e: std::io::Error| errors::io("cannot write to", out, &e);
        let _lock = Lock::take(out).map_err(failed)?;
        let warnings = prepared.warnings.render_json();
        let guidance = Guidance { stop: watch.stop.clone(), ..Guidance::default() };
        let end = execute_guided(prepared, out, guidance, |t| watch.look(t)).map_err(failed)?;
        Ok(told(&end, warnings))
    }
}

fn told(end: &RunEnd, warnings: String) -> RunOutcome {
    let why = shortfall(end).map_or_else(String::new, |finding| Diagnostics::from(finding).render_json());
    (end.code, why, warnings)
}

/// Looks after a run for Python: tells it how far the run is, and stops it where Python has a signal or the listener raises.
struct Watch {
    stop: Stop,
    progress: Option<Py<PyAny>>,
    last: Instant,
    raised: Option<PyErr>,
}

impl Watch {
    fn look(&mut self, t: f64) {
        if self.last.elapsed() < TELL || self.raised.is_some() {
            return;
        }
        self.last = Instant::now();
        let told = Python::attach(|py| {
            py.check_signals()?;
            self.progress.as_ref().map_or(Ok(()), |listener| listener.call1(py, (t,)).map(drop))
        });
        if let Err(error) = told {
            self.raised = Some(error);
            self.stop.ask();
        }
    }
}

/// The page that draws runs, from their directories: one text for a browser, offline.
#[pyfunction]
pub(crate) fn view_page(py: Python<'_>, directories: Vec<PathBuf>, title: &str) -> PyResult<String> {
    let made = py.detach(|| {
        let runs = directories.iter().map(|d| RunFiles::open(d)).collect::<Result<Vec<_>, _>>()?;
        of_runs(&runs, title)
    });
    let (header, block) = made.map_err(|found| errors::input(&found))?;
    page(header, &block).map_err(|e| errors::io("cannot make", Path::new("the page"), &e))
}
