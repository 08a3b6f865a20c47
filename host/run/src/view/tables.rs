//! Tables of a run, read back: whole, or as many rows as a page that follows has time for.

use std::io::{self, BufRead};
use std::path::{Path, PathBuf};

use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics};
use vinci_scene::experiment::TableFormat;
use vinci_scene::files::{LARGEST_TABLE, open_regular, read_regular};

use super::run_files::RunFiles;
use super::sparse::Sparse;
use super::thinned::{CONTACTS, STATES, SUPPORTS, Thinned};
use crate::table::file_name;
use crate::table_file::{TableFile, WORDS};

/// Ending of a table that a run has not come to the end of.
const PART: &str = "part";

/// States that are read of one run, evenly spaced, as far as it has so many.
const FRAMES: std::ops::RangeInclusive<u64> = 30..=5000;

/// Rows that are read of a table that does not go by states.
const ROWS: u64 = 5000;

/// Returns true if a run has not come to the end of this table.
fn is_part(path: &Path) -> bool {
    path.extension().is_some_and(|end| end == PART)
}

impl RunFiles {
    /// Reads no more of the tables than about `most` bytes together: states that are evenly spaced, and contacts and support
    /// points at their times; of other large tables some rows. Tables that are not CSV, and small ones, are read whole.
    ///
    /// # Errors
    /// Of reading.
    pub fn thinned(mut self, most: u64) -> Result<Self, Diagnostics> {
        let made = self.some_states(most).map_err(|e| self.damaged(STATES, &e.to_string()))?;
        self.thinned = made;
        Ok(self)
    }

    /// Some of the states; none where all are few enough.
    fn some_states(&self, most: u64) -> io::Result<Option<Thinned>> {
        let Some(mut states) = self.sparse(STATES)? else { return Ok(None) };
        let about = states.about()?;
        let others: u64 = [CONTACTS, SUPPORTS].iter().map(|name| self.bytes(name)).sum();
        let all = states.bytes() + others;
        let count = (most as f64 / (all as f64 / about.max(1.0)).max(1.0)) as u64;
        let count = count.clamp(*FRAMES.start(), *FRAMES.end());
        if all <= most || about <= count as f64 {
            return Ok(None);
        }
        let (states, times) = states.spaced(count)?;
        Ok(Some(Thinned { most, states, times, about }))
    }

    /// Number of the states that are read, and about how many there are, where they are not all read.
    pub(super) fn part_of_states(&self) -> Option<(usize, f64)> {
        self.thinned.as_ref().map(|some| (some.times.len(), some.about))
    }

    /// Returns true if not all rows of the table are read.
    pub(super) fn is_thinned(&self, name: &str) -> bool {
        self.thinned.as_ref().is_some_and(|some| self.bytes(name) > some.most)
    }

    /// A table of CSV to look rows up in.
    fn sparse(&self, name: &str) -> io::Result<Option<Sparse>> {
        let csv = self.path_of(name).filter(|(_, file)| file.ends_with(".csv"));
        csv.map(|(path, _)| Sparse::open(&path)).transpose()
    }

    /// Length of a table.
    fn bytes(&self, name: &str) -> u64 {
        self.path_of(name).and_then(|(path, _)| path.metadata().ok()).map_or(0, |file| file.len())
    }

    /// Bytes of the tables that make the numbers of a page.
    pub(crate) fn bytes_of_tables(&self) -> u64 {
        [STATES, CONTACTS, SUPPORTS, "steps"].iter().map(|name| self.bytes(name)).sum()
    }

    /// Rows of a table, where not all are read.
    fn some_rows(&self, name: &str) -> io::Result<Option<Vec<u8>>> {
        let Some(some) = &self.thinned else { return Ok(None) };
        if name == STATES {
            return Ok(Some(some.states.clone()));
        }
        let by_states = [CONTACTS, SUPPORTS].contains(&name);
        if !by_states && !self.is_thinned(name) {
            return Ok(None);
        }
        let Some(mut table) = self.sparse(name)? else { return Ok(None) };
        let rows = if by_states { table.of_times(&some.times)? } else { table.spaced(ROWS)?.0 };
        Ok(Some(rows))
    }

    /// Place of a table, whole or as a run writes it that has not come to its end, and its name when it is whole.
    pub(super) fn path_of(&self, name: &str) -> Option<(PathBuf, String)> {
        let files = [TableFormat::Parquet, TableFormat::Csv].map(|format| file_name(format, name));
        let paths = files.into_iter().flat_map(|file| {
            ["", ".part"].map(|end| (self.directory.join(format!("{file}{end}")), file.clone()))
        });
        paths.into_iter().find(|(path, _)| path.exists())
    }

    /// A table by its name without ending, if the run has it.
    ///
    /// # Errors
    /// One that cannot be read, or whose rows are not as long as its header.
    pub(super) fn table(&self, name: &str) -> Result<Option<TableFile>, Diagnostics> {
        let Some((path, file)) = self.path_of(name) else { return Ok(None) };
        let some = self.some_rows(name).map_err(|e| self.damaged(&file, &e.to_string()))?;
        let is_whole = some.is_none();
        let bytes = some.map_or_else(|| self.all_bytes(&path, &file), Ok)?;
        let table =
            TableFile::of_bytes(bytes, &WORDS).map_err(|malformed| self.damaged(&file, &malformed.why))?;
        match self.summary["files"][&file]["sha256"].as_str() {
            Some(sum) if is_whole && sum != table.digest => Err(self
                .damaged(&file, "it does not hold what the run wrote to it (summary.json has its SHA-256)")),
            _ => Ok(Some(table)),
        }
    }

