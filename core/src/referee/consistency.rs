//! Consistency: masses, motion models and positions have to be those that scene, declaration and velocities make them.

use super::declaration::{ContactLaw, Coupling, Declaration};
use super::findings::{Criterion, Findings};
use super::scale::Scales;
use crate::model::{DofRole, MotionModel};
use crate::stage::{BlockKind, StepView, Update};
use crate::state::integrate;

/// Rounding of coordinates, as a part of their size: some units of the last digit.
const ROUNDING: f64 = 4e-15;

/// Motion models and factors of masses, block by block. `step` has the scene's motion models.
pub(super) fn judge_models(
    declared: &Declaration,
    step: &StepView<'_>,
    update: &Update<'_>,
    found: &mut Findings,
) {
    for b in 0..step.n_blocks() {
        let used = update.motion[b];
        if !allowed(declared, step, b, used) {
            found.take(Criterion::Motion, 1.0, b);
        }
        let factor = update.mass_scale.get(b).copied().unwrap_or(1.0);
        let may =
            declared.scaled_mass && used == MotionModel::QuasiDynamic as u8 && factor > 0.0 && factor <= 1.0;
        if factor != 1.0 && !may {
            found.take(Criterion::MassScale, nan_is_infinite((factor - 1.0).abs()), b);
        }
    }
}

/// The scene's word counts most, then the declaration's. A robot that moves by commands and impedances alone has no mass under
/// models without momentum; second order is a treatment of dynamic blocks.
fn allowed(declared: &Declaration, step: &StepView<'_>, b: usize, used: u8) -> bool {
    let named = MotionModel::from_code(step.motion[b]);
    let wanted = named.unwrap_or(declared.motion) as u8;
    let second_order = declared.motion == MotionModel::Trapezoidal && wanted == MotionModel::Dynamic as u8;
    let dofs = step.block_start[b] as usize..step.block_start[b + 1] as usize;
    let driven = || step.role[dofs].iter().all(|&r| DofRole::from_code(r) != DofRole::Free);
    let massless = matches!(declared.motion, MotionModel::QuasiStatic | MotionModel::QuasiDynamic);
    used == wanted
        || (second_order && used == MotionModel::Trapezoidal as u8)
        || (named.is_none() && massless && used == MotionModel::QuasiStatic as u8 && driven())
}

/// Where a step began, and whether its forces and contacts are those of another place.
#[derive(Debug, Clone, Copy)]
pub struct Began<'a> {
    /// Positions at the start of the step, nq.
    pub q: &'a [f64],
    /// Positions that the view was evaluated at, if the stepper asked for another place.
    pub evaluated: Option<&'a [f64]>,
    /// Velocities and time after the start, s, that forces were evaluated at, if the stepper asked for others.
    pub moving: Option<(&'a [f64], f64)>,
}

impl Began<'_> {
    /// Returns true if contacts were taken elsewhere than where the step began.
    pub(super) fn is_elsewhere(&self) -> bool {
        self.evaluated.is_some_and(|place| place != self.q)
    }
}

/// Forces are those of the start or of the end of the step: with its velocities, at its time. A law that takes contacts where the
/// step ends has looked there.
pub(super) fn judge_evaluation(
    declared: &Declaration,
    began: &Began<'_>,
    scales: &Scales,
    step: &StepView<'_>,
    update: &Update<'_>,
    found: &mut Findings,
) {
    let at_end = matches!(declared.law, ContactLaw::Regularized { coupling: Coupling::End, .. });
    if at_end && began.evaluated.is_none() && update.impulse.iter().any(|p| *p != 0.0) {
        found.take(Criterion::Evaluated, 1.0, 0);
    }
    let Some((v, after)) = began.moving else { return };
    let off = |i: usize, of: &[f64]| (v[i] - of[i]).abs() / scales.speed[i].max(f64::MIN_POSITIVE);
    let late = nan_is_infinite((after / step.h).abs().min((after / step.h - 1.0).abs()));
    for b in 0..step.n_blocks() {
        let dofs = step.block_start[b] as usize..step.block_start[b + 1] as usize;
        let most = |of: &[f64]| dofs.clone().fold(0.0_f64, |m, i| m.max(nan_is_infinite(off(i, of))));
        let worst = most(update.v).min(most(&scales.before)).max(late);
        found.take(Criterion::Evaluated, worst, step.q_start[b] as usize);
    }
}

