//! References that errors are measured against.

use std::collections::BTreeMap;
use std::path::PathBuf;

use vinci_engine::expression::Expression;
use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics, list};

use super::table::Table;

/// Reference for errors.
#[derive(Debug, Clone, PartialEq)]
pub enum Reference {
    /// The run with the smallest step among those that differ in their step alone.
    Finest,
    /// The run with these values of axes.
    Run(BTreeMap<String, String>),
    /// Closed forms of t for columns of `trajectory.csv`.
    Formula(BTreeMap<String, String>),
    /// A table with the columns of `trajectory.csv`.
    File(PathBuf),
}

impl Reference {
    /// `finest`, `WHAT=VALUE,…`, or a file.
    ///
    /// # Errors
    /// A text that is none of these.
    pub fn parse(text: &str) -> Result<Self, Diagnostics> {
        if text == "finest" {
            return Ok(Self::Finest);
        }
        let pairs: Option<BTreeMap<String, String>> = text
            .split(',')
            .map(|part| part.split_once('=').map(|(name, value)| (name.to_owned(), value.to_owned())))
            .collect();
        match pairs {
            Some(values) => Ok(Self::Run(values)),
            None if text.ends_with(".csv") => Ok(Self::File(PathBuf::from(text))),
            None => {
                let message = format!("`--reference {text}` is no reference");
                let help = "write `finest`, values of one run (solver=lemke,step=0.001), or a CSV file as trajectory.csv is one";
                Err(Diagnostic::error(Code::Usage, message).help(help).into())
            }
        }
    }

    /// Looks whether it can be read at all, before anything runs.
    ///
    /// # Errors
    /// A file that is not there or holds no table; a formula that is none.
    pub fn check(&self) -> Result<(), Diagnostics> {
        if let Self::File(path) = self
            && !path.exists()
        {
            let message = format!("there is no file {} to measure errors against", path.display());
            return Err(Diagnostic::error(Code::NoSuchFile, message).into());
        }
        self.table(&[]).map(drop)
    }

    /// A warning where the finest step is asked for, and no two of the runs with these values differ in their step alone.
    pub(super) fn unmet(&self, axes: &[String], runs: &[Vec<String>]) -> Option<Diagnostic> {
        let message = format!("{UNMET}: there is no finest one, and nothing is measured");
        let help = "vary the step (`--vary step=0.01,0.005`), or name a run as the reference (WHAT=VALUE)";
        let is_unmet = *self == Self::Finest
            && (0..runs.len()).all(|k| finest(axes, runs, k).is_none_or(|one| one == k));
        is_unmet.then(|| Diagnostic::warning(Code::UnknownName, message).help(help))
    }

    /// Name for people.
    pub fn name(&self) -> String {
        match self {
            Self::Finest => "the finest step".to_owned(),
            Self::Run(values) => values.iter().map(|(k, v)| format!("{k}={v}")).collect::<Vec<_>>().join(","),
            Self::Formula(_) => "the closed form".to_owned(),
            Self::File(path) => path.display().to_string(),
        }
    }

    /// The reference of run `k` among runs with these values of these axes, as a run of them.
    ///
    /// # Errors
    /// Values that no run, or more than one, has.
    pub(crate) fn run_for(
        &self,
        axes: &[String],
        runs: &[Vec<String>],
        k: usize,
    ) -> Result<Option<usize>, Diagnostics> {
        match self {
            Self::Finest => Ok(finest(axes, runs, k)),
            Self::Run(values) => named(axes, runs, values).map(Some),
            Self::Formula(_) | Self::File(_) => Ok(None),
        }
    }

    /// The table that is the reference of a run with these times, where it is no run itself.
    ///
    /// # Errors
    /// A file that cannot be read, a formula that is none.
    pub(super) fn table(&self, times: &[f64]) -> Result<Option<Table>, Diagnostics> {
        match self {
            Self::File(path) => Table::read(path).map(Some),
            Self::Formula(formulas) => closed_form(formulas, times).map(Some),
            _ => Ok(None),
        }
    }
}

