//! A loaded library, whichever entry it has, and the checks that both entries share.

use std::path::Path;

use super::error::LoadError;
use crate::codes;
use crate::controller::ControllerFunctions;
use crate::detector::DetectorFunctions;
use crate::log::{HostServices, host_services};
use crate::manifest::{Manifest, Role};
use crate::solver::SolverFunctions;
use crate::stepper::StepperFunctions;

/// An open library whose tables have been checked.
pub(super) struct Library {
    pub(super) roles: Roles,
    pub(super) manifests: Vec<Manifest>,
    pub(super) digest: String,
    pub(super) warnings: Vec<String>,
    /// True if it brings a guard of ours: a library in C does not.
    pub(super) guarded: bool,
}

/// The roles of a library.
#[derive(Clone, Copy)]
pub(super) struct Roles {
    pub(super) detector: Option<DetectorFunctions>,
    pub(super) stepper: Option<StepperFunctions>,
    pub(super) solver: Option<SolverFunctions>,
    pub(super) controller: Option<ControllerFunctions>,
}

/// A manifest for every role that is exported, and none beside.
pub(super) fn check_roles(path: &Path, roles: &Roles, manifests: &[Manifest]) -> Result<(), LoadError> {
    let bad = |reason: String| Err(LoadError::BadManifest { path: path.to_owned(), reason });
    let exported = [
        (Role::Detector, roles.detector.is_some()),
        (Role::Stepper, roles.stepper.is_some()),
        (Role::Solver, roles.solver.is_some()),
        (Role::Controller, roles.controller.is_some()),
    ];
    for (role, exists) in exported {
        match (exists, manifests.iter().filter(|m| m.role == role).count()) {
            (true, 1) | (false, 0) => {}
            (true, 0) => return bad(format!("a {} is exported but not named in it", role.name())),
            (false, _) => return bad(format!("it names a {} but none is exported", role.name())),
            (true, n) => return bad(format!("it names {n} {}s", role.name())),
        }
    }
    check_ids(path, manifests)
}

/// At least one manifest, and an id in each.
pub(super) fn check_ids(path: &Path, manifests: &[Manifest]) -> Result<(), LoadError> {
    let bad = |reason: String| Err(LoadError::BadManifest { path: path.to_owned(), reason });
    match manifests.iter().find(|m| m.id.is_empty()) {
        Some(m) => bad(format!("the {} has no id", m.role.name())),
        None if manifests.is_empty() => bad("it names no role".into()),
        None => Ok(()),
    }
}

/// Hands the host's services to a library, which are there for ever.
pub(super) fn initialise(
    path: &Path,
    manifests: &[Manifest],
    init: unsafe extern "C" fn(*const HostServices) -> i32,
) -> Result<(), LoadError> {
    let id = ids(manifests);
    // Kept for ever, as the library is.
    let name: &'static str = Box::leak(id.clone().into_boxed_str());
    let services = host_services(name);
    // SAFETY: the function is one of the contract; the services hold nothing that ends.
    match unsafe { init(&services) } {
        codes::OK => Ok(()),
        code => Err(LoadError::InitFailed { path: path.to_owned(), id, reason: format!("code {code}") }),
    }
}

/// Ids of all roles, for messages.
pub(super) fn ids(manifests: &[Manifest]) -> String {
    manifests.iter().map(|m| m.id.as_str()).collect::<Vec<_>>().join(" + ")
}
