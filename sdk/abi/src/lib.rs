//! The binary contract between the Vinci host and its plugins.
//!
//! The only crate that names `abi_stable` or `libloading`; with `host/isolate` the only one with `unsafe`. Everything that crosses is plain
//! data ([`raw`]) and tables of functions; everything else here is one of the two sides:
//!
//! | | plugin side | host side |
//! |---|---|---|
//! | a role | [`DetectorPlugin`], [`StepperPlugin`], [`SolverPlugin`], [`ControllerPlugin`] | [`ForeignDetector`], [`ForeignStepper`], [`ForeignSolver`], [`ForeignController`] |
//! | a library | [`export_plugin!`], [`Manifest`] | `load::load`, [`Manifest`] |
//! | a library in C | `sdk/c/vinci_plugin.h` | `PluginV1`, `load::load` |
//! | failure | [`guard`]: panics stop here, poisoned instances | [`PluginFault`]: what came back was checked |
//! | call-backs, log | `oracle`, `log` | `oracle`, `log` |
//!
//! Both sides of one thing stand in one file. How the contract may grow is written in the README of the SDK.

#![allow(non_local_definitions)] // abi_stable's derive macros
#![deny(unsafe_op_in_unsafe_fn)]

mod bounds;
pub mod codes;
mod common;
mod controller;
mod detector;
mod exit_watch;
mod export;
pub mod fault;
mod finite;
mod float_env;
mod foreign;
pub mod guard;
mod inspect;
#[cfg(feature = "load")]
pub mod load;
mod log;
mod manifest;
mod module;
mod oracle;
mod panics;
pub mod parameters;
pub mod raw;
mod solver;
pub mod spelling;
mod stepper;
#[cfg(feature = "load")]
mod table;

pub use controller::{ControllerFunctions, ControllerPlugin, ForeignController};
pub use detector::{DetectorFunctions, DetectorPlugin, ForeignDetector};
pub use exit_watch::ExitWatch;
pub use fault::{FaultKind, PluginFault};
pub use float_env::FloatEnv;
pub use foreign::Lifecycle;
pub use log::HostServices;
pub use manifest::{Manifest, Role, capabilities_of, shape_name};
pub use module::{PluginModule, PluginModuleRef};
pub use parameters::{PARAMETERS, Parameters, Reading};
pub use solver::{ForeignSolver, SolverFunctions, SolverPlugin};
pub use stepper::{ForeignStepper, StepperFunctions, StepperPlugin};
#[cfg(feature = "load")]
pub use table::{ControllerV1, DetectorV1, PluginV1, SolverV1, StepperV1, header};

/// Items for the export macro alone.
#[doc(hidden)]
pub mod __private {
    pub use crate::codes::CONTRACT_VERSION;
    pub use crate::module::{Export, Roles, header, manifest, module};
    pub use crate::raw::Slice;
    pub use abi_stable::library::LibHeader;
}
