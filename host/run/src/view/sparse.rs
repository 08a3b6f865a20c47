//! Tables of runs that go on, thinned: some of the rows, found without reading the others.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use vinci_scene::files::open_regular;

/// Bytes that are read at once on the way to a row.
const AT_ONCE: usize = 4096;

/// The rows of a table in CSV whose first column is the time, which does not go back.
pub(super) struct Sparse {
    file: BufReader<File>,
    /// The line of names.
    header: Vec<u8>,
    /// First byte of the first row, and the byte behind the last whole row.
    begin: u64,
    end: u64,
}

/// A row: the byte behind it, and its text.
struct Row {
    next: u64,
    text: Vec<u8>,
}

impl Row {
    /// The number in its first column. A cell that is none is not found again.
    fn time(&self) -> f64 {
        let cell = self.text.split(|byte| *byte == b',').next().unwrap_or_default();
        std::str::from_utf8(cell).ok().and_then(|text| text.trim().parse().ok()).unwrap_or(f64::NAN)
    }
}

impl Sparse {
    /// Opens a table of any size.
    ///
    /// # Errors
    /// Of reading.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let (file, _) = open_regular(path, u64::MAX)?;
        let mut file = BufReader::with_capacity(AT_ONCE, file);
        let mut header = Vec::new();
        let begin = file.read_until(b'\n', &mut header)? as u64;
        let end = whole(&mut file, begin)?;
        Ok(Self { file, header, begin, end })
    }

    /// About how many rows there are, from the length of a few.
    ///
    /// # Errors
    /// Of reading.
    pub(super) fn about(&mut self) -> io::Result<f64> {
        const LOOKS: u64 = 8;
        let (mut bytes, mut rows) = (0, 0);
        for k in 0..LOOKS {
            if let Some(row) = self.row_at(self.part(k, LOOKS))? {
                bytes += row.text.len() as u64;
                rows += 1;
            }
        }
        Ok((self.end - self.begin) as f64 * f64::from(rows) / bytes.max(1) as f64)
    }

    /// Bytes of all whole rows.
    pub(super) fn bytes(&self) -> u64 {
        self.end - self.begin
    }

    /// The header and `count` rows at most, evenly spaced by bytes, the first and the last one among them; and their times.
    ///
    /// # Errors
    /// Of reading.
    pub(super) fn spaced(&mut self, count: u64) -> io::Result<(Vec<u8>, Vec<f64>)> {
        let (mut out, mut times, mut from) = (self.header.clone(), Vec::new(), self.begin);
        let parts = count.max(2) - 1;
        for k in 0..=parts {
            let at = if k == parts { self.last()? } else { self.part(k, parts) };
            if let Some(row) = self.row_at(at.max(from))? {
                out.extend(&row.text);
                times.push(row.time());
                from = row.next;
            }
        }
        Ok((out, times))
    }

    /// The header and all rows of these times, which ascend.
    ///
    /// # Errors
    /// Of reading.
    pub(super) fn of_times(&mut self, times: &[f64]) -> io::Result<Vec<u8>> {
        let (mut out, mut from) = (self.header.clone(), self.begin);
        for t in times {
            from = self.first_of(*t, from)?;
            while let Some(row) = self.row_at(from)?.filter(|row| row.time() == *t) {
                out.extend(&row.text);
                from = row.next;
            }
        }
        Ok(out)
    }

    /// A byte after which the first row that begins is the first one at time t or later. All rows before `from` are earlier.
    fn first_of(&mut self, t: f64, from: u64) -> io::Result<u64> {
        let (mut low, mut high) = (from, self.end);
        while low < high {
            let middle = low + (high - low) / 2;
            match self.row_at(middle)? {
                Some(row) if row.time() < t => low = row.next,
                _ => high = middle,
            }
        }
        Ok(low)
    }

    /// The byte after k of `parts` equal parts of the rows.
    fn part(&self, k: u64, parts: u64) -> u64 {
        let of_all = u128::from(self.bytes()) * u128::from(k) / u128::from(parts);
        self.begin + of_all as u64
    }

    /// First byte of the last row.
    fn last(&mut self) -> io::Result<u64> {
        behind_last_end(&mut self.file, self.begin, self.end.saturating_sub(1))
    }

    /// The first row that begins at this byte or after it.
    fn row_at(&mut self, at: u64) -> io::Result<Option<Row>> {
        if at.max(self.begin) >= self.end {
            return Ok(None);
        }
        // The row before ends with the byte before this one, or goes on.
        let before = at.max(self.begin) - 1;
        self.file.seek(SeekFrom::Start(before))?;
        let start = before + self.file.skip_until(b'\n')? as u64;
        if start >= self.end {
            return Ok(None);
        }
        let mut text = Vec::new();
        let length = self.file.read_until(b'\n', &mut text)?;
        Ok(Some(Row { next: start + length as u64, text }))
    }
}

