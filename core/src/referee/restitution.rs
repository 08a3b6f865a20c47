//! Restitution that is owed: a closed contact that approaches, has e > 0 and presses leaves with ν_n⁺ ≥ −e ν_n⁻.
//!
//! Nothing is owed by slow approaches (the declared threshold), nor by bounces that forces end within the step, which steppers of
//! velocities may leave out: 2 e |ν_n⁻| ≤ h a_n. By Poisson's law the impulse returns and not the velocity; then the sum
//! Σ p_n (ν_n⁺ + e ν_n⁻), with the least e of the contacts that press, is not below 0 but for what friction couples.

use super::Referee;
use super::contacts::{Rules, Seen};
use super::declaration::{ContactLaw, Declaration};
use super::findings::{Criterion, Findings, Worst};
use super::scale::Scales;
use crate::model::DofRole;
use crate::stage::{StepView, Update};

/// Part of the row's scale below which an approach is rounding.
const ROUNDING: f64 = 1e-6;

/// Times as long as forces leave a bounce it must last to be owed.
const LASTING: f64 = 2.0;

/// The part of −ν_n⁻ that contact i has to return: e, or 0 where nothing is owed.
fn owed(declared: &Declaration, step: &StepView<'_>, i: usize, seen: &Seen) -> f64 {
    let Some(rule) = declared.restitution else { return 0.0 };
    let (e, n) = (step.contacts.restitution[i], &seen.rate[0]);
    let slow = rule.threshold.max(ROUNDING * n.scale);
    if e == 0.0 || !seen.is_pressed() || -n.before <= slow * (1.0 + ROUNDING) {
        return 0.0;
    }
    let lasts = -2.0 * e * n.before > LASTING * pull(step, i);
    if lasts { e } else { 0.0 }
}

/// What is missing to ν_n⁺ = −e ν_n⁻.
fn take_short(e: f64, seen: &Seen, i: usize, found: &mut Findings) {
    let n = &seen.rate[0];
    if e > 0.0 {
        found.take(Criterion::Dead, (-e * n.before - n.after) / n.scale.max(f64::MIN_POSITIVE), i);
    }
}

/// h |a_n|, an upper bound of what forces take from the normal rate of contact i within the step, m/s.
fn pull(step: &StepView<'_>, i: usize) -> f64 {
    let change = |dof: usize| match DofRole::from_code(step.role[dof]) {
        DofRole::Prescribed => (step.prescribed_speed(dof) - step.v[dof]).abs(),
        _ => step.h * step.force[dof].abs() / diagonal(step, dof).max(f64::MIN_POSITIVE),
    };
    step.contacts.jacobian.entries(step.contacts.row(i)).map(|(dof, x)| x.abs() * change(dof)).sum()
}

/// M_jj of velocity j.
fn diagonal(step: &StepView<'_>, dof: usize) -> f64 {
    let block = step.block_start.partition_point(|&s| s as usize <= dof) - 1;
    let size = |b: usize| (step.block_start[b + 1] - step.block_start[b]) as usize;
    let first: usize = (0..block).map(|b| size(b) * size(b)).sum();
    let local = dof - step.block_start[block] as usize;
    step.mass[first + local * (size(block) + 1)]
}

impl Rules<'_> {
    /// Newton's law within a step. Laws of positions owe it in the step that closes the gap, others of contacts that are closed.
    pub(super) fn judge_restitution(
        &self,
        declared: &Declaration,
        scales: &Scales,
        i: usize,
        seen: &Seen,
        found: &mut Findings,
    ) {
        if self.step.contacts.restitution[i] == 0.0 || !self.is_hit(scales, i) {
            return;
        }
        take_short(owed(declared, self.step, i, seen), seen, i, found);
    }

    /// Whether contact i, and all of its alternatives, close for certain within the step.
    fn is_hit(&self, scales: &Scales, i: usize) -> bool {
        let (contacts, h) = (&self.step.contacts, self.step.h);
        let closes = |k: usize| {
            let row = contacts.row(k);
            let rate = scales.rate(&contacts.jacobian, row);
            match self.law {
                ContactLaw::Velocity { tolerance } => contacts.gap[k] <= tolerance,
                _ => contacts.gap[k] + h * (rate.before + contacts.rate[row]) < -ROUNDING * h * rate.scale,
            }
        };
        contacts.alternatives(i).all(closes)
    }
}

impl Referee {
    /// Restitution of an impact: contact by contact where velocities return, as a whole where impulses do.
    pub(super) fn judge_returns(&self, step: &StepView<'_>, update: &Update<'_>, found: &mut Findings) {
        let contacts = &step.contacts;
        let Some(rule) = self.declared.restitution else { return };
        let pressed = |i: &usize| update.impulse[contacts.row(*i)] > 0.0;
        let of = |i: usize| Seen::of(&self.scales, step, update, i);
        if !rule.poisson {
            for i in (0..contacts.len()).filter(pressed) {
                take_short(owed(&self.declared, step, i, &of(i)), &of(i), i, found);
            }
            return;
        }
        let least = (0..contacts.len()).filter(pressed).map(|i| owed(&self.declared, step, i, &of(i)));
        let e = least.fold(1.0, f64::min);
        let (mut short, mut size, mut worst) = (0.0, 0.0, Worst::default());
        for i in (0..contacts.len()).filter(pressed) {
            let seen = of(i);
            let n = &seen.rate[0];
            let own = -seen.p[0] * (n.after + e * n.before.min(0.0));
            let turned = (1..3).map(|k| (seen.p[k] * (seen.rate[k].after - seen.rate[k].before)).abs());
            short += own - turned.sum::<f64>();
            size += seen.p[0] * (n.after.abs() + n.before.abs());
            worst.take(own, i);
        }
        if size > 0.0 {
            found.take(Criterion::Dead, short / size, worst.at);
        }
    }
}
