//! Sums of files: sizes and hashes.

use std::collections::BTreeMap;
use std::fs::File;
use std::hash::Hasher;
use std::io::{self, Read};
use std::path::Path;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use twox_hash::XxHash64;
use vinci_scene::files::open_regular;

/// Size and hash of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileSum {
    /// Bytes.
    pub size: u64,
    /// SHA-256 of them, hex.
    pub sha256: String,
}

impl FileSum {
    /// Sum of these bytes.
    pub fn of_bytes(bytes: &[u8]) -> Self {
        let mut sum = Summing::default();
        sum.add(bytes);
        sum.finish().file
    }

    /// Sum of a file as it is.
    ///
    /// # Errors
    /// Of input.
    pub fn of(path: &Path) -> io::Result<Self> {
        Sums::of(path).map(|sums| sums.file)
    }
}

/// The first file of a directory whose content differs from its checksum; missing files are not reported.
///
/// # Errors
/// Of input.
pub fn changed_file<'s>(
    directory: &Path,
    sums: &'s BTreeMap<String, FileSum>,
) -> io::Result<Option<&'s str>> {
    for (name, sum) in sums {
        match FileSum::of(&directory.join(name)) {
            Ok(found) if found == *sum => {}
            Err(e) if e.kind() == io::ErrorKind::NotFound => {}
            Ok(_) => return Ok(Some(name)),
            Err(e) => return Err(e),
        }
    }
    Ok(None)
}

/// A regular file and its length; the error names the file.
pub(super) fn regular(path: &Path) -> io::Result<(File, u64)> {
    open_regular(path, u64::MAX).map_err(|e| named(path, &io::Error::from(e)))
}

/// This error with the name of the file in front.
pub(super) fn named(path: &Path, error: &io::Error) -> io::Error {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    io::Error::new(error.kind(), format!("{name}: {error}"))
}

/// Size and a fast checksum of a file (XXH64): whether it is what was written a moment ago. SHA-256 says that to strangers, and costs
/// ten times as much.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct QuickSum {
    size: u64,
    checksum: u64,
}

impl QuickSum {
    /// Sum of a file as it is.
    ///
    /// # Errors
    /// Of input.
    pub(super) fn of(path: &Path) -> io::Result<Self> {
        let (file, length) = regular(path)?;
        let (mut size, mut checksum) = (0, XxHash64::default());
        read(&mut file.take(length), |bytes| {
            size += bytes.len() as u64;
            checksum.write(bytes);
        })?;
        Ok(Self { size, checksum: checksum.finish() })
    }
}

/// Both sums of a file that is whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sums {
    /// Size and SHA-256.
    pub file: FileSum,
    pub(super) quick: QuickSum,
}

impl Sums {
    /// Sum of a file as it is.
    ///
    /// # Errors
    /// Of input.
    pub(super) fn of(path: &Path) -> io::Result<Self> {
        let mut sum = Summing::default();
        let (file, length) = regular(path)?;
        sum.read(&mut file.take(length))?;
        Ok(sum.finish())
    }
}

/// Sums that grow.
#[derive(Debug, Clone, Default)]
pub(super) struct Summing {
    size: u64,
    hash: Sha256,
    checksum: XxHash64,
}

impl Summing {
    pub(super) fn add(&mut self, bytes: &[u8]) {
        self.size += bytes.len() as u64;
        self.hash.update(bytes);
        self.checksum.write(bytes);
    }

    /// Bytes so far.
    pub(super) fn size(&self) -> u64 {
        self.size
    }

    pub(super) fn read(&mut self, from: &mut impl Read) -> io::Result<()> {
        read(from, |bytes| self.add(bytes))
    }

    pub(super) fn finish(self) -> Sums {
        let quick = QuickSum { size: self.size, checksum: self.checksum.finish() };
        Sums { file: FileSum { size: self.size, sha256: hex(&self.hash.finalize()) }, quick }
    }
}

/// Gives all bytes there are, a piece at a time.
fn read(from: &mut impl Read, mut take: impl FnMut(&[u8])) -> io::Result<()> {
    let mut buffer = vec![0; 1 << 16];
    loop {
        match from.read(&mut buffer)? {
            0 => return Ok(()),
            n => take(&buffer[..n]),
        }
    }
}

/// Bytes as hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}
