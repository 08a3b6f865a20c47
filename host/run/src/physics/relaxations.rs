//! Relaxations that a stepper declares against rigid contact, and how large each is in this run.

use vinci_core::model::{Body, MotionModel, MotionSource, Pair, System};
use vinci_core::referee::{Declaration, Sizes};

use super::facts::{Fact, Physics};
use super::meetings::Meeting;
use crate::used::Used;
use vinci_engine::declared::declared;
use vinci_engine::drives::Drives;
use vinci_scene::Loaded;
use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics};

/// Part of the thinnest body above which a gap that counts as closed is told: what a picture of that body could show.
const TOLD_GAP: f64 = 1e-2;
/// Speed below which nothing bounces that is told, m/s.
const TOLD_THRESHOLD: f64 = 0.05;
/// Part of the fastest approach that there can be above which a threshold is told: with e = 0.5 less than four bounces are left.
const TOLD_PART: f64 = 0.1;

/// Part of the speed of a bounce above which nothing is told of what the steps take.
const KEPT: f64 = 0.9;

/// Every declared relaxation that can be seen in a run, as a fact and a warning.
pub(super) fn tell(
    loaded: &Loaded,
    stepper: &Used,
    (system, drives, met): (&System, &Drives, &[Meeting]),
    physics: &mut Physics,
    diagnostics: &mut Diagnostics,
) {
    let declared = declared(&stepper.manifest, &stepper.options);
    let all = [
        softened(&declared, loaded, system),
        hovering(&declared, system),
        pushed_off(&declared, system),
        lightened(&declared, system),
        dead(&declared, loaded, (system, drives, met)),
        damped(&declared, loaded, (system, met)),
    ];
    for (what, how) in all.into_iter().flatten() {
        let message = format!("{} {how}", stepper.manifest.id);
        physics.add(Fact { what: what.into(), how, departs: true }, Some(&message));
        let help =
            "use smaller values of these options, or smaller steps, if this effect must not show in results";
        let place = loaded.place(&stepper.path.join("options"));
        diagnostics.push(Diagnostic::warning(Code::Physics, message).help(help).at(place));
    }
}

/// |g|, m/s².
fn gravity(system: &System) -> f64 {
    system.gravity.iter().map(|g| g * g).sum::<f64>().sqrt()
}

/// Width of the thinnest body, m.
fn thinnest(system: &System) -> f64 {
    Sizes::of(system).width.into_iter().fold(f64::INFINITY, f64::min)
}

/// v_t = ε g h sin α on a slope of angle α, and ψ = −ε g h² at rest.
fn softened(declared: &Declaration, loaded: &Loaded, system: &System) -> Option<(&'static str, String)> {
    let (epsilon, h) = (declared.compliance, loaded.experiment.time.step);
    let g = gravity(system);
    (epsilon > 0.0).then(|| {
        let (creep, depth) = (epsilon * g * h, epsilon * g * h * h);
        let how = format!(
            "gives contacts a compliance of {epsilon}: what sticks on a slope of angle α creeps with {creep:.1e} m/s · sin α under \
             gravity, and what rests sinks in by {depth:.1e} m"
        );
        ("compliance", how)
    })
}

fn hovering(declared: &Declaration, system: &System) -> Option<(&'static str, String)> {
    let gap = declared.closed().max(declared.resting_gap);
    let thinnest = thinnest(system);
    (thinnest.is_finite() && gap > TOLD_GAP * thinnest).then(|| {
        let how = format!(
            "counts contacts as closed up to a gap of {gap} m: bodies may rest that far above each other"
        );
        ("resting gap", how)
    })
}

/// A row of slack s presses with 1/(κ s): a body of mass m rests on one at ψ = 1/(κ m g).
fn pushed_off(declared: &Declaration, system: &System) -> Option<(&'static str, String)> {
    let (kappa, thinnest) = (declared.barrier?, thinnest(system));
    let masses = system.bodies.iter().map(|body| body.mass.mass).filter(|mass| *mass > 0.0);
    let gap = 1.0 / (kappa * masses.fold(f64::INFINITY, f64::min) * gravity(system));
    (thinnest.is_finite() && gap.is_finite() && gap > TOLD_GAP * thinnest).then(|| {
        let how = format!(
            "keeps bodies off each other with a barrier of κ = {kappa}: the lightest rests {gap:.1e} m above what carries it"
        );
        ("barrier", how)
    })
}

