//! The derivatives that a stepper gives with its steps, against central differences of whole steps.

use serde_json::json;
use vinci_abi::ForeignStepper;
use vinci_core::model::DofRole;

use super::discs::{fitting, stepper_with};
use super::world::World;
use crate::random::Random;
use crate::subject::{Stop, Subject, ensure};

/// Random states.
const STATES: usize = 40;

/// Displacement of a difference, m or rad: far above the noise of solutions, far below the gaps.
const BESIDE: f64 = 1e-5;

/// Part of the largest entry by which an entry may be off.
const SAME: f64 = 1e-6;

/// Columns that must be compared, as a part of all.
const ENOUGH: f64 = 0.5;

/// ∂(u, q) → q⁺ as [`vinci_core::stage::Update::gradient`] has it, against q⁺ of steps with other commands and from other places. Columns
/// along which a contact changes its mode are left out: there a step has two one-sided derivatives.
pub(super) fn derivatives(subject: &Subject) -> Result<String, Stop> {
    if !subject.manifest.has_capability("derivatives") {
        return Err(Stop::Skipped("does not claim derivatives".into()));
    }
    // Steppers whose derivatives cost something have them switched on.
    let on = subject.manifest.options["properties"]["gradient"]["type"] == "boolean";
    let options = if on { json!({ "gradient": true }).to_string() } else { String::new() };
    let mut random = Random::new(subject.seed);
    let (mut compared, mut worst) = (0, 0.0_f64);
    for state in 0..STATES {
        let world = random_world(subject, &mut random);
        let (columns, error) = compare(&world, &mut stepper_with(subject, world.n(), &options)?)
            .map_err(|stop| in_state(stop, state))?;
        (compared, worst) = (compared + columns, worst.max(error));
    }
    let all = STATES * 12;
    ensure!(compared as f64 >= ENOUGH * all as f64, "only {compared} of {all} columns are away from kinks");
    Ok(format!("{STATES} random states, {compared} columns within {worst:.1e} of central differences"))
}

fn in_state(stop: Stop, state: usize) -> Stop {
    match stop {
        Stop::Failed(reason) => Stop::Failed(format!("random state {state}: {reason}")),
        skipped @ Stop::Skipped(_) => skipped,
    }
}

/// A disc that is driven along x and pulled along y by a spring, and a free one; both touch the ground or nearly do.
fn random_world(subject: &Subject, random: &mut Random) -> World {
    let places = [0.0, 3.0].map(|x| (x, 0.5 + random.between(-0.001, 0.01)));
    let mut world = fitting(subject, World::new(&places, random.between(0.1, 1.0)));
    world.v.iter_mut().for_each(|v| *v = random.between(-2.0, 2.0));
    (world.role[0], world.command[0]) = (DofRole::Prescribed as u8, random.between(-1.0, 1.0));
    (world.role[1], world.command[1]) = (DofRole::Impedance as u8, random.between(-1.0, 1.0));
    world.impedance[1] = random.between(10.0, 1e4);
    world
}

/// Number of columns compared and the largest error, as a part of the largest entry.
fn compare(world: &World, stepper: &mut ForeignStepper) -> Result<(usize, f64), Stop> {
    let nv = world.v.len();
    let (_, given) = end(world.clone(), stepper)?;
    ensure!(given.len() == 2 * nv * nv, "it claims derivatives and gives none");
    let (here, _) = end(world.clone(), stepper)?;
    let largest = given.iter().fold(1.0_f64, |m, x| m.max(x.abs()));
    let (mut compared, mut worst) = (0, 0.0_f64);
    for column in 0..2 * nv {
        let Some(expected) = central(world, stepper, (&here, column))? else { continue };
        compared += 1;
        for (row, expected) in expected.iter().enumerate() {
            let found = given[row * 2 * nv + column];
            let error = (found - expected).abs() / largest;
            ensure!(
                error <= SAME,
                "the derivative of place {row} by {} is {found}, central differences give {expected:.9}: off by {error:.1e} of the largest entry",
                named(column, nv)
            );
            worst = worst.max(error);
        }
    }
    Ok((compared, worst))
}

fn named(column: usize, nv: usize) -> String {
    if column < nv { format!("command {column}") } else { format!("place {}", column - nv) }
}

/// A column of central differences; none where both one-sided ones are not the same.
fn central(
    world: &World,
    stepper: &mut ForeignStepper,
    (here, column): (&[f64], usize),
) -> Result<Option<Vec<f64>>, Stop> {
    let mut at = |by: f64| Ok::<_, Stop>(end(beside(world, column, by), stepper)?.0);
    let (above, below) = (at(BESIDE)?, at(-BESIDE)?);
    let slopes =
        |a: &[f64], b: &[f64]| -> Vec<f64> { a.iter().zip(b).map(|(a, b)| (a - b) / BESIDE).collect() };
    let (up, down) = (slopes(&above, here), slopes(here, &below));
    let size = up.iter().chain(&down).fold(1.0_f64, |m, x| m.max(x.abs()));
    let bent = up.iter().zip(&down).any(|(a, b)| (a - b).abs() > SAME * size);
    Ok((!bent).then(|| up.iter().zip(&down).map(|(a, b)| 0.5 * (a + b)).collect()))
}

/// Another commanded displacement over the step, where the dof has one, or another place.
fn beside(world: &World, column: usize, by: f64) -> World {
    let nv = world.v.len();
    if column >= nv {
        // What is commanded is a place: it stays where it is.
        let mut moved = world.with_place(column - nv, by);
        if moved.role[column - nv] != DofRole::Free as u8 {
            moved.command[column - nv] -= by / moved.h;
        }
        return moved;
    }
    let mut moved = world.clone();
    if moved.role[column] != DofRole::Free as u8 {
        moved.command[column] += by / moved.h;
    }
    moved
}

/// q⁺ and the derivatives that come with it.
fn end(mut world: World, stepper: &mut ForeignStepper) -> Result<(Vec<f64>, Vec<f64>), Stop> {
    let accepted = world.step(stepper)?;
    Ok((world.q, accepted.gradient))
}
