//! Events during a run, and runs that go on from saved states.

#![allow(clippy::unwrap_used)] // helpers of tests are tests

mod closed_forms;
mod detectors;
mod program;
mod refusals;
mod states;
