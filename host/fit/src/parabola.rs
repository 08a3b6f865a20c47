//! A look at the sum of squares beside a solution: intervals of confidence stand on its being a parabola there.

use basin::Residual;
use nalgebra::{DMatrix, DVector};
use vinci_scene::diagnostics::Diagnostics;

use crate::search::Problem;

/// Places that are looked at, in half-widths of a parameter's interval, and how many times the parabola's rise may be there, or its inverse: farther
/// out curvature of a smooth run shows.
const PLACES: [(f64, f64); 4] = [(-3.0, 5.0), (-1.0, 2.5), (1.0, 2.5), (3.0, 5.0)];

/// Rises below this many roundings of a run say nothing.
const TELLING: f64 = 10.0;

/// By parameter, the rise Σ r(θ + d)² − Σ r(θ)² that is farthest from that of the parabola, |J d|², as a part of it, where it is not a parabola.
/// d is the step by which the parameter moves by one and by three half-widths while the others follow it as J says.
///
/// `half_widths` are parts of the bounds' widths; `least` is the residual that rounding of runs makes.
///
/// # Errors
/// Runs that cannot be made at all.
pub(crate) fn departures(
    problem: &Problem<'_>,
    (u, r): (&DVector<f64>, &DVector<f64>),
    j: &DMatrix<f64>,
    (half_widths, least): (&[f64], f64),
) -> Result<Vec<Option<f64>>, Diagnostics> {
    let mut found = vec![None; u.len()];
    // What the data do not identify stays where it is.
    let told: Vec<usize> = (0..u.len()).filter(|i| half_widths[*i].is_finite()).collect();
    let own = j.select_columns(&told);
    let Some(covariance) = (own.transpose() * &own).try_inverse() else { return Ok(found) };
    for (k, &i) in told.iter().enumerate() {
        let mut along = DVector::zeros(u.len());
        for (l, &other) in told.iter().enumerate() {
            along[other] = covariance[(l, k)] * half_widths[i] / covariance[(k, k)];
        }
        for (place, times) in PLACES {
            let step = place * &along;
            let beside = u + &step;
            let expected = (j * step).norm_squared();
            let noise = TELLING * least * (r.len() as f64).sqrt();
            if beside.iter().any(|u| !(0.0..=1.0).contains(u)) || expected.sqrt() <= noise {
                continue;
            }
            let part = (problem.residual(&beside)?.norm_squared() - r.norm_squared()) / expected;
            let is_worse = found[i].is_none_or(|other: f64| distance(part) > distance(other));
            if !(1.0 / times..=times).contains(&part) && is_worse {
                found[i] = Some(part);
            }
        }
    }
    Ok(found)
}

/// How far a rise is from that of the parabola; farthest where the sum falls.
fn distance(part: f64) -> f64 {
    if part > 0.0 { part.ln().abs() } else { f64::INFINITY }
}
