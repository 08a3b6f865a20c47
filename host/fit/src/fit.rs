//! Parameters from measurements: the values with which a run comes nearest to recorded data.
//!
//! min Σ ((x(t_k; θ) − x_k)/σ_c)² over columns c and times t_k, θ within its bounds. σ_c is the range of a column at first, then the root
//! mean square of its residuals, so that every column counts by how well it can be met. Starts are the experiment's own values, the
//! middle of the bounds, and draws by counting as of sweeps; from the best of them a search goes on.

use nalgebra::{DMatrix, DVector};

use basin::{Jacobian, Residual};
use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics};
use vinci_sweep::Draw;

use crate::confidence::{Confidence, ParameterConfidence};
use crate::data::Data;
use crate::options::{FitOptions, Search};
use crate::parabola::departures;
use crate::residual::{Scales, mean_square, ranges, spread};
use crate::search::{Problem, by_derivatives, by_simplex};
use crate::trials::Trials;
use crate::whole_runs::{is_same, unused};

/// Part of a column's range below which its residual is rounding.
const FLOOR: f64 = 1e-6;

/// Rounding of a run, as a part of the range of a column.
const ROUNDED: f64 = 1e-9;

/// Root mean square of the residuals of a column, as a part of its own deviation, from which on the run is far from it.
const FAR: f64 = 1.5;

/// Part of the width of the bounds within which a value is at one of them.
const AT_BOUND: f64 = 1e-3;

/// Fitted values.
#[derive(Debug, Clone, PartialEq)]
pub struct Fit {
    /// Parameters with their bounds.
    pub parameters: Vec<(String, [f64; 2])>,
    /// Their values.
    pub values: Vec<f64>,
    /// How well they are known.
    pub confidence: Confidence,
    /// By parameter, the rise of the sum of squares within three half-widths of its interval as a part of the parabola's, where it is none: then
    /// intervals do not hold. Negative where the sum falls.
    pub departures: Vec<Option<f64>>,
    /// True where a bound holds the parameter, by parameter.
    pub at_bound: Vec<bool>,
    /// Root mean square of the differences by column, in its unit.
    pub residual: Scales,
    /// Columns from which the run is much farther than their own mean: other units, another motion, another body.
    pub far: Vec<String>,
    /// Numbers that were measured.
    pub numbers: usize,
    /// Places where searches ended, with the root mean square there, differences by the ranges of their columns; the best first.
    pub ends: Vec<(Vec<f64>, f64)>,
    /// Reason why runs were differenced where derivatives step by step were asked for.
    pub why_differences: Option<String>,
    /// Runs that were made, and those that were refused or failed.
    pub runs: [u64; 2],
}

impl Fit {
    /// Returns true if the data identify all parameters.
    pub fn is_identified(&self) -> bool {
        self.confidence.known.iter().all(|known| known.identified)
    }
}

/// Fits the parameters of `trials`, which have bounds, to data.
///
/// # Errors
/// A parameter without bounds or that nothing depends on; data that do not belong to such runs; not one start that comes to its end.
pub fn fit(trials: &Trials<'_>, data: &Data, asked: FitOptions) -> Result<Fit, Diagnostics> {
    let bounds = bounds(trials)?;
    let first = Problem::new(trials, data, bounds.clone(), ranges(data), asked);
    let starts = starts(&first, asked)?;
    refuse_unused(&first, &starts[0].0)?;
    let search = if asked.search == Search::Simplex { by_simplex } else { by_derivatives };
    let mut ends = Vec::new();
    for (u, _) in starts.into_iter().take(asked.searches.max(1)) {
        ends.push(search(&first, u, asked.iterations)?);
    }
    ends.sort_by(|a, b| a.1.total_cmp(&b.1));
    let best = ends[0].0.clone();
    let scales = weights(&first, &best)?;
    let second = Problem::new(trials, data, bounds, scales, asked);
    let (u, _) = search(&second, best, asked.iterations)?;
    let numbers = data.table.times.len() * data.table.columns.len();
    let rms = |cost: f64| (2.0 * cost / numbers as f64).sqrt();
    let ends = ends.iter().map(|(u, cost)| (first.values(u), rms(*cost))).collect();
    let failed = first.failed.get() + second.failed.get();
    let why_differences = first.why_differences.take();
    assess(&second, &u, Fit { numbers, ends, why_differences, runs: [0, failed], ..Fit::empty() })
}

impl Fit {
    fn empty() -> Self {
        let confidence = Confidence {
            known: Vec::new(),
            condition: f64::INFINITY,
            worst: Vec::new(),
            worst_half_width: f64::INFINITY,
            correlation: 0.0,
        };
        Self {
            parameters: Vec::new(),
            values: Vec::new(),
            confidence,
            departures: Vec::new(),
            at_bound: Vec::new(),
            residual: Scales::new(),
            far: Vec::new(),
            numbers: 0,
            ends: Vec::new(),
            why_differences: None,
            runs: [0; 2],
        }
    }
}

