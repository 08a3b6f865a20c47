//! Measures of a comparison beside errors: models on the states of another run.

use super::compare_forces::forces;
use super::compare_row::Row;
use super::progress::Progress;
use crate::cli::Global;
use vinci_compare::measures::Reference;
use vinci_compare::protocols::{Looks, MOST_LOOKS, Protocols};
use vinci_compare::restart::{Field, localised, same_state};
use vinci_compare::section::Section;
use vinci_compare::{Combination, ComparisonRuns};
use vinci_core::clock::seconds;
use vinci_engine::registry::Registry;
use vinci_run::signals::Stop;
use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics};

/// Looks whether a comparison can be asked this, before anything runs.
///
/// # Errors
/// What cannot be, with a next step.
pub(super) fn check(
    protocols: &Protocols,
    asked: &ComparisonRuns,
    reference: Option<&Reference>,
) -> Result<(), Diagnostics> {
    let Protocols { same_state, localised, indeterminacy } = protocols;
    same_state.as_ref().map_or(Ok(()), |one| one.check(asked, reference))?;
    localised.as_ref().map_or(Ok(()), |one| one.check(asked, reference))?;
    indeterminacy.as_ref().map_or(Ok(()), check_looks)
}

fn check_looks(looks: &Looks) -> Result<(), Diagnostics> {
    let (n, bad) = match looks {
        Looks::Count(n) => (*n, None),
        Looks::At(times) => (times.len() as u64, times.iter().find(|t| !(**t > 0.0 && t.is_finite()))),
    };
    let message = match bad {
        Some(t) => format!("no step ends at t = {} s: forces are looked at after 0 s", seconds(*t)),
        None if n == 0 || n > MOST_LOOKS => {
            format!("forces are looked at from 1 to {MOST_LOOKS} times, not {n}")
        }
        None => return Ok(()),
    };
    let help = "for example --indeterminacy=20, or `\"indeterminacy\": { \"at\": [0.5] }`";
    Err(Diagnostic::error(Code::OutOfRange, message).help(help).into())
}

/// Warns of times at which forces are to be looked at, and to which a run of this duration, s, does not come.
pub(super) fn beyond(protocols: &Protocols, duration: f64) -> Option<Diagnostic> {
    let times = protocols.indeterminacy.as_ref()?.beyond(duration);
    let list: Vec<String> = times.iter().map(|t| seconds(*t).to_string()).collect();
    let message = format!(
        "`indeterminacy` looks at t = {} s, and a run ends at {duration} s: nothing is seen there",
        list.join(" s, ")
    );
    let help = "name times within the run, or make it longer";
    (!times.is_empty()).then(|| Diagnostic::warning(Code::OutOfRange, message).help(help))
}

/// Runs and reference that the measures are about.
pub(super) struct Measuring<'a> {
    pub(super) global: &'a Global,
    pub(super) asked: &'a ComparisonRuns,
    pub(super) registry: &'a Registry,
    pub(super) reference: Option<&'a Reference>,
    pub(super) stop: &'a Stop,
}

/// Measures what is asked for of the runs that left results.
///
/// # Errors
/// A run that cannot begin again; a request to stop.
pub(super) fn sections(
    of: &Measuring<'_>,
    protocols: &Protocols,
    rows: &[Row],
) -> Result<Vec<Section>, Diagnostics> {
    let with_results =
        |run: &&Combination| rows.iter().any(|row| row.label == run.values && !row.q.is_empty());
    let runs: Vec<Combination> = of.asked.combinations.iter().filter(with_results).cloned().collect();
    let progress = Progress::of_search(of.global, "models on states of other runs");
    // Asked before every step: somebody waits.
    let stop = || {
        progress.found("");
        of.stop.is_asked()
    };
    let field = Field { asked: of.asked, registry: of.registry, stop: &stop };
    let mut sections = Vec::new();
    if runs.is_empty() {
        return Ok(sections);
    }
    if let Some(asked) = &protocols.same_state {
        sections.push(same_state(&field, asked, (&runs, of.reference))?.section(&of.asked.axes));
    }
    if let Some(asked) = &protocols.localised {
        let found = localised(&field, asked, (&runs, of.reference))?.section(&of.asked.axes);
        sections.push(found.map_err(|why| Diagnostic::error(Code::Io, format!("cannot draw: {why}")))?);
    }
    if let Some(asked) = &protocols.indeterminacy {
        sections.push(forces(&field, asked, &runs)?);
    }
    Ok(sections)
}
