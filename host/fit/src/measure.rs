//! Numbers of a run that are differentiated.

use std::collections::BTreeMap;

use vinci_compare::measures::Table;
use vinci_core::clock::seconds;
use vinci_core::lists::largest;
use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics};

use crate::data::Data;
use crate::residual::{rms, rms_along, rms_weights};
use crate::run_record::{RunRecord, known_column};

/// Part of the largest number of a run below which a column is rounding.
const BESIDE: f64 = 1e-6;

/// A number of a run.
#[derive(Debug, Clone, PartialEq)]
pub enum Measure {
    /// A column of `trajectory.csv` at a time, s, or at the end.
    Column(String, Option<f64>),
    /// The root mean square of the differences from the data, each divided by the range of its column; of all columns or of one.
    Rms(Option<String>),
}

impl Measure {
    /// `COLUMN`, `COLUMN@TIME`, `rms` or `rms(COLUMN)`.
    ///
    /// # Errors
    /// A time that is no number ≥ 0.
    pub fn parse(text: &str) -> Result<Self, Diagnostics> {
        let text = text.trim();
        if text == "rms" {
            return Ok(Self::Rms(None));
        }
        if let Some(column) = text.strip_prefix("rms(").and_then(|rest| rest.strip_suffix(')')) {
            return Ok(Self::Rms(Some(column.trim().to_owned())));
        }
        let Some((column, time)) = text.rsplit_once('@') else {
            return Ok(Self::Column(text.to_owned(), None));
        };
        match time.parse::<f64>() {
            Ok(t) if t >= 0.0 && t.is_finite() => Ok(Self::Column(column.to_owned(), Some(t))),
            _ => {
                let message = format!("`{time}` is no time of a run, in `--of {text}`");
                let help = "write a column of trajectory.csv and a time in s: block.x@0.5";
                Err(Diagnostic::error(Code::Usage, message).help(help).into())
            }
        }
    }

    /// The last time that it looks at, s.
    pub(crate) fn until(&self) -> f64 {
        match self {
            Self::Column(_, Some(t)) => *t,
            _ => f64::INFINITY,
        }
    }

    /// Name as it is typed.
    pub fn name(&self) -> String {
        match self {
            Self::Column(column, None) => column.clone(),
            Self::Column(column, Some(t)) => format!("{column}@{t}"),
            Self::Rms(None) => "rms".to_owned(),
            Self::Rms(Some(column)) => format!("rms({column})"),
        }
    }

    /// Checks that runs like this one have it.
    ///
    /// # Errors
    /// A column that they do not have, a time that they do not reach, a measure against data where there are none.
    pub fn check(&self, record: &RunRecord, data: Option<&Data>) -> Result<(), Diagnostics> {
        let refused =
            |code, message: String, help: String| Err(Diagnostic::error(code, message).help(help).into());
        match (self, data) {
            (Self::Rms(_), None) => refused(
                Code::Usage,
                format!("`--of {}` is measured against data", self.name()),
                "name them: --data FILE.csv".to_owned(),
            ),
            (Self::Rms(Some(column)), Some(data)) if !data.has(column) => {
                refused(Code::UnknownName, format!("the data have no column `{column}`"), data.columns())
            }
            (Self::Rms(_), Some(_)) => Ok(()),
            (Self::Column(column, t), _) => {
                known_column(record, column, (&format!("--of {}", self.name()), ""))?;
                let end = record.table.times.last().copied().unwrap_or(0.0);
                match t {
                    Some(t) if *t > end * (1.0 + 1e-9) => refused(
                        Code::OutOfRange,
                        format!("`--of {}`: the run ends at {} s", self.name(), seconds(end)),
                        "ask for an earlier time, or run longer: --duration".to_owned(),
                    ),
                    _ => Ok(()),
                }
            }
        }
    }

    /// Size by which its rounding is measured: the largest number of its column in the run, for a block that has come to rest moves at 1e-17 m/s;
    /// a part of the largest of all columns, for an angle that stays 0 has the rounding of what acts on it.
    pub(crate) fn size(&self, record: &RunRecord, data: Option<&Data>) -> f64 {
        let column = match self {
            Self::Column(column, _) => record.table.columns.get(column),
            Self::Rms(_) => None,
        };
        let all = record.table.columns.values().flatten().fold(0.0_f64, |m, x| m.max(x.abs()));
        let own = column.map_or(0.0, |column| largest(column));
        own.max(self.of(record, data).abs()).max(BESIDE * all)
    }

    /// Its derivative, from the derivatives of all columns of the run.
    pub(crate) fn along(&self, (record, by): (&RunRecord, &Table), data: Option<&Data>) -> f64 {
        match self {
            Self::Column(column, t) => {
                let t = t.or(by.times.last().copied()).unwrap_or(0.0);
                by.columns.get(column).map_or(f64::NAN, |column| record.at(column, t))
            }
            Self::Rms(column) => {
                data.map_or(f64::NAN, |data| rms_along((record, by), data, column.as_deref()))
            }
        }
    }

    /// Its derivatives by the numbers of a run, by row and column.
    pub(crate) fn weights(&self, record: &RunRecord, data: Option<&Data>) -> Weights {
        let mut weights = Weights::new();
        match self {
            Self::Column(column, t) => {
                let t = t.or(record.table.times.last().copied()).unwrap_or(0.0);
                spread(&mut weights, record, (column, t), 1.0);
            }
            Self::Rms(column) => {
                let all = data.map_or_else(Vec::new, |data| rms_weights(record, data, column.as_deref()));
                all.iter()
                    .for_each(|(column, t, weight)| spread(&mut weights, record, (column, *t), *weight));
            }
        }
        weights
    }

    /// Its value in a run.
    pub fn of(&self, record: &RunRecord, data: Option<&Data>) -> f64 {
        match self {
            Self::Column(column, t) => {
                let column = record.table.columns.get(column);
                column.map_or(f64::NAN, |column| match t {
                    Some(t) => record.at(column, *t),
                    None => column.last().copied().unwrap_or(f64::NAN),
                })
            }
            Self::Rms(column) => data.map_or(f64::NAN, |data| rms(record, data, column.as_deref())),
        }
    }
}

/// Weights of numbers, by row and column.
pub(crate) type Weights = BTreeMap<(usize, String), f64>;

/// Spreads the weight of a column at a time over the rows before and behind it.
fn spread(weights: &mut Weights, record: &RunRecord, (column, t): (&str, f64), weight: f64) {
    let (k, part) = record.between(t);
    for (row, part) in [(k, 1.0 - part), (k + 1, part)] {
        if part != 0.0 {
            *weights.entry((row, column.to_owned())).or_default() += part * weight;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measures_are_read_as_they_are_named() {
        for text in ["block.x", "block.x@0.5", "rms", "rms(block.x)", "arm.j1.q@0"] {
            assert_eq!(Measure::parse(text).unwrap().name(), text);
        }
        for bad in ["block.x@", "block.x@-1", "block.x@NaN", "block.x@inf"] {
            assert!(Measure::parse(bad).is_err(), "{bad}");
        }
    }
}
