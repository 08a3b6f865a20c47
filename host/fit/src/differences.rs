//! Derivatives by differences of whole runs, with both one-sided values.
//!
//! For steps h_k = s·10⁻ᵏ, k = 2 … 7, the central difference is D_k = (f(θ + h_k) − f(θ − h_k))/2h_k. Truncation falls with h², noise of
//! solvers and rounding grows with 1/h: the step is that with the least |D_k − D_{k+1}|, which is also the error that is told. The
//! one-sided values R_k and L_k differ by |f″| h_k where f is smooth: from one step to the next that gap falls with h. Where it does not, f
//! has a kink or a jump there. Steps between which contacts do different things on both sides count only where there are no others.
//!
//! A run whose impacts fall on grid times is a staircase in what moves them: small steps see a tread and no riser. That is told where the
//! largest step gives another derivative than the one that was taken.

use std::rc::Rc;

use crate::curvature::is_curved;
use crate::run_record::RunRecord;

/// Exponents of the steps that are tried.
pub(crate) const LEVELS: std::ops::RangeInclusive<i32> = 2..=7;

/// Part of a derivative below which one-sided values are the same whatever the step.
const SAME: f64 = 1e-4;

/// Part by which derivatives of the largest step and of the one taken may differ.
const STAIRS: f64 = 0.02;

/// Rounding of a measure, as a part of it.
const ROUNDING: f64 = 1e-14;

/// Rounding of a derivative that was computed step by step, as a part of the measure by the size of the parameter: its own differences
/// are over 1e-4 of the parameter, and every step adds its rounding.
pub(crate) const ROUNDING_BY_STEPS: f64 = 1e-9;

/// Part of a derivative by which one that was computed step by step may be off.
pub(crate) const BY_STEPS: f64 = 1e-6;

/// Part of the larger of two one-sided values by which they may differ where both are the derivative but for curvature.
const AGREE: f64 = 0.1;

/// How often larger than proportional to the step a gap may be.
const PROPORTIONAL: f64 = 4.0;

/// A derivative of a measure by a parameter.
#[derive(Debug, Clone, PartialEq)]
pub struct Derivative {
    /// Its value.
    pub value: f64,
    /// How far off it may be: the change to the next smaller step; where it was computed step by step, the rounding of its steps and 1e-6
    /// of it.
    pub error: f64,
    /// Values from below and above; none where there are no runs, or where it was not computed by differences.
    pub sides: [Option<f64>; 2],
    /// Difference that was taken, in the unit of the parameter; 0 where none was.
    pub step: f64,
    /// Reason why both sides are two values.
    pub kink: Option<Kink>,
    /// The largest step and its derivative, where that is another one.
    pub wide: Option<[f64; 2]>,
    /// True if it was computed by the implicit function theorem, step by step.
    pub implicit: bool,
}

/// A place where a measure has no derivative, or where both sides do not agree on it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Kink {
    /// First time at which contacts on both sides do different things, s, where they do.
    pub parts: Option<f64>,
}

impl Derivative {
    /// One that was computed step by step, with its rounding; `tied`: where two modes held at once that do not give the same.
    pub(crate) fn implicit(value: f64, rounding: f64, tied: Option<f64>) -> Self {
        let kink = tied.map(|t| Kink { parts: Some(t) });
        let error = BY_STEPS * value.abs() + rounding;
        Self { value, error, sides: [None; 2], step: 0.0, kink, wide: None, implicit: true }
    }
}

/// The largest step and its derivative, where that is not the one that was computed step by step, and curvature does not explain it. Levels
/// fall by 10, the largest first, and as many of them are asked for as it takes to tell.
pub(crate) fn wide<E>(
    mut level: impl FnMut(i32) -> Result<Rc<Level>, E>,
    (here, size): (f64, f64),
    value: f64,
    of: impl Fn(&RunRecord) -> f64,
) -> Result<Option<[f64; 2]>, E> {
    let mut off: Vec<[f64; 2]> = Vec::new();
    let mut widest = None;
    for k in LEVELS {
        let level = level(k)?;
        let Some(slopes) = level.slopes(here, &of) else { break };
        // The first level is 10^-2 of the size of the parameter.
        let noise = (ROUNDING / level.step).max(ROUNDING_BY_STEPS * 10f64.powi(-k) / level.step) * size;
        let largest = slopes.central.abs().max(value.abs());
        let error = (slopes.central - value).abs();
        if widest.is_none() && (error <= STAIRS * largest || largest <= 10.0 * noise) {
            return Ok(None);
        }
        widest.get_or_insert([level.step, slopes.central]);
        off.push([error, noise]);
        if is_curved(&off) {
            return Ok(None);
        }
        if error <= 10.0 * noise {
            break;
        }
    }
    Ok(widest)
}

