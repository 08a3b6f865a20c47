//! The plugin side of every call: panics stop here, and an instance that panicked is not called again.
//!
//! The host cannot catch a panic of a plugin: each shared library has its own standard library, and an unwinding that
//! leaves an `extern "C"` function aborts the process.

use std::ffi::c_void;

use vinci_core::StageError;
use vinci_core::error::ErrorKind;

use crate::codes::{OK, PANICKED, POISONED, REFUSED};
use crate::inspect::Size;
use crate::panics::report;
use crate::raw::{ErrorText, Scratch};

pub use crate::panics::{catch, install_panic_hook};

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

/// A stage as a handle.
pub(crate) fn instance<T>(stage: T, size: Size) -> *mut c_void {
    let scratch = Scratch::new("".into());
    Box::into_raw(Box::new(Instance { stage, bytes: Vec::new(), scratch, size, poisoned: None })).cast()
}

/// Runs `make` and hands its stage out as a handle, null on failure.
///
/// # Safety
/// As [`report`].
pub(crate) unsafe fn create<T>(
    error: *mut ErrorText,
    make: impl FnOnce() -> Result<(T, Size), StageError>,
) -> *mut c_void {
    match catch(|| make().map(|(stage, size)| instance(stage, size))) {
        Ok(Ok(instance)) => return instance,
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
