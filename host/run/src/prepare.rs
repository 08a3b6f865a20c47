//! Preparing a run: everything it needs is found, checked and created, and all its events are tried, before anything is written.

use super::assemble::assemble_named;
use super::scheduled_events;
use crate::prepared::Prepared;
use vinci_engine::registry::Registry;
use vinci_scene::Loaded;
use vinci_scene::diagnostics::Diagnostics;

/// Finds the plugins, compiles the scene, creates all instances and tries all events. Nothing is written.
///
/// Errors: everything found wrong, at its place; the exit code follows from the kinds (3, 4, or 5 where a plugin broke
/// the contract while being created).
pub fn prepare(loaded: Loaded, registry: &Registry) -> Result<Prepared, Diagnostics> {
    let mut prepared = assemble_named(loaded, registry)?;
    scheduled_events::plan(&mut prepared)?;
    Ok(prepared)
}
