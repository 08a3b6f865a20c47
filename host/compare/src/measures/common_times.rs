//! Times at which errors are taken: how many a run and its reference have in common, and whether they are those of the whole run.

use serde_json::{Value, json};
use vinci_core::clock::seconds;
use vinci_scene::diagnostics::{Code, Diagnostic};

use super::errors::{At, Errors};
use super::table::Table;

/// Fewest common times of an error: at one alone, which is the start for most, every motion is right.
const FEWEST: usize = 2;

/// Part of a time within which another one is the same.
const SAME: f64 = 1e-9;

/// Errors of a run against a table, where both have times enough in common; a warning where these are not times of the whole run.
pub(super) fn errors_at(name: &str, run: &Table, reference: &Table) -> (Option<Errors>, Option<Diagnostic>) {
    let errors = Errors::of(run, reference);
    let told = |message: String| Some(Diagnostic::warning(Code::UnknownName, message));
    match errors.series.len() {
        // What is wrong with a run of one state is told elsewhere.
        0 | 1 if run.times.len() < FEWEST => (None, None),
        0 => (None, told(format!("the reference of {name} has none of its times: nothing is measured"))),
        1 => (None, told(format!("the reference of {name} has one of its times alone: nothing is measured"))),
        _ => {
            let warning = part(name, &errors, run, reference);
            (Some(errors), warning)
        }
    }
}

/// Times of errors for programs.
pub(super) fn told(errors: &Errors) -> Value {
    let at = |time: Option<&(f64, At)>| time.map(|(t, _)| *t);
    json!({ "times": errors.series.len(), "from": at(errors.series.first()), "until": at(errors.series.last()) })
}

/// A warning where the common times leave a part of the run out: the reference begins later or ends earlier, or has other times there.
fn part(name: &str, errors: &Errors, run: &Table, reference: &Table) -> Option<Diagnostic> {
    let common: Vec<f64> = errors.series.iter().map(|(t, _)| *t).collect();
    let ([first, last], [start, end]) = (span(&common)?, span(&run.times)?);
    let [begins, ends] = span(&reference.times)?;
    let slack = SAME * end.abs().max(start.abs());
    let spans = begins <= start + slack && ends >= end - slack;
    // Another common time would have had its place in what is left out.
    let longest = common.windows(2).map(|two| two[1] - two[0]).fold(0.0, f64::max) * (1.0 - SAME);
    if spans && first - start < longest && end - last < longest {
        return None;
    }
    let [first, last, start, end] = [first, last, start, end].map(seconds);
    let message = format!(
        "errors of {name} are those at {} common times from t = {first} s to {last} s: its run goes from {start} s to {end} s",
        common.len()
    );
    let help = "a reference over the whole run measures all of it";
    Some(Diagnostic::warning(Code::UnknownName, message).help(help))
}

/// First and last of ascending times.
fn span(times: &[f64]) -> Option<[f64; 2]> {
    Some([*times.first()?, *times.last()?])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(times: &[f64]) -> Table {
        Table { times: times.to_vec(), columns: [("a.x".to_owned(), vec![0.5; times.len()])].into() }
    }

    fn message(run: &[f64], reference: &[f64]) -> (bool, String) {
        let (errors, warning) = errors_at("m", &table(run), &table(reference));
        (errors.is_some(), warning.map_or_else(String::new, |warning| warning.message))
    }

    /// A reference of the start alone gave errors of 0, and one of the first part was not told.
    #[test]
    fn a_reference_of_a_part_is_told() {
        let run = [0.0, 0.1, 0.2, 0.3, 0.4];
        let nothing = (true, String::new());
        assert_eq!(message(&run, &run), nothing);
        let (is_there, text) = message(&run, &[0.0]);
        assert!(!is_there && text.contains("has one of its times alone"), "{text}");
        let (is_there, text) = message(&run, &[9.0]);
        assert!(!is_there && text.contains("has none of its times"), "{text}");
        for reference in [&[0.0, 0.1, 0.2][..], &[0.0, 0.2], &[0.0, 0.1, 0.2, 0.35, 0.41]] {
            let (is_there, text) = message(&run, reference);
            assert!(
                is_there && text.contains("from t = 0 s to 0.2 s") && text.contains("0 s to 0.4 s"),
                "{text}"
            );
        }
        assert!(message(&run, &[0.2, 0.3, 0.4]).1.contains("at 3 common times from t = 0.2 s"));
    }

    /// Runs of two steps have few times in common: those are of the whole.
    #[test]
    fn common_times_of_other_steps_are_those_of_the_whole() {
        let of = |h: f64, n: u32| (0..=n).map(|k| f64::from(k) * h).collect::<Vec<f64>>();
        assert_eq!(message(&of(0.003, 10), &of(0.002, 15)), (true, String::new()));
        // They end between two common times.
        assert_eq!(message(&of(0.003, 11), &of(0.002, 17)), (true, String::new()));
        // A run that has just begun, or died there, tells of that itself.
        assert_eq!(message(&[0.0], &of(0.002, 18)), (false, String::new()));
    }

    #[test]
    fn programs_are_told_the_times() {
        let errors = Errors::of(&table(&[0.0, 0.1, 0.2]), &table(&[0.1, 0.2]));
        assert_eq!(told(&errors), json!({ "times": 2, "from": 0.1, "until": 0.2 }));
    }
}
