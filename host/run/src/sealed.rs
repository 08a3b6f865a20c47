//! The files of a run: written beside their places, counted and hashed as they grow, renamed when they are whole.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// Size and hash of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileSum {
    /// Bytes.
    pub size: u64,
    /// SHA-256 of them, hex.
    pub sha256: String,
}

impl FileSum {
    /// Of a file as it is.
    ///
    /// # Errors
    /// Of input.
    pub fn of(path: &Path) -> io::Result<Self> {
        let mut sum = Summing::default();
        sum.read(&mut File::open(path)?)?;
        Ok(sum.finish())
    }
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
    /// How far each table is kept, bytes; none where the run begins.
    kept: Option<BTreeMap<String, u64>>,
}

impl Tables {
    /// New ones in a directory.
    pub fn new(directory: &Path) -> Self {
        Self { directory: directory.to_owned(), kept: None }
    }

    /// Those of a run that goes on, each cut to so many bytes.
    pub fn resumed(directory: &Path, kept: BTreeMap<String, u64>) -> Self {
        Self { directory: directory.to_owned(), kept: Some(kept) }
    }

    /// Whether the run that goes on had begun a table.
    pub fn has(&self, name: &str) -> bool {
        self.kept.as_ref().is_some_and(|kept| kept.contains_key(name))
    }

    /// Opens a table and writes its first line, unless it is there already.
    ///
    /// # Errors
    /// Of input and output; a table that goes on and is shorter than it was.
    pub fn open(&self, name: &str, header: &str) -> io::Result<Table> {
        if let Some(length) = self.kept.as_ref().and_then(|kept| kept.get(name)) {
            return Table::resume(&self.directory, name, *length);
        }
        let mut table = Table::create(&self.directory, name)?;
        writeln!(table, "{header}")?;
        Ok(table)
    }

    /// The rows that are kept of a table that goes on; none of a new one.
    ///
    /// # Errors
    /// Of input.
    pub(crate) fn kept_rows(&self, name: &str) -> io::Result<impl Iterator<Item = io::Result<String>>> {
        let kept = self.kept.as_ref().and_then(|kept| kept.get(name));
        let open = |length: &u64| -> io::Result<io::Take<File>> {
            Ok(File::open(unsealed(&self.directory, name)?)?.take(*length))
        };
        let file = kept.map(open).transpose()?;
        Ok(file.into_iter().flat_map(|file| BufReader::new(file).lines().skip(1)))
    }
}

/// Bytes as hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

fn part(name: &str) -> String {
    format!("{name}.part")
}

/// The path of a table that is written on: one that was sealed goes back to where unfinished ones stand.
fn unsealed(directory: &Path, name: &str) -> io::Result<PathBuf> {
    let (open, sealed) = (directory.join(part(name)), directory.join(name));
    if !open.exists() {
        std::fs::rename(sealed, &open)?;
    }
    Ok(open)
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
        let out = File::create(directory.join(part(name)))?;
        Ok(Self::of(directory, name, out, Summing::default()))
    }

    fn of(directory: &Path, name: &str, out: File, sum: Summing) -> Self {
        let out = BufWriter::with_capacity(1 << 16, out);
        Self { directory: directory.to_owned(), name: name.to_owned(), out, sum }
    }

    fn resume(directory: &Path, name: &str, length: u64) -> io::Result<Self> {
        let path = unsealed(directory, name)?;
        let mut sum = Summing::default();
        sum.read(&mut File::open(&path)?.take(length))?;
        if sum.size != length {
            let found = sum.size;
            let message = format!("{name} holds {found} bytes where the checkpoint counts on {length}");
            return Err(io::Error::new(io::ErrorKind::InvalidData, message));
        }
        let out = OpenOptions::new().append(true).open(&path)?;
        out.set_len(length)?;
        Ok(Self::of(directory, name, out, sum))
    }

    /// Brings everything written so far to the disk; gives name and length.
    ///
    /// # Errors
    /// Of output.
    pub fn sync(&mut self) -> io::Result<(String, u64)> {
        self.out.flush()?;
        self.out.get_ref().sync_data()?;
        Ok((self.name.clone(), self.sum.size))
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

    #[test]
    fn a_table_has_its_name_when_it_is_whole_and_goes_on_where_it_was_cut() {
        let dir = tempfile::tempdir().unwrap();
        let read = |name: &str| std::fs::read_to_string(dir.path().join(name)).ok();
        let mut table = Tables::new(dir.path()).open("a.csv", "x,y").unwrap();
        writeln!(table, "1,2").unwrap();
        let (name, length) = table.sync().unwrap();
        writeln!(table, "3,4").unwrap();
        assert_eq!((name.as_str(), length, read("a.csv")), ("a.csv", 8, None));
        assert_eq!(table.seal().unwrap(), ("a.csv".into(), sum("x,y\n1,2\n3,4\n")));
        assert_eq!((read("a.csv").as_deref(), read("a.csv.part")), (Some("x,y\n1,2\n3,4\n"), None));
        let resumed = Tables::resumed(dir.path(), [(name, length)].into());
        let rows: Vec<_> = resumed.kept_rows("a.csv").unwrap().map(Result::unwrap).collect();
        assert_eq!(rows, ["1,2"]);
        let mut table = resumed.open("a.csv", "x,y").unwrap();
        writeln!(table, "5,6").unwrap();
        assert_eq!(read("a.csv"), None);
        assert_eq!(table.seal().unwrap().1, sum("x,y\n1,2\n5,6\n"));
        assert_eq!(read("a.csv").as_deref(), Some("x,y\n1,2\n5,6\n"));
    }

    #[test]
    fn a_table_that_is_shorter_than_it_was_does_not_go_on() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("a.csv.part"), "x,y\n").unwrap();
        let resumed = Tables::resumed(dir.path(), [("a.csv".to_owned(), 8)].into());
        assert!(resumed.open("a.csv", "x,y").unwrap_err().to_string().contains("holds 4 bytes where"));
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
