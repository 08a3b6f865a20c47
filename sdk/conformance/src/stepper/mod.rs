//! Tests of steppers: closed forms on one or two discs over the ground, momentum balance, state, degenerate input.
//!
//! Their problems are solved by a reference of our own, so that no solver shares the blame.

mod derivatives;
mod discs;
mod numbers;
mod reference;
pub(crate) mod world;

use vinci_abi::ForeignStepper;
use vinci_core::error::ErrorKind;
use vinci_core::problem::{Problem, ProblemClass, Solution, Status};
use vinci_core::stage::{StepView, Stepper};

use crate::random::Random;
use crate::repeated::repeated;
use crate::subject::{Stop, Subject, ensure};
use crate::threads::threads;
use discs::{fitting, stepper};
use world::{Accepted, GRAVITY, World};

type Run = fn(&Subject) -> Result<String, Stop>;

pub(crate) const TESTS: &[(&str, Run)] = &[
    ("declared-class", declared_class),
    ("empty-system", empty_system),
    ("free-flight", free_flight),
    ("resting", resting),
    ("momentum-balance", momentum_balance),
    ("prescribed-motion", prescribed_motion),
    ("derivatives", derivatives::derivatives),
    ("deterministic", deterministic),
    ("state-restored", state_restored),
    ("interleaved", interleaved),
    ("threads", on_threads),
    ("sizes", sizes),
    ("repeated-calls", repeated_calls),
    ("bad-steps", bad_steps),
    ("bad-solutions", bad_solutions),
];

fn near(what: &str, found: f64, expected: f64) -> Result<(), Stop> {
    ensure!(
        (found - expected).abs() <= 1e-9 * (1.0 + expected.abs()),
        "{what} is {found}, expected {expected}"
    );
    Ok(())
}

fn declared_class(subject: &Subject) -> Result<String, Stop> {
    let mut stepper = stepper(subject, 1)?;
    let world = fitting(subject, World::new(&[(0.0, 0.5)], 0.5));
    let class: ProblemClass =
        world.with_view(0, 0, |view| stepper.formulate(view).map(|p| p.class())).map_err(Stop::from)?;
    ensure!(subject.manifest.has_class(class), "emits {}, which the manifest does not name", class.name());
    Ok(class.name().into())
}

fn empty_system(subject: &Subject) -> Result<String, Stop> {
    let mut stepper = stepper(subject, 0)?;
    fitting(subject, World::new(&[], 0.5)).step(&mut stepper)?;
    Ok(String::new())
}

/// v⁺ = v + h g whatever the velocity; the height falls between the explicit and the implicit parabola.
fn free_flight(subject: &Subject) -> Result<String, Stop> {
    let mut stepper = stepper(subject, 1)?;
    let mut world = fitting(subject, World::new(&[(0.0, 5.0)], 0.5));
    world.v = vec![1.0, 2.0, -3.0];
    for k in 1..=10 {
        let accepted = world.step(&mut stepper)?;
        near("h", accepted.h, 0.01)?;
        near("the horizontal velocity", world.v[0], 1.0)?;
        near("the vertical velocity", world.v[1], 2.0 - GRAVITY * 0.01 * f64::from(k))?;
        near("the spin", world.v[2], -3.0)?;
    }
    near("the way", world.q[0], 0.1)?;
    let parabola = 5.0 + 2.0 * 0.1 - 0.5 * GRAVITY * 0.01;
    ensure!(
        (world.q[1] - parabola).abs() < 0.011 * GRAVITY * 0.1,
        "the height is {}, near {parabola}",
        world.q[1]
    );
    Ok("10 steps".into())
}

/// A disc at rest on the ground stays there, carried by m g h.
fn resting(subject: &Subject) -> Result<String, Stop> {
    if subject.manifest.has_capability("compliant") {
        return Err(Stop::Skipped("compliant contact: it sinks in first".into()));
    }
    for friction in [0.0, 0.5, 10.0] {
        let mut stepper = stepper(subject, 1)?;
        let mut world = World::new(&[(0.3, 0.5)], friction);
        for _ in 0..5 {
            let accepted = world.step(&mut stepper)?;
            let fastest = world.v.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
            near("its speed", fastest, 0.0)?;
            near("the normal impulse", accepted.impulse[0], GRAVITY * accepted.h)?;
            near("the friction impulse", accepted.impulse[1], 0.0)?;
        }
    }
    Ok("5 steps at 3 friction coefficients".into())
}

