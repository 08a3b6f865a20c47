//! Confidence intervals of fitted values.
//!
//! J is the Jacobian of the residuals r at the solution, in the unit box of the bounds, J = U S Vᵀ. The noise of every column c of the data
//! is its own: s_c² = r_cᵀ r_c/ν_c, ν_c = n_c − Σ U_ik² over its n_c rows i, what the parameters leave of them. Parameters move with
//! noise by G = V S⁻¹ Uᵀ, so that parameter i has the variance σ_i² = Σ_c s_c² a_ic, a_ic = Σ G_ij² over the rows j of c. The half-width
//! of its interval is t σ_i, t the 99.5 % quantile of Student's distribution with σ_i⁴/Σ_c (s_c² a_ic)²/ν_c degrees of freedom
//! (Satterthwaite, Biometrics Bulletin 2, 1946). With one column that is s² (JᵀJ)⁻¹ and n − p. One s for all would promise too much
//! where a column has few rows: weights make much of the column that parameters meet exactly, and it has no noise left to show.
//! A direction V_k is identified where its half-width is less than the width of the box: else no value within the bounds is excluded along it.

use nalgebra::{DMatrix, DVector};
use statrs::distribution::{ContinuousCDF, StudentsT};

/// Part of the bounds' width from which on a half-width identifies nothing: the interval is as wide as what was allowed at first.
const NOTHING: f64 = 0.5;

/// Part of the largest singular value below which one is rounding of differences.
const ROUNDING: f64 = 1e-10;

/// Part of a direction below which it is no part of it.
const NO_PART: f64 = 1e-12;

/// Rows that parameters leave of a column, below which they leave none.
const NO_FREEDOM: f64 = 1e-9;

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
        let svd = j.clone().svd(true, true);
        let u = svd.u.unwrap_or_else(|| DMatrix::zeros(j.nrows(), p));
        let v = svd.v_t.map_or_else(|| DMatrix::identity(p, p), |v_t| v_t.transpose());
        let largest = svd.singular_values.max();
        let size = |k: usize| svd.singular_values.get(k).copied().unwrap_or(0.0);
        let seen: Vec<usize> =
            (0..u.ncols()).filter(|k| size(*k) > ROUNDING * largest && size(*k) > 0.0).collect();
        let noise = Noise::of((&u, &seen), r, (rows.max(1), least));
        let along = |k: usize| {
            if seen.contains(&k) { noise.half_width(|j| u[(j, k)] / size(k)) } else { f64::INFINITY }
        };
        let half = |i: usize| {
            let unseen = (0..v.ncols()).any(|k| !seen.contains(&k) && v[(i, k)].abs() > NO_PART);
            let moved = |j: usize| seen.iter().map(|k| v[(i, *k)] * u[(j, *k)] / size(*k)).sum::<f64>();
            if unseen { f64::INFINITY } else { noise.half_width(moved) }
        };
        let known = |i: usize| {
            let half = half(i);
            ParameterConfidence { half_width: half * widths[i], identified: half < NOTHING }
        };
        let last = (0..v.ncols()).min_by(|a, b| size(*a).total_cmp(&size(*b))).unwrap_or(0);
        Self {
            known: (0..p).map(known).collect(),
            condition: if seen.contains(&last) { largest / size(last) } else { f64::INFINITY },
            worst: v.column(last).iter().copied().collect(),
            worst_half_width: along(last),
            correlation: correlation(r, rows, least),
        }
    }
}

/// Noise of the columns of the data: s_c² and ν_c of each.
struct Noise {
    rows: usize,
    columns: Vec<[f64; 2]>,
}

impl Noise {
    /// From the residuals and the directions of them that parameters move; `least`: as of [`Confidence::of`].
    fn of((u, seen): (&DMatrix<f64>, &[usize]), r: &DVector<f64>, (rows, least): (usize, f64)) -> Self {
        let taken = |j: usize| seen.iter().map(|k| u[(j, *k)].powi(2)).sum::<f64>();
        let of = |(c, part): (usize, &[f64])| {
            let left = part.len() as f64 - (0..part.len()).map(|j| taken(c * rows + j)).sum::<f64>();
            let freedom = if left > NO_FREEDOM { left } else { 0.0 };
            let square = part.iter().map(|r| r * r).sum::<f64>() / freedom;
            [if freedom > 0.0 { square.max(least * least) } else { f64::INFINITY }, freedom]
        };
        Self { rows, columns: r.as_slice().chunks(rows).enumerate().map(of).collect() }
    }

