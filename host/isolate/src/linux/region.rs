//! Memory that two processes share, as words. Both may write at any time, so every access is atomic and nothing is ever borrowed from it.

use std::ffi::c_void;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, ftruncate, memfd_create};
use rustix::mm::{MapFlags, ProtFlags, mmap, munmap};

/// Size, bytes. Pages that were never written take no memory.
const SIZE: usize = 256 << 20;

/// Words before those of messages, on cache lines of their own.
const HEAD: usize = 32;

/// Longest message, words.
pub(crate) const LONGEST: usize = SIZE / 8 - HEAD;

/// Shared memory, mapped.
pub(crate) struct Region {
    base: NonNull<AtomicU64>,
}

// SAFETY: a mapping belongs to the process, not to a thread, and all accesses are atomic.
unsafe impl Send for Region {}
// SAFETY: as above.
unsafe impl Sync for Region {}

impl Region {
    /// Fresh memory, and the descriptor under which a worker finds it. Sealed: neither side can make it smaller, which would end the other
    /// one at its next access.
    pub(crate) fn new() -> io::Result<(Self, OwnedFd)> {
        let file = memfd_create(c"vinci-worker", MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING)?;
        ftruncate(&file, SIZE as u64)?;
        fcntl_add_seals(&file, SealFlags::SHRINK | SealFlags::GROW | SealFlags::SEAL)?;
        Ok((Self::of(&file)?, file))
    }

    /// The memory behind a descriptor.
    pub(crate) fn of(file: impl AsFd) -> io::Result<Self> {
        let flags = (ProtFlags::READ | ProtFlags::WRITE, MapFlags::SHARED);
        // SAFETY: a fresh mapping at a place that the system chooses touches no other memory.
        let base = unsafe { mmap(std::ptr::null_mut(), SIZE, flags.0, flags.1, file, 0) }?;
        let base = NonNull::new(base.cast()).ok_or(io::ErrorKind::OutOfMemory)?;
        Ok(Self { base })
    }

    fn words(&self) -> &[AtomicU64] {
        // SAFETY: the mapping is this long, starts at a page and lives as long as `self`; every bit pattern is a number, and all accesses of
        // this program are atomic.
        unsafe { std::slice::from_raw_parts(self.base.as_ptr(), SIZE / 8) }
    }

    fn half(&self, word: usize) -> &AtomicU32 {
        let whole: *const AtomicU64 = &self.words()[word];
        // SAFETY: the first half of a word of the mapping, aligned, and never accessed as a whole.
        unsafe { &*whole.cast::<AtomicU32>() }
    }

    /// Number of turns so far.
    pub(crate) fn turn(&self) -> &AtomicU32 {
        self.half(0)
    }

    /// 1 while a side sleeps until the turn changes: 0 the host, 1 the worker.
    pub(crate) fn asleep(&self, side: usize) -> &AtomicU32 {
        self.half(8 * (1 + side))
    }

    /// Writes a message.
    pub(crate) fn write(&self, message: &[u64]) {
        let words = self.words();
        words[24].store(message.len() as u64, Ordering::Relaxed);
        let to = &words[HEAD..HEAD + message.len()];
        to.iter().zip(message).for_each(|(to, word)| to.store(*word, Ordering::Relaxed));
    }

    /// Copies the message; its length, where it cannot be one.
    pub(crate) fn read(&self, into: &mut Vec<u64>) -> Result<(), u64> {
        let words = self.words();
        // Read once: the other side may change it at any time.
        let length = words[24].load(Ordering::Relaxed);
        let fits = usize::try_from(length).ok().filter(|n| *n <= LONGEST).ok_or(length)?;
        into.clear();
        into.extend(words[HEAD..HEAD + fits].iter().map(|word| word.load(Ordering::Relaxed)));
        Ok(())
    }
}

impl Drop for Region {
    fn drop(&mut self) {
        // SAFETY: made by `of` with this length, and nothing borrows from it any more. Where it fails the pages stay, which harms nobody.
        let _ = unsafe { munmap(self.base.as_ptr().cast::<c_void>(), SIZE) };
    }
}
