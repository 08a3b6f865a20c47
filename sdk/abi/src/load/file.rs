//! Reading untrusted files: regular files only, and never more bytes than a limit.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Read};
use std::path::Path;

use thiserror::Error;

/// Reason why a file was not read, as the end of a sentence that begins with its name.
#[derive(Debug, Error)]
pub enum ReadError {
    /// The system refuses.
    #[error("cannot be read: {0}")]
    Io(#[from] io::Error),
    /// A directory, a device, a pipe, a socket: holds which.
    #[error("is {0}, not a file")]
    NotAFile(&'static str),
    /// More than may be read.
    #[error("has more than the {most} bytes that are read")]
    TooLarge {
        /// Bytes that would have been read.
        most: u64,
    },
}

impl ReadError {
    /// The kind of the system's error, where it is one.
    pub fn kind(&self) -> Option<io::ErrorKind> {
        match self {
            Self::Io(error) => Some(error.kind()),
            _ => None,
        }
    }
}

impl From<ReadError> for io::Error {
    fn from(error: ReadError) -> Self {
        match error {
            ReadError::Io(error) => error,
            ReadError::NotAFile(_) => Self::new(io::ErrorKind::InvalidInput, format!("it {error}")),
            ReadError::TooLarge { .. } => Self::new(io::ErrorKind::FileTooLarge, format!("it {error}")),
        }
    }
}

/// The bytes of a regular file of at most `most` bytes.
///
/// # Errors
/// What the system says; anything that is no regular file (a device has no end, a pipe waits for its writer); a file that
/// is larger, also one that grows while it is read.
pub fn read_regular(path: &Path, most: u64) -> Result<Vec<u8>, ReadError> {
    let (file, length) = open_regular(path, most)?;
    let mut bytes = Vec::new();
    let capacity = usize::try_from(length).ok().and_then(|len| len.checked_add(1));
    let capacity = capacity.ok_or(ReadError::TooLarge { most })?;
    bytes.try_reserve_exact(capacity).map_err(|_| io::Error::from(io::ErrorKind::OutOfMemory))?;
    file.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most { Err(ReadError::TooLarge { most }) } else { Ok(bytes) }
}

/// A regular file of at most `most` bytes, opened for reading, and how many it has.
///
/// # Errors
/// As of [`read_regular`].
pub fn open_regular(path: &Path, most: u64) -> Result<(File, u64), ReadError> {
    // Looked at before it is opened, for opening a device may do something; and after, for the name may lead elsewhere.
    judge(&std::fs::metadata(path)?, most)?;
    let file = open(path)?;
    let found = file.metadata()?;
    judge(&found, most)?;
    Ok((file, found.len()))
}

fn judge(found: &Metadata, most: u64) -> Result<(), ReadError> {
    if !found.is_file() {
        return Err(ReadError::NotAFile(kind_of(found)));
    }
    if found.len() > most { Err(ReadError::TooLarge { most }) } else { Ok(()) }
}

#[cfg(unix)]
fn kind_of(found: &Metadata) -> &'static str {
    use std::os::unix::fs::FileTypeExt;
    let kind = found.file_type();
    match () {
        () if kind.is_dir() => "a directory",
        () if kind.is_fifo() => "a pipe",
        () if kind.is_socket() => "a socket",
        () if kind.is_char_device() || kind.is_block_device() => "a device",
        () => "something else",
    }
}

#[cfg(not(unix))]
fn kind_of(found: &Metadata) -> &'static str {
    if found.is_dir() { "a directory" } else { "something else" }
}

/// Opens without waiting: what has become a pipe since it was looked at must not hold the program.
#[cfg(unix)]
fn open(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY).open(path)
}

#[cfg(not(unix))]
fn open(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).open(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    fn temporary(name: &str) -> PathBuf {
        std::env::temp_dir().join(format!("vinci-read-{}-{name}", std::process::id()))
    }

    #[test]
    fn a_file_is_read_up_to_the_bound_and_not_beyond() {
        let path = temporary("file");
        std::fs::write(&path, b"12345").unwrap();
        assert_eq!(read_regular(&path, 5).unwrap(), b"12345");
        let error = read_regular(&path, 4).unwrap_err();
        std::fs::remove_file(&path).unwrap();
        assert_eq!(error.to_string(), "has more than the 4 bytes that are read");
        assert_eq!(read_regular(&path, 4).unwrap_err().kind(), Some(io::ErrorKind::NotFound));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn what_has_no_end_or_waits_is_no_file() {
        let said = |path: &Path| read_regular(path, 1 << 20).unwrap_err().to_string();
        assert_eq!(said(Path::new("/dev/zero")), "is a device, not a file");
        assert_eq!(said(Path::new("/")), "is a directory, not a file");
        let pipe = temporary("pipe");
        let name = std::ffi::CString::new(pipe.to_str().unwrap()).unwrap();
        // SAFETY: a terminated string.
        assert_eq!(unsafe { libc::mkfifo(name.as_ptr(), 0o600) }, 0);
        let message = said(&pipe);
        std::fs::remove_file(&pipe).unwrap();
        assert_eq!(message, "is a pipe, not a file");
    }

    /// Such files say that they are empty.
    #[cfg(target_os = "linux")]
    #[test]
    fn files_that_hide_their_size_are_bounded_as_they_are_read() {
        let path = Path::new("/proc/self/status");
        assert_eq!(std::fs::metadata(path).unwrap().len(), 0);
        assert!(matches!(read_regular(path, 10), Err(ReadError::TooLarge { most: 10 })));
        assert!(read_regular(path, 1 << 20).unwrap().len() > 10);
    }
}
