//! Tests of controllers: answers that fit and are finite, memory that is bytes, one call independent of others, degenerate input.
//!
//! What a law is for, nobody but its author knows: the suite asks that it answers, and always the same. It uses the options that the
//! schema gives as an example (`examples`), where it gives one: gains that are 0 by default would hide what a law does.

mod place;

use vinci_core::error::ErrorKind;
use vinci_core::stage::{ControlView, Controller};

use crate::random::Random;
use crate::repeated::repeated;
use crate::subject::{Stop, Subject, ensure};
use crate::threads::threads;
use place::Place;

type Run = fn(&Subject) -> Result<String, Stop>;

pub(crate) const TESTS: &[(&str, Run)] = &[
    ("answers", answers),
    ("empty-system", empty_system),
    ("extreme-states", extreme_states),
    ("deterministic", deterministic),
    ("state-restored", state_restored),
    ("interleaved", interleaved),
    ("threads", on_threads),
    ("sizes", sizes),
    ("repeated-calls", repeated_calls),
    ("bad-views", bad_views),
];

/// Answers at random states. Their number and finiteness are looked at where they come back; a refusal is no answer.
fn answers(subject: &Subject) -> Result<String, Stop> {
    let mut random = Random::new(subject.seed);
    let mut place = Place::new(subject, 2);
    let (mut controller, mut seen) = (place.controller(subject)?, 0);
    for _ in 0..50 {
        place.shuffle(&mut random);
        seen += place.ask(&mut controller)?.len();
    }
    Ok(format!("{seen} numbers at 50 states"))
}

/// A controller that governs nothing of a system without bodies.
fn empty_system(subject: &Subject) -> Result<String, Stop> {
    let mut place = Place::new(subject, 0);
    let mut controller = place.controller(subject)?;
    place.ask(&mut controller)?;
    Ok(String::new())
}

/// States far beyond what a law is made for: a refusal is honest, a number that is none is not.
fn extreme_states(subject: &Subject) -> Result<String, Stop> {
    let mut refused = 0;
    for size in [0.0, 1e-300, 1e6, 1e100, 1e300] {
        let mut place = Place::new(subject, 1);
        place.world.v.fill(size);
        place.world.q[0] = -size;
        let mut controller = place.controller(subject)?;
        match place.ask(&mut controller) {
            Ok(_) => {}
            // An effort that overflows is what was asked for; that it is found is enough.
            Err(error) if size > 1e50 && error.kind == ErrorKind::Fault => refused += 1,
            Err(error) if error.kind.is_fault() => return Err(error.into()),
            Err(_) => refused += 1,
        }
    }
    Ok(format!("{refused} of 5 refused"))
}

/// The bits of n calls, and the memory after each.
fn run(subject: &Subject, place: &mut Place, seed: u64, n: usize) -> Result<Vec<u64>, Stop> {
    let (mut random, mut controller, mut bits) = (Random::new(seed), place.controller(subject)?, Vec::new());
    for _ in 0..n {
        place.shuffle(&mut random);
        bits.extend(place.ask(&mut controller)?);
        let mut bytes = Vec::new();
        controller.try_save_state(&mut bytes)?;
        bits.extend(bytes.into_iter().map(u64::from));
    }
    Ok(bits)
}

fn deterministic(subject: &Subject) -> Result<String, Stop> {
    if !subject.manifest.deterministic {
        return Err(Stop::Skipped("the manifest says that it is not".into()));
    }
    let first = run(subject, &mut Place::new(subject, 2), subject.seed, 20)?;
    for _ in 0..4 {
        let again = run(subject, &mut Place::new(subject, 2), subject.seed, 20)?;
        ensure!(first == again, "the same calls again give other bits");
    }
    Ok("5 times 20 calls".into())
}

/// Calls go on from saved state as if nothing had been, at every place, in a fresh instance and in one that has gone on.
fn state_restored(subject: &Subject) -> Result<String, Stop> {
    let mut random = Random::new(subject.seed);
    let mut place = Place::new(subject, 2);
    let (mut first, mut used) = (place.controller(subject)?, place.controller(subject)?);
    let mut longest = 0;
    for _ in 0..20 {
        place.shuffle(&mut random);
        let mut state = Vec::new();
        first.try_save_state(&mut state)?;
        longest = longest.max(state.len());
        let straight = place.ask(&mut first)?;
        let mut fresh = place.controller(subject)?;
        for other in [&mut fresh, &mut used] {
            other.load_state(&state)?;
            ensure!(place.ask(other)? == straight, "a call after restoring saved state gives other bits");
        }
    }
    Ok(format!("{longest} bytes"))
}

