//! Relaxations that a stepper declares against rigid contact, and how large each is in this run.

use vinci_core::model::{Body, MotionModel, Pair, System};
use vinci_core::referee::{Declaration, Sizes};

use super::facts::{Fact, Physics};
use super::meetings::Meeting;
use crate::used::Used;
use vinci_engine::declared::declared;
use vinci_scene::Loaded;
use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics};

/// Part of the thinnest body above which a gap that counts as closed is told: what a picture of that body could show.
const TOLD_GAP: f64 = 1e-2;
/// Speed below which nothing bounces that is told, m/s.
const TOLD_THRESHOLD: f64 = 0.05;

/// Every declared relaxation that can be seen in a run, as a fact and a warning.
pub(super) fn tell(
    loaded: &Loaded,
    stepper: &Used,
    (system, met): (&System, &[Meeting]),
    physics: &mut Physics,
    diagnostics: &mut Diagnostics,
) {
    let declared = declared(&stepper.manifest, &stepper.options);
    let all = [
        softened(&declared, loaded, system),
        hovering(&declared, system),
        pushed_off(&declared, system),
        lightened(&declared, system),
        dead(&declared, met),
    ];
    for (what, how) in all.into_iter().flatten() {
        let message = format!("{} {how}", stepper.manifest.id);
        physics.add(Fact { what: what.into(), how, departs: true }, Some(&message));
        let help = "use smaller values of these options if this effect must not show in results";
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

fn dead(declared: &Declaration, met: &[Meeting]) -> Option<(&'static str, String)> {
    let threshold = declared.restitution?.threshold;
    let bounces = |pair: &Pair| pair.restitution > 0.0;
    (threshold > TOLD_THRESHOLD && met.iter().any(|m| bounces(&m.pair))).then(|| {
        let how = format!("lets nothing bounce that approaches with less than {threshold} m/s");
        ("restitution threshold", how)
    })
}