/// M (v⁺ − v) = h f + Jᵀ p + effort, per velocity.
fn balance(world: &World, before: &[f64], accepted: &Accepted) -> Result<(), Stop> {
    let mut rest: Vec<f64> = (0..before.len())
        .map(|i| {
            let mass = world.mass[9 * (i / 3) + 4 * (i % 3)];
            mass * (accepted.v[i] - before[i]) - accepted.h * world.force[i] - accepted.effort[i]
        })
        .collect();
    let jacobian = world.contacts.jacobian.view();
    for (row, p) in accepted.impulse.iter().enumerate() {
        jacobian.add_row_scaled(row, -p, &mut rest);
    }
    let worst = rest.iter().fold(0.0_f64, |m, r| m.max(r.abs()));
    ensure!(worst <= 1e-9, "momentum is off by {worst:e} N s in M (v⁺ − v) = h f + Jᵀ p + effort");
    Ok(())
}

fn momentum_balance(subject: &Subject) -> Result<String, Stop> {
    let mut random = Random::new(subject.seed);
    let mut pressed = 0;
    for _ in 0..30 {
        let places: Vec<_> =
            (0..2).map(|i| (3.0 * f64::from(i), 0.5 + random.between(-0.001, 0.02))).collect();
        let mut world = fitting(subject, World::new(&places, random.between(0.0, 1.0)));
        world.v.iter_mut().for_each(|v| *v = random.between(-2.0, 2.0));
        let (start, mut stepper) = (world.clone(), stepper(subject, 2)?);
        let accepted = world.step(&mut stepper)?;
        balance(&start, &start.v, &accepted)?;
        for impulse in accepted.impulse.chunks_exact(2) {
            ensure!(impulse[0] >= -1e-9, "a contact pulls with {} N s", impulse[0]);
            let excess = impulse[1].abs() - start.friction * impulse[0];
            ensure!(excess <= 1e-9, "friction exceeds its bound by {excess:e} N s");
            pressed += usize::from(impulse[0] > 1e-9);
        }
    }
    ensure!(pressed > 0, "no contact ever presses");
    Ok(format!("30 random states, {pressed} contacts pressed"))
}

/// A disc driven along x over the ground: it moves as commanded, and the effort is what that takes.
fn prescribed_motion(subject: &Subject) -> Result<String, Stop> {
    let mut stepper = stepper(subject, 1)?;
    let mut world = fitting(subject, World::new(&[(0.0, 0.5)], 0.5));
    world.role = vec![1, 0, 1];
    world.command = vec![0.7, 0.0, 0.0];
    let start = world.clone();
    let accepted = world.step(&mut stepper)?;
    near("the driven velocity", accepted.v[0], 0.7)?;
    near("the locked spin", accepted.v[2], 0.0)?;
    balance(&start, &start.v, &accepted)?;
    Ok(format!("effort {:.4} N s", accepted.effort[0]))
}

/// Everything a run is, as bits.
fn run(world: &mut World, stepper: &mut ForeignStepper, steps: usize) -> Result<Vec<u64>, Stop> {
    let mut bits = Vec::new();
    for _ in 0..steps {
        let accepted = world.step(stepper)?;
        bits.extend(world.q.iter().chain(&world.v).chain(&accepted.impulse).map(|x| x.to_bits()));
    }
    Ok(bits)
}

fn falling(subject: &Subject) -> World {
    let mut world = fitting(subject, World::new(&[(0.0, 0.55), (2.0, 0.5)], 0.3));
    world.v = vec![1.0, -0.5, 0.0, -2.0, 0.0, 4.0];
    world
}

fn deterministic(subject: &Subject) -> Result<String, Stop> {
    if !subject.manifest.deterministic {
        return Err(Stop::Skipped("the manifest says that it is not".into()));
    }
    let first = run(&mut falling(subject), &mut stepper(subject, 2)?, 20)?;
    for _ in 0..4 {
        let again = run(&mut falling(subject), &mut stepper(subject, 2)?, 20)?;
        ensure!(first == again, "another run gives other bits");
    }
    Ok("5 runs of 20 steps".into())
}

/// A run goes on from saved state as if nothing had been.
fn state_restored(subject: &Subject) -> Result<String, Stop> {
    let (mut world, mut stepper_a) = (falling(subject), stepper(subject, 2)?);
    run(&mut world, &mut stepper_a, 10)?;
    let mut state = Vec::new();
    stepper_a.try_save_state(&mut state)?;
    let mut snapshot = world.clone();
    let straight = run(&mut world, &mut stepper_a, 10)?;
    let mut stepper_b = stepper(subject, 2)?;
    stepper_b.load_state(&state)?;
    let resumed = run(&mut snapshot, &mut stepper_b, 10)?;
    ensure!(straight == resumed, "a run resumed from saved state differs from the one that went on");
    match subject.manifest.has_capability("state-numbers") {
        true => Ok(format!("{} bytes with {} numbers", state.len(), numbers::numbers(subject, &state)?)),
        false => Ok(format!("{} bytes", state.len())),
    }
}

