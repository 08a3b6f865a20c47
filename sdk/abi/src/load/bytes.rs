//! Bytes of plugin files: read up to a limit, and told as text.

use std::fmt::Write as _;
use std::path::Path;

use super::error::LoadError;
use super::file::{ReadError, read_regular};

/// The bytes of a regular file of at most `most` bytes.
pub(super) fn read_up_to(path: &Path, most: u64) -> Result<Vec<u8>, LoadError> {
    read_regular(path, most).map_err(|error| match error {
        ReadError::NotAFile(_) => LoadError::NotAFile { path: path.to_owned() },
        ReadError::Io(e) if e.kind() == std::io::ErrorKind::NotFound => {
            LoadError::Missing { path: path.to_owned() }
        }
        other => {
            let reason = std::io::Error::from(other).to_string();
            LoadError::Unreadable { path: path.to_owned(), reason }
        }
    })
}

/// Bytes as hexadecimal digits.
pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}
