//! A plugin that is a program.

use std::path::Path;
use std::sync::{Arc, Mutex};

use vinci_abi::load::{Elsewhere, LoadError, LoadedPlugin, Program, complete_options, read_program};
use vinci_abi::{ForeignController, ForeignDetector, ForeignSolver, ForeignStepper, Manifest, Role};
use vinci_core::StageError;
use vinci_core::error::ErrorKind;
use vinci_core::model::SystemView;

use super::lock::locked;
use super::pool::Workers;
use super::private::Private;
use super::speaker::Speaker;
use super::spoken::{Spoken, SpokenController, SpokenDetector, SpokenSolver, SpokenStepper};
use super::stages::instances;
use super::watched::Asking;
use crate::limits::Limits;

/// Reads the program that the description at `path` describes, if `accepts` takes its digest. It starts with its first instance on a thread.
/// `open`: it is kept from nothing, as a library in this process.
///
/// # Errors
/// As of [`read_program`].
pub fn load_program(
    path: &Path,
    workers: &Arc<Workers>,
    (limits, open): (Limits, bool),
    accepts: impl FnOnce(&str) -> Result<(), LoadError>,
) -> Result<LoadedPlugin, LoadError> {
    let program = read_program(path)?;
    accepts(&program.digest)?;
    let (workers, private, running) = (workers.clone(), Mutex::default(), Mutex::default());
    let running = Running { program, limits, open, workers, private, running };
    Ok(LoadedPlugin::elsewhere(path, Arc::new(running)))
}

/// A program, and its processes: one for every thread.
struct Running {
    program: Program,
    limits: Limits,
    open: bool,
    workers: Arc<Workers>,
    private: Mutex<Option<Arc<Private>>>,
    running: Mutex<Vec<Arc<Speaker>>>,
}

impl Running {
    /// The process of this thread; one that was lost is replaced.
    fn speaker(&self, asking: Asking<'_>) -> Result<Arc<Speaker>, StageError> {
        let known = locked(&self.running).iter().find(|speaker| speaker.is_at_hand()).cloned();
        if let Some(speaker) = known {
            return Ok(speaker);
        }
        let private = self.private(asking)?;
        self.workers.begin();
        let (limits, workers) = ((self.limits, self.open), &self.workers);
        let speaker = Speaker::start(workers.program(), &private, limits, workers.has_told(), asking)?;
        let (mut running, speaker) = (locked(&self.running), Arc::new(speaker));
        running.retain(|other| !other.is_of_this_thread());
        running.push(speaker.clone());
        Ok(speaker)
    }

    /// Its files, in a folder of their own.
    fn private(&self, asking: Asking<'_>) -> Result<Arc<Private>, StageError> {
        let mut private = locked(&self.private);
        if let Some(known) = &*private {
            return Ok(known.clone());
        }
        let made = Private::of(&self.program).map_err(|e| {
            let message =
                format!("the files of {} cannot be put into a folder of their own: {e}", asking.plugin);
            StageError::new(ErrorKind::Other, message).by(asking.plugin)
        })?;
        Ok(private.insert(Arc::new(made)).clone())
    }

    fn create(
        &self,
        role: Role,
        id: &str,
        options: &str,
        system: &SystemView<'_>,
    ) -> Result<Spoken, StageError> {
        let manifest = self.program.manifests.iter().find(|manifest| manifest.role == role);
        let schema = manifest.map(|manifest| &manifest.options).unwrap_or(&serde_json::Value::Null);
        let options = complete_options(options, schema).map_err(|refusal| refusal.by(id))?;
        let speaker = self.speaker(Asking { plugin: id, call: "create" })?;
        Spoken::create((speaker, self.workers.clone()), (role, id), &options, system)
    }
}

impl Elsewhere for Running {
    fn digest(&self) -> &str {
        &self.program.digest
    }

    fn manifests(&self) -> &[Manifest] {
        &self.program.manifests
    }

    fn warnings(&self) -> &[String] {
        &[]
    }

    instances! {
        detector: Detector, SpokenDetector -> ForeignDetector;
        stepper: Stepper, SpokenStepper -> ForeignStepper;
        solver: Solver, SpokenSolver -> ForeignSolver;
        controller: Controller, SpokenController -> ForeignController;
    }

    fn unreported(&self) -> Vec<StageError> {
        self.workers.unreported()
    }

    fn alone(&self) -> Arc<dyn Elsewhere> {
        Arc::new(Self {
            program: self.program.clone(),
            limits: self.limits,
            open: self.open,
            workers: self.workers.others(),
            private: Mutex::new(locked(&self.private).clone()),
            running: Mutex::default(),
        })
    }

    fn stop(&self) {
        self.workers.stop();
        locked(&self.running).iter().for_each(|speaker| speaker.stop());
    }
}