fn interleaved(subject: &Subject) -> Result<String, Stop> {
    let alone = run(&mut falling(subject), &mut stepper(subject, 2)?, 10)?;
    let (mut a, mut b) = (stepper(subject, 2)?, stepper(subject, 2)?);
    let (mut world, mut other, mut bits) =
        (falling(subject), fitting(subject, World::new(&[(0.0, 0.5), (2.0, 0.6)], 0.9)), Vec::new());
    for _ in 0..10 {
        bits.extend(run(&mut world, &mut a, 1)?);
        run(&mut other, &mut b, 1)?;
    }
    ensure!(bits == alone, "two instances disturb each other");
    Ok(String::new())
}

fn on_threads(subject: &Subject) -> Result<String, Stop> {
    threads(subject, |subject| run(&mut falling(subject), &mut stepper(subject, 2)?, 20))
}

/// Problems of discs on the ground. A stepper may refuse a large one.
fn sizes(subject: &Subject) -> Result<String, Stop> {
    let mut seen = Vec::new();
    for n in [0, 1, 10_000] {
        let places: Vec<_> = (0..n).map(|k| (3.0 * k as f64, 0.5)).collect();
        let (world, mut stepper) = (fitting(subject, World::new(&places, 0.5)), stepper(subject, n)?);
        let unknowns = world.with_view(0, 0, |view| stepper.formulate(view).map(|problem| problem.len()));
        seen.push(match unknowns {
            Ok(unknowns) => format!("{n} discs: {unknowns} unknowns"),
            Err(error) if error.kind.is_fault() => return Err(error.into()),
            Err(error) => format!("{n} discs: refused ({})", error.message),
        });
    }
    Ok(seen.join(", "))
}

/// Repeated calls: one problem is written again and again, and no step is taken.
fn repeated_calls(subject: &Subject) -> Result<String, Stop> {
    let (world, mut stepper) = (falling(subject), stepper(subject, 2)?);
    repeated(|| {
        world.with_view(0, 0, |view| {
            Ok(match stepper.formulate(view)? {
                Problem::Mlcp(p) => p.q.iter().map(|q| q.to_bits()).collect(),
                other => vec![other.len() as u64],
            })
        })
    })
}

/// Steps that contradict themselves or hold numbers that are none: an error, never a panic.
fn bad_steps(subject: &Subject) -> Result<String, Stop> {
    let world = fitting(subject, World::new(&[(0.0, 0.5)], 0.5));
    let mut refused = 0;
    let mut survive = |what: &str, change: fn(&mut StepView<'_>)| -> Result<(), Stop> {
        let mut stepper = stepper(subject, 1)?;
        world.with_view(0, 0, |view| {
            let mut bad = *view;
            change(&mut bad);
            match stepper.formulate(&bad) {
                Ok(_) => Ok(()),
                Err(error) if error.kind.is_fault() => Err(Stop::Failed(format!("{what}: {error}"))),
                Err(_) => {
                    refused += 1;
                    Ok(())
                }
            }
        })
    };
    survive("velocities too short", |s| s.v = &s.v[1..])?;
    survive("masses too short", |s| s.mass = &s.mass[1..])?;
    survive("no gaps", |s| s.contacts.gap = &[])?;
    survive("velocity NaN", |s| s.v = &[f64::NAN, 0.0, 0.0])?;
    survive("force infinite", |s| s.force = &[f64::INFINITY, 0.0, 0.0])?;
    survive("no mass", |s| s.mass = &[0.0; 9])?;
    survive("negative mass", |s| s.mass = &[-1.0; 9])?;
    survive("h = 0", |s| s.h = 0.0)?;
    survive("h = NaN", |s| s.h = f64::NAN)?;
    survive("unknown motion model", |s| s.motion = &[77])?;
    survive("unknown role", |s| s.role = &[77; 3])?;
    Ok(format!("{refused} of 11 refused, the others survived"))
}

/// Solutions of wrong length or without success: an error or a verdict, never a panic.
fn bad_solutions(subject: &Subject) -> Result<String, Stop> {
    let world = fitting(subject, World::new(&[(0.0, 0.5)], 0.5));
    for (what, status, cut) in [
        ("too short", Status::Converged, 1),
        ("empty", Status::Converged, usize::MAX),
        ("failed", Status::NumericalFailure, 0),
    ] {
        let mut stepper = stepper(subject, 1)?;
        world.with_view(0, 0, |view| {
            let n = match stepper.formulate(view)? {
                Problem::Mlcp(p) => p.n(),
                other => other.len(),
            };
            let z = vec![0.0; n.saturating_sub(cut)];
            match stepper.update(view, &Solution { status, z: &z, ..Solution::default() }) {
                Err(error) if error.kind.is_fault() => {
                    Err(Stop::Failed(format!("a solution {what}: {error}")))
                }
                Err(error) if error.kind == ErrorKind::Panicked => Err(error.into()),
                _ => Ok(()),
            }
        })?;
    }
    Ok(String::new())
}
