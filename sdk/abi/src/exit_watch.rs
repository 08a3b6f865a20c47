//! A plugin that ends the process: what can still be said and done about it.
//!
//! `exit` called inside a plugin runs the process's exit handlers and then ends it, with whatever status the plugin chose,
//! perhaps 0. The host cannot prevent it, but it can leave a handler that knows whether a plugin was being called, names
//! it, and ends the process with the code of a plugin fault instead.

use std::io::Write;
use std::sync::Once;
use std::sync::atomic::{AtomicPtr, Ordering};

/// Exit status of a process that a plugin ended: the host's code for a plugin fault.
const PLUGIN_FAULT: i32 = 5;

/// A call in progress.
pub(crate) struct Mark {
    pub plugin: *const str,
    pub call: &'static str,
}

/// The innermost call in progress. Static because exit handlers get no argument; written around every call, read only
/// when the process ends.
static CURRENT: AtomicPtr<Mark> = AtomicPtr::new(std::ptr::null_mut());

/// Registers the handler, once per process.
pub(crate) fn arm() {
    static ARMED: Once = Once::new();
    ARMED.call_once(|| {
        // SAFETY: the handler is a function of this program and touches only statics and the mark of a call in progress.
        // A full table of handlers leaves the process as it would be without us.
        let _ = unsafe { libc::atexit(at_exit) };
    });
}

/// Runs `function` with `mark` as the call in progress.
#[inline]
pub(crate) fn during<T>(mark: &mut Mark, function: impl FnOnce() -> T) -> T {
    let outer = CURRENT.swap(mark, Ordering::Relaxed);
    let result = function();
    CURRENT.store(outer, Ordering::Relaxed);
    result
}

extern "C" fn at_exit() {
    let mark = CURRENT.load(Ordering::Relaxed);
    if mark.is_null() {
        return;
    }
    // SAFETY: a mark that is current belongs to a call that has not returned, so its frame is still there; so is the name,
    // which the handle of that call owns.
    let (plugin, call) = unsafe { (&*(*mark).plugin, (*mark).call) };
    let _ = writeln!(
        std::io::stderr(),
        "error[plugin-fault]: plugin {plugin} ended the process in {call}; results without a summary.json are incomplete"
    );
    // SAFETY: ends the process at once; nothing of it runs afterwards.
    unsafe { libc::_exit(PLUGIN_FAULT) }
}
