//! The solver of an experiment that names none, or `auto`.
//!
//! Classes of problems are gone through in an order that depends on the scene. In space, and where parts lie on the plane of
//! the scene, friction is a circle, so cones come first: `Cone`, `Conic` with second-order cones, `Root`, `Qpcc`, then
//! `Mlcp` and `Conic` with linear rows, which have polygons. In other planar scenes polygons are exact: `Mlcp`, `Conic`,
//! `Root`, `Qpcc`, `Cone`. The first class that the stepper may emit, that a solver takes by itself and that the first
//! problem has is chosen; of its solvers the one with the capability `default`, then the first by id.
//!
//! `auto` goes through the classes in the same order, and takes the solvers that [`vinci_engine::ranking`] names for the class, as
//! many of them as were found.

use vinci_abi::{Manifest, Role};
use vinci_core::problem::ProblemClass;

use super::{assemble, found_plugin};
use crate::prepared::Prepared;
use vinci_engine::pipeline::ProblemForm;
use vinci_engine::ranking::{AUTO, ranking};
use vinci_engine::registry::Registry;
use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics};
use vinci_scene::types::{Scene, SpaceName};
use vinci_scene::{Loaded, Path};

/// A class, and whether its solvers must take second-order cones.
type Wanted = (ProblemClass, bool);

const CIRCLES: [Wanted; 6] = [
    (ProblemClass::Cone, false),
    (ProblemClass::Conic, true),
    (ProblemClass::Root, false),
    (ProblemClass::Qpcc, false),
    (ProblemClass::Mlcp, false),
    (ProblemClass::Conic, false),
];

const LINES: [Wanted; 5] = [
    (ProblemClass::Mlcp, false),
    (ProblemClass::Conic, false),
    (ProblemClass::Root, false),
    (ProblemClass::Qpcc, false),
    (ProblemClass::Cone, false),
];

/// Makes a run ready, with the default solver where the experiment names none.
///
/// # Errors
/// As of [`assemble`]; no solver takes what the stepper emits.
pub(crate) fn assemble_named(loaded: Loaded, registry: &Registry) -> Result<Prepared, Diagnostics> {
    let automatic = is_automatic(&loaded);
    if loaded.experiment.solver.is_some() && !loaded.default_solver && !automatic {
        return assemble(loaded, registry);
    }
    let path = Path::root().join("stepper");
    let Some(Ok(stepper)) = found_plugin(&loaded, registry, Role::Stepper, &path) else {
        // The stepper is what is wrong, and that is told.
        return assemble(loaded, registry);
    };
    let Some(stepper) = stepper.manifest(Role::Stepper) else { return assemble(loaded, registry) };
    let solvers = registry.manifests(Role::Solver);
    let named: Vec<Loaded> = if automatic {
        let chains = chains(&loaded.scene, stepper, &solvers);
        chains.iter().map(|chain| loaded.with_chosen(chain)).collect()
    } else {
        let ids = candidates(&loaded.scene, stepper, &solvers);
        ids.iter().map(|id| loaded.with_solver(id)).collect()
    };
    let (count, mut first) = (named.len(), None);
    for named in named {
        let mut prepared = assemble(named, registry)?;
        if automatic {
            tell_what_is_left_out(&loaded, &mut prepared);
        }
        if count == 1 || reaches(&mut prepared) {
            return Ok(prepared);
        }
        first.get_or_insert(prepared);
    }
    first.ok_or_else(|| none_takes(&loaded, stepper))
}

fn is_automatic(loaded: &Loaded) -> bool {
    loaded.experiment.solver.as_ref().is_some_and(|solver| solver.plugin == AUTO)
}

/// Options and fallbacks beside `auto` are nobody's.
fn tell_what_is_left_out(loaded: &Loaded, prepared: &mut Prepared) {
    let Some(solver) = &loaded.experiment.solver else { return };
    if !solver.options.is_empty() || !solver.fallback.is_empty() {
        let message =
            "`auto` chooses the solvers and their order: options and fallbacks beside it are left out";
        let place = loaded.place(&Path::root().join("solver"));
        let help = "name a solver to give it options";
        prepared.warnings.push(Diagnostic::warning(Code::BadOption, message).help(help).at(place));
    }
}

/// Returns true if the first problem reaches the solver. What the stepper refuses is told later.
fn reaches(prepared: &mut Prepared) -> bool {
    let simulation = &mut prepared.simulation;
    match simulation.rehearse() {
        Ok(class) => {
            simulation.solvers.unreached(class).is_none() && simulation.solvers.refusals().is_empty()
        }
        Err(_) => true,
    }
}

/// Ids of the solvers to try, the best first.
fn candidates(scene: &Scene, stepper: &Manifest, solvers: &[Manifest]) -> Vec<String> {
    let mut ids: Vec<String> = Vec::new();
    for (class, cones) in wanted(scene).iter().filter(|(class, _)| stepper.has_class(*class)) {
        let takes = |m: &&Manifest| m.has_class(*class) && (!cones || m.has_capability("second-order-cones"));
        let best = solvers.iter().filter(takes).min_by_key(|m| (!m.has_capability("default"), &m.id));
        ids.extend(best.map(|m| m.id.clone()).filter(|id| !ids.contains(id)));
    }
    ids
}

