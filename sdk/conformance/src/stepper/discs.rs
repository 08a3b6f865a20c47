//! Steppers for discs over the ground, and worlds that fit them.

use vinci_abi::ForeignStepper;
use vinci_core::model::{Space, SystemView};

use super::world::World;
use crate::subject::{Stop, Subject};

/// A stepper for `n` planar discs over the ground.
pub(super) fn stepper(subject: &Subject, n: usize) -> Result<ForeignStepper, Stop> {
    stepper_with(subject, n, "")
}

/// One with options.
pub(super) fn stepper_with(subject: &Subject, n: usize, options: &str) -> Result<ForeignStepper, Stop> {
    if !subject.manifest.works_in(Space::Planar) {
        return Err(Stop::Skipped("does not work in planar scenes".into()));
    }
    let names: Vec<String> =
        (0..=n).map(|k| if k == 0 { "ground".into() } else { format!("disc{k}") }).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let is_static: Vec<u8> = (0..=n).map(|k| u8::from(k == 0)).collect();
    let system = SystemView {
        space: Space::Planar,
        body_names: &names,
        is_static: &is_static,
        shapes: &[],
        ignored_pairs: &[],
        nv: 3 * n as u32,
        nq: 3 * n as u32,
        ..SystemView::NOTHING
    };
    Ok(subject.stepper_with(options, &system)?)
}

/// Stiffness of contacts for steppers that know no rigid ones, N/m: light discs on it sink in by a tenth of a millimetre.
const STIFFNESS: f64 = 1e5;

/// The world with the stepper's own motion model where that is not the dynamic one, and with contacts that it knows.
pub(super) fn fitting(subject: &Subject, mut world: World) -> World {
    if subject.manifest.has_capability("needs-stiffness") {
        world.set_stiffness(STIFFNESS);
    }
    if !subject.manifest.has_capability("dynamic") && subject.manifest.has_capability("quasi-static") {
        world.motion = 0;
    }
    world
}
