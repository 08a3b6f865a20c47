//! Confidence intervals of fitted values.
//!
//! With the Jacobian J of the residuals r at the solution, in the unit box of the bounds, n numbers and p parameters:
//! s² = rᵀr/(n − p), the covariance is s² (JᵀJ)⁻¹ = s² V S⁻² Vᵀ from J = U S Vᵀ, and the half-width of the interval of a parameter is
//! t √cov_ii, t the 99.5 % quantile of Student's distribution with n − p degrees of freedom. A direction V_k is identified where t s/S_k is less
//! than the width of the box: else no value within the bounds is excluded along it.

use nalgebra::{DMatrix, DVector};
use statrs::distribution::{ContinuousCDF, StudentsT};

/// Part of the bounds' width from which on a half-width identifies nothing: the interval is as wide as what was allowed at first.
const NOTHING: f64 = 0.5;

/// Part of the largest singular value below which one is rounding of differences.
const ROUNDING: f64 = 1e-10;

/// How well a parameter is known.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ParameterConfidence {
    /// Half of its 99 % interval, in its unit; infinite where the data say nothing of it.
    pub half_width: f64,
    /// True if the data identify it: the interval is narrower than the bounds.
    pub identified: bool,
}

/// How well all parameters are known.
#[derive(Debug, Clone, PartialEq)]
pub struct Confidence {
    /// Parameter by parameter.
    pub known: Vec<ParameterConfidence>,
    /// Largest singular value of J by the smallest: how badly some direction is known beside the best. Infinite where one is not seen.
    pub condition: f64,
    /// The direction that is known worst, in parts of the bounds' widths, of length 1.
    pub worst: Vec<f64>,
    /// Half-width along it, in the same parts.
    pub worst_half_width: f64,
    /// Correlation of the residuals of neighbouring times, −1 … 1: near 1 the model is wrong, and intervals are too narrow.
    pub correlation: f64,
}

impl Confidence {
    /// From J and r at the solution; `widths` of the bounds; `rows` numbers per column of the data. `least`: deviation of the residuals
    /// that rounding of runs has in any case: data without noise do not identify what runs hardly depend on.
    pub(crate) fn of(
        j: &DMatrix<f64>,
        r: &DVector<f64>,
        widths: &[f64],
        (rows, least): (usize, f64),
    ) -> Self {
        let p = j.ncols();
        let freedom = r.len().saturating_sub(p);
        let s = if freedom > 0 { (r.norm_squared() / freedom as f64).sqrt() } else { f64::INFINITY };
        let ts = quantile(freedom) * s.max(least);
        let svd = j.clone().svd(false, true);
        let v = svd.v_t.map_or_else(|| DMatrix::identity(p, p), |v_t| v_t.transpose());
        let largest = svd.singular_values.max();
        let size = |k: usize| svd.singular_values.get(k).copied().unwrap_or(0.0);
        let seen = |k: usize| size(k) > ROUNDING * largest && size(k) > 0.0;
        let along = |k: usize| if seen(k) { ts / size(k) } else { f64::INFINITY };
        let half = |i: usize| (0..v.ncols()).map(|k| part(v[(i, k)], along(k))).sum::<f64>().sqrt();
        let known = |i: usize| {
            let half = half(i);
            ParameterConfidence { half_width: half * widths[i], identified: half < NOTHING }
        };
        let last = (0..v.ncols()).min_by(|a, b| size(*a).total_cmp(&size(*b))).unwrap_or(0);
        Self {
            known: (0..p).map(known).collect(),
            condition: if seen(last) { largest / size(last) } else { f64::INFINITY },
            worst: v.column(last).iter().copied().collect(),
            worst_half_width: along(last),
            correlation: correlation(r, rows),
        }
    }
}

/// (v a)², 0 where v is 0 although a is infinite.
fn part(v: f64, along: f64) -> f64 {
    if v.abs() < 1e-12 { 0.0 } else { (v * along).powi(2) }
}

/// 99.5 % quantile of Student's distribution.
fn quantile(freedom: usize) -> f64 {
    let t = StudentsT::new(0.0, 1.0, freedom.max(1) as f64);
    t.map_or(f64::INFINITY, |t| t.inverse_cdf(0.995))
}

/// Σ r_k r_{k+1}/Σ r_k² within columns of `rows` numbers.
fn correlation(r: &DVector<f64>, rows: usize) -> f64 {
    let all = r.norm_squared();
    let products = r.as_slice().chunks(rows.max(1)).flat_map(|column| column.windows(2).map(|w| w[0] * w[1]));
    if all > 0.0 { products.sum::<f64>() / all } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A line through points with known errors: slope and offset as in the textbook.
    #[test]
    fn a_line_is_known_as_well_as_the_textbook_says() {
        let x = [0.0, 1.0, 2.0, 3.0, 4.0];
        let j = DMatrix::from_fn(5, 2, |i, k| if k == 0 { 1.0 } else { x[i] });
        let r = DVector::from_vec(vec![0.1, -0.2, 0.15, -0.1, 0.05]);
        let c = Confidence::of(&j, &r, &[10.0, 10.0], (5, 0.0));
        let s2 = r.norm_squared() / 3.0;
        // Σ(x − x̄)² = 10, t(0.995, 3) = 5.840909.
        let slope = 5.840909309733357 * (s2 / 10.0).sqrt() * 10.0;
        assert!((c.known[1].half_width / slope - 1.0).abs() < 1e-9, "{c:?}");
        let offset = 5.840909309733357 * (s2 * (0.2 + 4.0 / 10.0)).sqrt() * 10.0;
        assert!((c.known[0].half_width / offset - 1.0).abs() < 1e-9, "{c:?}");
        assert!(c.correlation < 0.0);
    }

    /// Exact data of a run that depends on a mass by its rounding alone.
    #[test]
    fn exact_data_do_not_tell_what_runs_hardly_depend_on() {
        let j = DMatrix::from_fn(50, 1, |i, _| 1e-4 * f64::from(i as u8 % 3));
        let c = Confidence::of(&j, &DVector::zeros(50), &[9.9], (50, 1e-3));
        assert!(!c.known[0].identified && c.known[0].half_width > 9.9, "{c:?}");
        let strong = Confidence::of(&(1e4 * j), &DVector::zeros(50), &[9.9], (50, 1e-3));
        assert!(strong.known[0].identified && strong.known[0].half_width > 0.0, "{strong:?}");
    }

    #[test]
    fn a_direction_that_changes_nothing_is_not_told() {
        let j = DMatrix::from_fn(6, 2, |i, _| i as f64 + 1.0);
        let r = DVector::from_element(6, 1e-3);
        let c = Confidence::of(&j, &r, &[1.0, 1.0], (6, 0.0));
        assert!(c.condition > 1e9 && c.known.iter().all(|k| !k.identified), "{c:?}");
        assert!((c.worst[0] + c.worst[1]).abs() < 1e-9, "{c:?}");
        let blind = DMatrix::from_fn(6, 2, |i, k| if k == 0 { i as f64 } else { 0.0 });
        let c = Confidence::of(&blind, &r, &[1.0, 1.0], (6, 0.0));
        assert!(
            c.known[0].identified && !c.known[1].identified && c.known[1].half_width.is_infinite(),
            "{c:?}"
        );
    }
}
