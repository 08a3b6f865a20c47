//! A gradient that was computed backwards, held against whole runs along one direction of all its parameters.
//!
//! Steps are differentiated in the modes that they are in. What lies beside them, a contact that is about to slip, a stop that falls on another
//! grid time, a landing, only whole runs tell. For every parameter they would cost what going backwards saves; along one direction
//! two runs look at all parameters at once: (f(θ + h d) − f(θ − h d))/2h beside Σ d_k ∂f/∂θ_k. What they tell is that something is there, and not
//! by which parameter.

use vinci_scene::diagnostics::Diagnostics;

use crate::data::Data;
use crate::differences::{Derivative, LEVELS, wide};
use crate::measure::Measure;
use crate::run_record::RunRecord;
use crate::trials::Trials;
use crate::whole_runs::{Levels, at, scale};

/// Multiples of these, without their whole parts, give the direction: 1/φ and √2.
const SPREAD: [f64; 2] = [0.618_033_988_749_895, std::f64::consts::SQRT_2];

/// Derivative of a measure by whole runs along a direction, beside that of its gradient.
#[derive(Debug, Clone, PartialEq)]
pub enum DirectionCheck {
    /// Equal to that of its gradient, up to curvature.
    Same,
    /// Another derivative than its gradient.
    Other {
        /// Derivative along the direction by the gradient, in the unit of the measure.
        gradient: f64,
        /// Difference to either side, as a part of the direction: every parameter moves by 0.5 to 1 times this part of its size.
        step: f64,
        /// Derivative along the direction by this difference.
        runs: f64,
    },
    /// Nothing: no run beside comes to its end.
    Nothing,
}

/// Holds the derivatives of measures, by parameter and then by measure, against whole runs along one direction; `here` is the run itself.
///
/// # Errors
/// What makes a run impossible but the values of its parameters.
pub(crate) fn along(
    trials: &Trials<'_>,
    values: &[f64],
    (measures, data): (&[Measure], Option<&Data>),
    here: &RunRecord,
    by: &[Vec<Derivative>],
) -> Result<Vec<DirectionCheck>, Diagnostics> {
    let d = direction(values);
    let moved = |h: f64| values.iter().zip(&d).map(|(x, d)| x + h * d).collect::<Vec<_>>();
    let mut levels = Levels::new(1.0, |h| at(trials, &moved(h)));
    let first = levels.get(*LEVELS.start())?;
    if first.below.is_none() && first.above.is_none() {
        return Ok(vec![DirectionCheck::Nothing; measures.len()]);
    }
    let of = |(m, measure): (usize, &Measure)| {
        let gradient = by.iter().zip(&d).map(|(list, d)| list[m].value * d).sum();
        let size = (measure.of(here, data), measure.size(here, data));
        let other = wide(|k| levels.get(k), size, gradient, |record| measure.of(record, data))?;
        Ok(other.map_or(DirectionCheck::Same, |[step, runs]| DirectionCheck::Other { gradient, step, runs }))
    };
    measures.iter().enumerate().map(of).collect()
}

/// d: half to all of the size of every parameter, no two alike and both signs among them, so that errors do not cancel.
fn direction(values: &[f64]) -> Vec<f64> {
    let of = |(k, value): (usize, &f64)| {
        let [part, sign] = SPREAD.map(|spread| ((k + 1) as f64 * spread).fract());
        (0.5 + 0.5 * part) * scale(*value).copysign(sign - 0.5)
    };
    values.iter().enumerate().map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::direction;

    #[test]
    fn directions_move_every_parameter_by_half_to_all_of_its_size() {
        let values = [2.0, -1e-3, 0.0, 1e6, 5.0, 7.0];
        let d = direction(&values);
        for (d, size) in d.iter().zip([2.0, 1e-3, 1.0, 1e6, 5.0, 7.0]) {
            assert!((0.5 * size..size).contains(&d.abs()), "{d} {size}");
        }
        assert!(d.iter().any(|d| *d > 0.0) && d.iter().any(|d| *d < 0.0), "{d:?}");
    }
}
