//! Events during a run, and runs that go on from saved states.

mod closed_forms;
mod detectors;
mod program;
mod refusals;
mod states;