/// The byte behind the last whole row: the last one may be half written.
fn whole(file: &mut BufReader<File>, begin: u64) -> io::Result<u64> {
    let end = file.seek(SeekFrom::End(0))?;
    behind_last_end(file, begin, end)
}

/// The byte behind the last end of a line before `end`; `begin` where there is none.
fn behind_last_end(file: &mut BufReader<File>, begin: u64, end: u64) -> io::Result<u64> {
    let mut high = end;
    while high > begin {
        let low = high.saturating_sub(AT_ONCE as u64).max(begin);
        file.seek(SeekFrom::Start(low))?;
        let mut piece = vec![0; (high - low) as usize];
        file.read_exact(&mut piece)?;
        if let Some(at) = piece.iter().rposition(|byte| *byte == b'\n') {
            return Ok(low + at as u64 + 1);
        }
        high = low;
    }
    Ok(begin)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows `k/10,...` of very different lengths, three of every fifth time.
    fn table(rows: usize) -> (tempfile::TempDir, Sparse) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("t.csv.part");
        let row = |k: usize| {
            let line = format!("{},{}\n", k as f64 / 10.0, "9".repeat(k * k % 9001));
            line.repeat(if k.is_multiple_of(5) { 3 } else { 1 })
        };
        let text: String = (0..rows).map(row).collect();
        std::fs::write(&path, format!("time,x\n{text}99.5,half a ro")).unwrap();
        let sparse = Sparse::open(&path).unwrap();
        (dir, sparse)
    }

    #[test]
    fn spaced_rows_have_the_first_and_the_last_one_and_none_twice() {
        let (_dir, mut sparse) = table(101);
        let (bytes, times) = sparse.spaced(20).unwrap();
        let text = String::from_utf8(bytes).unwrap();
        assert!(text.starts_with("time,x\n0,\n") && text.ends_with('\n'), "{text}");
        assert_eq!(text.lines().count(), 1 + times.len());
        assert!((10..=20).contains(&times.len()) && times.is_sorted(), "{times:?}");
        assert_eq!(times.last(), Some(&10.0));
        assert!((sparse.about().unwrap() / 141.0 - 1.0).abs() < 0.9);
    }

    #[test]
    fn every_row_of_a_time_is_found() {
        let (_dir, mut sparse) = table(101);
        let all: Vec<f64> = (0..101).map(|k| f64::from(k) / 10.0).collect();
        let rows = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap().lines().count() - 1;
        let whole = sparse.of_times(&all).unwrap();
        assert_eq!((rows(whole.clone()), whole.len() as u64), (101 + 2 * 21, sparse.bytes() + 7));
        assert_eq!(rows(sparse.of_times(&[0.0, 0.25, 3.5, 9.9, 10.0, 99.5]).unwrap()), 3 + 3 + 1 + 3);
    }

    #[test]
    fn a_table_without_rows_gives_its_header() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("t.csv");
        for text in ["", "time,x\n", "time,x\n0.1,"] {
            std::fs::write(&path, text).unwrap();
            let mut sparse = Sparse::open(&path).unwrap();
            assert_eq!(sparse.bytes(), 0);
            let header = text.split_inclusive('\n').next().unwrap_or_default();
            assert_eq!(sparse.spaced(5).unwrap(), (header.into(), Vec::new()));
            assert_eq!(sparse.of_times(&[0.0]).unwrap(), header.as_bytes());
        }
    }
}
