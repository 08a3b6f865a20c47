//! Rows on their way: one JSON object per line, flushed with every row. A kill loses what is in flight, and at most a torn last line.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Seek, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use vinci_run::sealed::FileSum;

use super::order::Order;
use super::row::{Row, RunId};
use super::shape::Shape;

/// File of a directory of results.
pub(super) const JOURNAL: &str = "journal.jsonl";

/// A row with the time it took, which is no part of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// The row.
    #[serde(flatten)]
    pub row: Row,
    /// Wall-clock time, s.
    pub seconds: f64,
    /// The last lines on the error stream of a process that died; no part of the row, as they hold addresses and numbers of threads.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub said: Vec<String>,
}

/// Last key of a row in the file: SHA-256 of the text before it. A digit that was changed is found.
const SUM: &str = ",\"sha256\":\"";

/// A row as one line of the journal.
pub(super) fn line_of(line: &Line) -> io::Result<Vec<u8>> {
    let mut text = serde_json::to_vec(line)?;
    text.pop();
    let sum = FileSum::of_bytes(&text).sha256;
    write!(text, "{SUM}{sum}\"}}")?;
    text.push(b'\n');
    Ok(text)
}

/// The row of a line, if it is what was written.
fn row_of(text: &[u8]) -> Result<Line, String> {
    let no_row = |e: &dyn std::fmt::Display| format!("is no row: {e}");
    let text = std::str::from_utf8(text).map_err(|e| no_row(&e))?;
    let line = serde_json::from_str(text).map_err(|e| no_row(&e))?;
    let (row, sum) = text.rsplit_once(SUM).ok_or_else(|| no_row(&"it has no sum"))?;
    if sum.trim_end().strip_suffix("\"}") != Some(FileSum::of_bytes(row.as_bytes()).sha256.as_str()) {
        return Err("does not hold what the sweep wrote to it: begin anew with --force".to_owned());
    }
    Ok(line)
}

/// The rows in a journal; none where there is no file. What stands behind the last whole line is no row.
///
/// # Errors
/// As of [`scan`].
pub fn read_journal(directory: &Path) -> io::Result<(Vec<Line>, u64)> {
    let mut lines = Vec::new();
    let whole = scan(directory, |line, _| {
        lines.push(line);
        Ok(())
    })?;
    Ok((lines, whole))
}

/// Gives every row of a journal, with the place of its line in the file, to `see`, and the length of the whole lines.
///
/// # Errors
/// A file that cannot be read, or a whole line that is no row, or another one than was written; those of `see`.
pub(super) fn scan(directory: &Path, mut see: impl FnMut(Line, u64) -> io::Result<()>) -> io::Result<u64> {
    let path = directory.join(JOURNAL);
    if std::fs::metadata(&path).is_ok_and(|there| !there.is_file()) {
        return Err(io::Error::other(format!("{JOURNAL} is not a regular file")));
    }
    let file = match File::open(&path) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(0),
        file => file?,
    };
    let (mut count, mut whole, mut reader, mut text) = (0_u64, 0, BufReader::new(file), Vec::new());
    loop {
        text.clear();
        let length = reader.read_until(b'\n', &mut text)?;
        if text.last() != Some(&b'\n') {
            return Ok(whole);
        }
        count += 1;
        let line = row_of(&text).map_err(|e| {
            io::Error::new(io::ErrorKind::InvalidData, format!("line {count} of {JOURNAL} {e}"))
        })?;
        see(line, whole)?;
        whole += length as u64;
    }
}

/// Journals that are open at once at most.
const MOST_OPEN: usize = 100;

/// The rows of some journals in the order of their runs: their places are in memory, they themselves are not.
#[derive(Debug, Default)]
pub(super) struct Sorted {
    directories: Vec<PathBuf>,
    /// Run, journal, place in it, success.
    places: Vec<(RunId, u32, u64, bool)>,
}

impl Sorted {
    /// Rows of one journal.
    ///
    /// # Errors
    /// As of [`scan`].
    pub(super) fn of(directory: &Path) -> io::Result<Self> {
        let mut places = Vec::new();
        scan(directory, |Line { row, .. }, at| {
            places.push((row.id, 0, at, row.success));
            Ok(())
        })?;
        places.sort_unstable();
        Ok(Self { directories: vec![directory.to_owned()], places })
    }

    /// Checks that they are all runs of a shape.
    ///
    /// # Errors
    /// What is missing, twice, or does not belong there.
    pub(super) fn complete(&self, shape: &Shape) -> Result<(), String> {
        let mut order = Order::of(shape);
        self.places.iter().try_for_each(|(id, _, _, success)| order.add_run(*id, *success))?;
        order.finish()
    }

    /// Takes the rows of other journals in.
    pub(super) fn append(&mut self, other: Self) {
        let n = self.directories.len() as u32;
        self.directories.extend(other.directories);
        self.places.extend(other.places.into_iter().map(|(id, k, at, success)| (id, n + k, at, success)));
    }

    /// The rows.
    pub(super) fn lines(mut self) -> impl Iterator<Item = io::Result<Line>> {
        self.places.sort_unstable();
        let mut open: BTreeMap<u32, BufReader<File>> = BTreeMap::new();
        let directories = self.directories;
        self.places.into_iter().map(move |(_, k, at, _)| {
            if open.len() >= MOST_OPEN && !open.contains_key(&k) {
                open.clear();
            }
            let file = match open.entry(k) {
                Entry::Occupied(entry) => entry.into_mut(),
                Entry::Vacant(entry) => {
                    entry.insert(BufReader::new(File::open(directories[k as usize].join(JOURNAL))?))
                }
            };
            let here = file.stream_position()?;
            file.seek_relative(at as i64 - here as i64)?;
            let mut text = Vec::new();
            file.read_until(b'\n', &mut text)?;
            row_of(&text).map_err(|e| io::Error::new(io::ErrorKind::InvalidData, format!("{JOURNAL} {e}")))
        })
    }
}

/// A journal that is written on.
#[derive(Debug)]
pub struct Journal {
    file: File,
}

impl Journal {
    /// Goes on behind the first `whole` bytes; what follows them is cut off.
    ///
    /// # Errors
    /// Of input and output.
    pub fn resume(directory: &Path, whole: u64) -> io::Result<Self> {
        let file = OpenOptions::new().create(true).append(true).open(directory.join(JOURNAL))?;
        file.set_len(whole)?;
        Ok(Self { file })
    }

    /// Adds a row: one write, so that a kill tears the last line at most.
    ///
    /// # Errors
    /// Of input and output.
    pub fn add(&mut self, line: &Line) -> io::Result<()> {
        self.file.write_all(&line_of(line)?)
    }

    /// Writes the journal to the disk before anything is sealed.
    ///
    /// # Errors
    /// Of input and output.
    pub fn sync(&self) -> io::Result<()> {
        self.file.sync_all()
    }
}
