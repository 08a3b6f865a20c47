//! When a plugin, and not its input, is to blame.

use std::sync::Arc;

use thiserror::Error;
use vinci_core::StageError;
use vinci_core::error::ErrorKind;

/// How a plugin broke the contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum FaultKind {
    /// It panicked; the instance is unusable from now on.
    Panicked,
    /// It panicked in an earlier call and was called again.
    Poisoned,
    /// It returned arrays of wrong length, indices out of range or unknown codes.
    BadOutput,
    /// It returned a number that must be finite and is not.
    NonFinite,
    /// It changed rounding, flushing or trapping of floating-point numbers. They are restored.
    FloatEnvironment,
    /// It made a copy of the process.
    Forked,
}

/// A plugin broke the contract: which one, in which call, how.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("plugin {plugin}: {call} {message}")]
pub struct PluginFault {
    /// Id of the plugin.
    pub plugin: Arc<str>,
    /// The call in which it happened.
    pub call: &'static str,
    /// How the contract was broken.
    pub kind: FaultKind,
    /// Description, as the end of a sentence that begins with plugin and call.
    pub message: String,
}

impl From<PluginFault> for StageError {
    fn from(fault: PluginFault) -> Self {
        let kind = match fault.kind {
            FaultKind::Panicked | FaultKind::Poisoned => ErrorKind::Panicked,
            _ => ErrorKind::Fault,
        };
        StageError::new(kind, fault.to_string()).by(&fault.plugin)
    }
}

/// Fault of data that crossed the contract, before plugin and call are known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flaw {
    /// How the contract was broken.
    pub kind: FaultKind,
    /// Description of the fault.
    pub message: String,
}

impl Flaw {
    /// Arrays, indices or codes that cannot be.
    pub fn output(message: String) -> Self {
        Self { kind: FaultKind::BadOutput, message }
    }

    /// A number that must be finite and is not.
    pub fn non_finite(message: String) -> Self {
        Self { kind: FaultKind::NonFinite, message }
    }
}

/// Seen from inside a plugin a flaw is bad input from the host.
impl From<Flaw> for StageError {
    fn from(flaw: Flaw) -> Self {
        StageError::bad_input(flaw.message)
    }
}
