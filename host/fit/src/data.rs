//! Recorded trajectories: columns by name, at times of their own.

use std::path::Path;

use vinci_compare::measures::Table;
use vinci_core::clock::seconds;
use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics, list};

use crate::run_record::{RunRecord, known_column};

/// Part of the largest number of all columns by which a column may change by rounding alone.
const ROUNDING: f64 = 1e-9;

/// A recorded trajectory.
#[derive(Debug, Clone, PartialEq)]
pub struct Data {
    /// The file, for messages.
    pub name: String,
    /// Times and columns.
    pub table: Table,
}

impl Data {
    /// Reads CSV or Parquet with a column `time` and columns of `trajectory.csv`; of these only `columns`, where any are named.
    ///
    /// # Errors
    /// A file that is not there or no table; no row, a number that is not finite, a column that is not there.
    pub fn read(path: &Path, columns: &[String]) -> Result<Self, Diagnostics> {
        let name = path.display().to_string();
        if !path.exists() {
            let help = "--data takes a CSV file with a column `time` and columns of trajectory.csv";
            return Err(Diagnostic::error(Code::NoSuchFile, format!("there is no file {name}"))
                .help(help)
                .into());
        }
        Self::new(name, Table::read(path)?, columns)
    }

    /// A table that is there already; of its columns only these, where any are named.
    ///
    /// # Errors
    /// As of [`Data::read`].
    pub fn new(name: String, mut table: Table, columns: &[String]) -> Result<Self, Diagnostics> {
        let refused =
            |code, message: String, help: &str| Err(Diagnostic::error(code, message).help(help).into());
        if let Some(unknown) = columns.iter().find(|column| !table.columns.contains_key(*column)) {
            let known = format!("its columns: {}", list(table.columns.keys().map(String::as_str)));
            return refused(Code::UnknownName, format!("{name} has no column `{unknown}`"), &known);
        }
        if !columns.is_empty() {
            table.columns.retain(|column, _| columns.contains(column));
        }
        if table.times.is_empty() || table.columns.is_empty() {
            let help = "a row per time and a column per coordinate are needed, as in trajectory.csv";
            return refused(Code::MissingKey, format!("{name} holds no measurement"), help);
        }
        for (column, numbers) in std::iter::once(("time", &table.times)).chain(named(&table)) {
            if let Some(row) = numbers.iter().position(|x| !x.is_finite()) {
                let message = format!("{name}: `{column}` is {} in row {}", numbers[row], row + 1);
                return refused(
                    Code::NonFinite,
                    message,
                    "leave out rows without a number, all columns of them",
                );
            }
        }
        Ok(Self { name, table })
    }

    /// Checks that they may have been measured on runs like this one.
    ///
    /// # Errors
    /// Columns that the run does not have, times that it does not reach.
    pub fn check(&self, record: &RunRecord) -> Result<(), Diagnostics> {
        let asked = (&*self.name, "; `fit --columns` takes some of the data's alone");
        self.table.columns.keys().try_for_each(|column| known_column(record, column, asked))?;
        let (begin, end) = (self.table.times[0], self.table.times[self.table.times.len() - 1]);
        let last = record.table.times.last().copied().unwrap_or(0.0);
        if begin < 0.0 || end > last * (1.0 + 1e-9) {
            let [begin, end, last] = [begin, end, last].map(seconds);
            let message = format!("{} has times {begin} … {end} s, the run 0 … {last} s", self.name);
            let help = "time begins with the run; --duration makes it longer, rows outside can be left out";
            return Err(Diagnostic::error(Code::OutOfRange, message).help(help).into());
        }
        Ok(())
    }

    /// Returns true if there is such a column.
    pub(crate) fn has(&self, column: &str) -> bool {
        self.table.columns.contains_key(column)
    }

    /// The columns, in words.
    pub(crate) fn columns(&self) -> String {
        format!("they have {}", list(self.table.columns.keys().map(String::as_str)))
    }

    /// Root mean square of the differences of a column from its mean.
    pub(crate) fn deviation(&self, column: &str) -> f64 {
        let numbers = &self.table.columns[column];
        let mean = numbers.iter().sum::<f64>() / numbers.len() as f64;
        (numbers.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / numbers.len() as f64).sqrt()
    }

    /// Largest less smallest number of a column, or 1 where it does not change by more than rounding of what the data hold: what
    /// differences are divided by first.
    pub(crate) fn range(&self, column: &str) -> f64 {
        let all = self.table.columns.values().flatten();
        let rounding = ROUNDING * all.fold(0.0_f64, |m, x| m.max(x.abs()));
        let numbers = &self.table.columns[column];
        let (low, high) =
            numbers.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| (a.min(*x), b.max(*x)));
        if high - low > rounding { high - low } else { 1.0 }
    }
}

fn named(table: &Table) -> impl Iterator<Item = (&str, &Vec<f64>)> {
    table.columns.iter().map(|(name, numbers)| (name.as_str(), numbers))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(times: &[f64], x: &[f64]) -> Table {
        Table { times: times.to_vec(), columns: [("a.x".to_owned(), x.to_vec())].into() }
    }

    #[test]
    fn what_cannot_be_measured_against_is_refused() {
        let why = |table: Table, columns: &[String]| {
            let found = Data::new("d.csv".into(), table, columns).unwrap_err();
            found.iter().next().unwrap().message.clone()
        };
        assert_eq!(why(table(&[], &[]), &[]), "d.csv holds no measurement");
        assert_eq!(why(table(&[0.0, 1.0], &[0.0, f64::NAN]), &[]), "d.csv: `a.x` is NaN in row 2");
        assert_eq!(why(table(&[0.0, f64::INFINITY], &[0.0, 1.0]), &[]), "d.csv: `time` is inf in row 2");
        assert_eq!(why(table(&[0.0], &[0.0]), &["a.y".into()]), "d.csv has no column `a.y`");
        assert!(Data::new("d.csv".into(), table(&[0.0], &[1.0]), &["a.x".into()]).is_ok());
    }
}
