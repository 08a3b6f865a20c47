//! Restitution that is owed: a closed contact that approaches, has e > 0 and presses leaves with ν_n⁺ ≥ −e ν_n⁻.
//!
//! Nothing is owed by slow approaches (the declared threshold), nor by bounces that forces end within the step, which steppers of
//! velocities may leave out: 2 e |ν_n⁻| ≤ h a_n. Nor is it where nothing that the contact moves keeps its velocity: before an impact such bodies have
//! none to return. By Poisson's law the impulse returns and not the velocity. With one e and
//! without friction compression (ν^c = ν⁻ + D p^c, 0 ≤ p^c ⟂ ν^c ≥ 0) and decompression (p = (1 + e) p^c + p^x, 0 ≤ p^x ⟂ ν⁺ ≥ 0)
//! give Σ p_n (ν_n⁺ + e ν_n⁻) = (1 + e) p·ν^c − p^x·ν⁻ ≥ 0 where all contacts that press had approached. So the bodies that one impact
//! joins are held to that sum with their least e, where none of their contacts has friction, less what joints couple that the impact closes;
//! where all have one e they get no energy, Σ p_n (ν_n⁺ + ν_n⁻) = −(1 − e²) p^c·D p^c − p^x·D p^x ≤ 0; and a contact that is struck alone to at most what
//! friction and joints couple, p_n (ν_n⁺ + e ν_n⁻) ≤ |p_t·Δν_t| + Σ |p_j Δν_j|.

use super::Referee;
use super::contacts::Rules;
use super::declaration::{ContactLaw, Declaration};
use super::findings::{Criterion, Findings};
use super::judged_contact::{JudgedContact, SLOW};
use super::scale::Scales;
use crate::rigid::{gap_pull, has_momentum};
use crate::stage::{StepView, Update};

/// Part of the row's scale below which an approach is rounding.
const ROUNDING: f64 = 1e-6;

/// Times as long as forces leave a bounce it must last to be owed.
const LASTING: f64 = 2.0;

/// The part of −ν_n⁻ that contact i has to return: e, or 0 where nothing is owed. `inertia`: the diagonal of M.
fn owed(
    (declared, inertia): (&Declaration, &[f64]),
    step: &StepView<'_>,
    i: usize,
    contact: &JudgedContact,
) -> f64 {
    let Some(rule) = declared.restitution else { return 0.0 };
    let (e, n) = (step.contacts.pair.restitution[i], &contact.rate[0]);
    let slow = rule.threshold.max(ROUNDING * n.scale);
    if e == 0.0 || !contact.is_pressed() || -n.before <= slow * (1.0 + ROUNDING) {
        return 0.0;
    }
    let lasts = -2.0 * e * n.before > LASTING * gap_pull(step, i, step.v, inertia);
    if lasts && has_momentum(step, i, declared.motion) { e } else { 0.0 }
}

/// Takes down the shortfall of ν_n⁺ = −e ν_n⁻.
fn take_short(e: f64, contact: &JudgedContact, i: usize, found: &mut Findings) {
    let n = &contact.rate[0];
    if e > 0.0 {
        found.take(Criterion::Dead, (-e * n.before - n.after) / n.scale.max(f64::MIN_POSITIVE), i);
    }
}

