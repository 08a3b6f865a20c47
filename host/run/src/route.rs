//! How the stepper's problems reach the solvers: directly, or over a bridge. Checked twice: from the manifests before
//! anything is created, and with the class of the first problem once it is known.

use vinci_abi::{Manifest, Role};
use vinci_core::problem::ProblemClass;

use super::foresight::refuse_provoked;
use super::physics::warn_of_polygons;
use super::prepare::{Prepared, Used};
use vinci_engine::pipeline::{Route, SECOND_ORDER_CONES};
use vinci_engine::registry::{Registry, classes};
use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics, list};
use vinci_scene::{Loaded, Path};

/// What the stepper emits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmittedClasses {
    /// Classes that the stepper may emit and that reach every solver of the chain; once the first problem is
    /// formulated, its class alone.
    pub emitted: Vec<ProblemClass>,
}

/// The set of classes that the stepper may choose from: what every solver takes by itself; where no class of the stepper
/// is among them, what reaches every solver over a bridge. [`SECOND_ORDER_CONES`] only where no bridge is needed.
pub(super) fn accepted(stepper: &Used, solvers: &[Used]) -> u32 {
    let direct = solvers.iter().fold(u32::MAX, |set, s| set & classes(&s.manifest));
    if direct & classes(&stepper.manifest) & !SECOND_ORDER_CONES != 0 {
        return direct;
    }
    let reaches = |class: &ProblemClass| first_unreached(*class, solvers).is_none();
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

/// Takes the class of the first problem into the route of a prepared run.
///
/// Errors: the class is not one the manifest names, or does not reach a solver; two bodies that may meet end the run.
pub fn settle(prepared: &mut Prepared, registry: &Registry, class: ProblemClass) -> Result<(), Diagnostics> {
    let (loaded, stepper) = (&prepared.loaded, &prepared.stepper);
    if !stepper.manifest.has_class(class) {
        let (id, name) = (&stepper.manifest.id, class.name());
        let message = format!("{id} emits a problem of class {name}, which its manifest does not name");
        let place = loaded.place(&stepper.path.join("plugin"));
        return Err(Diagnostic::error(Code::PluginFault, message).at(place).into());
    }
    if let Some(at) = prepared.simulation.solvers.unreached(class) {
        return Err(no_route(loaded, registry, stepper, &prepared.solvers[at], &[class]).into());
    }
    check_instance(prepared)?;
    check_directions(prepared, class)?;
    prepared.route.emitted = vec![class];
    warn_of_polygons(prepared, class);
    refuse_provoked(prepared)?;
    Ok(())
}

/// The first problem itself: bridges may refuse an instance although they lead from its class. An error where no solver is
/// reached, else a warning for each that is not.
fn check_instance(prepared: &mut Prepared) -> Result<(), Diagnostics> {
    let refusals = prepared.simulation.solvers.refusals().to_vec();
    let nobody = refusals.len() == prepared.solvers.len();
    let mut found = Diagnostics::new();
    for (k, why) in refusals {
        let used = &prepared.solvers[k];
        let message = format!("{} cannot be given the first step's problem: {why}", used.manifest.id);
        let place = prepared.loaded.place(&used.path.join("plugin"));
        found.push(if nobody {
            let help = "choose a solver that takes the class itself; `vinci plugin list` shows the classes that solvers take";
            Diagnostic::error(Code::Contradiction, message).help(help).at(place)
        } else {
            let help = "the solvers behind it will be tried";
            Diagnostic::warning(Code::Contradiction, message).help(help).at(place)
        });
    }
    if nobody && found.has_errors() {
        return Err(found);
    }
    prepared.warnings.append(found);
    Ok(())
}

/// `solver.directions` without a bridge that would look at it.
fn check_directions(prepared: &Prepared, class: ProblemClass) -> Result<(), Diagnostics> {
    let path = Path::root().join("solver").join("directions");
    let given = prepared.loaded.experiment_node.find(&path).is_some();
    if !given || prepared.simulation.solvers.has_directions(class) {
        return Ok(());
    }
    let message = format!(
        "`solver.directions` says nothing where the solvers take the stepper's problems ({}) as they are",
        class.name()
    );
    let help = "leave `directions` out, or choose a solver that needs polygons in the place of circles";
    Err(Diagnostic::error(Code::Contradiction, message).help(help).at(prepared.loaded.place(&path)).into())
}

fn no_route(
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
