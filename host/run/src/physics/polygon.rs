//! Polygons in the place of friction circles: the stepper's own, or those of a bridge.

use vinci_core::model::{Space, System};
use vinci_core::problem::ProblemClass;

use super::facts::Fact;
use super::meetings;
use super::options::option_in_force;
use crate::prepared::Prepared;
use crate::route::accepted;
use vinci_engine::declared::declared;
use vinci_engine::pipeline::{ProblemForm, Route, SECOND_ORDER_CONES};
use vinci_engine::registry::classes;
use vinci_scene::diagnostics::{Code, Diagnostic};

/// The polygon that a stepper writes in the place of the friction circle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Polygon {
    /// n_d.
    pub directions: u64,
}

impl Polygon {
    /// The largest part of the friction that is lost: 1 − cos(π/n_d).
    pub fn bound(&self) -> f64 {
        1.0 - (std::f64::consts::PI / self.directions as f64).cos()
    }

    /// The largest angle between sliding friction and the slip it should oppose: π/n_d, in degrees.
    pub fn angle(&self) -> f64 {
        180.0 / self.directions as f64
    }

    fn summary_text(&self) -> String {
        format!(
            "polygons of {} directions, up to {:.1} % too weak and {:.1}° off the slip",
            self.directions,
            100.0 * self.bound(),
            self.angle()
        )
    }
}

/// The polygon that stands for circles in the stepper's own problems. A stepper writes friction by the directions of its option
/// `friction_directions` where it knows both classes and emits Mlcp, or where it emits programs with cases. One of programs does so
/// too if its option `friction` is `pyramid`, or `auto` and a solver does not take cones by itself. A planar contact has two
/// directions, and they are all there are.
pub fn polygon(prepared: &Prepared, class: ProblemClass) -> Option<Polygon> {
    let (stepper, system) = (&prepared.stepper, &prepared.simulation.system);
    let manifest = &stepper.manifest;
    // Others say by a word of their manifest what they write.
    let ours = manifest.options.pointer("/properties/friction_directions").is_some();
    let has_circles = system.space == Space::Spatial || !system.supports.is_empty();
    if !ours && has_circles {
        let directions = declared(manifest, &stepper.options).directions?;
        return Some(Polygon { directions: directions.into() });
    }
    let writes = match class {
        ProblemClass::Mlcp => manifest.has_class(ProblemClass::Cone),
        ProblemClass::Conic if manifest.options.pointer("/properties/friction").is_some() => {
            let takes_cones = accepted(stepper, &prepared.solvers) & SECOND_ORDER_CONES != 0;
            match option_in_force(stepper, "friction").as_deref().unwrap_or("auto") {
                "auto" => !takes_cones,
                chosen => chosen == "pyramid",
            }
        }
        ProblemClass::Qpcc => true,
        _ => false,
    };
    if !writes || !has_circles {
        return None;
    }
    let directions = option_in_force(stepper, "friction_directions")?.parse().ok()?;
    Some(Polygon { directions })
}

/// Where a scene has friction circles with friction in them: "contacts", "support points", both.
fn circles(prepared: &Prepared) -> Option<&'static str> {
    let simulation = &prepared.simulation;
    let contacts = simulation.system.space == Space::Spatial
        && meetings(&simulation.system, &simulation.drives).iter().any(|m| m.pair.friction > 0.0);
    match (contacts, rubs(&simulation.system)) {
        (true, true) => Some("contacts and support points"),
        (true, false) => Some("contacts"),
        (false, true) => Some("support points"),
        (false, false) => None,
    }
}

fn rubs(system: &System) -> bool {
    system.supports.iter().any(|s| s.friction * s.load > 0.0)
}

/// Warns of every polygon in the place of friction circles: one of the stepper's own, or one for
/// every solver that stands behind a bridge with polygons.
pub(crate) fn warn_of_polygons(prepared: &mut Prepared, class: ProblemClass) {
    let Some(whose) = circles(prepared) else { return };
    let own = polygon(prepared, class);
    let bridged = if own.is_none() { bridged(prepared, class) } else { Vec::new() };
    if own.is_none() && bridged.is_empty() {
        prepared.physics.add(circle(), None);
    }
    if let Some(polygon) = own {
        tell(prepared, whose, polygon, None);
    }
    for solver in bridged {
        let directions = prepared.simulation.solvers.directions() as u64;
        tell(prepared, whose, Polygon { directions }, Some(solver));
    }
}

fn circle() -> Fact {
    Fact { what: "friction directions".into(), how: "all of the circle".into(), departs: false }
}

/// Solvers, by their place in the chain, that are reached best over a bridge with polygons.
fn bridged(prepared: &Prepared, class: ProblemClass) -> Vec<usize> {
    // Without cones in the programs no bridge has circles to replace.
    let form = match class {
        ProblemClass::Cone => ProblemForm::Cone,
        ProblemClass::Conic => ProblemForm::Conic,
        _ => return Vec::new(),
    };
    let polygons = |(_, used): &(usize, &crate::Used)| {
        let best = Route::all(form, classes(&used.manifest)).into_iter().next();
        best.is_some_and(|route| route.bridges.iter().any(|b| b.has_directions()))
    };
    prepared.solvers.iter().enumerate().filter(polygons).map(|(k, _)| k).collect()
}

fn tell(prepared: &mut Prepared, whose: &str, polygon: Polygon, solver: Option<usize>) {
    let summary_text = polygon.summary_text();
    let (who, place) = match solver {
        None => {
            let option = prepared.stepper.path.join("options").join("friction");
            let given = prepared.loaded.experiment_node.find(&option).is_some();
            let path = if given { option } else { prepared.stepper.path.join("plugin") };
            (String::new(), prepared.loaded.place(&path))
        }
        Some(k) => {
            let used = &prepared.solvers[k];
            (format!(" for {}", used.manifest.id), prepared.loaded.place(&used.path.join("plugin")))
        }
    };
    let message = format!("friction at {whose} is bounded by {summary_text}{who}");
    let fact =
        Fact { what: "friction directions".into(), how: format!("{summary_text}{who}"), departs: true };
    prepared.physics.add(fact, Some(&message));
    let finding = Diagnostic::warning(Code::Physics, message).help(help(prepared)).at(place);
    prepared.warnings.push(finding);
}

/// Advice: solvers and options that would have circles, or nearly so.
fn help(prepared: &Prepared) -> &'static str {
    let manifest = &prepared.stepper.manifest;
    if manifest.has_class(ProblemClass::Cone) {
        "choose solver nsgs, which takes circles, and leave `stepper.options.friction` at `auto`, or more `friction_directions`"
    } else if manifest.has_class(ProblemClass::Conic) {
        "choose solver clarabel, which takes circles, and leave `stepper.options.friction` at `auto`, or more \
         `friction_directions`"
    } else {
        "more `friction_directions` come nearer to the circle"
    }
}
