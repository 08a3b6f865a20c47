//! Columns of a reference that a run does not have, and those that say nothing without others.

use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics, did_you_mean, list};

use super::errors::TURN;
use super::reference::Reference;
use super::table::Table;

impl Reference {
    /// Looks whether a run with these columns has one of the reference's, before anything runs.
    ///
    /// # Errors
    /// A reference of other columns alone; a file that cannot be read, a formula that is none.
    pub fn check_columns(&self, known: &[String]) -> Result<(), Diagnostics> {
        let Some(table) = self.table(&[])? else { return Ok(()) };
        if table.columns.keys().any(|name| known.contains(name)) {
            return Ok(());
        }
        let message = match table.columns.keys().next() {
            Some(name) => format!("a run has none of the columns of {}, as `{name}`", self.name()),
            None => format!("{} has no columns", self.name()),
        };
        let first = table.columns.keys().next().map_or("", String::as_str);
        let help = columns_help(first, known.iter().map(String::as_str));
        Err(Diagnostic::error(Code::UnknownName, message).help(help).into())
    }
}

/// The column that may be meant, and those that there are.
fn columns_help<'n>(name: &str, known: impl Iterator<Item = &'n str> + Clone) -> String {
    let meant = did_you_mean(name, known.clone()).map_or_else(String::new, |m| m + " ");
    format!("{meant}a trajectory has {}", list(known))
}

/// Columns of a closed form that a run does not have (a file may have more), those without a number at some of the run's times, and
/// quaternions of which the reference has a part.
pub(super) fn unused(
    run: &[String],
    ours: &Table,
    (reference, is_formula): (&Table, bool),
) -> Vec<Diagnostic> {
    let (run, times) = (run.join(", "), ours.common(reference));
    let known = || ours.columns.keys().map(String::as_str);
    let told = |(name, column): (&String, &Vec<f64>)| {
        let none = times.iter().filter(|(_, row)| !column[*row].is_finite()).count();
        let warning = |what: String| {
            Diagnostic::warning(Code::UnknownName, format!("the reference of {run}: `{name}` {what}"))
        };
        match ours.columns.contains_key(name) {
            false if !is_formula => None,
            false => {
                Some(warning("is no column of its trajectory".to_owned()).help(columns_help(name, known())))
            }
            true if none > 0 => {
                let what = format!("is no number at {none} of {} times, which are left out", times.len());
                Some(warning(what))
            }
            true => None,
        }
    };
    let mut all: Vec<Diagnostic> = reference.columns.iter().filter_map(told).collect();
    all.extend(known().filter_map(|name| incomplete(&run, name.strip_suffix(".qw")?, reference)));
    if !is_formula && !reference.columns.keys().any(|name| ours.columns.contains_key(name)) {
        let names = list(reference.columns.keys().take(6).map(String::as_str));
        let message = format!("the reference of {run} has none of its columns: nothing is measured");
        let help = format!("is it of other bodies? It has {names}");
        all.push(Diagnostic::warning(Code::UnknownName, message).help(help));
    }
    all
}

/// A warning where the reference has some parts of the quaternion of an owner, and not all: there is no rotation to measure.
fn incomplete(run: &str, owner: &str, reference: &Table) -> Option<Diagnostic> {
    let names = TURN.map(|part| format!("{owner}.{part}"));
    let missing: Vec<&str> =
        names.iter().filter(|name| !reference.columns.contains_key(*name)).map(String::as_str).collect();
    if missing.is_empty() || missing.len() == TURN.len() {
        return None;
    }
    let message = format!(
        "the reference of {run}: the rotation of `{owner}` is not measured: {} {} missing",
        list(missing.iter().copied()),
        if missing.len() == 1 { "is" } else { "are" }
    );
    let help = "a rotation in space is all four parts of its quaternion; of a part that stays 0 the closed form is `0`";
    Some(Diagnostic::warning(Code::MissingKey, message).help(help))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(names: &[&str]) -> Table {
        let columns = names.iter().map(|name| ((*name).to_owned(), vec![0.5; 2])).collect();
        Table { times: vec![0.0, 0.1], columns }
    }

    fn told(run: &[&str], reference: &[&str], is_formula: bool) -> Vec<Diagnostic> {
        unused(&["m".to_owned()], &table(run), (&table(reference), is_formula))
    }

    /// The motion of other bodies was no error of anybody, and nobody heard of it.
    #[test]
    fn a_reference_of_other_bodies_is_told() {
        let messages = |name: &str| {
            told(&["a.x"], &[name], false).into_iter().map(|warning| warning.message).collect::<Vec<_>>()
        };
        assert_eq!(messages("b.x"), ["the reference of m has none of its columns: nothing is measured"]);
        assert!(messages("a.x").is_empty());
    }

    /// A closed form of two parts of a quaternion gave no rotation, and no word.
    #[test]
    fn a_part_of_a_quaternion_is_told() {
        let [whole, part] = [&["c.qw", "c.qx", "c.qy", "c.qz"][..], &["c.qw", "c.qz"]];
        let found = told(whole, part, true);
        assert_eq!(found.len(), 1);
        let message = &found[0].message;
        assert!(message.contains("rotation of `c` is not measured: `c.qx`, `c.qy` are missing"), "{message}");
        assert!(told(whole, whole, true).is_empty());
        assert!(told(&["c.x", "c.qw", "c.qx", "c.qy", "c.qz"], &["c.x"], true).is_empty());
    }

    /// Closed forms of no column at all ended with dashes and without an error.
    #[test]
    fn a_reference_without_a_known_column_is_refused() {
        let formula = |name: &str| Reference::Formula([(name.to_owned(), "t".to_owned())].into());
        let known = ["block.x", "block.y"].map(str::to_owned);
        assert!(formula("block.y").check_columns(&known).is_ok());
        assert!(Reference::Finest.check_columns(&known).is_ok());
        let found = formula("blok.x").check_columns(&known).unwrap_err();
        let error = found.iter().next().unwrap();
        assert_eq!(error.message, "a run has none of the columns of the closed form, as `blok.x`");
        let help = error.help.as_deref().unwrap();
        assert!(help.starts_with("did you mean `block.x`? a trajectory has `block.x`"), "{help}");
    }
}
