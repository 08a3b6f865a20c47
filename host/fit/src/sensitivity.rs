//! Derivatives of measures of a run by parameters of its experiment.

use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics};

use crate::course::Course;
use crate::data::Data;
use crate::differences::{Derivative, LEVELS, Level, derivative};
use crate::measure::Measure;
use crate::parameter::Parameter;
use crate::trials::Trials;

/// Derivatives of measures by parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct Sensitivity {
    /// Parameters and their values.
    pub parameters: Vec<(String, f64)>,
    /// Measures and their values.
    pub measures: Vec<(String, f64)>,
    /// By measure, then by parameter.
    pub derivatives: Vec<Vec<Derivative>>,
    /// Runs that were made.
    pub runs: u64,
}

/// Differentiates measures of the experiment of `trials` by its parameters, at the values that it has, by differences of whole runs.
///
/// # Errors
/// A parameter without a value, or that nothing depends on; a measure that the run does not have; a run that does not come to its end.
pub fn sensitivity(
    trials: &Trials<'_>,
    measures: &[Measure],
    data: Option<&Data>,
) -> Result<Sensitivity, Diagnostics> {
    let values = trials.written()?.into_iter().collect::<Result<Vec<f64>, _>>()?;
    let here = trials.whole(&values)?;
    data.map_or(Ok(()), |data| data.check(&here))?;
    measures.iter().try_for_each(|measure| measure.check(&here, data))?;
    let mut by_parameter = Vec::new();
    for k in 0..values.len() {
        by_parameter.push(by(trials, (&values, k), (measures, data), &here)?);
    }
    let of_measure = |m: usize| by_parameter.iter().map(|list| list[m].clone()).collect();
    Ok(Sensitivity {
        parameters: trials.parameters.iter().map(|p| p.name.clone()).zip(values).collect(),
        measures: measures.iter().map(|m| (m.name(), m.of(&here, data))).collect(),
        derivatives: (0..measures.len()).map(of_measure).collect(),
        runs: trials.runs(),
    })
}

/// Derivatives of all measures by parameter k.
fn by(
    trials: &Trials<'_>,
    (values, k): (&[f64], usize),
    (measures, data): (&[Measure], Option<&Data>),
    here: &Course,
) -> Result<Vec<Derivative>, Diagnostics> {
    let parameter = &trials.parameters[k];
    let scale = if values[k] == 0.0 { 1.0 } else { values[k].abs() };
    let mut levels = Vec::new();
    for level in LEVELS {
        let step = scale * 10f64.powi(-level);
        let at = |sign: f64| beside(trials, values, k, sign * step);
        levels.push(Level { step, below: at(-1.0)?, above: at(1.0)? });
    }
    let courses = || levels.iter().flat_map(|l| [&l.below, &l.above]).flatten();
    if courses().next().is_none() {
        let message = format!("no run beside {} of `{}` comes to its end", values[k], parameter.name);
        let help = "values on at least one side must be allowed";
        return Err(Diagnostic::error(Code::Unsolved, message)
            .at(parameter.place().clone())
            .help(help)
            .into());
    }
    if courses().all(|course| is_same(course, here)) {
        return Err(unused(parameter));
    }
    let of = |measure: &Measure| {
        derivative(&levels, (measure.of(here, data), measure.until()), |course| measure.of(course, data))
    };
    let unknown = || {
        let message = format!("too few runs beside {} of `{}` come to their end", values[k], parameter.name);
        Diagnostics::from(Diagnostic::error(Code::Unsolved, message).at(parameter.place().clone()))
    };
    measures.iter().map(|measure| of(measure).ok_or_else(unknown)).collect()
}

/// The run with parameter k moved; none where such a value is refused or the run fails.
fn beside(trials: &Trials<'_>, values: &[f64], k: usize, by: f64) -> Result<Option<Course>, Diagnostics> {
    let mut moved = values.to_vec();
    moved[k] += by;
    match trials.run(&moved) {
        Ok(course) => Ok(Some(course).filter(|course| course.failure.is_none())),
        Err(found) if found.exit_code() == 3 => Ok(None),
        Err(found) => Err(found),
    }
}

/// Whether nothing tells two runs apart: neither motion nor what contacts read.
pub(crate) fn is_same(a: &Course, b: &Course) -> bool {
    a.read == b.read && a.modes == b.modes && a.table == b.table
}

/// What is said of a parameter that no step reads.
pub(crate) fn unused(parameter: &Parameter) -> Diagnostics {
    let message =
        format!("nothing in the run depends on `{}`: runs with other values are the same", parameter.name);
    let help = "look at what the scene uses: a material that no touching pair has, a body that never moves, a value that the stepper ignores (`vinci explain`)";
    Diagnostic::error(Code::Unused, message).at(parameter.place().clone()).help(help).into()
}
