//! A limit to the time that a process takes. A plugin that computes cannot be interrupted: only the end of the process ends it.

use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

/// Ends the process when its time has passed, unless it is dropped before.
#[derive(Debug)]
pub struct TimeLimit {
    /// The watching thread ends when this is gone.
    _alive: Sender<()>,
}

impl TimeLimit {
    /// A limit from now on. When it has passed, `at_end` says what there is to say and gives the exit code; other threads go on meanwhile,
    /// and none of their clean-up is done.
    ///
    /// # Errors
    /// The system makes no thread.
    pub fn new(limit: Duration, at_end: impl FnOnce() -> u8 + Send + 'static) -> std::io::Result<Self> {
        let (alive, watched) = channel();
        std::thread::Builder::new().name("time-limit".into()).spawn(move || {
            if watched.recv_timeout(limit) == Err(RecvTimeoutError::Timeout) {
                end(at_end());
            }
        })?;
        Ok(Self { _alive: alive })
    }
}

/// Without what libraries do at the end of a process: they are still at work.
#[cfg(unix)]
fn end(code: u8) -> ! {
    signal_hook::low_level::exit(code.into())
}

#[cfg(not(unix))]
fn end(code: u8) -> ! {
    std::process::exit(code.into())
}