/// Runs on both sides of a value.
pub(crate) struct Level {
    pub(crate) step: f64,
    pub(crate) below: Option<RunRecord>,
    pub(crate) above: Option<RunRecord>,
}

/// Differences of one level: from below, from above, central.
#[derive(Clone, Copy)]
struct Slopes {
    sides: [Option<f64>; 2],
    central: f64,
}

impl Slopes {
    /// |R − L|.
    fn gap(&self) -> Option<f64> {
        self.sides[0].zip(self.sides[1]).map(|(l, r)| (r - l).abs())
    }

    /// The larger of |R| and |L|.
    fn size(&self) -> f64 {
        self.sides.iter().flatten().fold(0.0, |m, x| m.max(x.abs()))
    }
}

impl Level {
    /// First time at which contacts on both sides do different things, s.
    fn parts(&self) -> Option<f64> {
        self.below.as_ref()?.parts_from(self.above.as_ref()?)
    }

    fn slopes(&self, here: f64, of: &impl Fn(&RunRecord) -> f64) -> Option<Slopes> {
        let below = self.below.as_ref().map(|record| (here - of(record)) / self.step);
        let above = self.above.as_ref().map(|record| (of(record) - here) / self.step);
        let central = match (below, above) {
            (Some(l), Some(r)) => 0.5 * (l + r),
            (Some(one), None) | (None, Some(one)) => one,
            (None, None) => return None,
        };
        Some(Slopes { sides: [below, above], central }).filter(|s| s.central.is_finite())
    }
}

/// The derivative from runs at falling steps; `here` is the measure at the value itself, `size` that by which its rounding is measured,
/// `until` the time that it looks at, s. None without two levels.
pub(crate) fn derivative(
    levels: &[Level],
    (here, size, until): (f64, f64, f64),
    of: impl Fn(&RunRecord) -> f64,
) -> Option<Derivative> {
    let slopes: Vec<(&Level, Slopes)> =
        levels.iter().filter_map(|level| Some((level, level.slopes(here, &of)?))).collect();
    let change = |k: usize| (slopes[k].1.central - slopes[k + 1].1.central).abs();
    let parts = |k: usize| slopes[k].0.parts().filter(|t| *t <= until);
    // A step that jumps over what the measure does there tells nothing, where both sides of a smaller one agree on more than rounding.
    let agrees = |k: usize| {
        let (level, at) = slopes[k];
        at.size() > 10.0 * ROUNDING * size / level.step
            && at.gap().is_some_and(|gap| gap <= AGREE * at.size())
    };
    let finest = (0..slopes.len()).rev().find(|k| agrees(*k));
    let jumps = |k: &usize| slopes[*k].1.gap().is_some_and(|gap| gap > slopes[*k].1.size());
    let all =
        || (0..slopes.len().saturating_sub(1)).filter(|k| !(jumps(k) && finest.is_some_and(|f| *k < f)));
    // Of equal ones the smaller step, which has a larger one to be compared with.
    let least = |list: Vec<usize>| list.into_iter().rev().min_by(|a, b| change(*a).total_cmp(&change(*b)));
    let best = least(all().filter(|k| parts(*k).is_none()).collect()).or_else(|| least(all().collect()))?;
    let (level, at) = slopes[best];
    let rounding = ROUNDING * size / level.step;
    let noise = change(best).max(rounding);
    let bent = is_bent(&slopes.iter().map(|s| s.1).collect::<Vec<_>>(), best, (noise, rounding));
    let apart = parts(best).filter(|_| at.gap().is_some_and(|gap| gap > noise && gap > SAME * at.size()));
    let widest = slopes[0];
    let size = widest.1.central.abs().max(at.central.abs());
    let off: Vec<[f64; 2]> = slopes[..best]
        .iter()
        .map(|(level, s)| [(s.central - at.central).abs(), ROUNDING * size / level.step])
        .collect();
    let stairs = (widest.1.central - at.central).abs() > STAIRS * size && size > 10.0 * noise;
    let stairs = stairs && !is_curved(&off);
    Some(Derivative {
        value: at.central,
        error: change(best),
        sides: at.sides,
        step: level.step,
        kink: (bent || apart.is_some()).then(|| Kink { parts: parts(best) }),
        wide: stairs.then_some([widest.0.step, widest.1.central]),
        implicit: false,
    })
}

