//! The four stages a plugin may implement, in plain Rust. A foreign library and a test double look the same here.
//!
//! One rule for memory: a stage lends its result until its next call; nothing is copied.
//! One rule for outcomes: `Err` is misuse (the call could not be made), a numerical outcome is a [`crate::problem::Status`].

mod controller;
mod detector;
mod oracle;
mod state_numbers;
mod stepper;

pub use crate::state::BlockKind;
pub use controller::{Commands, ControlView, Controller};
pub use detector::{DetectQuery, Detector};
pub use oracle::Oracle;
pub use state_numbers::{append_numbers, split_numbers};
pub use stepper::{Rows, StepView, Stepper, Supports, Update, Verdict};

use crate::error::{ErrorKind, StageError};
use crate::problem::{Problem, Solution};

/// Solves problems of the classes its manifest names.
pub trait Solver {
    /// Solves one problem. The guess in the problem is the warm start; a solver keeps no other memory between problems
    /// than factorisations it can rebuild and what [`Solver::save_state`] writes.
    fn solve<'s>(&'s mut self, problem: &Problem<'_>) -> Result<Solution<'s>, StageError>;

    /// Appends whatever must survive a checkpoint or rollback. Most solvers have nothing.
    fn save_state(&self, _bytes: &mut Vec<u8>) {}

    /// Restores what [`Solver::save_state`] wrote.
    fn load_state(&mut self, bytes: &[u8]) -> Result<(), StageError> {
        refuse_foreign_state(bytes)
    }
}

/// Refuses saved state: for stages without lasting state, which accept empty bytes only.
pub fn refuse_foreign_state(bytes: &[u8]) -> Result<(), StageError> {
    if bytes.is_empty() {
        return Ok(());
    }
    let message = format!("this stage keeps no state but was given {} bytes to restore", bytes.len());
    Err(StageError::new(ErrorKind::BadState, message))
}
