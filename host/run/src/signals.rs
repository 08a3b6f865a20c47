//! The wish of the outside that a run stops: SIGINT (Ctrl-C) and SIGTERM.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Request to stop a run. Clones share it.
#[derive(Debug, Clone, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Asked for by the first SIGINT or SIGTERM from now on. The second one ends the process at once: a plugin that does not come back
    /// cannot be stopped in another way.
    ///
    /// # Errors
    /// Of the system.
    pub fn on_signals() -> std::io::Result<Self> {
        let stop = Self::default();
        for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
            // In this order: the second signal finds the wish that the first one left.
            signal_hook::flag::register_conditional_default(signal, Arc::clone(&stop.0))?;
            signal_hook::flag::register(signal, Arc::clone(&stop.0))?;
        }
        Ok(stop)
    }

    /// A file that comes to the limit of its size is an error of the write, not the end of the process.
    ///
    /// # Errors
    /// Of the system.
    pub fn not_at_size_limits() -> std::io::Result<()> {
        #[cfg(unix)]
        signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::default())?;
        Ok(())
    }

    /// Asks.
    pub fn ask(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Returns true if it was asked for.
    pub fn is_asked(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
