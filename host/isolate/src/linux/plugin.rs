//! A library that a worker has loaded.

use std::path::Path;
use std::sync::Arc;

use vinci_abi::load::{Elsewhere, LoadError, LoadedPlugin, examine};
use vinci_abi::{ForeignController, ForeignDetector, ForeignSolver, ForeignStepper, Manifest, Role};
use vinci_core::StageError;
use vinci_core::model::SystemView;

use super::order::{Description, LibraryFile, Order};
use super::pool::{Workers, owner_of};
use super::remote::{Remote, RemoteController, RemoteDetector, RemoteSolver, RemoteStepper, Source};
use super::stages::instances;
use super::watched::Asking;
use crate::limits::Limits;

/// Loads the library at `path` in a worker, if `accepts` takes its SHA-256 (hex); none of its code runs in this process. Its instances are made in
/// workers with these limits.
///
/// # Errors
/// As of [`vinci_abi::load::load_if`]; a library that ends the process that loads it.
pub fn load(
    path: &Path,
    workers: &Arc<Workers>,
    limits: Limits,
    accepts: impl FnOnce(&str) -> Result<(), LoadError>,
) -> Result<LoadedPlugin, LoadError> {
    let digest = examine(path)?;
    accepts(&digest)?;
    // Workers stand in another directory.
    let whole = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let refused = |why: String| LoadError::Apart { path: path.to_owned(), why };
    let file = LibraryFile { path: whole.as_path().into(), digest: digest.clone() };
    let description = describe(workers, limits, &whole, file).map_err(|error| refused(error.message))?;
    let manifests: Vec<Manifest> = serde_json::from_str(&description.manifests)
        .map_err(|e| refused(format!("the manifest of {} cannot be read: {e}", path.display())))?;
    for manifest in &manifests {
        workers.know(owner_of(&manifest.id), &whole);
    }
    let (workers, warnings) = (workers.clone(), description.warnings);
    let apart = Apart { path: whole.into(), digest, manifests, warnings, limits, workers };
    Ok(LoadedPlugin::elsewhere(path, Arc::new(apart)))
}

/// Description of a library by itself, from a worker for this question alone.
fn describe(
    workers: &Workers,
    limits: Limits,
    path: &Path,
    file: LibraryFile,
) -> Result<Description, StageError> {
    let name = path.display().to_string();
    let asking = Asking { plugin: &name, call: "load" };
    let (worker, library) = (workers.fresh(limits, vec![path.to_owned()], asking)?, Order::Describe(file));
    let description = worker.order(asking, &library)?;
    worker.part(asking)?;
    Ok(description)
}

/// The library, as [`LoadedPlugin`] knows it.
struct Apart {
    path: Box<Path>,
    digest: String,
    manifests: Vec<Manifest>,
    warnings: Vec<String>,
    limits: Limits,
    workers: Arc<Workers>,
}

impl Apart {
    fn create(
        &self,
        role: Role,
        id: &str,
        options: &str,
        system: &SystemView<'_>,
    ) -> Result<Remote, StageError> {
        let source = Source { path: &self.path, digest: &self.digest, limits: self.limits };
        Remote::create(&self.workers, &source, (role, id), options, system)
    }
}

impl Elsewhere for Apart {
    fn digest(&self) -> &str {
        &self.digest
    }

    fn manifests(&self) -> &[Manifest] {
        &self.manifests
    }

    fn warnings(&self) -> &[String] {
        &self.warnings
    }

    instances! {
        detector: Detector, RemoteDetector -> ForeignDetector;
        stepper: Stepper, RemoteStepper -> ForeignStepper;
        solver: Solver, RemoteSolver -> ForeignSolver;
        controller: Controller, RemoteController -> ForeignController;
    }

    fn unreported(&self) -> Vec<StageError> {
        self.workers.unreported()
    }

    fn alone(&self) -> Arc<dyn Elsewhere> {
        let workers = self.workers.others();
        for manifest in &self.manifests {
            workers.know(owner_of(&manifest.id), &self.path);
        }
        Arc::new(Self {
            path: self.path.clone(),
            digest: self.digest.clone(),
            manifests: self.manifests.clone(),
            warnings: self.warnings.clone(),
            limits: self.limits,
            workers,
        })
    }

    fn stop(&self) {
        self.workers.stop();
    }
}
