//! Rows that are no contacts: joints, limits, couplers, loops, dry friction; and support points.

use super::contacts::{ASIDE, beside, over_bound};
use super::declaration::{ContactLaw, Declaration};
use super::findings::{Criterion, Findings};
use super::judged_contact::{SLOW, stopped};
use super::scale::Scales;
use crate::regularized::Regularized;
use crate::stage::{StepView, Update};

/// Laws that rows are held to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum RowLaws {
    /// A step.
    Step,
    /// An impact at the start of a step of `h`, s: the rows' constants do not count, and rows without a part in it
    /// ([`crate::stage::Rows::acts_in_impact`]) have no impulse. Of compression and decompression together only
    /// the signs are known.
    Impact { h: f64, two_phases: bool },
}

/// l ≤ p ≤ u ⟂ ν = J v⁺ + g: the natural map with every term divided by its size,
/// |mid(ν/s, w (p − l), w (p − u))|. Where friction is regularised, so is that of rows with bounds ∓b: p = −b u(ν).
pub(super) fn judge_rows(
    declared: &Declaration,
    scales: &Scales,
    step: &StepView<'_>,
    update: &Update<'_>,
    laws: RowLaws,
    found: &mut Findings,
) {
    let (rows, after, wrenches) = (&step.rows, step.row_rates(), step.row_wrenches());
    for k in 0..rows.rate.len() {
        let known = if laws == RowLaws::Step { rows.rate[k] } else { 0.0 };
        let rate = scales.rate(&after, k);
        let weight = scales.rate(&wrenches, k).weight.min(1.0 / f64::MIN_POSITIVE);
        let (nu, p) = (rate.after + known, update.row_impulse[k]);
        let bounds = [rows.lower[k], rows.upper[k]];
        if let RowLaws::Impact { h, two_phases } = laws {
            // A limit that is reached to rounding may have an impulse, and need not.
            let is_reached = rows.acts_in_impact(k, h, declared.closed());
            if !is_reached && (p == 0.0 || !declared.acts_in_impact(step, k, h)) {
                found.take(Criterion::Struck, p.abs() * weight, k);
                continue;
            }
            if two_phases && bounds.iter().any(|b| b.is_finite()) {
                let sign = if bounds[0].is_finite() { 1.0 } else { -1.0 };
                let approach = -sign * nu / rate.scale.max(f64::MIN_POSITIVE);
                found.take(Criterion::Row, approach.max(-sign * p * weight), k);
                continue;
            }
        }
        let value = match regularized(declared, rows.lower[k], rows.upper[k]) {
            Some(friction) => (p + rows.upper[k] * friction.direction([nu, 0.0])[0]).abs() * weight,
            None => {
                let nu = nu / (rate.scale + known.abs()).max(f64::MIN_POSITIVE);
                let [low, high] = distances(p, bounds, weight);
                nu.min(low).max(high).abs()
            }
        };
        found.take(Criterion::Row, value, k);
    }
}

/// Distances to the bounds as parts of what acts, between two bounds of the bound itself; unbounded stays so even for rows
/// that nothing feels.
fn distances(p: f64, bounds: [f64; 2], weight: f64) -> [f64; 2] {
    let both = bounds.iter().all(|b| b.is_finite());
    let bound = bounds[0].abs().max(bounds[1].abs());
    bounds.map(|b| match p - b {
        far if far.is_infinite() => far,
        far if both => far.signum() * over_bound(bound + far.abs(), bound, weight),
        far => far * weight,
    })
}

fn regularized(declared: &Declaration, lower: f64, upper: f64) -> Option<Regularized> {
    match declared.law {
        ContactLaw::Regularized { friction, .. } if upper.is_finite() && lower == -upper => Some(friction),
        _ => None,
    }
}

/// Friction of support points: |p| ≤ h b, against the slip with all of it. `mass`: effective mass of a point, kg.
pub(super) fn judge_supports(
    declared: &Declaration,
    scales: &Scales,
    step: &StepView<'_>,
    update: &Update<'_>,
    mass: impl Fn(usize) -> f64,
    found: &mut Findings,
) {
    let supports = &step.supports;
    for k in 0..supports.len() {
        let rate = [0, 1].map(|d| scales.rate(&supports.jacobian, 2 * k + d));
        let (nu, p) = (rate.map(|r| r.after), &update.support_impulse[2 * k..2 * k + 2]);
        let (bound, at) = (step.h * supports.bound[k], step.contacts.len() + k);
        let weight = rate[0].weight.max(rate[1].weight);
        if let ContactLaw::Regularized { friction, .. } = declared.law {
            let u = friction.direction(nu);
            let off = (p[0] + bound * u[0]).abs().max((p[1] + bound * u[1]).abs());
            found.take(Criterion::ForceLaw, beside(off, bound, weight), at);
            continue;
        }
        let stops = if mass(k) > 0.0 { bound / mass(k) } else { 0.0 };
        let (speed, scale) = (nu[0].hypot(nu[1]), stopped(rate[0].scale.max(rate[1].scale), stops));
        found.take(Criterion::Cone, over_bound(p[0].hypot(p[1]), bound, weight), at);
        if bound > 0.0 && speed > 0.0 {
            let power = p[0] * nu[0] + p[1] * nu[1];
            let clear = bound * (speed + SLOW * scale);
            found.take(Criterion::Friction, (bound * speed + power) / clear - declared.shortfall(nu), at);
            let across = (p[0] * nu[1] - p[1] * nu[0]).abs();
            found.take(Criterion::Friction, ASIDE * (across / clear - declared.aslant(nu)), at);
        }
    }
}