/// Reason why runs have no finest one.
pub(super) const UNMET: &str = "no two runs differ in their step alone";

/// The run with the smallest `step` among those with the same other values.
fn finest(axes: &[String], runs: &[Vec<String>], k: usize) -> Option<usize> {
    let at = axes.iter().position(|axis| axis == "step")?;
    let same = |run: &Vec<String>| (0..axes.len()).all(|axis| axis == at || run[axis] == runs[k][axis]);
    let step = |run: usize| runs[run][at].parse::<f64>().unwrap_or(f64::INFINITY);
    (0..runs.len()).filter(|run| same(&runs[*run])).min_by(|a, b| step(*a).total_cmp(&step(*b)))
}

fn named(
    axes: &[String],
    runs: &[Vec<String>],
    values: &BTreeMap<String, String>,
) -> Result<usize, Diagnostics> {
    let wrong = |message: String, help: String| Diagnostic::error(Code::UnknownName, message).help(help);
    if let Some(unknown) = values.keys().find(|name| !axes.contains(name)) {
        let help = format!("the runs differ in {}", list(axes.iter().map(String::as_str)));
        return Err(wrong(format!("the reference names `{unknown}`, which is not varied"), help).into());
    }
    let holds = |run: &&usize| {
        values.iter().all(|(name, value)| {
            axes.iter().position(|axis| axis == name).is_some_and(|at| runs[**run][at] == *value)
        })
    };
    let all: Vec<usize> = (0..runs.len()).collect();
    match all.iter().filter(holds).collect::<Vec<_>>()[..] {
        [one] => Ok(*one),
        ref several => {
            let message = format!("the reference names {} runs, not one", several.len());
            let known = runs.iter().map(|run| run.join(", ")).collect::<Vec<_>>().join("; ");
            Err(wrong(message, format!("the runs that there are: {known}")).into())
        }
    }
}

fn closed_form(formulas: &BTreeMap<String, String>, times: &[f64]) -> Result<Table, Diagnostics> {
    let mut columns = BTreeMap::new();
    for (name, text) in formulas {
        let formula = Expression::parse(text, &[]).map_err(|error| {
            Diagnostic::error(
                Code::BadExpression,
                format!("the closed form of `{name}` cannot be read: {error}"),
            )
        })?;
        columns.insert(name.clone(), times.iter().map(|t| formula.at(*t, &[])).collect());
    }
    Ok(Table { times: times.to_vec(), columns })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs() -> (Vec<String>, Vec<Vec<String>>) {
        let words = |list: &[&str]| list.iter().map(|w| (*w).to_owned()).collect::<Vec<_>>();
        let runs = [["a", "0.01"], ["a", "0.0025"], ["a", "0.005"], ["b", "0.01"]];
        (words(&["model", "step"]), runs.iter().map(|run| words(run)).collect())
    }

    #[test]
    fn the_finest_is_that_of_the_same_model() {
        let (axes, runs) = runs();
        let of = |k: usize| Reference::Finest.run_for(&axes, &runs, k).unwrap();
        assert_eq!([of(0), of(1), of(2), of(3)], [Some(1), Some(1), Some(1), Some(3)]);
    }

    #[test]
    fn a_run_is_named_by_its_values_and_nothing_else() {
        let (axes, runs) = runs();
        let message = |text: &str| {
            let found = Reference::parse(text).and_then(|r| r.run_for(&axes, &runs, 0)).unwrap_err();
            found.iter().next().unwrap().message.clone()
        };
        assert_eq!(Reference::parse("model=b").unwrap().run_for(&axes, &runs, 0).unwrap(), Some(3));
        assert_eq!(message("model=a"), "the reference names 3 runs, not one");
        assert_eq!(message("modell=a"), "the reference names `modell`, which is not varied");
        assert_eq!(message("something"), "`--reference something` is no reference");
        let bad = Reference::Formula([("a.x".to_owned(), "2*".to_owned())].into());
        assert!(bad.table(&[0.0]).is_err());
    }
}
