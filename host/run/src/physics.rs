//! The physics of a run: every parameter that the scene uses, and how the stepper's manifest says it is taken.
//!
//! What is ignored, read in another sense or not spoken of is told before the run, with its values and where it is used.
//! A parameter at its neutral value is not used, and nothing is said of it.

mod facts;
mod meetings;
mod motion;
mod of_stepper;
mod options;
mod polygon;
mod relaxations;
mod uses;

use vinci_abi::Reading;
use vinci_core::model::System;

pub use facts::{Fact, Physics};
pub use meetings::{Meeting, meetings};
pub use motion::{default_motion, default_motion_of, known_motions, models_in_force};
pub use of_stepper::of_stepper;
pub use options::option_in_force;
pub(super) use polygon::warn_of_polygons;
pub use polygon::{Polygon, polygon};
use uses::Use;

use crate::used::Used;
use vinci_engine::drives::Drives;
use vinci_scene::Loaded;
use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics};

/// How a stepper takes the parameters that a scene uses. What it ignores, reads otherwise or does not speak of goes to
/// `diagnostics` as warnings.
pub(super) fn of_scene(
    loaded: &Loaded,
    stepper: &Used,
    (system, drives): (&System, &Drives),
    diagnostics: &mut Diagnostics,
) -> Physics {
    let mut physics = Physics::default();
    let met = meetings(system, drives);
    for one in uses::of_scene(loaded, system, &met) {
        let reading = reading_of(stepper, one.parameter);
        let (how, told) = reading_text(stepper, &one, reading);
        let fact = Fact { what: one.parameter.into(), how, departs: told.is_some() };
        physics.add(fact, told.as_deref());
        if let Some(message) = told {
            diagnostics.push(warning(loaded, stepper, &one, message));
        }
    }
    relaxations::tell(loaded, stepper, (system, drives, &met), &mut physics, diagnostics);
    motion::tell(loaded, stepper, (system, &met), &mut physics, diagnostics);
    physics
}

/// Reading of a parameter of contacts by a stepper under its options, by its manifest.
fn reading_of(stepper: &Used, parameter: &str) -> Reading {
    stepper.manifest.parameters.reading(parameter, |name| option_in_force(stepper, name))
}

/// Returns true if a stepper ignores a parameter of contacts under its options, by its manifest.
pub fn is_ignored(stepper: &Used, parameter: &str) -> bool {
    reading_of(stepper, parameter) == Reading::Ignored
}

fn warning(loaded: &Loaded, stepper: &Used, one: &Use, message: String) -> Diagnostic {
    let place = match &one.path {
        Some(path) => loaded.scene_place(path),
        None => loaded.place(&stepper.path.join("plugin")),
    };
    let help = format!(
        "the run has other physics than the scene; `vinci plugin info {}` says what the stepper reads",
        stepper.manifest.id
    );
    Diagnostic::warning(Code::Physics, message).help(help).at(place)
}

/// How a parameter is taken, and the sentence about it where that is not what the scene means.
fn reading_text(stepper: &Used, one: &Use, reading: Reading) -> (String, Option<String>) {
    let (id, Use { parameter, values, .. }) = (&stepper.manifest.id, one);
    match reading {
        Reading::Read => (read(stepper, one), None),
        // Told as an error, or when such a row comes.
        Reading::Refused => (format!("refused ({values})"), None),
        Reading::Ignored => {
            (format!("ignored ({values})"), Some(format!("{id} ignores `{parameter}` ({values})")))
        }
        Reading::Reinterpreted(sense) => (
            format!("{sense} ({values})"),
            Some(format!("{id} reads `{parameter}` in another sense: {sense} ({values})")),
        ),
        Reading::Unsaid => (
            format!("perhaps ignored, the manifest does not say ({values})"),
            Some(format!("the manifest of {id} does not say what becomes of `{parameter}` ({values})")),
        ),
    }
}

/// Laws of impact that every stepper of rigid contact has.
const COMMON_LAWS: [&str; 2] = ["newton", "simultaneous"];

/// "read", with the law of impact where it is not the common one.
fn read(stepper: &Used, one: &Use) -> String {
    let chosen = |key: &str| option_in_force(stepper, key).filter(|law| !COMMON_LAWS.contains(&law.as_str()));
    let named = |key: &str| Some(format!("{key} {}", chosen(key)?));
    let laws: Vec<String> = match one.parameter {
        vinci_abi::parameters::RESTITUTION => {
            ["impact_law", "impact_policy"].into_iter().filter_map(named).collect()
        }
        _ => Vec::new(),
    };
    if laws.is_empty() { "read".to_owned() } else { format!("read ({})", laws.join(", ")) }
}

/// Errors for parameters that the scene uses and the stepper refuses by its manifest; limits of joints, which a run may never
/// reach, as warnings. `needs-stiffness`: rigid pairs that may meet.
pub(super) fn refusals(
    loaded: &Loaded,
    stepper: &Used,
    (system, drives): (&System, &Drives),
    diagnostics: &mut Diagnostics,
) {
    let met = meetings(system, drives);
    let id = &stepper.manifest.id;
    for one in uses::of_scene(loaded, system, &met) {
        if reading_of(stepper, one.parameter) != Reading::Refused {
            continue;
        }
        let Use { parameter, values, .. } = &one;
        let place = one
            .path
            .as_ref()
            .map_or_else(|| loaded.place(&stepper.path.join("plugin")), |path| loaded.scene_place(path));
        diagnostics.push(if *parameter == vinci_abi::parameters::JOINT_LIMITS {
            let message = format!("{id} ends the run where a joint comes near its limits ({values})");
            let help = "leave the limits out, or choose another stepper";
            Diagnostic::warning(Code::Contradiction, message).help(help).at(place)
        } else {
            let message = format!("{id} refuses `{parameter}` ({values})");
            let help = "set it to 0, or choose another stepper";
            Diagnostic::error(Code::Contradiction, message).help(help).at(place)
        });
    }
    if stepper.manifest.has_capability("needs-stiffness") {
        diagnostics.extend(rigid_pair(loaded, stepper, system, &met));
    }
}

/// The first rigid pair that may meet, under a stepper whose contacts are compliant.
fn rigid_pair(loaded: &Loaded, stepper: &Used, system: &System, met: &[Meeting]) -> Option<Diagnostic> {
    let rigid = |m: &&Meeting| !(m.pair.stiffness > 0.0 && m.pair.stiffness.is_finite());
    let first = met.iter().find(rigid)?;
    let more = match met.iter().filter(rigid).count() - 1 {
        0 => String::new(),
        1 => ", and one more pair of materials".to_owned(),
        n => format!(", and {n} more pairs of materials"),
    };
    let message = format!(
        "{} may meet and are rigid to each other{more}; {} needs a stiffness: it ends the run when they meet",
        first.between(system),
        stepper.manifest.id
    );
    let help = "give one of their materials, or the pair, a finite `stiffness` (N/m); or name the two in `ignore_contacts`; or \
                choose a stepper of rigid contact, as stewart-trinkle";
    let place = loaded.place(&stepper.path.join("plugin"));
    Some(Diagnostic::error(Code::Contradiction, message).help(help).at(place))
}
