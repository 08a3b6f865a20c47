//! Settling the route of a prepared run, once the class of the first problem is known.

use crate::foresight::refuse_provoked;
use crate::physics::warn_of_polygons;
use crate::prepared::Prepared;
use crate::route::no_route;
use vinci_core::problem::ProblemClass;
use vinci_engine::registry::Registry;
use vinci_scene::Path;
use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics};

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
    let mut diagnostics = Diagnostics::new();
    for (k, why) in refusals {
        let used = &prepared.solvers[k];
        let message = format!("{} cannot be given the first step's problem: {why}", used.manifest.id);
        let place = prepared.loaded.place(&used.path.join("plugin"));
        diagnostics.push(if nobody {
            let help = "choose a solver that takes the class itself; `vinci plugin list` shows the classes that solvers take";
            Diagnostic::error(Code::Contradiction, message).help(help).at(place)
        } else {
            let help = "the solvers behind it will be tried";
            Diagnostic::warning(Code::Contradiction, message).help(help).at(place)
        });
    }
    if nobody && diagnostics.has_errors() {
        return Err(diagnostics);
    }
    prepared.warnings.append(diagnostics);
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