/// q⁺ against q ⊕ h N (θ v⁺ + (1 − θ) v), every coordinate against h V of its own velocity, those of a quaternion against the largest. A stepper that gives none
/// leaves θ = 1 to the host, and is not let off what it declares.
pub(super) fn judge_positions(
    declared: &Declaration,
    began: &Began<'_>,
    scales: &Scales,
    step: &StepView<'_>,
    update: &Update<'_>,
    scratch: &mut [Vec<f64>; 3],
    found: &mut Findings,
) {
    let hosts_own = update.q.is_empty() && declared.theta == 1.0;
    if hosts_own && began.evaluated.is_none() {
        return;
    }
    let [mean, expected, by_host] = scratch;
    position_at(declared.theta, began, scales, step, update, mean, expected);
    if !update.q.is_empty() {
        compare(step, scales, expected, update.q, Criterion::Positions, found);
    } else if !hosts_own {
        position_at(1.0, began, scales, step, update, mean, by_host);
        compare(step, scales, expected, by_host, Criterion::Positions, found);
    }
    if let Some(place) = began.evaluated.filter(|_| began.is_elsewhere()) {
        compare(step, scales, expected, place, Criterion::Evaluated, found);
    }
}

/// q ⊕ h N (θ v⁺ + (1 − θ) v) to `q`, the velocity to `mean`. Prescribed coordinates move with their drives.
fn position_at(
    theta: f64,
    began: &Began<'_>,
    scales: &Scales,
    step: &StepView<'_>,
    update: &Update<'_>,
    mean: &mut Vec<f64>,
    q: &mut Vec<f64>,
) {
    let own = !step.drive_speed.is_empty();
    mean.clear();
    mean.extend((0..step.nv()).map(|i| match DofRole::from_code(step.role[i]) {
        DofRole::Prescribed if own => step.command[i],
        DofRole::Prescribed => update.v[i],
        _ => theta * update.v[i] + (1.0 - theta) * scales.before[i],
    }));
    q.clear();
    q.resize(began.q.len(), 0.0);
    integrate(&step.layout(), began.q, mean, step.h, q);
}

fn compare(
    step: &StepView<'_>,
    scales: &Scales,
    expected: &[f64],
    q: &[f64],
    criterion: Criterion,
    found: &mut Findings,
) {
    for b in 0..step.n_blocks() {
        let (first, dofs) =
            (step.q_start[b] as usize, step.block_start[b] as usize..step.block_start[b + 1] as usize);
        let lengths = step.lengths(b);
        let fastest =
            |range: std::ops::Range<usize>| scales.speed[range].iter().fold(0.0_f64, |m, v| m.max(*v));
        let angles = fastest(dofs.start + lengths..dofs.end);
        // Of quaternions all velocities of the angles move every coordinate; others have their own.
        let own = step.q_start[b + 1] as usize - first == dofs.len();
        for i in first..step.q_start[b + 1] as usize {
            let off = |wanted: f64| (q[i] - wanted).abs() - ROUNDING * wanted.abs();
            if off(expected[i]) <= 0.0 {
                continue;
            }
            let off = off(sign(step, expected, q, i) * expected[i]);
            let speed =
                if own || i - first < lengths { scales.speed[dofs.start + i - first] } else { angles };
            let distance = step.h * speed;
            found.take(criterion, nan_is_infinite(off / distance.max(f64::MIN_POSITIVE)), i);
        }
    }
}

/// −1 where coordinate i belongs to a quaternion that is written with the other sign, which is the same orientation.
fn sign(step: &StepView<'_>, expected: &[f64], q: &[f64], i: usize) -> f64 {
    let block = step.q_start.partition_point(|&first| first as usize <= i) - 1;
    let spatial = step.block_kind[block] == BlockKind::Spatial as u8;
    let own = spatial.then_some(step.q_start[block] as usize + 3);
    let mut starts = step.quaternion.chunks_exact(2).map(|pair| pair[0] as usize).chain(own);
    let Some(first) = starts.find(|first| (*first..first + 4).contains(&i)) else { return 1.0 };
    let along: f64 = (first..first + 4).map(|k| q[k] * expected[k]).sum();
    if along < 0.0 { -1.0 } else { 1.0 }
}

/// Slip rates of the stepper's own belong to contacts with layers: rigid surfaces slip as the bodies do.
pub(super) fn judge_slip_rates(
    declared: &Declaration,
    step: &StepView<'_>,
    update: &Update<'_>,
    found: &mut Findings,
) {
    let (contacts, layers) = (&step.contacts, matches!(declared.law, ContactLaw::Layers { .. }));
    for (k, _) in update.slip_rate.iter().enumerate().filter(|(_, slip)| **slip != 0.0) {
        let at = k / contacts.n_t;
        if !(layers && contacts.pair.stiffness[at].is_finite()) {
            found.take(Criterion::SlipRate, 1.0, at);
        }
    }
}

fn nan_is_infinite(x: f64) -> f64 {
    if x.is_nan() { f64::INFINITY } else { x }
}
