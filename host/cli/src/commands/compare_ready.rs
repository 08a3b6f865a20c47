//! The runs of a comparison, made ready: what `compare` runs, and what `check` and `plugin lock` look at.

use std::path::Path;
use vinci_compare::measures::Reference;
use vinci_compare::protocols::Protocols;
use vinci_compare::{Combination, ComparisonRuns, NotRun, Outsider};
use vinci_core::model::System;
use vinci_engine::labels;
use vinci_engine::registry::Registry;
use vinci_judge::Case;
use vinci_run::{Prepared, ready};
use vinci_scene::Override;
use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics};

use super::{compare_outside, compare_protocols};

/// A combination, looked at.
pub(super) enum Ready<'a> {
    /// A run that can begin.
    Run(Box<Prepared>),
    /// The motion of another simulator, which can be judged.
    Motion(Box<Case>, &'a Outsider),
    /// The combination cannot run, and why.
    Not(NotRun),
}

/// Looks whether a comparison can be asked this, before anything runs. What is wrong with the first run itself, as an unknown key that is
/// varied, is told before what follows from it.
///
/// # Errors
/// A reference that is none, measures that cannot be taken, a first run that cannot be read.
pub(super) fn check(
    asked: &ComparisonRuns,
    protocols: &Protocols,
    reference: Option<&Reference>,
) -> Result<(), Diagnostics> {
    let checked = reference.map_or(Ok(()), Reference::check);
    checked.and_then(|()| compare_protocols::check(protocols, asked, reference)).map_err(|why| {
        let first = asked.combinations.first().filter(|run| run.motion.is_none());
        first.and_then(|run| asked.load(run).err()).unwrap_or(why)
    })
}

/// Makes all combinations ready, one after the other, and hands each to `take`. Gives the warnings about those that can run, each once.
///
/// # Errors
/// Diagnostics that no choice of models explains, those of `take`, what is wrong with all where none can run, and a reference that has
/// no column of any. Under `strict` any warning, and any combination that cannot run.
pub(super) fn each_ready<'a>(
    (asked, protocols, reference): (&'a ComparisonRuns, &Protocols, Option<&Reference>),
    registry: &Registry,
    strict: bool,
    mut take: impl FnMut(&Combination, Ready<'a>) -> Result<(), Diagnostics>,
) -> Result<Diagnostics, Diagnostics> {
    let (mut warnings, mut refused, mut can_run) = (Diagnostics::new(), Diagnostics::new(), false);
    let mut columns = Columns { reference, is_met: false, foreign: None };
    for run in &asked.combinations {
        let (ready, mut found) = one(asked, run, registry, strict)?;
        if let Ready::Run(prepared) = &ready {
            found.extend(compare_protocols::beyond(protocols, prepared.loaded.experiment.time.duration));
            columns.look(&prepared.simulation.system);
        }
        match &ready {
            Ready::Not(_) => refused.append(found),
            Ready::Run(_) | Ready::Motion(..) => {
                let new = found.iter().filter(|w| !warnings.iter().any(|known| known == *w));
                warnings.extend(new.cloned().collect::<Vec<_>>());
                can_run = true;
            }
        }
        take(run, ready)?;
    }
    columns.end()?;
    if can_run { Ok(warnings) } else { Err(refused) }
}

/// Columns of a reference among those of the runs.
struct Columns<'r> {
    reference: Option<&'r Reference>,
    /// True once a run has one of them.
    is_met: bool,
    /// Finding about the reference of a run that has none.
    foreign: Option<Diagnostics>,
}

impl Columns<'_> {
    /// Looks at the columns of a run.
    fn look(&mut self, system: &System) {
        let Some(reference) = self.reference.filter(|_| !self.is_met) else { return };
        let all = (0..system.n_blocks()).flat_map(|block| labels::block(system, block)).flatten();
        let known: Vec<String> = all.map(|label| label.to_string()).collect();
        match reference.check_columns(&known) {
            Ok(()) => self.is_met = true,
            Err(why) => self.foreign = Some(why),
        }
    }

    fn end(self) -> Result<(), Diagnostics> {
        self.foreign.filter(|_| !self.is_met).map_or(Ok(()), Err)
    }
}

/// One combination with its warnings, or with the errors for which it cannot run.
fn one<'a>(
    asked: &ComparisonRuns,
    run: &'a Combination,
    registry: &Registry,
    strict: bool,
) -> Result<(Ready<'a>, Diagnostics), Diagnostics> {
    if let Some(motion) = &run.motion {
        let case = compare_outside::case(asked, run, motion, registry)?;
        let warnings = case.warnings.clone();
        return Ok((Ready::Motion(Box::new(case), motion), warnings));
    }
    match ready(asked.load(run)?, registry, strict, None) {
        Ok(prepared) => {
            let warnings = prepared.warnings.clone();
            Ok((Ready::Run(Box::new(prepared)), warnings))
        }
        Err(errors) => match NotRun::of(&errors).filter(|_| !strict) {
            Some(why) => Ok((Ready::Not(why), errors)),
            None => Err(errors),
        },
    }
}

/// The warnings about a comparison file that would run; combinations that cannot run are warnings.
///
/// # Errors
/// What `compare` would refuse.
pub(super) fn looked_at(
    file: &Path,
    changes: &[Override],
    registry: &Registry,
    strict: bool,
) -> Result<Diagnostics, Diagnostics> {
    let asked = ComparisonRuns::of_file(file, changes)?;
    check(&asked, &asked.protocols, asked.reference.as_ref())?;
    let mut left_out = Diagnostics::new();
    let of = (&asked, &asked.protocols, asked.reference.as_ref());
    let mut warnings = each_ready(of, registry, strict, |run, ready| {
        if let Ready::Not(why) = ready {
            let message = format!("{} cannot run: {}", run.values.join(", "), why.reason);
            left_out.push(Diagnostic::warning(Code::Contradiction, message));
        }
        Ok(())
    })?;
    warnings.append(left_out);
    Ok(warnings)
}
