//! A plugin library that may be used, in this process or in another.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use vinci_core::StageError;
use vinci_core::model::SystemView;

use super::library::Library;
use crate::controller::ForeignController;
use crate::detector::ForeignDetector;
use crate::manifest::{Manifest, Role};
use crate::solver::ForeignSolver;
use crate::stepper::ForeignStepper;
use crate::table::complete;

/// A library that another process has loaded: what it says of itself, and its instances there. Those are stages of this program behind
/// the checks of foreign ones ([`ForeignSolver::over`] and its like).
pub trait Elsewhere: Send + Sync {
    /// SHA-256 of the file, hex.
    fn digest(&self) -> &str;

    /// One manifest per role.
    fn manifests(&self) -> &[Manifest];

    /// Warnings of loading, as text.
    fn warnings(&self) -> &[String];

    /// A new detector.
    ///
    /// # Errors
    /// As of [`LoadedPlugin::create_detector`], here and below.
    fn detector(
        &self,
        id: &str,
        options: &str,
        system: &SystemView<'_>,
    ) -> Result<ForeignDetector, StageError>;

    /// A new stepper.
    fn stepper(&self, id: &str, options: &str, system: &SystemView<'_>)
    -> Result<ForeignStepper, StageError>;

    /// A new solver.
    fn solver(&self, id: &str, options: &str, system: &SystemView<'_>) -> Result<ForeignSolver, StageError>;

    /// A new controller.
    fn controller(
        &self,
        id: &str,
        options: &str,
        system: &SystemView<'_>,
    ) -> Result<ForeignController, StageError>;

    /// As [`LoadedPlugin::unreported`].
    fn unreported(&self) -> Vec<StageError>;

    /// A twin of this library in processes that nobody shares with it.
    fn alone(&self) -> Arc<dyn Elsewhere>;

    /// As [`LoadedPlugin::stop`].
    fn stop(&self);
}

/// A plugin library that passed all checks. Cheap to clone.
#[derive(Clone)]
pub struct LoadedPlugin {
    path: PathBuf,
    place: Place,
}

#[derive(Clone)]
enum Place {
    Here(&'static Library),
    Elsewhere(Arc<dyn Elsewhere>),
}

/// Makers of instances: one for every role, of a library in this process or in another.
macro_rules! instances {
    ($($(#[$doc:meta])* $create:ident: $role:ident, $functions:ident -> $stage:ty;)*) => {$(
        $(#[$doc])*
        pub fn $create(&self, options: &str, system: &SystemView<'_>) -> Result<$stage, StageError> {
            let library = match &self.place {
                Place::Here(library) => library,
                Place::Elsewhere(library) => {
                    return library.$functions(self.id(Role::$role)?, options, system);
                }
            };
            let (id, functions) = self.role(Role::$role, library.roles.$functions)?;
            let options = self.options(library, Role::$role, options)?;
            // SAFETY: the layout of the functions was checked, where it can be, and the library is never unloaded; that it keeps
            // the rest of the contract cannot be checked and is what trusting a plugin means.
            let made = unsafe { <$stage>::create(id.into(), functions, &options, system) }?;
            Ok(if library.guarded { made } else { made.unguarded() })
        }
    )*};
}

impl LoadedPlugin {
    pub(super) fn here(path: &Path, library: &'static Library) -> Self {
        Self { path: path.to_owned(), place: Place::Here(library) }
    }

    /// The library at `path`, which another process has loaded.
    pub fn elsewhere(path: &Path, library: Arc<dyn Elsewhere>) -> Self {
        Self { path: path.to_owned(), place: Place::Elsewhere(library) }
    }

    /// Returns true if none of its code runs in this process.
    pub fn is_elsewhere(&self) -> bool {
        matches!(self.place, Place::Elsewhere(_))
    }

    /// Failures of other processes that no call could report, since this thread asked last: instances that could not be saved or ended.
    /// A run whose plugins have some is not complete.
    pub fn unreported(&self) -> Vec<StageError> {
        match &self.place {
            Place::Here(_) => Vec::new(),
            Place::Elsewhere(library) => library.unreported(),
        }
    }

    /// This library in processes that no other plugin shares and that [`LoadedPlugin::stop`] ends; none where it is in this process.
    pub fn alone(&self) -> Option<Self> {
        match &self.place {
            Place::Here(_) => None,
            Place::Elsewhere(library) => Some(Self::elsewhere(&self.path, library.alone())),
        }
    }

    /// Ends the processes of its instances, from any thread: whoever waits for one gets a fault. Without effect in this process.
    pub fn stop(&self) {
        if let Place::Elsewhere(library) = &self.place {
            library.stop();
        }
    }

    /// The file it was loaded from.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// SHA-256 of the file, hex.
    pub fn digest(&self) -> &str {
        match &self.place {
            Place::Here(library) => &library.digest,
            Place::Elsewhere(library) => library.digest(),
        }
    }

    /// One manifest per role.
    pub fn manifests(&self) -> &[Manifest] {
        match &self.place {
            Place::Here(library) => &library.manifests,
            Place::Elsewhere(library) => library.manifests(),
        }
    }

    /// The manifest of a role, if the library has it.
    pub fn manifest(&self, role: Role) -> Option<&Manifest> {
        self.manifests().iter().find(|m| m.role == role)
    }

    /// Warnings of loading, as text.
    pub fn warnings(&self) -> &[String] {
        match &self.place {
            Place::Here(library) => &library.warnings,
            Place::Elsewhere(library) => library.warnings(),
        }
    }

    instances! {
        /// A new detector.
        create_detector: Detector, detector -> ForeignDetector;
        /// A new stepper.
        create_stepper: Stepper, stepper -> ForeignStepper;
        /// A new solver.
        create_solver: Solver, solver -> ForeignSolver;
        /// A new controller; `system` says what it governs.
        create_controller: Controller, controller -> ForeignController;
    }

    /// Options as the library takes them: a library in C gets them checked and complete.
    fn options<'o>(
        &self,
        library: &Library,
        role: Role,
        options: &'o str,
    ) -> Result<Cow<'o, str>, StageError> {
        match self.manifest(role) {
            Some(manifest) if !library.guarded => {
                let completed = complete(options, &manifest.options);
                completed.map(Cow::Owned).map_err(|refusal| refusal.by(&manifest.id))
            }
            _ => Ok(Cow::Borrowed(options)),
        }
    }

    fn role<F>(&self, role: Role, functions: Option<F>) -> Result<(&str, F), StageError> {
        // Every role that has a manifest has functions: that was looked at when it was loaded.
        let id = self.id(role)?;
        functions.map(|functions| (id, functions)).ok_or_else(|| self.lacks(role))
    }

    fn id(&self, role: Role) -> Result<&str, StageError> {
        let found = self.manifest(role).map(|manifest| manifest.id.as_str());
        found.ok_or_else(|| self.lacks(role))
    }

    fn lacks(&self, role: Role) -> StageError {
        let has: Vec<_> = self.manifests().iter().map(|m| format!("{} {}", m.role.name(), m.id)).collect();
        let message = format!("{} has no {}, only {}", self.path.display(), role.name(), has.join(", "));
        StageError::unsupported(message)
    }
}

impl std::fmt::Debug for LoadedPlugin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let ids: Vec<_> = self.manifests().iter().map(|m| &m.id).collect();
        f.debug_struct("LoadedPlugin").field("path", &self.path).field("ids", &ids).finish_non_exhaustive()
    }
}
