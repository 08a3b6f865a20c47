//! The SDK: the one crate that a plugin author depends on.
//!
//! A plugin is a value that implements one of core's stage traits ([`core::stage::Solver`], [`core::stage::Stepper`],
//! [`core::stage::Detector`], [`core::stage::Controller`]), says what it is ([`SolverPlugin`] and its siblings) and is exported:
//!
//! ```
//! use vinci_sdk::prelude::*;
//!
//! /// Options, with their defaults.
//! #[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
//! #[serde(crate = "vinci_sdk::serde", default, deny_unknown_fields)]
//! #[schemars(crate = "vinci_sdk::schemars")]
//! struct Config {
//!     /// Sweeps at most.
//!     max_sweeps: u32,
//! }
//!
//! struct Nothing(Vec<f64>);
//!
//! impl Solver for Nothing {
//!     fn solve<'s>(&'s mut self, problem: &Problem<'_>) -> Result<Solution<'s>, StageError> {
//!         self.0.clear();
//!         self.0.resize(problem.len(), 0.0);
//!         Ok(Solution { status: Status::MaxIterations, z: &self.0, ..Solution::default() })
//!     }
//! }
//!
//! impl SolverPlugin for Nothing {
//!     fn manifest() -> Manifest {
//!         Manifest::new("example.solver.nothing", Role::Solver, env!("CARGO_PKG_VERSION"))
//!             .title("Does nothing and says so")
//!             .classes(&[ProblemClass::Mlcp])
//!             .options::<Config>()
//!     }
//!
//!     fn create(options: &str, _system: &SystemView<'_>) -> Result<Self, StageError> {
//!         let _config: Config = parse_options(options)?;
//!         Ok(Self(Vec::new()))
//!     }
//! }
//!
//! vinci_sdk::export_plugin!(solver = Nothing);
//! # fn main() {}
//! ```
//!
//! The README of this crate says who owns which memory, which thread calls, and how the contract may grow.

mod options;
pub mod regularized;
pub mod rigid;
pub mod state;

pub use options::{NoOptions, OptionsSchema, parse_options};
pub use vinci_abi::{
    ControllerPlugin, DetectorPlugin, Manifest, Parameters, Role, SolverPlugin, StepperPlugin, export_plugin,
    shape_name,
};
pub use vinci_core as core;
pub use {schemars, serde, serde_json, tracing};

/// Everything a plugin usually names.
pub mod prelude {
    pub use crate::{
        ControllerPlugin, DetectorPlugin, Manifest, NoOptions, OptionsSchema, Role, SolverPlugin,
        StepperPlugin, parse_options,
    };
    pub use schemars::JsonSchema;
    pub use serde::{Deserialize, Serialize};
    pub use vinci_core::contact::{ContactKey, Contacts, RawContacts};
    pub use vinci_core::error::{ErrorKind, StageError};
    pub use vinci_core::model::{
        DofRole, MotionModel, NO_COORDINATE, PairValues, ShapeKind, ShapeView, Space, SystemView,
    };
    pub use vinci_core::problem::{
        Conic, ConicBuf, Mlcp, MlcpBuf, Part, Problem, ProblemClass, Qpcc, QpccBuf, Root, RowTag, Solution,
        Status, UNTAGGED,
    };
    pub use vinci_core::stage::{
        BlockKind, Commands, ControlView, Controller, DetectQuery, Detector, Oracle, Rows, Solver, StepView,
        Stepper, Update, Verdict,
    };
    pub use vinci_core::{Csr, CsrBuf};
}
