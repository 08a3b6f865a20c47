//! A table that grows, counted and hashed on the way.

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use super::early_sync::EarlySync;
use super::sum::{FileSum, Summing, Sums, named, regular};
use crate::atomic_write::create_anew;

/// A table that grows: `NAME.part` until it is sealed.
#[derive(Debug)]
pub struct Table {
    directory: PathBuf,
    name: String,
    out: BufWriter<File>,
    sum: Summing,
    early: EarlySync,
}

impl Table {
    pub(super) fn create(directory: &Path, name: &str) -> io::Result<Self> {
        let out = create_anew(&directory.join(part(name)))?;
        Ok(Self::of(directory, name, out, Summing::default()))
    }

    fn of(directory: &Path, name: &str, out: File, sum: Summing) -> Self {
        let out = BufWriter::with_capacity(1 << 16, out);
        Self { directory: directory.to_owned(), name: name.to_owned(), out, sum, early: EarlySync::default() }
    }

    pub(super) fn resume(directory: &Path, name: &str, kept: &FileSum) -> io::Result<Self> {
        let path = standing(directory, name)?;
        let sum = kept_part(&path, name, kept)?;
        let open = directory.join(part(name));
        if path != open {
            std::fs::rename(&path, &open).map_err(|e| named(&path, &e))?;
        }
        let out = OpenOptions::new().append(true).open(&open)?;
        out.set_len(kept.size)?;
        Ok(Self::of(directory, name, out, sum))
    }

    /// Brings everything written so far to the disk; gives name and sum.
    ///
    /// # Errors
    /// Of output.
    pub fn sync(&mut self) -> io::Result<(String, FileSum)> {
        self.out.flush()?;
        self.early.end()?;
        self.out.get_ref().sync_data()?;
        Ok((self.name.clone(), self.sum.clone().finish().file))
    }

    /// Brings tables to the disk, all at once, and gives them their names.
    ///
    /// # Errors
    /// Of output.
    pub fn seal_all(mut tables: Vec<Self>) -> io::Result<Vec<(String, Sums)>> {
        for table in &mut tables {
            table.out.flush()?;
            table.early.begin(table.out.get_ref())?;
        }
        tables.into_iter().map(Self::seal).collect()
    }

    /// Brings it to the disk and gives it its name.
    ///
    /// # Errors
    /// Of output.
    pub fn seal(self) -> io::Result<(String, Sums)> {
        let Self { directory, name, out, sum, mut early } = self;
        early.end()?;
        out.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()?;
        std::fs::rename(directory.join(part(&name)), directory.join(&name))?;
        Ok((name, sum.finish()))
    }
}

impl Write for Table {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let n = self.out.write(bytes)?;
        self.sum.add(&bytes[..n]);
        self.early.wrote(n, self.out.get_ref())?;
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

fn part(name: &str) -> String {
    format!("{name}.part")
}

/// Where a table stands that is written on: as an unfinished file, or sealed.
///
/// # Errors
/// It is not a regular file; links are not followed.
pub(super) fn standing(directory: &Path, name: &str) -> io::Result<PathBuf> {
    let (open, sealed) = (directory.join(part(name)), directory.join(name));
    let path = if std::fs::symlink_metadata(&open).is_ok() { open } else { sealed };
    let there = std::fs::symlink_metadata(&path).map_err(|e| named(&path, &e))?;
    if !there.is_file() {
        // Devices and pipes are told by their names.
        regular(&path)?;
        return Err(named(&path, &io::Error::other("it is a link, not a file")));
    }
    Ok(path)
}

/// The sum of the part of a table that is kept.
///
/// # Errors
/// Of input; a part that is not what it was.
pub(super) fn kept_part(path: &Path, name: &str, kept: &FileSum) -> io::Result<Summing> {
    let mut sum = Summing::default();
    sum.read(&mut regular(path)?.0.take(kept.size))?;
    let wrong = |message: String| Err(io::Error::new(io::ErrorKind::InvalidData, message));
    if sum.size() != kept.size {
        let (found, length) = (sum.size(), kept.size);
        return wrong(format!("{name} holds {found} bytes where the checkpoint counts on {length}"));
    }
    if sum.clone().finish().file != *kept {
        return wrong(format!("{name} does not hold what the run wrote to it before it was stopped"));
    }
    Ok(sum)
}