/// Solvers that `auto` may mean, class by class, each in the order of the table.
fn chains(scene: &Scene, stepper: &Manifest, solvers: &[Manifest]) -> Vec<Vec<&'static str>> {
    let is_found = |id: &&str| solvers.iter().any(|m| m.id == *id);
    let of = |&(class, cones): &Wanted| {
        let form = match class {
            ProblemClass::Conic if cones => Some(&ProblemForm::Conic),
            class => ProblemForm::of_class(class).first(),
        };
        form.into_iter().flat_map(|form| ranking(*form)).map(|r| r.id).filter(is_found).collect::<Vec<_>>()
    };
    let wanted = wanted(scene).iter().filter(|(class, _)| stepper.has_class(*class));
    wanted.map(of).filter(|chain| !chain.is_empty()).collect()
}

/// The classes in the order in which they are gone through.
fn wanted(scene: &Scene) -> &'static [Wanted] {
    let circles = scene.space == SpaceName::Spatial || scene.bodies.iter().any(|b| b.supports.is_some());
    if circles { &CIRCLES } else { &LINES }
}

fn none_takes(loaded: &Loaded, stepper: &Manifest) -> Diagnostics {
    let message = format!(
        "the experiment names no solver, and none that was found takes what {} emits ({})",
        stepper.id,
        stepper.classes.join(", ")
    );
    let place = loaded.place(&Path::root()).part(0, 1);
    let help = "`vinci plugin list` shows the solvers that were found and where they were looked for";
    Diagnostic::error(Code::MissingKey, message).help(help).at(place).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn solver(id: &str, classes: &[ProblemClass], capabilities: &[&str]) -> Manifest {
        Manifest::new(id, Role::Solver, "1.0.0").classes(classes).capabilities(capabilities)
    }

    fn scene(space: &str) -> Scene {
        let text = serde_json::json!({ "format": "vinci/scene@1", "space": space, "bodies": [] });
        serde_json::from_value(text).unwrap()
    }

    #[test]
    fn cones_come_first_in_space_and_polygons_in_the_plane() {
        use ProblemClass::{Cone, Conic, Mlcp, Qpcc, Root};
        let solvers = [
            solver("a.linear", &[Conic], &[]),
            solver("b.cones", &[Conic], &["second-order-cones"]),
            solver("c.first", &[Mlcp], &[]),
            solver("d.meant", &[Mlcp], &["default"]),
            solver("e.cone", &[Cone], &["default"]),
            solver("f.root", &[Root], &["default"]),
        ];
        let stepper = |classes: &[ProblemClass]| Manifest::new("s", Role::Stepper, "1.0.0").classes(classes);
        let chosen =
            |space: &str, classes: &[ProblemClass]| candidates(&scene(space), &stepper(classes), &solvers);
        assert_eq!(chosen("spatial", &[Mlcp, Cone]), ["e.cone", "d.meant"]);
        assert_eq!(chosen("planar", &[Mlcp, Cone]), ["d.meant", "e.cone"]);
        assert_eq!(chosen("spatial", &[Conic, Root]), ["b.cones", "f.root", "a.linear"]);
        assert_eq!(chosen("planar", &[Conic, Root]), ["a.linear", "f.root"]);
        assert!(chosen("planar", &[Qpcc]).is_empty());
    }

    #[test]
    fn auto_means_the_solvers_of_the_table_that_are_there() {
        use ProblemClass::{Conic, Mlcp};
        let there = ["vinci.solver.newton", "vinci.solver.clarabel", "vinci.solver.active-set", "x.y"];
        let solvers: Vec<Manifest> = there.iter().map(|id| solver(id, &[], &[])).collect();
        let stepper = Manifest::new("s", Role::Stepper, "1.0.0").classes(&[Mlcp, Conic]);
        let chosen = |space: &str| chains(&scene(space), &stepper, &solvers);
        let (linear, mlcp) =
            (vec!["vinci.solver.active-set", "vinci.solver.clarabel"], vec!["vinci.solver.newton"]);
        assert_eq!(chosen("planar"), [mlcp.clone(), linear.clone()]);
        assert_eq!(chosen("spatial"), [vec!["vinci.solver.clarabel"], mlcp, linear]);
    }

    #[test]
    fn parts_on_their_plane_have_circles() {
        let mut part = scene("planar");
        let body = serde_json::json!({ "name": "puck", "supports": { "points": [[0, 0]], "friction": 0.1 } });
        part.bodies.push(serde_json::from_value(body).unwrap());
        let solvers = [
            solver("c", &[ProblemClass::Cone], &["default"]),
            solver("m", &[ProblemClass::Mlcp], &["default"]),
        ];
        let stepper =
            Manifest::new("s", Role::Stepper, "1.0.0").classes(&[ProblemClass::Mlcp, ProblemClass::Cone]);
        assert_eq!(candidates(&part, &stepper, &solvers), ["c", "m"]);
    }
}
