//! A growing file goes to the disk while more of it is made, so that its end waits for the last of its bytes only.

use std::fs::File;
use std::io;
use std::thread::{Builder, JoinHandle};

/// Bytes after which the disk is set to work.
const PIECE: usize = 4 << 20;

/// The thread that brings a file to the disk, where there is one.
#[derive(Debug, Default)]
pub(super) struct EarlySync {
    /// Bytes that nobody has brought there.
    waiting: usize,
    thread: Option<JoinHandle<io::Result<()>>>,
}

impl EarlySync {
    /// Counts bytes that were written to the file.
    ///
    /// # Errors
    /// Of the bytes before them: the system tells it once, so it must be passed on. Without another thread or descriptor they go
    /// to the disk at the end.
    pub(super) fn wrote(&mut self, n: usize, file: &File) -> io::Result<()> {
        self.waiting += n;
        let is_busy = self.thread.as_ref().is_some_and(|thread| !thread.is_finished());
        if self.waiting < PIECE || is_busy {
            return Ok(());
        }
        self.begin(file)
    }

    /// Sets the disk to work on all that was written.
    ///
    /// # Errors
    /// As of [`EarlySync::wrote`].
    pub(super) fn begin(&mut self, file: &File) -> io::Result<()> {
        self.end()?;
        self.waiting = 0;
        let Ok(file) = file.try_clone() else { return Ok(()) };
        self.thread = Builder::new().name("disk".to_owned()).spawn(move || file.sync_data()).ok();
        Ok(())
    }

    /// Waits for the thread.
    ///
    /// # Errors
    /// Of output.
    pub(super) fn end(&mut self) -> io::Result<()> {
        let Some(thread) = self.thread.take() else { return Ok(()) };
        thread.join().unwrap_or_else(|_| Err(io::Error::other("the thread for the disk panicked")))
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    /// Whoever syncs later is not told again.
    #[test]
    fn what_the_disk_says_early_is_told() {
        // A file that cannot be brought to any disk.
        let file = File::options().write(true).open("/dev/null").unwrap();
        let mut early = EarlySync::default();
        early.wrote(PIECE - 1, &file).unwrap();
        assert!(early.thread.is_none());
        early.wrote(1, &file).unwrap();
        assert!(early.end().is_err());
        early.wrote(PIECE, &file).unwrap();
        while !early.thread.as_ref().unwrap().is_finished() {
            std::thread::yield_now();
        }
        assert!(early.wrote(PIECE, &file).is_err());
    }
}