/// Returns true if the gap between both sides at a step does not fall with the step as truncation does: neither from the next larger one
/// nor to the next smaller one. Steps fall by 10. At a jump the change to the next step is as large as the gap: beside the first step only
/// rounding counts as noise.
fn is_bent(slopes: &[Slopes], at: usize, (noise, rounding): (f64, f64)) -> bool {
    let (Some(here), size) = (slopes[at].gap(), slopes[at].size()) else { return false };
    let gap = |k: usize| slopes.get(k).and_then(Slopes::gap);
    let falls = |from: f64, to: f64| to <= PROPORTIONAL * 0.1 * from;
    here > SAME * size
        && match at.checked_sub(1) {
            None => here > 0.5 * size && here > 10.0 * rounding,
            Some(k) => here > 10.0 * noise && !gap(k).is_none_or(|coarse| falls(coarse, here)),
        }
        && !gap(at + 1).is_some_and(|fine| falls(here, fine))
}

#[cfg(test)]
mod tests {
    use super::*;
    use vinci_compare::measures::Table;

    fn record(x: f64, mode: u64) -> RunRecord {
        let table = Table { times: vec![0.0], columns: [("x".to_owned(), vec![x])].into() };
        RunRecord {
            table,
            modes: vec![(0.1, mode)],
            read: 0,
            landing: None,
            holds: false,
            failure: None,
            refusal: None,
        }
    }

    fn of(f: impl Fn(f64) -> f64, mode: impl Fn(f64) -> u64, at: f64) -> Derivative {
        let run = |x: f64| Some(record(f(x), mode(x)));
        let level = |k: i32| {
            let h = 10f64.powi(-k);
            Level { step: h, below: run(at - h), above: run(at + h) }
        };
        let levels: Vec<Level> = LEVELS.map(level).collect();
        derivative(&levels, (f(at), f(at).abs(), 1.0), |c| c.table.columns["x"][0]).unwrap()
    }

    #[test]
    fn smooth_functions_have_their_derivative_and_no_kink() {
        for at in [0.3, 1.0, -2.0] {
            let d = of(f64::sin, |_| 0, at);
            assert!((d.value - at.cos()).abs() < 1e-8, "{d:?}");
            assert!(d.error < 1e-7 && d.kink.is_none(), "{d:?}");
            let steep = of(|x| (3.0 * x).exp(), |_| 0, at);
            assert!((steep.value / (3.0 * (3.0 * at).exp()) - 1.0).abs() < 1e-7 && steep.kink.is_none());
        }
        // A minimum: both sides have opposite signs, and the gap is that of truncation.
        let flat = of(|x| x * x, |_| 0, 0.0);
        assert!(flat.value.abs() < 1e-9 && flat.kink.is_none(), "{flat:?}");
    }

    /// Two small discs that meet for a few values only: with larger differences they missed each other on both sides, and 0 was told.
    #[test]
    fn a_narrow_slope_is_found_between_two_plateaus() {
        let narrow = |x: f64| if (x - 1.0).abs() < 2e-4 { 3.0 - 5e3 * (x - 1.0) } else { 0.0 };
        let d = of(narrow, |x| u64::from((x - 1.0).abs() < 2e-4), 1.0);
        assert!((d.value + 5e3).abs() < 1e-2 && d.kink.is_none() && d.wide.is_some(), "{d:?}");
    }

    #[test]
    fn corners_jumps_and_changes_of_mode_are_told() {
        let corner = of(f64::abs, |_| 0, 0.0);
        assert_eq!(corner.sides, [Some(-1.0), Some(1.0)]);
        assert_eq!(corner.kink, Some(Kink { parts: None }));
        let jump = of(|x| if x > 0.0 { 1.0 } else { 0.0 }, |_| 0, 0.0);
        assert!(jump.kink.is_some(), "{jump:?}");
        let modes = of(|x| if x > 0.0 { 1.1 * x } else { x }, |x| u64::from(x > 0.0), 0.0);
        assert_eq!(modes.kink, Some(Kink { parts: Some(0.1) }));
        // Modes that part without any effect on the measure are no kink.
        assert_eq!(of(|x| x, |x| u64::from(x > 0.0), 0.0).kink, None);
    }