fn interleaved(subject: &Subject) -> Result<String, Stop> {
    let mut place = Place::new(subject, 2);
    let (mut a, mut b, mut bits) = (place.controller(subject)?, place.controller(subject)?, Vec::new());
    let (mut random, mut other, mut noise) =
        (Random::new(subject.seed), Place::new(subject, 2), Random::new(subject.seed + 1));
    let mut alone = Vec::new();
    let mut quiet = place.controller(subject)?;
    for _ in 0..20 {
        place.shuffle(&mut random);
        other.shuffle(&mut noise);
        alone.extend(place.ask(&mut quiet)?);
        bits.extend(place.ask(&mut a)?);
        other.ask(&mut b)?;
    }
    ensure!(bits == alone, "two instances disturb each other");
    Ok(String::new())
}

fn on_threads(subject: &Subject) -> Result<String, Stop> {
    threads(subject, |subject| run(subject, &mut Place::new(subject, 2), subject.seed, 20))
}

/// Discs on the ground, three degrees of freedom each. A controller may refuse many.
fn sizes(subject: &Subject) -> Result<String, Stop> {
    let mut seen = Vec::new();
    for n in [0, 1, 10_000] {
        let mut place = Place::new(subject, n);
        let answer = place.controller(subject).and_then(|mut c| Ok(place.ask(&mut c)?.len()));
        seen.push(match answer {
            Ok(numbers) => format!("{n} discs: {numbers} numbers"),
            Err(Stop::Failed(reason)) if n > 1 => format!("{n} discs: refused ({reason})"),
            Err(stop) => return Err(stop),
        });
    }
    Ok(seen.join(", "))
}

/// One call from one state, again and again.
fn repeated_calls(subject: &Subject) -> Result<String, Stop> {
    let mut place = Place::new(subject, 2);
    place.shuffle(&mut Random::new(subject.seed));
    let mut controller = place.controller(subject)?;
    let mut state = Vec::new();
    controller.try_save_state(&mut state)?;
    repeated(|| {
        controller.load_state(&state)?;
        Ok(place.ask(&mut controller)?)
    })
}

/// Views that contradict themselves or hold numbers that are none: an error, never a panic.
fn bad_views(subject: &Subject) -> Result<String, Stop> {
    let (mut refused, mut asked) = (0, 0);
    let mut survive = |what: &str, change: fn(&mut ControlView<'_>)| -> Result<(), Stop> {
        let mut place = Place::new(subject, 1);
        let mut controller = place.controller(subject)?;
        asked += 1;
        place.with_view(|view| {
            let mut bad = *view;
            change(&mut bad);
            match controller.control(&bad) {
                Ok(_) => Ok(()),
                Err(error) if error.kind.is_fault() => Err(Stop::Failed(format!("{what}: {error}"))),
                Err(_) => {
                    refused += 1;
                    Ok(())
                }
            }
        })
    };
    survive("positions too short", |s| s.q = &s.q[1..])?;
    survive("velocities too short", |s| s.v = &s.v[1..])?;
    survive("no poses", |s| s.pose = &[])?;
    survive("no velocities of bodies", |s| s.twist = &[])?;
    survive("no references", |s| s.reference = &[])?;
    survive("masses too short", |s| s.mass = &s.mass[1..])?;
    survive("no gaps", |s| s.contacts.gap = &[])?;
    survive("velocity NaN", |s| s.v = &[f64::NAN, 0.0, 0.0])?;
    survive("force infinite", |s| s.force = &[f64::INFINITY, 0.0, 0.0])?;
    survive("t = NaN", |s| s.t = f64::NAN)?;
    survive("period = 0", |s| s.period = 0.0)?;
    survive("h_last < 0", |s| s.h_last = -1.0)?;
    ensure!(refused == asked, "{} of {asked} were answered", asked - refused);
    Ok(format!("{refused} refused"))
}
