//! A plugin that ends the process: what can still be said and done about it.
//!
//! `exit` called inside a plugin runs the process's exit handlers and then ends it, with whatever status the plugin chose,
//! perhaps 0. The host cannot prevent it, but it can leave a handler that knows whether a plugin was being called, names
//! it, and ends the process with the code of a plugin fault instead.

use std::cell::Cell;
use std::io::Write;
use std::sync::Once;

/// Exit status of a process that a plugin ended: the host's code for a plugin fault.
const PLUGIN_FAULT: i32 = 5;

/// A call in progress.
pub(crate) struct Mark {
    pub plugin: *const str,
    pub call: &'static str,
}

thread_local! {
    /// The innermost call in progress on this thread. Exit handlers get no argument, but run on the thread that called
    /// `exit`. Constant and without destructor, so it can still be read then.
    static CURRENT: Cell<*const Mark> = const { Cell::new(std::ptr::null()) };
}

/// Registers the handler, once per process.
pub(crate) fn arm() {
    static ARMED: Once = Once::new();
    ARMED.call_once(|| {
        // SAFETY: the handler is a function of this program and touches only the mark of a call in progress.
        // A full table of handlers leaves the process as it would be without us.
        let _ = unsafe { libc::atexit(at_exit) };
    });
}

/// Puts the outer call back, also where the inner one unwinds: a mark must not outlive its frame.
struct Outer(*const Mark);

impl Drop for Outer {
    #[inline]
    fn drop(&mut self) {
        CURRENT.set(self.0);
    }
}

/// Runs `function` with `mark` as the call in progress.
#[inline]
pub(crate) fn during<T>(mark: &Mark, function: impl FnOnce() -> T) -> T {
    let _outer = Outer(CURRENT.replace(mark));
    function()
}

extern "C" fn at_exit() {
    let mark = CURRENT.get();
    if mark.is_null() {
        return;
    }
    // SAFETY: a mark that is current belongs to a call of this thread that has not returned, so its frame is still there; so is the name,
    // which the handle of that call owns.
    let (plugin, call) = unsafe { (&*(*mark).plugin, (*mark).call) };
    let _ = writeln!(
        std::io::stderr(),
        "error[plugin-fault]: plugin {plugin} ended the process in {call}; results without a summary.json are incomplete"
    );
    // SAFETY: ends the process at once; nothing of it runs afterwards.
    unsafe { libc::_exit(PLUGIN_FAULT) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_mark_outlives_its_frame_when_the_call_unwinds() {
        let outer = Mark { plugin: "outer", call: "load" };
        let inner = Mark { plugin: "inner", call: "load" };
        during(&outer, || {
            assert!(crate::guard::catch(|| during(&inner, || panic!("while loading"))).is_err());
            assert!(std::ptr::eq(CURRENT.get(), &outer));
        });
        assert!(CURRENT.get().is_null());
    }
}
