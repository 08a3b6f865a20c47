//! A directory of results is written by one process at a time.

use std::fs::{File, Metadata, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

/// The file that is locked. The lock ends with the process, however that ends; the file may stay behind.
pub const LOCK: &str = ".vinci-lock";

/// Attempts to make a directory again that another run removes while it is being locked.
const TRIES: u32 = 100;

/// Exclusive lock of a directory, held as long as the value lives.
#[derive(Debug)]
pub struct Lock {
    path: PathBuf,
    _file: File,
}

impl Lock {
    /// Locks a directory; makes it if it is not there.
    ///
    /// # Errors
    /// [`io::ErrorKind::ResourceBusy`] where another process has it; those of input and output.
    pub fn take(directory: &Path) -> io::Result<Self> {
        let path = directory.join(LOCK);
        for left in (0..TRIES).rev() {
            match std::fs::create_dir_all(directory) {
                Err(_) if left > 0 && !directory.exists() => continue,
                made => made?,
            }
            if std::fs::symlink_metadata(&path).is_ok_and(|there| !there.is_file()) {
                return Err(io::Error::other(format!("{} is not a regular file", path.display())));
            }
            let file = match OpenOptions::new().create(true).truncate(false).write(true).open(&path) {
                Err(e) if e.kind() == io::ErrorKind::NotFound => continue,
                file => file?,
            };
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Err(busy()),
                Err(TryLockError::Error(e)) => return Err(e),
            }
            // The previous owner of the lock may have removed its file after we opened and before we locked it.
            if is_at(&file, &path)? {
                return Ok(Self { path, _file: file });
            }
        }
        Err(busy())
    }
}

fn busy() -> io::Error {
    let advice = "another run or sweep is writing there: wait for it, or choose another --out";
    io::Error::new(io::ErrorKind::ResourceBusy, advice)
}

fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    match std::fs::metadata(path) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(false),
        there => Ok(same(&file.metadata()?, &there?)),
    }
}

#[cfg(unix)]
fn same(a: &Metadata, b: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (a.dev(), a.ino()) == (b.dev(), b.ino())
}

/// An open file cannot be removed there.
#[cfg(not(unix))]
fn same(_: &Metadata, _: &Metadata) -> bool {
    true
}

impl Drop for Lock {
    fn drop(&mut self) {
        // A file that stays behind does no harm: nobody holds it.
        let _ = std::fs::remove_file(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_has_one_owner_and_is_clean_afterwards() {
        let dir = tempfile::tempdir().unwrap();
        let place = dir.path().join("deep/results");
        let first = Lock::take(&place).unwrap();
        assert_eq!(Lock::take(&place).unwrap_err().kind(), io::ErrorKind::ResourceBusy);
        drop(first);
        assert_eq!(std::fs::read_dir(&place).unwrap().count(), 0);
        drop(Lock::take(&place).unwrap());
    }

    /// Many threads that lock, look and give up: never are two inside, whoever removes the file or the directory.
    #[test]
    fn nobody_locks_a_file_that_was_removed() {
        use std::sync::atomic::{AtomicU32, Ordering};
        let dir = tempfile::tempdir().unwrap();
        let (place, inside) = (dir.path().join("results"), AtomicU32::new(0));
        let visit = || {
            let Ok(lock) = Lock::take(&place) else { return 0 };
            assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0);
            std::thread::yield_now();
            inside.fetch_sub(1, Ordering::SeqCst);
            drop(lock);
            let _ = std::fs::remove_dir(&place);
            1
        };
        let made: u32 = std::thread::scope(|scope| {
            let threads: Vec<_> =
                (0..4).map(|_| scope.spawn(|| (0..300).map(|_| visit()).sum::<u32>())).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).sum()
        });
        assert!(made > 0);
    }
}