/// The bounds of all parameters.
fn bounds(trials: &Trials<'_>) -> Result<Vec<[f64; 2]>, Diagnostics> {
    let of = |p: &crate::Parameter| {
        p.bounds.ok_or_else(|| {
            let message = format!("`{}` has no bounds", p.name);
            let help = "write PATH=[a, b]";
            Diagnostic::error(Code::Usage, message).at(p.place().clone()).help(help).into()
        })
    };
    trials.parameters.iter().map(of).collect()
}

/// Starts with ½ Σ r² there, the best first; none that fails.
fn starts(problem: &Problem<'_>, asked: FitOptions) -> Result<Vec<(DVector<f64>, f64)>, Diagnostics> {
    let parameters = &problem.trials.parameters;
    let drawn = |index: u64| {
        let unit = |name: &str| Draw { seed: asked.seed, level: 1, case: None, index, name }.unit(0);
        DVector::from_iterator(parameters.len(), parameters.iter().map(|p| unit(&p.name)))
    };
    let own: Option<Vec<f64>> =
        problem.trials.written().ok().and_then(|list| list.into_iter().map(Result::ok).collect());
    let own = own.map(|values| problem.place(&values));
    let middle = DVector::from_element(parameters.len(), 0.5);
    let mut starts = Vec::new();
    for u in own.into_iter().chain([middle]).chain((0..asked.draws).map(drawn)) {
        let Some(record) = problem.record(&u)? else { continue };
        // Data of other bodies and times are refused with the first run that there is.
        problem.data.check(&record)?;
        let cost = problem.half_square(&u)?;
        starts.push((u, cost));
    }
    if starts.is_empty() {
        // What is wrong with the first is what the user is told.
        let middle = DVector::from_element(parameters.len(), 0.5);
        problem.trials.whole(&problem.values(&middle))?;
        let message = "no run within the bounds comes to its end";
        return Err(Diagnostic::error(Code::Unsolved, message).help("narrow the bounds").into());
    }
    starts.sort_by(|a, b| a.1.total_cmp(&b.1));
    Ok(starts)
}

/// Refuses a parameter whose whole range gives the same run, and of which no step reads anything.
fn refuse_unused(problem: &Problem<'_>, u: &DVector<f64>) -> Result<(), Diagnostics> {
    let here = problem.record(u)?;
    for k in 0..u.len() {
        let mut same = true;
        for to in [0.0, 1.0] {
            let mut moved = u.clone();
            moved[k] = to;
            let other = problem.record(&moved)?;
            same &= here.as_ref().zip(other.as_ref()).is_some_and(|(a, b)| is_same(a, b));
        }
        if same {
            return Err(unused(&problem.trials.parameters[k]));
        }
    }
    Ok(())
}

/// Root mean squares of the residuals by column, each at least a part of its range: the σ_c of the second search.
fn weights(problem: &Problem<'_>, u: &DVector<f64>) -> Result<Scales, Diagnostics> {
    let record = problem.trials.whole(&problem.values(u))?;
    let left = spread(&record, problem.data);
    Ok(left
        .into_iter()
        .map(|(column, s)| (column.clone(), s.max(FLOOR * problem.data.range(&column))))
        .collect())
}

/// Completes a fit at its solution: values, how well they are known, and residuals.
fn assess(problem: &Problem<'_>, u: &DVector<f64>, fit: Fit) -> Result<Fit, Diagnostics> {
    let (j, r): (DMatrix<f64>, DVector<f64>) = (problem.jacobian(u)?, problem.residual(u)?);
    let all = bounds(problem.trials)?;
    let widths: Vec<f64> = all.iter().map(|[a, b]| b - a).collect();
    let rows = problem.data.table.times.len();
    let least = problem.scales.iter().map(|(column, scale)| ROUNDED * problem.data.range(column) / scale);
    let least = least.fold(0.0, f64::max);
    let scaled = r.as_slice().chunks(rows).zip(&problem.scales);
    let residual: Scales =
        scaled.map(|(column, (name, scale))| (name.clone(), mean_square(column).sqrt() * scale)).collect();
    let is_far = |(name, rms): &(&String, &f64)| **rms > FAR * problem.data.deviation(name);
    let confidence = Confidence::of(&j, &r, &widths, (rows, least));
    let told = |(known, width): (&ParameterConfidence, &f64)| {
        if known.identified { known.half_width / width } else { f64::INFINITY }
    };
    let half_widths: Vec<f64> = confidence.known.iter().zip(&widths).map(told).collect();
    Ok(Fit {
        departures: departures(problem, (u, &r), &j, (&half_widths, least))?,
        parameters: problem.trials.parameters.iter().map(|p| p.name.clone()).zip(all).collect(),
        values: problem.values(u),
        confidence,
        at_bound: u.iter().map(|u| *u < AT_BOUND || *u > 1.0 - AT_BOUND).collect(),
        far: residual.iter().filter(is_far).map(|(name, _)| name.clone()).collect(),
        residual,
        why_differences: fit.why_differences.or(problem.why_differences.take()),
        runs: [problem.trials.runs(), fit.runs[1]],
        ..fit
    })
}
