//! Rows on their way: one JSON object per line, flushed with every row. A kill loses what is in flight, and at most a torn last line.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};
use vinci_run::sealed::FileSum;

use super::row::Row;

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
/// A file that cannot be read, or a whole line that is no row, or another one than was written.
pub fn read_journal(directory: &Path) -> io::Result<(Vec<Line>, u64)> {
    let path = directory.join(JOURNAL);
    if std::fs::metadata(&path).is_ok_and(|there| !there.is_file()) {
        return Err(io::Error::other(format!("{JOURNAL} is not a regular file")));
    }
    let file = match File::open(&path) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok((Vec::new(), 0)),
        file => file?,
    };
    let (mut lines, mut whole, mut reader, mut text) = (Vec::new(), 0, BufReader::new(file), Vec::new());
    loop {
        text.clear();
        let length = reader.read_until(b'\n', &mut text)?;
        if text.last() != Some(&b'\n') {
            return Ok((lines, whole));
        }
        let line = row_of(&text).map_err(|e| {
            let n = lines.len() + 1;
            io::Error::new(io::ErrorKind::InvalidData, format!("line {n} of {JOURNAL} {e}"))
        })?;
        lines.push(line);
        whole += length as u64;
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

    /// On the disk before anything is sealed.
    ///
    /// # Errors
    /// Of input and output.
    pub fn sync(&self) -> io::Result<()> {
        self.file.sync_all()
    }
}
