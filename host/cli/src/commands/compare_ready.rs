//! The runs of a comparison, made ready: what `compare` runs, and what `check` and `plugin lock` look at.

use std::path::Path;
use vinci_compare::{Asked, Combination, NotRun};
use vinci_engine::registry::Registry;
use vinci_run::{Prepared, ready};
use vinci_scene::Override;
use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics};

/// Makes all combinations ready, one after the other, and hands each to `take`: ready, or the reason why it cannot run. Gives the
/// warnings about those that can run, each once.
///
/// # Errors
/// Findings that no choice of models explains, those of `take`, and what is wrong with all where none can run. Under `strict` any
/// warning, and any combination that cannot run.
pub(super) fn each_ready(
    asked: &Asked,
    registry: &Registry,
    strict: bool,
    mut take: impl FnMut(&Combination, Result<Prepared, NotRun>) -> Result<(), Diagnostics>,
) -> Result<Diagnostics, Diagnostics> {
    let (mut warnings, mut refused, mut can_run) = (Diagnostics::new(), Diagnostics::new(), false);
    for run in &asked.combinations {
        let diagnostics = match ready(asked.load(run)?, registry, strict, None) {
            Ok(prepared) => {
                let new = prepared.warnings.iter().filter(|w| !warnings.iter().any(|known| known == *w));
                warnings.extend(new.cloned().collect::<Vec<_>>());
                can_run = true;
                take(run, Ok(prepared))?;
                continue;
            }
            Err(diagnostics) => diagnostics,
        };
        let Some(why) = NotRun::of(&diagnostics).filter(|_| !strict) else { return Err(diagnostics) };
        take(run, Err(why))?;
        refused.append(diagnostics);
    }
    if can_run { Ok(warnings) } else { Err(refused) }
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
    let asked = Asked::of_file(file, changes)?;
    asked.reference.as_ref().map_or(Ok(()), |reference| reference.check())?;
    let mut left_out = Diagnostics::new();
    let mut warnings = each_ready(&asked, registry, strict, |run, ready| {
        if let Err(why) = ready {
            let message = format!("{} cannot run: {}", run.values.join(", "), why.reason);
            left_out.push(Diagnostic::warning(Code::Contradiction, message));
        }
        Ok(())
    })?;
    warnings.append(left_out);
    Ok(warnings)
}