    /// The gap of both sides is 0 at the largest step, since terms of second and fourth order cancel there: from there to the next it grows.
    #[test]
    fn a_gap_that_is_small_by_chance_is_no_kink() {
        let noise = |x: f64| 1e-9 * (x * 1e9).sin();
        let d = of(|x| x + x * x - 1e4 * x.powi(4) + x.powi(3) + noise(x), |_| 0, 0.0);
        assert!((d.value - 1.0).abs() < 1e-4 && d.kink.is_none(), "{d:?}");
        assert_eq!(d.step, 1e-3);
    }

    /// An even function at its extremum, and noise: both sides of the finest step agree on 0, and those of the others have two signs.
    #[test]
    fn what_is_even_or_noise_has_the_derivative_0() {
        let even = of(|x| 0.3 - 0.1 * x * x + 1e-16 * (1e9 * x).sin(), |_| 0, 0.0);
        assert!(even.value.abs() < 1e-9 && even.kink.is_none(), "{even:?}");
        let noise = of(|x| 1e-17 * (x * 1e9).sin(), |_| 0, 1.0);
        assert!(noise.value.abs() < 1e-9 && noise.kink.is_none(), "{noise:?}");
    }

    /// A measure that does not depend on the parameter but for its last bits.
    #[test]
    fn rounding_is_no_kink() {
        let bits = |x: f64| 0.4 * (1.0 + if x > 1.0 { f64::EPSILON } else { -3.0 * f64::EPSILON });
        let d = of(bits, |_| 0, 1.0);
        assert!(d.value.abs() < 1e-12 && d.kink.is_none() && d.wide.is_none(), "{d:?}");
        let level = |k: i32| {
            let step = 10f64.powi(-k);
            Ok::<_, ()>(Rc::new(Level { step, below: Some(record(0.4, 0)), above: Some(record(0.4, 0)) }))
        };
        let told = |by_steps: f64| wide(level, (0.4, 0.4), by_steps, |c| c.table.columns["x"][0]).unwrap();
        assert_eq!(told(1.5e-10), None);
        assert!(told(1e-6).is_some());
    }

    /// √(x² + w²) close to its foot bends within the largest step, and is smooth.
    #[test]
    fn curvature_is_no_staircase() {
        let bowl = |w: f64| move |x: f64| ((x - 1.0).powi(2) + w * w).sqrt();
        let stairs = |x: f64| (x / 3e-3).floor() * 3e-3 + 0.1 * x;
        let at = 1.0007;
        for w in [1e-2, 2e-3] {
            let d = of(bowl(w), |_| 0, at);
            assert!(d.wide.is_none() && d.kink.is_none(), "{w}: {d:?}");
        }
        let told = |f: &dyn Fn(f64) -> f64, value: f64| {
            let level = |k: i32| {
                let (h, run) = (10f64.powi(-k), |x: f64| Some(record(f(x), 0)));
                Ok::<_, ()>(Rc::new(Level { step: h, below: run(at - h), above: run(at + h) }))
            };
            wide(level, (f(at), f(at)), value, |c| c.table.columns["x"][0]).unwrap()
        };
        let slope = |w: f64| (at - 1.0) / bowl(w)(at);
        assert_eq!(told(&bowl(1e-2), slope(1e-2)), None);
        assert_eq!(told(&bowl(2e-3), slope(2e-3)), None);
        assert!(told(&stairs, 0.1).is_some());
    }

    #[test]
    fn a_staircase_is_told_by_its_largest_step() {
        let stairs = of(|x| (x / 3e-3).floor() * 3e-3 + 0.1 * x, |_| 0, 1.0007);
        let [step, wide] = stairs.wide.unwrap();
        assert_eq!((step, stairs.kink), (1e-2, None));
        assert!((stairs.value - 0.1).abs() < 1e-6 && (wide - 1.1).abs() < 0.2, "{stairs:?}");
        assert_eq!(of(|x| (3.0 * x).sin(), |_| 0, 0.3).wide, None);
    }
}
