//! Sums of files: sizes and hashes.

use std::collections::BTreeMap;
use std::fs::File;
use std::hash::Hasher;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;
use std::thread::Builder;

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
    /// Of these bytes.
    pub fn of_bytes(bytes: &[u8]) -> Self {
        let mut sum = Summing::default();
        sum.add(bytes);
        sum.finish().file
    }

    /// Of a file as it is.
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

/// Bytes that have a fast checksum of their own: parts of a file can then be read side by side.
const PIECE: u64 = 4 << 20;

/// Size and fast checksums of a file (XXH64 of every piece): whether it is what was written a moment ago. SHA-256 says that to strangers,
/// and costs ten times as much.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct QuickSum {
    size: u64,
    pieces: Vec<u64>,
}

impl QuickSum {
    /// Of a file as it is. Another thread reads the first half of a large one.
    ///
    /// # Errors
    /// Of input; there is no thread to be had.
    pub(super) fn of(path: &Path) -> io::Result<Self> {
        let (_, length) = regular(path)?;
        let middle = length / PIECE / 2 * PIECE;
        if middle == 0 {
            return Self::of_part(path, 0, length);
        }
        std::thread::scope(|scope| {
            let first = Builder::new().spawn_scoped(scope, || Self::of_part(path, 0, middle))?;
            let second = Self::of_part(path, middle, length - middle)?;
            let first = first.join().map_err(|_| io::Error::other("the thread of a checksum panicked"))??;
            Ok(Self { size: first.size + second.size, pieces: [first.pieces, second.pieces].concat() })
        })
    }

    /// Of so many bytes of a file from the beginning of a piece on.
    fn of_part(path: &Path, from: u64, length: u64) -> io::Result<Self> {
        let (mut file, _) = regular(path)?;
        file.seek(SeekFrom::Start(from))?;
        let (mut size, mut pieces) = (0, Pieces::default());
        read(&mut file.take(length), |bytes| {
            size += bytes.len() as u64;
            pieces.add(bytes);
        })?;
        Ok(Self { size, pieces: pieces.finish() })
    }
}

/// Fast checksums that grow.
#[derive(Debug, Clone, Default)]
struct Pieces {
    whole: Vec<u64>,
    /// The piece that is not whole.
    checksum: XxHash64,
    length: u64,
}

impl Pieces {
    fn add(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let room = usize::try_from(PIECE - self.length).unwrap_or(usize::MAX);
            let (now, later) = bytes.split_at(bytes.len().min(room));
            self.checksum.write(now);
            self.length += now.len() as u64;
            if self.length == PIECE {
                self.end_piece();
            }
            bytes = later;
        }
    }

    fn end_piece(&mut self) {
        self.whole.push(std::mem::take(&mut self.checksum).finish());
        self.length = 0;
    }

    fn finish(mut self) -> Vec<u64> {
        if self.length > 0 {
            self.end_piece();
        }
        self.whole
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
    /// Of a file as it is.
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
    pieces: Pieces,
}

impl Summing {
    pub(super) fn add(&mut self, bytes: &[u8]) {
        self.size += bytes.len() as u64;
        self.hash.update(bytes);
        self.pieces.add(bytes);
    }

    /// Bytes so far.
    pub(super) fn size(&self) -> u64 {
        self.size
    }

    pub(super) fn read(&mut self, from: &mut impl Read) -> io::Result<()> {
        read(from, |bytes| self.add(bytes))
    }

    pub(super) fn finish(self) -> Sums {
        let quick = QuickSum { size: self.size, pieces: self.pieces.finish() };
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Pieces that end with the file, that do not, and one byte that is another one in the half of either thread.
    #[test]
    fn a_file_that_is_read_by_two_has_the_sums_that_it_was_written_with() {
        let dir = tempfile::tempdir().unwrap();
        let (path, piece) = (dir.path().join("a"), usize::try_from(PIECE).unwrap());
        for length in [0, 1, piece, 2 * piece, 3 * piece + 5, 5 * piece] {
            let bytes: Vec<u8> = (0..length).map(|k| (k % 251) as u8).collect();
            let mut sum = Summing::default();
            bytes.chunks(100_003).for_each(|part| sum.add(part));
            let quick = sum.finish().quick;
            std::fs::write(&path, &bytes).unwrap();
            assert_eq!(QuickSum::of(&path).unwrap(), quick, "{length}");
            for at in [length / 4, length.saturating_sub(1)] {
                let mut other = bytes.clone();
                other.get_mut(at).into_iter().for_each(|byte| *byte ^= 1);
                std::fs::write(&path, &other).unwrap();
                assert_eq!(QuickSum::of(&path).unwrap() == quick, length == 0, "{length} {at}");
            }
        }
    }
}
