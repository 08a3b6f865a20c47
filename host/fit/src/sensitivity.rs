//! Derivatives of measures of a run by parameters of its experiment.

use vinci_core::problem::Ties;
use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics};

use crate::adjoint::{Adjoint, adjoint};
use crate::data::Data;
use crate::differences::{BY_STEPS, Derivative, ROUNDING_BY_STEPS};
use crate::direction::{DirectionCheck, along};
use crate::landings::Landing;
use crate::measure::Measure;
use crate::probes::Probes;
use crate::refused::Refused;
use crate::run_record::RunRecord;
use crate::tangents::{Tangents, tangents};
use crate::trials::Trials;
use crate::whole_runs::{by, scale, widened};

/// Part of a derivative by which that of whole runs may be another.
const SAME_AS_WHOLE: f64 = 1e-4;

/// Derivatives of measures by parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct Sensitivity {
    /// Parameters and their values.
    pub parameters: Vec<(String, f64)>,
    /// Measures and their values.
    pub measures: Vec<(String, f64)>,
    /// Derivatives by measure, then by parameter.
    pub derivatives: Vec<Vec<Derivative>>,
    /// Reason why it was differentiated by differences of whole runs, where derivatives step by step were asked for.
    pub why_differences: Option<String>,
    /// Reason why the referee does not accept the run.
    pub refusal: Option<String>,
    /// The first landing within a step, where a measure looks at what follows.
    pub landing: Option<Landing>,
    /// Parameter by which `--reverse` may lift a body that rests, on a contact that stays closed over its displacements.
    pub held: Option<String>,
    /// By measure: what whole runs along one direction of all parameters say of a gradient that was computed backwards; else empty.
    pub along: Vec<DirectionCheck>,
    /// Runs that were made.
    pub runs: u64,
}

/// How runs are differentiated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DerivativeMethod {
    /// Step by step at the active set, where that goes; else by differences.
    Auto,
    /// Step by step, or not at all.
    Exact,
    /// Step by step from the end to the start, for many parameters, or not at all.
    Backwards,
    /// By differences of whole runs.
    Differences,
}

/// Differentiates measures of the experiment of `trials` by its parameters, at the values that it has.
///
/// # Errors
/// A parameter without a value, or that nothing depends on; a measure that the run does not have; a run that does not come to its end;
/// [`DerivativeMethod::Exact`] where it does not go.
pub fn sensitivity(
    trials: &Trials<'_>,
    measures: &[Measure],
    data: Option<&Data>,
    method: DerivativeMethod,
) -> Result<Sensitivity, Diagnostics> {
    let values = trials.written()?.into_iter().collect::<Result<Vec<f64>, _>>()?;
    let (implicit, why_differences) = tried(trials, &values, (measures, data), method)?;
    let is_backwards = method == DerivativeMethod::Backwards;
    let lifts = implicit.as_ref().and_then(|all| all.lifts).filter(|_| is_backwards);
    let (here, implicit, tied, reads) = match implicit {
        Some(StepByStep { record, by, tied, reads, .. }) => (record, Some(by), tied, reads),
        None => (trials.whole(&values)?, None, false, Vec::new()),
    };
    fits(&here, (measures, data))?;
    let mut by_parameter = Vec::new();
    for k in 0..values.len() {
        let known = implicit.as_ref().map(|all| &all[k]);
        by_parameter.push(match known {
            // Backwards is for many parameters: no run more for each of them.
            Some(list) if is_backwards && (is_final(list) || reads[k] && is_smooth(list)) => list.clone(),
            Some(list) if is_final(list) && tied => {
                let whole = by(trials, (&values, k), (measures, data), &here)?;
                let noise = |m: &Measure| rounding(m, &here, data, values[k]);
                beside_ties(list, whole, measures.iter().map(noise).collect(), method)?
            }
            Some(list) if is_final(list) => widened(trials, (&values, k), (measures, data), &here, list)?,
            _ => {
                let whole = by(trials, (&values, k), (measures, data), &here)?;
                let noise = |m: &Measure| rounding(m, &here, data, values[k]);
                unread(whole, measures.iter().map(noise).collect(), known.is_some(), method)?
            }
        });
    }
    let along = match is_backwards {
        true => along(trials, &values, (measures, data), &here, &by_parameter)?,
        false => Vec::new(),
    };
    let of_measure = |m: usize| by_parameter.iter().map(|list| list[m].clone()).collect();
    Ok(Sensitivity {
        parameters: trials.parameters.iter().map(|p| p.name.clone()).zip(values).collect(),
        measures: measures.iter().map(|m| (m.name(), m.of(&here, data))).collect(),
        derivatives: (0..measures.len()).map(of_measure).collect(),
        why_differences,
        held: lifts.filter(|_| here.holds).map(|k| trials.parameters[k].name.clone()),
        landing: here.landing.filter(|landing| measures.iter().any(|m| landing.t <= m.until())),
        refusal: here.refusal,
        along,
        runs: trials.runs(),
    })
}

