//! Panics stop here: they become errors that say where they happened.

use crate::codes;
use crate::raw::ErrorText;
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind};
use std::sync::Once;
use vinci_core::error::ErrorKind;

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
        assert!(error.contains("panics.rs:"), "{error}");
        assert!(error.ends_with("index out of bounds: the len is 2 but the index is 5"), "{error}");
    }

    #[test]
    fn payloads_whose_drop_panics_are_harmless() {
        install_panic_hook();
        assert!(catch(|| std::panic::panic_any(Bomb)).is_err());
    }

    #[test]
    fn a_message_is_cut_at_a_character() {
        let mut buffer = [0_u8; 5];
        let mut error = ErrorText::new(&mut buffer);
        // SAFETY: the text says how much room there is.
        unsafe { report(&mut error, ErrorKind::BadInput, "abcdéf") };
        assert_eq!((error.kind, error.len), (3, 4));
        assert_eq!(&buffer[..4], b"abcd");
    }
}
