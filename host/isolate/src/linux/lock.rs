//! Locks of lists and words, which no panic leaves half written.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// The content of a lock, whoever panicked while holding it.
pub(super) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