    /// All bytes of a table; whole rows of one that is not at its end.
    fn all_bytes(&self, path: &Path, file: &str) -> Result<Vec<u8>, Diagnostics> {
        let mut bytes = read_regular(path, LARGEST_TABLE).map_err(|e| self.damaged(file, &e.to_string()))?;
        if path.extension().is_some_and(|end| end == PART) {
            if file.ends_with(".parquet") {
                let message = format!("{} is not whole while the run goes on", path.display());
                let help = "a run with `record.format: csv` can be looked at meanwhile";
                return Err(Diagnostic::error(Code::Io, message).help(help).into());
            }
            // A full disk or the loss of power may have cut the last row short.
            bytes.truncate(bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1));
        }
        Ok(bytes)
    }

    /// Returns true if the states are Parquet that is being written: it can be read once the run has come to its end.
    pub fn is_read_at_its_end(&self) -> bool {
        let of = |(path, file): (PathBuf, String)| file.ends_with(".parquet") && is_part(&path);
        self.path_of(STATES).is_some_and(of)
    }

    /// Returns true if a state is recorded: a run that has just begun may not have written one.
    ///
    /// # Errors
    /// Of reading.
    pub fn has_states(&self) -> Result<bool, Diagnostics> {
        let Some((path, file)) = self.path_of(STATES) else { return Ok(false) };
        if file.ends_with(".parquet") {
            return Ok(!is_part(&path));
        }
        let unread = |e: io::Error| self.damaged(&file, &e.to_string());
        let (text, _) = open_regular(&path, u64::MAX).map_err(|e| unread(e.into()))?;
        // The header and one whole row: the rest is read when the page is made.
        let (mut rows, mut line) = (io::BufReader::new(text), Vec::new());
        for _ in 0..2 {
            line.clear();
            rows.read_until(b'\n', &mut line).map_err(unread)?;
        }
        Ok(line.ends_with(b"\n"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// A ball that was recorded at so many times, with two contacts at each: the run goes on, and the last rows are cut short.
    fn going_on(states: usize) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        let experiment = json!({
            "format": "vinci/experiment@1", "time": { "step": 0.5, "duration": 1e9 },
            "detector": { "plugin": "vinci.detector.planar" }, "stepper": { "plugin": "vinci.stepper.stewart-trinkle" },
            "scene": {
                "format": "vinci/scene@1", "space": "planar",
                "bodies": [
                    { "name": "ground", "static": true, "shapes": [{ "type": "half-plane" }] },
                    { "name": "ball", "mass": 1, "position": [0, 0.1], "shapes": [{ "type": "disc", "radius": 0.1 }] },
                ],
            },
        });
        let rows = |row: fn(f64) -> String| -> String { (0..states).map(|k| row(0.5 * k as f64)).collect() };
        for (name, text) in [
            ("experiment.json", experiment.to_string()),
            (
                "trajectory.csv.part",
                format!(
                    "time,ball.x,ball.y,ball.angle,ball.vx,ball.vy,ball.omega\n{}1e9,0.3",
                    rows(|t| format!("{t},{t},0.1,0,1,0,0\n"))
                ),
            ),
            (
                "contacts.csv.part",
                format!(
                    "time,body_a,body_b,gap,normal_impulse,friction_impulse_1,slip_speed,mode,x,y,nx,ny,fx,fy,friction\n{}1e9,gro",
                    rows(|t| format!("{t},ground,ball,0,5,0,0,stick,{t},0,0,1,0,10,0.5\n").repeat(2))
                ),
            ),
        ] {
            std::fs::write(dir.path().join(name), text).unwrap();
        }
        dir
    }

    /// Every page of a run of a gigabyte was made from all of it, and came once in fourteen seconds.
    #[test]
    fn a_part_of_a_long_run_has_whole_states_with_their_contacts() {
        let dir = going_on(20_000);
        let open = || RunFiles::open(dir.path()).unwrap();
        assert_eq!(open().states().unwrap().len(), 20_000);
        let some = open().thinned(20_000).unwrap();
        let states = some.states().unwrap();
        assert!((50..=300).contains(&states.len()), "{}", states.len());
        assert_eq!((states[0].t, states[states.len() - 1].t), (0.0, 9999.5));
        assert!(states.iter().all(|s| s.q[0] == s.t) && states.is_sorted_by(|a, b| a.t < b.t));
        let times: Vec<f64> = some.contact_rows().unwrap().iter().map(|c| c.t).collect();
        assert_eq!(times, states.iter().flat_map(|s| [s.t; 2]).collect::<Vec<_>>());
        let (kept, about) = some.part_of_states().unwrap();
        assert!(kept == states.len() && (about / 20_000.0 - 1.0).abs() < 0.1, "{about}");
        // What is short is read whole.
        assert!(open().thinned(10_000_000).unwrap().part_of_states().is_none());
        let short = going_on(20);
        assert!(RunFiles::open(short.path()).unwrap().thinned(1).unwrap().part_of_states().is_none());
    }
}
