//! From a loaded experiment to a run whose start was looked at: whatever can be refused is refused here, before anything is written.

use std::path::Path;

use vinci_core::StageError;

use crate::failure::unstartable;
use crate::foresight::refuse_declared;
use crate::overlap::{open_joints, overlaps};
use crate::prepare::prepare;
use crate::prepared::Prepared;
use crate::settle::settle;
use crate::state::resume;
use vinci_engine::registry::Registry;
use vinci_scene::Loaded;
use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics};

/// Prepares and looks at the start, which is that of a saved state if one is given. `strict`: warnings are errors.
///
/// # Errors
/// As of [`prepare`]; what the stepper refuses of the scene; a first problem that reaches no solver.
pub fn ready(
    loaded: Loaded,
    registry: &Registry,
    strict: bool,
    from: Option<&Path>,
) -> Result<Prepared, Diagnostics> {
    let mut prepared = prepare(loaded, registry)?;
    if let Some(state) = from {
        resume(&mut prepared, state)?;
    }
    let begin = prepared.simulation.snapshot();
    look_at_start(&mut prepared, registry)?;
    if from.is_some() {
        // A look has no part in what follows: the state is the saved one, plugins' own included.
        let refused = |error: StageError| Diagnostic::error(Code::PluginFault, error.message);
        prepared.simulation.restore(&begin).map_err(refused)?;
    }
    if strict && !prepared.warnings.is_empty() {
        return Err(prepared.warnings.strict());
    }
    Ok(prepared)
}

/// Overlaps, open joints, and whether the first problem reaches a solver.
fn look_at_start(prepared: &mut Prepared, registry: &Registry) -> Result<(), Diagnostics> {
    refuse_declared(prepared)?;
    let start = overlaps(&prepared.loaded, &mut prepared.simulation)
        .and_then(|diagnostics| Ok((diagnostics, prepared.simulation.rehearse()?)));
    match start {
        Ok((diagnostics, class)) => {
            prepared.warnings.append(diagnostics);
            prepared.warnings.append(open_joints(&prepared.loaded, &prepared.simulation));
            settle(prepared, registry, class)
        }
        Err(failure) => Err(unstartable(prepared, &failure).into()),
    }
}
