//! The plugin side of every call: panics stop here, and an instance that panicked is not called again.
//!
//! The host cannot catch a panic of a plugin: each shared library has its own standard library, and an unwinding that
//! leaves an `extern "C"` function aborts the process.

use std::cell::{Cell, RefCell};
use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind};
use std::sync::Once;

use vinci_core::StageError;
use vinci_core::error::ErrorKind;

use crate::codes::{self, OK, PANICKED, POISONED, REFUSED};
use crate::inspect::Size;
use crate::raw::{ErrorText, Scratch};

thread_local! {
    static DEPTH: Cell<u32> = const { Cell::new(0) };
    static LAST_PANIC: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Makes panics inside a guarded call leave their place and message to be reported, silently; all others are left to
/// the hook that was there before.
pub fn install_panic_hook() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let previous = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if DEPTH.get() == 0 {
                previous(info);
            } else {
                LAST_PANIC.with_borrow_mut(|last| *last = Some(describe(info)));
            }
        }));
    });
}

fn describe(info: &PanicHookInfo<'_>) -> String {
    let payload = info.payload();
    let text = payload.downcast_ref::<&str>().copied();
    let text =
        text.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("(no message)");
    match info.location() {
        Some(place) => format!("panicked at {}:{}: {text}", place.file(), place.line()),
        None => format!("panicked: {text}"),
    }
}

/// Runs `body`; a panic in it becomes an error that says where it happened.
pub fn catch<R>(body: impl FnOnce() -> R) -> Result<R, String> {
    DEPTH.set(DEPTH.get() + 1);
    let outcome = catch_unwind(AssertUnwindSafe(body));
    DEPTH.set(DEPTH.get() - 1);
    outcome.map_err(|payload| {
        // The payload's own Drop may panic, and nobody would be left to catch that.
        std::mem::forget(payload);
        LAST_PANIC
            .take()
            .unwrap_or_else(|| "panicked (its panic hook was replaced, so the place is unknown)".into())
    })
}

/// Writes a refusal into the caller's text, if it gave one.
///
/// # Safety
/// `error` must be null or a text of the caller with room as it says.
pub(crate) unsafe fn report(error: *mut ErrorText, kind: ErrorKind, message: &str) {
    // SAFETY: the caller's promise.
    if let Some(error) = unsafe { error.as_mut() } {
        // SAFETY: the caller's promise about the room.
        unsafe { error.write(codes::kind_code(kind), message) };
    }
}

/// A stage behind its handle, with all that its answers point to.
pub(crate) struct Instance<T> {
    /// The plugin author's value.
    pub(crate) stage: T,
    /// State bytes and answers of extensions.
    pub(crate) bytes: Vec<u8>,
    /// Arrays of problems.
    pub(crate) scratch: Scratch,
    pub(crate) size: Size,
    poisoned: Option<String>,
}

/// Runs `make` and hands its stage out as a handle, null on failure.
///
/// # Safety
/// As [`report`].
pub(crate) unsafe fn create<T>(
    error: *mut ErrorText,
    make: impl FnOnce() -> Result<(T, Size), StageError>,
) -> *mut c_void {
    let boxed = || {
        make().map(|(stage, size)| {
            let scratch = Scratch::new("".into());
            Box::new(Instance { stage, bytes: Vec::new(), scratch, size, poisoned: None })
        })
    };
    match catch(boxed) {
        Ok(Ok(instance)) => return Box::into_raw(instance).cast(),
        // SAFETY: the caller's promise, here and below.
        Ok(Err(refusal)) => unsafe { report(error, refusal.kind, &refusal.message) },
        Err(panic) => unsafe { report(error, ErrorKind::Panicked, &panic) },
    }
    std::ptr::null_mut()
}

/// Runs `body` on the instance behind a handle and gives the return code.
///
/// # Safety
/// `handle` must come from [`create`] with the same `T`, not be destroyed, and not be in another call; `error` as in
/// [`report`].
pub(crate) unsafe fn call<T>(
    handle: *mut c_void,
    error: *mut ErrorText,
    body: impl FnOnce(&mut Instance<T>) -> Result<(), StageError>,
) -> i32 {
    // SAFETY: the caller's promise: a live instance that nobody else holds.
    let instance = unsafe { &mut *handle.cast::<Instance<T>>() };
    if let Some(earlier) = &instance.poisoned {
        // SAFETY: the caller's promise, here and below.
        unsafe { report(error, ErrorKind::Panicked, earlier) };
        return POISONED;
    }
    match catch(|| body(instance)) {
        Ok(Ok(())) => OK,
        Ok(Err(refusal)) => {
            unsafe { report(error, refusal.kind, &refusal.message) };
            REFUSED
        }
        Err(panic) => {
            unsafe { report(error, ErrorKind::Panicked, &panic) };
            instance.poisoned = Some(panic);
            PANICKED
        }
    }
}

/// Drops the instance behind a handle.
///
/// # Safety
/// As [`call`]; the handle is dead afterwards, whatever the return code.
pub(crate) unsafe fn destroy<T>(handle: *mut c_void, error: *mut ErrorText) -> i32 {
    // SAFETY: the caller's promise: made by `Box::into_raw` in `create`, and this is its last use.
    let instance = unsafe { Box::from_raw(handle.cast::<Instance<T>>()) };
    match catch(|| drop(instance)) {
        Ok(()) => OK,
        Err(panic) => {
            // SAFETY: the caller's promise.
            unsafe { report(error, ErrorKind::Panicked, &panic) };
            PANICKED
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Bomb;

    impl Drop for Bomb {
        fn drop(&mut self) {
            panic!("even its drop panics");
        }
    }

    #[test]
    fn the_place_of_a_panic_is_reported() {
        install_panic_hook();
        let error = catch(|| [0_u8; 2][std::hint::black_box(5)]).unwrap_err();
        assert!(error.contains("guard.rs:"), "{error}");
        assert!(error.ends_with("index out of bounds: the len is 2 but the index is 5"), "{error}");
    }

    #[test]
    fn payloads_whose_drop_panics_are_harmless() {
        install_panic_hook();
        assert!(catch(|| std::panic::panic_any(Bomb)).is_err());
    }

    #[test]
    fn a_message_is_cut_at_a_character() {
        let mut room = [0_u8; 5];
        let mut error = ErrorText::new(&mut room);
        // SAFETY: the text says how much room there is.
        unsafe { report(&mut error, ErrorKind::BadInput, "abcdéf") };
        assert_eq!((error.kind, error.len), (3, 4));
        assert_eq!(&room[..4], b"abcd");
    }
}
