//! Exit codes; scripts rely on them.

/// All went well.
pub const OK: u8 = 0;
/// The run ended, but its result is not accepted by the referee (or a comparison differs).
pub const NOT_ACCEPTED: u8 = 1;
/// The command line is wrong.
pub const USAGE: u8 = 2;
/// The experiment or scene is invalid.
pub const INVALID: u8 = 3;
/// A plugin was not found or was refused.
pub const PLUGIN_REFUSED: u8 = 4;
/// A plugin broke the contract while running.
pub const PLUGIN_FAULT: u8 = 5;
/// A step's problem was not solved.
pub const SOLVER: u8 = 6;
/// A file could not be read or written.
pub const IO: u8 = 7;
/// Stopped from outside with a valid checkpoint.
pub const STOPPED: u8 = 8;
/// A sweep was made to its end, but some of its runs took their process along: their rows hold no result.
pub const CRASHED: u8 = 9;
/// Stopped from outside between two grid times, without a checkpoint to go on from: to be begun anew.
pub const STOPPED_ANEW: u8 = 10;
