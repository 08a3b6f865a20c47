//! `race.csv`: who won each race of a run, and reading it, so that a run can follow it.

use std::io::{self, Read, Write};
use std::path::Path;

use crate::sealed::{FileSum, Sums, Table, Tables};
use vinci_engine::pipeline::{Raced, Simulation};
use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics};
use vinci_scene::files::{LARGEST_SUMMARY, read_regular};

/// File of a directory of results: a row for every problem that solvers raced for, in their order.
pub const RACES: &str = "race.csv";

const HEADER: &str = "step,entrant,solver";

/// Largest record that is read, bytes.
const LARGEST: u64 = 4 << 30;

/// Writes the races of a simulation.
pub(super) struct Races {
    tables: Tables,
    /// None before the first race.
    table: Option<Table>,
}

impl Races {
    /// The record of a run, which begins with its first race, or that of a run that goes on. There, what was raced since the checkpoint is
    /// followed as far as it is on the disk.
    ///
    /// # Errors
    /// Of input and output; rows that no race wrote.
    pub(super) fn open(tables: &Tables, simulation: &mut Simulation) -> io::Result<Self> {
        if let Some((file, kept)) = tables.kept_file(RACES)? {
            let wrong = |why: String| io::Error::new(io::ErrorKind::InvalidData, why);
            let mut bytes = Vec::new();
            file.take(LARGEST).read_to_end(&mut bytes)?;
            let (before, after) = bytes.split_at(bytes.len().min(kept as usize));
            // A run that is killed may leave half a row.
            let whole = after.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
            let before = races(before).map_err(wrong)?;
            let after = std::str::from_utf8(&after[..whole]).map_err(|e| wrong(e.to_string())).map(rows)?;
            let log = &mut simulation.solvers.race_log;
            log.go_on(&before, after.map_err(wrong)?).map_err(|error| wrong(error.message))?;
        }
        let table = tables.has(RACES).then(|| tables.open(RACES, HEADER)).transpose()?;
        Ok(Self { tables: tables.clone(), table })
    }

    /// Writes the races that were held since the last call.
    ///
    /// # Errors
    /// Of output.
    pub(super) fn write(&mut self, simulation: &mut Simulation) -> io::Result<()> {
        for Raced { step, entrant, id } in simulation.solvers.race_log.take() {
            let table = match &mut self.table {
                Some(table) => table,
                None => self.table.insert(self.tables.open(RACES, HEADER)?),
            };
            writeln!(table, "{step},{entrant},{id}")?;
        }
        Ok(())
    }

    /// Brings everything written so far to the disk.
    pub(super) fn sync(&mut self) -> io::Result<Option<(String, FileSum)>> {
        self.table.as_mut().map(Table::sync).transpose()
    }

    /// Gives the file its name.
    pub(super) fn seal(self) -> io::Result<Option<(String, Sums)>> {
        self.table.map(Table::seal).transpose()
    }
}

/// The races of a run that has ended, from its directory.
///
/// # Errors
/// No record, or one that is not what the run wrote.
pub fn recorded_races(directory: &Path) -> Result<Vec<Raced>, Diagnostics> {
    let refused = |why: String| -> Diagnostics {
        let message = format!("the races of {} cannot be followed: {why}", directory.display());
        let help = "name the directory of a run with `race` that has ended, as the run left it";
        Diagnostic::error(Code::Io, message).help(help).into()
    };
    let read = |name: &str, most| {
        read_regular(&directory.join(name), most)
            .map_err(|e| refused(format!("{name}: {}", io::Error::from(e))))
    };
    let summary: serde_json::Value = serde_json::from_slice(&read("summary.json", LARGEST_SUMMARY)?)
        .map_err(|e| refused(format!("summary.json: {e}")))?;
    let Some(sum) = summary["files"][RACES]["sha256"].as_str() else {
        return Err(refused("its solvers did not race".to_owned()));
    };
    let own = FileSum::of(&directory.join(RACES)).map_err(|e| refused(format!("{RACES}: {e}")))?;
    if own.sha256 != sum {
        return Err(refused(format!("{RACES} is not what the run wrote (summary.json has its SHA-256)")));
    }
    races(&read(RACES, LARGEST)?).map_err(refused)
}

/// Races of a whole file.
fn races(file: &[u8]) -> Result<Vec<Raced>, String> {
    let text = std::str::from_utf8(file).map_err(|e| format!("{RACES}: {e}"))?;
    let rest = text.strip_prefix(HEADER).and_then(|rest| rest.strip_prefix('\n'));
    rows(rest.ok_or_else(|| format!("{RACES} has another first line than `{HEADER}`"))?)
}

/// Races of the rows behind the first line.
fn rows(text: &str) -> Result<Vec<Raced>, String> {
    let row = |(n, line): (usize, &str)| {
        let mut cells = line.splitn(3, ',');
        let mut number = || cells.next().and_then(|cell| cell.parse::<u64>().ok());
        let (step, entrant) = (number(), number().and_then(|k| usize::try_from(k).ok()));
        match (step, entrant, cells.next()) {
            (Some(step), Some(entrant), Some(id)) => Ok(Raced { step, entrant, id: id.to_owned() }),
            _ => Err(format!("row {} of {RACES}, `{line}`, is that of no race", n + 1)),
        }
    };
    text.lines().enumerate().map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_read_as_they_are_written_and_no_others() {
        let raced = |step, entrant, id: &str| Raced { step, entrant, id: id.to_owned() };
        assert_eq!(rows("1,2,a.b\n2,0,\n").unwrap(), [raced(1, 2, "a.b"), raced(2, 0, "")]);
        for line in ["1,2", "x,1,a", "1,-1,a", ""] {
            let error = rows(&format!("1,1,a\n{line}\n")).unwrap_err();
            assert_eq!(error, format!("row 2 of race.csv, `{line}`, is that of no race"));
        }
    }
}
