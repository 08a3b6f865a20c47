//! Differences of whole runs by one parameter.

use std::rc::Rc;

use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics};

use crate::data::Data;
use crate::differences::{Derivative, LEVELS, Level, derivative, wide};
use crate::measure::Measure;
use crate::parameter::Parameter;
use crate::run_record::RunRecord;
use crate::trials::Trials;

/// Derivatives by a parameter that were computed step by step, with what a large difference says.
pub(crate) fn widened(
    trials: &Trials<'_>,
    (values, parameter): (&[f64], usize),
    (measures, data): (&[Measure], Option<&Data>),
    here: &RunRecord,
    list: &[Derivative],
) -> Result<Vec<Derivative>, Diagnostics> {
    let mut levels = Levels::new(scale(values[parameter]), |by| beside(trials, values, parameter, by));
    let with = |(measure, d): (&Measure, &Derivative)| {
        let at = (measure.of(here, data), measure.size(here, data));
        let wide = wide(|k| levels.get(k), at, d.value, |record| measure.of(record, data))?;
        Ok(Derivative { wide, ..d.clone() })
    };
    measures.iter().zip(list).map(with).collect()
}

/// Runs on both sides at falling steps, made as they are asked for: most measures are told by the first level alone.
pub(crate) struct Levels<F> {
    size: f64,
    run: F,
    made: Vec<Rc<Level>>,
}

impl<F: Fn(f64) -> Result<Option<RunRecord>, Diagnostics>> Levels<F> {
    /// Steps are size · 10⁻ᵏ; `run` makes the run that is moved by so much, none where there is none.
    pub(crate) fn new(size: f64, run: F) -> Self {
        Self { size, run, made: Vec::new() }
    }

    /// Level k, asked for in the order of [`LEVELS`].
    pub(crate) fn get(&mut self, k: i32) -> Result<Rc<Level>, Diagnostics> {
        let index = (k - LEVELS.start()) as usize;
        if index == self.made.len() {
            let step = self.size * 10f64.powi(-k);
            self.made.push(Rc::new(Level { step, below: (self.run)(-step)?, above: (self.run)(step)? }));
        }
        Ok(Rc::clone(&self.made[index]))
    }
}

/// A value below this is 0 with rounding: a part of it moves nothing.
const NOTHING: f64 = 1e-12;

/// Typical size of a parameter.
pub(crate) fn scale(value: f64) -> f64 {
    if value.abs() < NOTHING { 1.0 } else { value.abs() }
}

/// Derivatives of all measures by parameter k.
pub(crate) fn by(
    trials: &Trials<'_>,
    (values, k): (&[f64], usize),
    (measures, data): (&[Measure], Option<&Data>),
    here: &RunRecord,
) -> Result<Vec<Derivative>, Diagnostics> {
    let parameter = &trials.parameters[k];
    let mut levels = Vec::new();
    for level in LEVELS {
        let step = scale(values[k]) * 10f64.powi(-level);
        let at = |sign: f64| beside(trials, values, k, sign * step);
        levels.push(Level { step, below: at(-1.0)?, above: at(1.0)? });
    }
    let mut records = levels.iter().flat_map(|l| [&l.below, &l.above]).flatten().peekable();
    if records.peek().is_some() && records.all(|record| is_same(record, here)) {
        return Err(unused(parameter));
    }
    let of = |measure: &Measure| {
        let at = (measure.of(here, data), measure.size(here, data), measure.until());
        derivative(&levels, at, |record| measure.of(record, data))
    };
    measures.iter().map(|measure| of(measure).ok_or_else(|| too_few(parameter, values[k]))).collect()
}

fn too_few(parameter: &Parameter, value: f64) -> Diagnostics {
    let message = format!("too few runs beside {value} of `{}` come to their end", parameter.name);
    let help = "values on at least one side must be allowed, and runs with them must end";
    Diagnostic::error(Code::Unsolved, message).at(parameter.place().clone()).help(help).into()
}

/// The run with parameter k moved; none where such a value is refused or the run fails.
fn beside(trials: &Trials<'_>, values: &[f64], k: usize, by: f64) -> Result<Option<RunRecord>, Diagnostics> {
    let mut moved = values.to_vec();
    moved[k] += by;
    at(trials, &moved)
}

/// The run with other values; none where they are refused or the run fails.
pub(crate) fn at(trials: &Trials<'_>, values: &[f64]) -> Result<Option<RunRecord>, Diagnostics> {
    match trials.run(values) {
        Ok(record) => Ok(Some(record).filter(|record| record.failure.is_none())),
        Err(found) if found.exit_code() == 3 => Ok(None),
        Err(found) => Err(found),
    }
}

/// Returns true if nothing tells two runs apart: neither motion nor what contacts read.
pub(crate) fn is_same(a: &RunRecord, b: &RunRecord) -> bool {
    a.read == b.read && a.modes == b.modes && a.table == b.table
}

/// Warning about a parameter that no step reads.
pub(crate) fn unused(parameter: &Parameter) -> Diagnostics {
    let message =
        format!("nothing in the run depends on `{}`: runs with other values are the same", parameter.name);
    let help = "look at what the scene uses: a material that no touching pair has, a body that never moves, a value that the stepper ignores (`vinci explain`)";
    Diagnostic::error(Code::Unused, message).at(parameter.place().clone()).help(help).into()
}
