//! Vinci in Python: the extension `vinci._vinci`. What users see stands in `python/vinci`; this is the part that needs the engine.
//!
//! A live simulation stays on one thread, as plugins may expect ([`home`]); Python's threads ask it in turn. Arrays that are handed out
//! are copies. Whatever fails is an exception ([`errors`]).

mod controller;
mod errors;
mod experiment;
mod home;
mod live;
mod object;
mod problem;
mod raised;
mod registry;
mod run;
mod simulation;
mod snapshot;
mod solver;
mod table;

use pyo3::prelude::*;

/// The part of the package `vinci` that needs the engine.
#[pymodule]
mod _vinci {
    #[pymodule_export]
    use crate::experiment::Core;
    #[pymodule_export]
    use crate::registry::Plugins;
    #[pymodule_export]
    use crate::run::{run_into, view_page};
    #[pymodule_export]
    use crate::simulation::Simulation;
    #[pymodule_export]
    use crate::snapshot::PySnapshot;
    #[pymodule_export]
    use crate::table::Table;
}