fn lightened(declared: &Declaration, system: &System) -> Option<(&'static str, String)> {
    let model = |body: &Body| body.motion.unwrap_or(declared.motion);
    let any = system.bodies.iter().any(|body| model(body) == MotionModel::QuasiDynamic);
    let how = "may take masses of quasi-dynamic bodies smaller than the scene gives them: how fast these move is its word";
    (declared.scaled_mass && any).then(|| ("masses", how.to_owned()))
}

fn dead(
    declared: &Declaration,
    loaded: &Loaded,
    (system, drives, met): (&System, &Drives, &[Meeting]),
) -> Option<(&'static str, String)> {
    let threshold = declared.restitution?.threshold;
    let bounces = |pair: &Pair| pair.restitution > 0.0;
    let first = coasting(loaded, system, drives).filter(|first| threshold > TOLD_PART * first);
    let told = threshold > TOLD_THRESHOLD || first.is_some();
    (told && met.iter().any(|m| bounces(&m.pair))).then(|| {
        let slow = first.map_or_else(String::new, |first| {
            format!(", and at the start nothing here approaches faster than {first:.1e} m/s")
        });
        let how = format!("lets nothing bounce that approaches with less than {threshold} m/s{slow}");
        ("restitution threshold", how)
    })
}

/// The fastest approach that the velocities at the start make possible, m/s: of the two bodies whose points are the fastest. None where
/// nothing moves at the start, or where there is something that speeds bodies up: gravity, springs, drives, controllers.
fn coasting(loaded: &Loaded, system: &System, drives: &Drives) -> Option<f64> {
    let pulled = |body: &Body| body.gravity && !body.is_static;
    let falls = gravity(system) > 0.0 && system.bodies.iter().any(pulled);
    let is_let_be =
        drives.list.is_empty() && drives.joints.is_empty() && loaded.experiment.controllers.is_empty();
    let has_no_springs = system.springs.is_empty() && system.torsion_springs.is_empty();
    if falls || !is_let_be || !has_no_springs || !system.trees.is_empty() {
        return None;
    }
    let reach = Sizes::of(system).reach;
    let speed = |body: usize| {
        let first = system.first_velocity(body as u32)?;
        let v = &system.initial_velocity[first..first + system.space.nv()];
        let (linear, angular) = v.split_at(system.space.dim());
        let size = |part: &[f64]| part.iter().map(|v| v * v).sum::<f64>().sqrt();
        Some(size(linear) + size(angular) * reach[body])
    };
    let mut speeds: Vec<f64> = (0..system.bodies.len()).filter_map(speed).collect();
    speeds.sort_by(|a, b| b.total_cmp(a));
    let fastest: f64 = speeds.iter().take(2).sum();
    (fastest > 0.0).then_some(fastest)
}

/// The pair without dissipation whose bounce loses most to the step: implicit Euler damps springs. In the N = π/atan(h ω) steps of
/// half a period, ω = √(k/m), the speed falls by √(1 + h² ω²) in each.
fn damped(
    declared: &Declaration,
    loaded: &Loaded,
    (system, met): (&System, &[Meeting]),
) -> Option<(&'static str, String)> {
    let h = loaded.experiment.time.step;
    let kept = |meeting: &&Meeting| {
        let pair = &meeting.pair;
        if !declared.law.is_compliant() {
            return 1.0;
        }
        let lost = pair.dissipation + pair.damping;
        let turn = h * (pair.stiffness / reduced_mass(system, meeting)).sqrt();
        let kept = (1.0 + turn * turn).powf(-0.5 * std::f64::consts::PI / turn.atan());
        if lost == 0.0 && turn.is_finite() && turn > 0.0 { kept } else { 1.0 }
    };
    let worst = met.iter().min_by(|a, b| kept(a).total_cmp(&kept(b)))?;
    let left = kept(&worst);
    (left < KEPT).then(|| {
        let how = format!(
            "damps springs by its steps: in steps of {h} s a bounce of {} keeps about {left:.2} of its speed, though their contact \
             dissipates nothing",
            worst.between(system)
        );
        ("bounces", how)
    })
}

/// m_a m_b / (m_a + m_b) of two bodies, kg; ∞ where neither is a body of its own that moves.
fn reduced_mass(system: &System, meeting: &Meeting) -> f64 {
    let inverse = |body: u32| match system.motion_source(body) {
        MotionSource::Block(_) => 1.0 / system.bodies[body as usize].mass.mass,
        _ => 0.0,
    };
    1.0 / meeting.bodies.into_iter().map(inverse).sum::<f64>()
}
