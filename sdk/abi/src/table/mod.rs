//! The plain C entry: one exported table, `vinci_plugin_v1`, for plugins that are not written in Rust.
//!
//! Its structs are the raw structs of the contract, its functions those of the Rust side, each of which may be absent. The C header
//! `sdk/c/vinci_plugin.h` is written from these types. What a Rust plugin's own side of the contract does for its author is done here by
//! the host: options are checked and completed ([`complete`]), arguments are looked at before they go in.

mod functions;
mod header;
mod options;
mod source;
mod v1;

pub(crate) use functions::{check_size, controller, detector, solver, stepper};
pub use header::header;
pub use options::complete;
pub(crate) use v1::SYMBOL;
pub use v1::{ControllerV1, DetectorV1, PluginV1, SolverV1, StepperV1};
