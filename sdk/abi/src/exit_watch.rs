//! A plugin that ends the process, or makes a copy of it: what can still be said and done about it.
//!
//! `exit` called inside a plugin runs the process's exit handlers and then ends it, with whatever status the plugin chose,
//! perhaps 0. The host cannot prevent it, but it can leave a handler that knows whether a plugin was being called, names
//! it, and ends the process with the code of a plugin fault instead. A thread of a plugin is in no call; so a program says
//! when it is to end by itself only ([`ExitWatch`]). Nothing is heard of `_exit`.
//!
//! After `fork` two processes come back from the call, with the same open files. The copy is ended there; the original learns of it.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, Once, PoisonError};

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

    /// State of the process after a `fork` of this thread since the last call began.
    static FORKED: Cell<Forked> = const { Cell::new(Forked::Not) };
}

/// True while nobody but the program itself may end the process.
static WATCHED: AtomicBool = AtomicBool::new(false);

/// Plugins of which there have been instances: one of them started the thread that ended the process.
static USED: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Forked {
    Not,
    Original,
    Copy,
}

/// While this lives the process is to end by nothing but the program that made it: an `exit` from anywhere else, as from a thread that a
/// plugin started, ends it with the code of a plugin fault. A program makes one, drops it before it returns from `main`, and does not
/// call `exit` meanwhile.
#[derive(Debug)]
pub struct ExitWatch(());

impl ExitWatch {
    /// Watches from now on.
    pub fn begin() -> Self {
        arm();
        WATCHED.store(true, Ordering::SeqCst);
        Self(())
    }
}

impl Drop for ExitWatch {
    fn drop(&mut self) {
        WATCHED.store(false, Ordering::SeqCst);
    }
}

/// Notes that there is an instance of a plugin.
pub(crate) fn used(plugin: &str) {
    USED.lock().unwrap_or_else(PoisonError::into_inner).insert(plugin.to_owned());
}

/// Registers the handler, once per process. Miri, which has no handlers, starts no process either.
pub(crate) fn arm() {
    static ARMED: Once = Once::new();
    if cfg!(miri) {
        return;
    }
    ARMED.call_once(|| {
        // SAFETY: the handler is a function of this program and touches only the mark of a call in progress.
        // A full table of handlers leaves the process as it would be without us.
        let _ = unsafe { libc::atexit(at_exit) };
        #[cfg(unix)]
        // SAFETY: the handlers are functions of this program and set one cell of the thread that forks.
        // Without room for them forks pass unnoticed, as they would without us.
        let _ = unsafe { libc::pthread_atfork(None, Some(in_original), Some(in_copy)) };
    });
}

/// Puts the outer call back, also where the inner one unwinds: a mark must not outlive its frame. A copy of the process ends here.
struct Outer(*const Mark);

impl Drop for Outer {
    #[inline]
    fn drop(&mut self) {
        CURRENT.set(self.0);
        if FORKED.get() == Forked::Copy {
            end_copy();
        }
    }
}

#[cfg(unix)]
extern "C" fn in_original() {
    FORKED.set(Forked::Original);
}

#[cfg(unix)]
extern "C" fn in_copy() {
    FORKED.set(Forked::Copy);
}

/// Returns true if the call that has just come back forked the process. A copy of the process does not get to ask: it ends.
#[inline]
pub(crate) fn has_forked() -> bool {
    FORKED.get() == Forked::Original
}

#[cold]
fn end_copy() {
    // SAFETY: ends the copy at once; nothing of it runs afterwards, and none of its buffers is written. The original tells.
    unsafe { libc::_exit(PLUGIN_FAULT) }
}

/// Runs `function` with `mark` as the call in progress.
#[inline]
pub(crate) fn during<T>(mark: &Mark, function: impl FnOnce() -> T) -> T {
    let _outer = Outer(CURRENT.replace(mark));
    FORKED.set(Forked::Not);
    function()
}

extern "C" fn at_exit() {
    let mark = CURRENT.get();
    // A copy that ends by itself is as good as gone.
    if FORKED.get() == Forked::Copy {
        return;
    }
    if mark.is_null() {
        if WATCHED.load(Ordering::SeqCst) {
            end_for_thread();
        }
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

/// Ends the process that a thread of some plugin wanted to end, perhaps as a success.
fn end_for_thread() {
    let used = USED.try_lock().map(|used| used.iter().cloned().collect::<Vec<_>>().join(", "));
    let _ = writeln!(
        std::io::stderr(),
        "error[plugin-fault]: a thread of a plugin ended the process (in use: {}); results without a summary.json are incomplete",
        used.unwrap_or_default()
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
            assert!(crate::panics::catch(|| during(&inner, || panic!("while loading"))).is_err());
            assert!(std::ptr::eq(CURRENT.get(), &outer));
        });
        assert!(CURRENT.get().is_null());
    }
}