/// Derivatives by whole runs of a parameter that no step reads: the run may be laid out by it, as by the grid of a patch.
fn unread(
    whole: Vec<Derivative>,
    noise: Vec<f64>,
    is_known: bool,
    method: DerivativeMethod,
) -> Result<Vec<Derivative>, Diagnostics> {
    let is_asked = matches!(method, DerivativeMethod::Exact | DerivativeMethod::Backwards);
    let moves = |(d, noise): (&Derivative, &f64)| {
        let size = d.sides.iter().flatten().fold(d.value.abs(), |m, x| m.max(x.abs()));
        size > *noise && (d.kink.is_some() || d.value.abs() > 10.0 * d.error)
    };
    match is_asked && is_known && whole.iter().zip(&noise).any(moves) {
        true => Err(not_exact(method, "no step reads a parameter that whole runs depend on")),
        false => Ok(whole),
    }
}

/// Derivatives step by step where they are asked for and there, or why there are none.
fn tried(
    trials: &Trials<'_>,
    values: &[f64],
    asked: (&[Measure], Option<&Data>),
    method: DerivativeMethod,
) -> Result<(Option<StepByStep>, Option<String>), Diagnostics> {
    if method == DerivativeMethod::Differences {
        return Ok((None, None));
    }
    match step_by_step(trials, values, asked, method == DerivativeMethod::Backwards) {
        Ok(StepByStep { by, .. })
            if method != DerivativeMethod::Auto && by.iter().flatten().any(|d| d.kink.is_some()) =>
        {
            Err(not_exact(method, TWO_MODES))
        }
        Ok(all) => Ok((Some(all), None)),
        Err(Refused::Experiment(found)) => Err(found),
        Err(Refused::NoDerivative(why)) if method == DerivativeMethod::Auto => Ok((None, Some(why))),
        Err(Refused::NoDerivative(why)) => Err(not_exact(method, &why)),
    }
}

/// Rounding of the derivative of a measure by a parameter, computed step by step.
fn rounding(measure: &Measure, record: &RunRecord, data: Option<&Data>, value: f64) -> f64 {
    ROUNDING_BY_STEPS * measure.size(record, data) / scale(value)
}

/// A run that was differentiated step by step.
struct StepByStep {
    record: RunRecord,
    /// By parameter, then by measure.
    by: Vec<Vec<Derivative>>,
    /// True if two modes held at once in some step that a measure sees.
    tied: bool,
    /// The first parameter that moves shapes or places at the start.
    lifts: Option<usize>,
    /// By parameter: true if a step reads it, or the start; known of a run that was differentiated backwards.
    reads: Vec<bool>,
}

/// Reason why a run with ties has no derivative.
const TWO_MODES: &str = "two modes hold at once in a step, and lead to different derivatives";

/// Returns true if nothing more is asked: 0 to the last bit may be a parameter that nobody reads, and at a kink both sides are told.
fn is_final(list: &[Derivative]) -> bool {
    is_smooth(list) && list.iter().any(|d| d.value != 0.0)
}

fn is_smooth(list: &[Derivative]) -> bool {
    list.iter().all(|d| d.kink.is_none())
}

fn not_exact(method: DerivativeMethod, why: &str) -> Diagnostics {
    let message = format!("the run has no derivatives step by step: {why}");
    let help = match method {
        DerivativeMethod::Backwards => {
            "leave out --reverse: forwards, or differences of whole runs, go with every stepper"
        }
        _ => "leave out --exact: differences of whole runs go with every stepper",
    };
    Diagnostic::error(Code::NoDerivative, message).help(help).into()
}