    /// Half of the 99 % interval of a number that the residual of every row moves by so much.
    fn half_width(&self, moved: impl Fn(usize) -> f64) -> f64 {
        let share = |(c, [square, freedom]): (usize, &[f64; 2])| {
            let a = (0..self.rows).map(|j| moved(c * self.rows + j).powi(2)).sum::<f64>();
            if a > 0.0 { (square * a, *freedom) } else { (0.0, 1.0) }
        };
        let shares: Vec<(f64, f64)> = self.columns.iter().enumerate().map(share).collect();
        let variance = shares.iter().map(|(share, _)| share).sum::<f64>();
        if variance == 0.0 || !variance.is_finite() {
            return variance;
        }
        let freedom = shares.iter().map(|(share, freedom)| (share / variance).powi(2) / freedom).sum::<f64>();
        quantile(1.0 / freedom) * variance.sqrt()
    }
}

/// 99.5 % quantile of Student's distribution; infinite below half a degree of freedom, where it is 1e4 and grows without bound.
fn quantile(freedom: f64) -> f64 {
    if freedom < 0.5 {
        return f64::INFINITY;
    }
    StudentsT::new(0.0, 1.0, freedom).map_or(f64::INFINITY, |t| t.inverse_cdf(0.995))
}

/// Σ r_k r_{k+1}/Σ r_k² within columns of `rows` numbers; 0 where residuals are within `least`, rounding.
fn correlation(r: &DVector<f64>, rows: usize, least: f64) -> f64 {
    let all = r.norm_squared();
    let products = r.as_slice().chunks(rows.max(1)).flat_map(|column| column.windows(2).map(|w| w[0] * w[1]));
    if r.amax() > least { products.sum::<f64>() / all } else { 0.0 }
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

    /// Places after t with speeds −9.81 t μ and their noise, in columns of as many rows; weights as of a fit: the residuals of a first one.
    fn drawn_interval(unit: &mut impl FnMut() -> f64, rows: usize) -> [f64; 2] {
        let times: Vec<f64> = (0..rows).map(|_| 0.05 + 0.35 * unit()).collect();
        let by = |c: usize, t: f64| if c == 0 { 4.905 * t * t } else { 9.81 * t };
        let j = DMatrix::from_fn(2 * rows, 1, |i, _| by(i / rows, times[i % rows]));
        // Twelve uniform numbers less 6 have deviation 1.
        let mut noise = |s: f64| s * ((0..12).map(|_| unit()).sum::<f64>() - 6.0);
        let y = DVector::from_fn(2 * rows, |i, _| noise(if i < rows { 1e-3 } else { 1e-2 }));
        let solve = |j: &DMatrix<f64>, y: &DVector<f64>| {
            j.dot(&DMatrix::from_column_slice(j.nrows(), 1, y.as_slice())) / j.norm_squared()
        };
        let first = &y - &j * solve(&j, &y);
        let weight = |i: usize| 1.0 / first.rows(i / rows * rows, rows).norm().max(1e-9);
        let (j, y) = (
            DMatrix::from_fn(2 * rows, 1, |i, _| weight(i) * j[i]),
            DVector::from_fn(2 * rows, |i, _| weight(i) * y[i]),
        );
        let value = solve(&j, &y);
        let r = &y - &j * value;
        [value, Confidence::of(&j, &r, &[1.0], (rows, 0.0)).known[0].half_width]
    }

    /// With one s for all columns the interval held the truth in half of such fits from one row, and in 84 % from two.
    #[test]
    fn a_few_rows_of_two_columns_promise_no_more_than_they_hold() {
        let mut state = 7_u64;
        let mut unit = move || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 11) as f64 / (1_u64 << 53) as f64
        };
        for rows in [1, 2, 3, 10] {
            let inside = (0..400).filter(|_| {
                let [value, half] = drawn_interval(&mut unit, rows);
                value.abs() <= half
            });
            let inside = inside.count();
            assert!(inside >= 380, "{rows} rows: {inside} of 400");
        }
        // Not by saying nothing: ten rows are known well.
        let mut all: Vec<f64> = (0..101).map(|_| drawn_interval(&mut unit, 10)[1]).collect();
        all.sort_by(f64::total_cmp);
        assert!(all[50] < 3e-3, "{}", all[50]);
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
