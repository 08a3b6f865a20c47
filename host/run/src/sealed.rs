//! The files of a run: written beside their places, counted and hashed as they grow, renamed when they are whole.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use vinci_scene::files::open_regular;

use crate::atomic_write::create_anew;

/// Tables as far as they are on the disk.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Synced {
    /// Their sums by file.
    pub sums: BTreeMap<String, FileSum>,
    /// Bytes that make whole files of those in Parquet.
    pub footers: BTreeMap<String, Vec<u8>>,
}

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
        sum.finish()
    }

    /// Of a file as it is.
    ///
    /// # Errors
    /// Of input.
    pub fn of(path: &Path) -> io::Result<Self> {
        let mut sum = Summing::default();
        let (file, length) = regular(path)?;
        sum.read(&mut file.take(length))?;
        Ok(sum.finish())
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
fn regular(path: &Path) -> io::Result<(File, u64)> {
    open_regular(path, u64::MAX).map_err(|e| named(path, &io::Error::from(e)))
}

/// This error with the name of the file in front.
fn named(path: &Path, error: &io::Error) -> io::Error {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    io::Error::new(error.kind(), format!("{name}: {error}"))
}

/// A sum that grows.
#[derive(Debug, Clone, Default)]
struct Summing {
    size: u64,
    hash: Sha256,
}

impl Summing {
    fn add(&mut self, bytes: &[u8]) {
        self.size += bytes.len() as u64;
        self.hash.update(bytes);
    }

    fn read(&mut self, from: &mut impl Read) -> io::Result<()> {
        let mut buffer = vec![0; 1 << 16];
        loop {
            match from.read(&mut buffer)? {
                0 => return Ok(()),
                n => self.add(&buffer[..n]),
            }
        }
    }

    fn finish(self) -> FileSum {
        FileSum { size: self.size, sha256: hex(&self.hash.finalize()) }
    }
}

/// Where the tables of a run are opened: new ones, or those of a run that goes on.
#[derive(Debug, Clone, Default)]
pub struct Tables {
    directory: PathBuf,
    /// Part of each table that is kept; none where the run begins.
    kept: Option<BTreeMap<String, FileSum>>,
    /// Footers of those in Parquet.
    footers: BTreeMap<String, Vec<u8>>,
}

impl Tables {
    /// New ones in a directory.
    pub fn new(directory: &Path) -> Self {
        Self { directory: directory.to_owned(), ..Self::default() }
    }

    /// Those of a run that goes on, each cut to what is kept of it when it is opened. All are looked at first, and nothing is changed
    /// where one of them is not what it was.
    ///
    /// # Errors
    /// Of input; a table that is not what it was.
    pub fn resumed(directory: &Path, kept: Synced) -> io::Result<Self> {
        for (name, sum) in &kept.sums {
            kept_part(&standing(directory, name)?, name, sum)?;
        }
        Ok(Self { directory: directory.to_owned(), kept: Some(kept.sums), footers: kept.footers })
    }

    /// Returns true if the run that goes on had begun a table.
    pub fn has(&self, name: &str) -> bool {
        self.kept.as_ref().is_some_and(|kept| kept.contains_key(name))
    }

    /// Opens a file without a first line.
    ///
    /// # Errors
    /// Of input and output; a file that goes on and is not what it was.
    pub fn open_plain(&self, name: &str) -> io::Result<Table> {
        match self.kept.as_ref().and_then(|kept| kept.get(name)) {
            Some(kept) => Table::resume(&self.directory, name, kept),
            None => Table::create(&self.directory, name),
        }
    }

    /// Opens a table and writes its first line, unless it is there already.
    ///
    /// # Errors
    /// Of input and output; a table that goes on and is not what it was.
    pub fn open(&self, name: &str, header: &str) -> io::Result<Table> {
        if let Some(kept) = self.kept.as_ref().and_then(|kept| kept.get(name)) {
            return Table::resume(&self.directory, name, kept);
        }
        let mut table = Table::create(&self.directory, name)?;
        writeln!(table, "{header}")?;
        Ok(table)
    }

    /// The footer of a Parquet file that goes on.
    pub(crate) fn footer(&self, name: &str) -> Option<&[u8]> {
        self.footers.get(name).map(Vec::as_slice)
    }

    /// A table that goes on, and how much of it is kept, bytes.
    ///
    /// # Errors
    /// Of input.
    pub(crate) fn kept_file(&self, name: &str) -> io::Result<Option<(File, u64)>> {
        let kept = self.kept.as_ref().and_then(|kept| kept.get(name));
        let open = |kept: &FileSum| Ok((regular(&standing(&self.directory, name)?)?.0, kept.size));
        kept.map(open).transpose()
    }
}

/// Bytes as hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

fn part(name: &str) -> String {
    format!("{name}.part")
}

/// Where a table stands that is written on: as an unfinished file, or sealed.
///
/// # Errors
/// It is not a regular file; links are not followed.
fn standing(directory: &Path, name: &str) -> io::Result<PathBuf> {
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
fn kept_part(path: &Path, name: &str, kept: &FileSum) -> io::Result<Summing> {
    let mut sum = Summing::default();
    sum.read(&mut regular(path)?.0.take(kept.size))?;
    let wrong = |message: String| Err(io::Error::new(io::ErrorKind::InvalidData, message));
    if sum.size != kept.size {
        let (found, length) = (sum.size, kept.size);
        return wrong(format!("{name} holds {found} bytes where the checkpoint counts on {length}"));
    }
    if sum.clone().finish() != *kept {
        return wrong(format!("{name} does not hold what the run wrote to it before it was stopped"));
    }
    Ok(sum)
}

/// A table that grows: `NAME.part` until it is sealed.
#[derive(Debug)]
pub struct Table {
    directory: PathBuf,
    name: String,
    out: BufWriter<File>,
    sum: Summing,
}

impl Table {
    fn create(directory: &Path, name: &str) -> io::Result<Self> {
        let out = create_anew(&directory.join(part(name)))?;
        Ok(Self::of(directory, name, out, Summing::default()))
    }

    fn of(directory: &Path, name: &str, out: File, sum: Summing) -> Self {
        let out = BufWriter::with_capacity(1 << 16, out);
        Self { directory: directory.to_owned(), name: name.to_owned(), out, sum }
    }

    fn resume(directory: &Path, name: &str, kept: &FileSum) -> io::Result<Self> {
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
        self.out.get_ref().sync_data()?;
        Ok((self.name.clone(), self.sum.clone().finish()))
    }

    /// Brings it to the disk and gives it its name.
    ///
    /// # Errors
    /// Of output.
    pub fn seal(self) -> io::Result<(String, FileSum)> {
        let Self { directory, name, out, sum } = self;
        out.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()?;
        std::fs::rename(directory.join(part(&name)), directory.join(&name))?;
        Ok((name, sum.finish()))
    }
}

impl Write for Table {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let n = self.out.write(bytes)?;
        self.sum.add(&bytes[..n]);
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// The files of a run that are whole, with their sums.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ledger(BTreeMap<String, FileSum>);

impl Ledger {
    /// Takes files in whose sums are known.
    pub fn extend(&mut self, files: impl IntoIterator<Item = (String, FileSum)>) {
        self.0.extend(files);
    }

    /// Takes a file in that was written a moment ago.
    ///
    /// # Errors
    /// Of input.
    pub fn add(&mut self, directory: &Path, name: &str) -> io::Result<()> {
        self.0.insert(name.to_owned(), FileSum::of(&directory.join(name))?);
        Ok(())
    }

    /// Looks whether all files are what was written: a plugin shares the process, and with it the open files.
    ///
    /// # Errors
    /// Of input; the first file that is another one.
    pub fn check(&self, directory: &Path) -> io::Result<()> {
        for (name, sum) in &self.0 {
            if FileSum::of(&directory.join(name))? != *sum {
                let message = format!(
                    "{name} does not hold what was written to it: something else, perhaps a plugin, wrote there"
                );
                return Err(io::Error::new(io::ErrorKind::InvalidData, message));
            }
        }
        Ok(())
    }

    /// The sums by name.
    pub fn into_files(self) -> BTreeMap<String, FileSum> {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(text: &str) -> FileSum {
        FileSum { size: text.len() as u64, sha256: hex(&Sha256::digest(text)) }
    }

    fn synced<const N: usize>(sums: [(String, FileSum); N]) -> Synced {
        Synced { sums: sums.into(), footers: BTreeMap::new() }
    }

    #[test]
    fn a_table_has_its_name_when_it_is_whole_and_goes_on_where_it_was_cut() {
        let dir = tempfile::tempdir().unwrap();
        let read = |name: &str| std::fs::read_to_string(dir.path().join(name)).ok();
        let mut table = Tables::new(dir.path()).open("a.csv", "x,y").unwrap();
        writeln!(table, "1,2").unwrap();
        let (name, kept) = table.sync().unwrap();
        writeln!(table, "3,4").unwrap();
        assert_eq!((name.as_str(), &kept, read("a.csv")), ("a.csv", &sum("x,y\n1,2\n"), None));
        assert_eq!(table.seal().unwrap(), ("a.csv".into(), sum("x,y\n1,2\n3,4\n")));
        assert_eq!((read("a.csv").as_deref(), read("a.csv.part")), (Some("x,y\n1,2\n3,4\n"), None));
        let resumed = Tables::resumed(dir.path(), synced([(name, kept)])).unwrap();
        let mut table = resumed.open("a.csv", "x,y").unwrap();
        writeln!(table, "5,6").unwrap();
        assert_eq!(read("a.csv"), None);
        assert_eq!(table.seal().unwrap().1, sum("x,y\n1,2\n5,6\n"));
        assert_eq!(read("a.csv").as_deref(), Some("x,y\n1,2\n5,6\n"));
    }

    /// The one that is whole keeps its name too: a refusal changes nothing.
    #[test]
    fn a_table_that_is_not_what_it_was_does_not_go_on() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("a.csv"), "x,y\n1,2\n").unwrap();
        let kept = || synced(["a.csv", "b.csv"].map(|name| (name.to_owned(), sum("x,y\n1,2\n"))));
        for (holds, said) in
            [("x,y\n", "holds 4 bytes where"), ("x,y\n1,9\n", "does not hold what the run wrote")]
        {
            std::fs::write(dir.path().join("b.csv.part"), holds).unwrap();
            let error = Tables::resumed(dir.path(), kept()).unwrap_err().to_string();
            assert!(error.contains(said), "{error}");
            let mut names: Vec<_> =
                std::fs::read_dir(dir.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
            names.sort();
            assert_eq!(names, ["a.csv", "b.csv.part"]);
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_link_in_the_place_of_a_table_is_not_written_through() {
        let dir = tempfile::tempdir().unwrap();
        let (precious, table) = (dir.path().join("precious"), dir.path().join("a.csv.part"));
        std::fs::write(&precious, "x,y\n1,2\n").unwrap();
        std::os::unix::fs::symlink(&precious, &table).unwrap();
        let resumed = Tables::resumed(dir.path(), synced([("a.csv".to_owned(), sum("x,y\n"))]));
        assert!(resumed.unwrap_err().to_string().contains("it is a link"));
        Tables::new(dir.path()).open("a.csv", "z").unwrap().seal().unwrap();
        assert_eq!(std::fs::read_to_string(&precious).unwrap(), "x,y\n1,2\n");
    }

    #[test]
    fn a_file_that_somebody_else_wrote_to_is_found() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("a"), "whole").unwrap();
        let mut ledger = Ledger::default();
        ledger.add(dir.path(), "a").unwrap();
        ledger.check(dir.path()).unwrap();
        std::fs::write(dir.path().join("a"), "whale").unwrap();
        assert!(ledger.check(dir.path()).unwrap_err().to_string().contains("does not hold what was written"));
    }
}