/// By parameter, then by measure: step by step at the active set. Where two modes hold at once in some step, both readings are compared.
fn step_by_step(
    trials: &Trials<'_>,
    values: &[f64],
    asked: (&[Measure], Option<&Data>),
    backwards: bool,
) -> Result<StepByStep, Refused> {
    let read = if backwards { by_adjoint } else { by_tangents };
    let mut probes = Probes::new(trials, values)?;
    let Reading { record, by: first, tied, reads } =
        read(trials, values, asked, (&mut probes, Ties::Equations))?;
    let second = tied.map(|_| read(trials, values, asked, (&mut probes, Ties::Bounds))).transpose()?;
    let seen = |m: usize| tied.filter(|t| *t <= asked.0[m].until());
    let of = |k: usize, m: usize| {
        let (here, tied) = (first[k][m], seen(m));
        let other = second.as_ref().map(|second| second.by[k][m]);
        let noise = rounding(&asked.0[m], &record, asked.1, values[k]);
        let same = |other: &f64| (here - other).abs() <= BY_STEPS * here.abs().max(other.abs()) + noise;
        Derivative::implicit(here, noise, other.filter(|other| !same(other)).and(tied))
    };
    let all = 0..asked.0.len();
    let by = (0..values.len()).map(|k| all.clone().map(|m| of(k, m)).collect()).collect();
    let lifts = probes.moves_places.iter().position(|moves| *moves);
    Ok(StepByStep { record, by, tied: all.clone().any(|m| seen(m).is_some()), lifts, reads })
}

/// A run that was differentiated in one reading of its ties.
struct Reading {
    record: RunRecord,
    /// By parameter, then by measure.
    by: Vec<Vec<f64>>,
    /// End of the first step with a tie, s.
    tied: Option<f64>,
    /// By parameter, as of [`StepByStep`].
    reads: Vec<bool>,
}

/// Checks that data and measures are those of such a run.
fn fits(record: &RunRecord, (measures, data): (&[Measure], Option<&Data>)) -> Result<(), Diagnostics> {
    data.map_or(Ok(()), |data| data.check(record))?;
    measures.iter().try_for_each(|measure| measure.check(record, data))
}

fn by_tangents(
    trials: &Trials<'_>,
    values: &[f64],
    (measures, data): (&[Measure], Option<&Data>),
    (probes, ties): (&mut Probes, Ties),
) -> Result<Reading, Refused> {
    let Tangents { record, by, tied } = tangents(trials, values, probes, ties)?;
    fits(&record, (measures, data)).map_err(Refused::Experiment)?;
    let list = |by| measures.iter().map(|measure| measure.along((&record, by), data)).collect();
    let by = by.iter().map(list).collect();
    Ok(Reading { record, by, tied, reads: Vec::new() })
}

fn by_adjoint(
    trials: &Trials<'_>,
    values: &[f64],
    asked: (&[Measure], Option<&Data>),
    probes: (&mut Probes, Ties),
) -> Result<Reading, Refused> {
    let Adjoint { record, by, tied, reads } =
        adjoint(trials, values, asked, probes, &|record| fits(record, asked))?;
    Ok(Reading { record, by, tied, reads })
}

/// Derivatives of a run with ties. Two readings of all ties at once are not all that there are: a block that stops at the end of a step
/// sticks in both, and slips where one tie is read one way and the next the other. So whole runs on both sides have the last word.
fn beside_ties(
    list: &[Derivative],
    whole: Vec<Derivative>,
    noise: Vec<f64>,
    method: DerivativeMethod,
) -> Result<Vec<Derivative>, Diagnostics> {
    let is_other = |k: usize| {
        let (a, b) = (list[k].value, whole[k].value);
        (a - b).abs() > SAME_AS_WHOLE * a.abs().max(b.abs()) + 10.0 * whole[k].error + noise[k]
    };
    let others: Vec<bool> = (0..whole.len()).map(is_other).collect();
    if method == DerivativeMethod::Exact && whole.iter().any(|d| d.kink.is_some()) {
        return Err(not_exact(method, TWO_MODES));
    }
    if method == DerivativeMethod::Exact && others.contains(&true) {
        return Err(not_exact(
            method,
            "two modes hold at once in a step, and whole runs have another derivative",
        ));
    }
    let of = |((here, is_other), whole): ((&Derivative, bool), Derivative)| match whole.kink {
        None if !is_other => Derivative { wide: whole.wide, ..here.clone() },
        _ => whole,
    };
    Ok(list.iter().zip(others).zip(whole).map(of).collect())
}
