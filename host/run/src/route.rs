//! Routes from the stepper to the solvers: directly, or over a bridge. Checked here from the manifests, before
//! anything is created; `settle` checks again with the class of the first problem.

use vinci_abi::{Manifest, Role};
use vinci_core::problem::ProblemClass;

use crate::used::Used;
use vinci_engine::pipeline::{Route, SECOND_ORDER_CONES};
use vinci_engine::registry::{Registry, classes};
use vinci_scene::Loaded;
use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics, list};

/// Problem classes that the stepper emits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmittedClasses {
    /// Classes that the stepper may emit and that reach every solver of the chain; once the first problem is
    /// formulated, its class alone.
    pub emitted: Vec<ProblemClass>,
}

/// The set of classes that the stepper may choose from: what every solver takes by itself; where no class of the stepper
/// is among them, what reaches every solver over a bridge. [`SECOND_ORDER_CONES`] only where no bridge is needed.
pub(super) fn accepted(stepper: &Used, solvers: &[Used]) -> u32 {
    let taken: Vec<u32> = solvers.iter().map(|s| classes(&s.manifest)).collect();
    accepted_of(&stepper.manifest, &taken)
}

/// Classes that solvers taking these sets of classes accept from the stepper.
pub(super) fn accepted_of(stepper: &Manifest, taken: &[u32]) -> u32 {
    let direct = taken.iter().fold(u32::MAX, |set, s| set & s);
    if direct & classes(stepper) & !SECOND_ORDER_CONES != 0 {
        return direct;
    }
    let reaches = |class: &ProblemClass| taken.iter().all(|s| Route::exists(*class, *s));
    ProblemClass::ALL.into_iter().filter(reaches).map(ProblemClass::bit).sum()
}

fn first_unreached(class: ProblemClass, solvers: &[Used]) -> Option<&Used> {
    solvers.iter().find(|s| !Route::exists(class, classes(&s.manifest)))
}

/// The route as the manifests tell it. Some class that the stepper may emit must reach every solver.
///
/// Errors: the first solver that is not reached, at the place of its name, with what would do.
pub(super) fn find(
    loaded: &Loaded,
    registry: &Registry,
    stepper: &Used,
    solvers: &[Used],
) -> Result<EmittedClasses, Diagnostics> {
    let all: Vec<_> = ProblemClass::ALL.into_iter().filter(|c| stepper.manifest.has_class(*c)).collect();
    let emitted: Vec<_> = all.iter().copied().filter(|c| first_unreached(*c, solvers).is_none()).collect();
    if !emitted.is_empty() {
        return Ok(EmittedClasses { emitted });
    }
    // Of several classes one would be enough, so they make one finding.
    let solver = all.first().and_then(|class| first_unreached(*class, solvers)).unwrap_or(&solvers[0]);
    Err(no_route(loaded, registry, stepper, solver, &all).into())
}

/// Error where a solver takes none of the classes that the stepper emits.
pub(super) fn no_route(
    loaded: &Loaded,
    registry: &Registry,
    stepper: &Used,
    solver: &Used,
    all: &[ProblemClass],
) -> Diagnostic {
    let names: Vec<&str> = all.iter().map(|c| c.name()).collect();
    let (id, taken) = (&stepper.manifest.id, solver.manifest.classes.iter().map(String::as_str));
    let message = format!(
        "{id} emits problems of class {}, but {} takes {}; there is no bridge between them",
        names.join(" or "),
        solver.manifest.id,
        list(taken)
    );
    let reached = |m: &Manifest| all.iter().any(|class| Route::exists(*class, classes(m)));
    let takers: Vec<String> = registry
        .survey()
        .iter()
        .filter_map(|found| found.manifest(Role::Solver).cloned())
        .filter(reached)
        .map(|m| m.id)
        .collect();
    let help = if takers.is_empty() {
        "no solver that was found would do".to_string()
    } else {
        format!("solvers that would do: {}", list(takers.iter().map(String::as_str)))
    };
    Diagnostic::error(Code::Contradiction, message).help(help).at(loaded.place(&solver.path.join("plugin")))
}