impl Rules<'_> {
    /// Newton's law within a step. Laws of positions owe it in the step that closes the gap, others of contacts that are closed.
    pub(super) fn judge_restitution(
        &self,
        owing: (&Declaration, &[f64]),
        scales: &Scales,
        i: usize,
        contact: &JudgedContact,
        found: &mut Findings,
    ) {
        if self.step.contacts.pair.restitution[i] == 0.0 || !self.is_hit(scales, i) {
            return;
        }
        take_short(owed(owing, self.step, i, contact), contact, i, found);
    }

    /// Friction of both phases of Poisson's law: that of compression may end up along the slip, that of decompression is against
    /// it and as strong as its p_n^d ≥ e p_n^c. So p_t·ν_t⁺ ≤ μ (p_n^c − p_n^d) |ν_t⁺| ≤ μ p_n |ν_t⁺| (1 − e)/(1 + e).
    fn judge_reversal(&self, i: usize, e: f64, mut contact: JudgedContact, found: &mut Findings) {
        let bound = self.step.contacts.pair.friction[i] * contact.p[0];
        contact.may_stop(self.step.contacts.pair.friction[i]);
        if bound > 0.0 && contact.speed > 0.0 {
            let along = contact.power / (bound * (contact.speed + SLOW * contact.scale_t));
            // The slip of compression, which friction was written for, is another: what a polygon may fall short by at most.
            let bias = self.directions.map_or(0.0, |n| 1.0 - (std::f64::consts::PI / f64::from(n)).cos());
            found.take(Criterion::Friction, along - (1.0 - e) / (1.0 + e) - bias, i);
        }
    }

    /// Returns true if contact i, and all of its alternatives, close for certain within the step.
    fn is_hit(&self, scales: &Scales, i: usize) -> bool {
        let (contacts, h) = (&self.step.contacts, self.step.h);
        let closes = |k: usize| {
            let row = contacts.row(k);
            let rate = scales.rate(&contacts.jacobian, row);
            match self.law {
                ContactLaw::Velocity { tolerance } => contacts.gap[k] <= tolerance,
                _ => self.psi(k, &rate) + h * rate.before < -ROUNDING * h * rate.scale,
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
        let dust = Self::dust_of(step, update);
        let pressed = |i: &usize| update.impulse[contacts.row(*i)] > dust;
        let of = |i: usize| JudgedContact::of(&self.scales, step, update, i);
        if !rule.poisson {
            for i in (0..contacts.len()).filter(pressed) {
                let contact = of(i);
                take_short(owed((&self.declared, &self.inertia), step, i, &contact), &contact, i, found);
            }
            return;
        }
        self.judge_impulses(step, update, found);
    }

    /// Poisson's law, by the bodies that an impact joins.
    fn judge_impulses(&self, step: &StepView<'_>, update: &Update<'_>, found: &mut Findings) {
        let contacts = &step.contacts;
        let (groups, dust) = (self.struck(step, update), Self::dust_of(step, update));
        let pressed = (0..contacts.len()).filter(|&i| update.impulse[contacts.row(i)] > dust);
        let (mut sums, rules) = (vec![Sums::NONE; step.n_blocks()], Rules::of(&self.declared, step, false));
        for i in pressed {
            let columns = contacts.jacobian.row(contacts.row(i)).0;
            let Some(leader) = self.leader(step, &groups, columns) else { continue };
            let contact = JudgedContact::of(&self.scales, step, update, i);
            let owed = owed((&self.declared, &self.inertia), step, i, &contact);
            rules.judge_reversal(i, owed, contact, found);
            let pair = (owed, contacts.pair.restitution[i], contacts.pair.friction[i]);
            sums[leader].add(i, pair, &contact);
        }
        for (k, p, rate) in self.scales.pressed_rows(step, update) {
            if let Some(leader) = self.leader(step, &groups, step.row_wrenches().row(k).0) {
                sums[leader].turned += (p * (rate.after - rate.before)).abs();
            }
        }
        for sum in sums.iter().filter(|sum| sum.size > 0.0) {
            // What others press back into a contact is no bounce of its own.
            if sum.count == 1 {
                found.take(Criterion::Bounce, sum.beyond() / sum.size, sum.at);
            }
            if sum.is_smooth && sum.approached {
                found.take(Criterion::Dead, sum.short() / sum.size, sum.at);
                // Where all contacts have one e such an impact adds no energy, however its impulses are shared.
                if sum.lowest == sum.largest {
                    found.take(Criterion::Bounce, (sum.left - sum.came - sum.turned) / sum.size, sum.at);
                }
            }
        }
    }
}

/// Sums over the contacts of an impact, by the bodies that it joins: what it returns to them.
#[derive(Debug, Clone)]
struct Sums {
    /// Σ p_n ν_n⁺ and Σ p_n max(−ν_n⁻, 0), J.
    left: f64,
    came: f64,
    /// Σ |p_t·Δν_t| of friction and Σ |p Δν| of joints that the impact closes, J: what these couple.
    turned: f64,
    /// Σ p_n (|ν_n⁺| + |ν_n⁻|), J; rates of bodies at rest are rounding, and count with the scale of their row.
    size: f64,
    least: f64,
    /// The lowest and the largest e.
    lowest: f64,
    largest: f64,
    approached: bool,
    is_smooth: bool,
    count: usize,
    at: usize,
}

impl Sums {
    /// Sums of no contacts.
    const NONE: Self = Self {
        left: 0.0,
        came: 0.0,
        turned: 0.0,
        size: 0.0,
        least: 1.0,
        lowest: 1.0,
        largest: 0.0,
        approached: true,
        is_smooth: true,
        count: 0,
        at: 0,
    };

    fn add(&mut self, i: usize, (owed, e, mu): (f64, f64, f64), contact: &JudgedContact) {
        let (n, p) = (&contact.rate[0], contact.p[0]);
        self.left += p * n.after;
        self.came += p * (-n.before).max(0.0);
        self.turned += (1..3)
            .map(|k| (contact.p[k] * (contact.rate[k].after - contact.rate[k].before)).abs())
            .sum::<f64>();
        self.size += p * (n.after.abs() + n.before.abs()).max(n.scale);
        self.least = self.least.min(owed);
        self.lowest = self.lowest.min(e);
        self.largest = self.largest.max(e);
        self.approached &= n.before <= 0.0;
        self.is_smooth &= mu == 0.0;
        self.count += 1;
        self.at = i;
    }

    fn beyond(&self) -> f64 {
        self.left - self.largest * self.came - self.turned
    }

    fn short(&self) -> f64 {
        self.least * self.came - self.left - self.turned
    }
}
