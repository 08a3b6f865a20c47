//! The bytes that were hashed are the bytes that are loaded: a file can change between the two, a private copy cannot.
//! Overwriting the original while it is loaded (a rebuild) is harmless too.

use std::io::{self, Write};
use std::path::PathBuf;

/// A private copy of a library, under a path that the loader of the system understands.
pub(super) struct PrivateCopy {
    pub(super) path: PathBuf,
    on_disk: bool,
}

impl PrivateCopy {
    /// In memory where the system can, else in the directory for temporary files.
    pub(super) fn new(bytes: &[u8], name: &str) -> io::Result<Self> {
        in_memory(bytes).or_else(|_| on_disk(bytes, name))
    }

    /// To be called once the library is open; what is open needs no name any more (except on Windows).
    pub(super) fn opened(&self) {
        if self.on_disk && cfg!(unix) {
            // Left-over files do no harm but clutter, and there is nobody to tell.
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

#[cfg(target_os = "linux")]
fn in_memory(bytes: &[u8]) -> io::Result<PrivateCopy> {
    use std::ffi::{c_char, c_int, c_uint};
    use std::fs::File;
    use std::os::fd::{AsRawFd, FromRawFd};

    const CLOSE_ON_EXEC: c_uint = 1;
    unsafe extern "C" {
        fn memfd_create(name: *const c_char, flags: c_uint) -> c_int;
    }
    // SAFETY: a C function of the standard library's own libc, given a terminated string and a known flag.
    let descriptor = unsafe { memfd_create(c"vinci-plugin".as_ptr(), CLOSE_ON_EXEC) };
    if descriptor < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: a fresh descriptor that nobody else owns.
    let mut file = unsafe { File::from_raw_fd(descriptor) };
    file.write_all(bytes)?;
    let path = PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()));
    // Checks that /proc is there at all.
    std::fs::metadata(&path)?;
    // Stays open for ever: glibc recognises libraries by name and inode, and a second library under a recycled number
    // would be taken for the first.
    std::mem::forget(file);
    Ok(PrivateCopy { path, on_disk: false })
}

#[cfg(not(target_os = "linux"))]
fn in_memory(_: &[u8]) -> io::Result<PrivateCopy> {
    Err(io::ErrorKind::Unsupported.into())
}

fn on_disk(bytes: &[u8], name: &str) -> io::Result<PrivateCopy> {
    let name = format!("vinci-{}-{name}{}", std::process::id(), std::env::consts::DLL_SUFFIX);
    let path = std::env::temp_dir().join(name);
    // `create_new` refuses a file or link that somebody else has put there.
    let mut file = std::fs::OpenOptions::new().write(true).create_new(true).open(&path)?;
    file.write_all(bytes)?;
    Ok(PrivateCopy { path, on_disk: true })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_hold_the_bytes_and_disk_copies_go_away() {
        let memory = PrivateCopy::new(b"library", "test").unwrap();
        assert_eq!(std::fs::read(&memory.path).unwrap(), b"library");
        let disk = on_disk(b"library", "test").unwrap();
        assert_eq!(std::fs::read(&disk.path).unwrap(), b"library");
        assert!(on_disk(b"other", "test").is_err(), "never written over");
        disk.opened();
        assert!(!disk.path.exists() || cfg!(windows));
    }
}
