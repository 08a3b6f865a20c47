//! A table of numbers over time, as `trajectory.csv` is one: columns by name, one row per time.

use std::collections::BTreeMap;
use std::path::Path;

use vinci_run::table_file::TableFile;
use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics};
use vinci_scene::files::{LARGEST_TABLE, read_regular};

/// Part of the larger of two times within which they are one.
const SAME: f64 = 1e-9;

/// Numbers over time.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Table {
    /// Ascending, each once, s.
    pub times: Vec<f64>,
    /// A number per time.
    pub columns: BTreeMap<String, Vec<f64>>,
}

impl Table {
    /// Reads CSV or Parquet with a column `time`; of rows of one time the last counts (an impact is followed by the end of its step).
    ///
    /// # Errors
    /// What cannot be read, is no number, or goes back in time.
    pub fn read(path: &Path) -> Result<Self, Diagnostics> {
        let help = "a table has a line of names, a column `time` that ascends, and a number in every cell";
        let bad = |why: String| {
            Diagnostic::error(Code::Io, format!("cannot read {}: {why}", path.display())).help(help)
        };
        let bytes = read_regular(path, LARGEST_TABLE).map_err(|e| bad(e.to_string()))?;
        Self::of_bytes(bytes).map_err(|why| bad(why).into())
    }

    /// The recorded states of the run in a directory.
    ///
    /// # Errors
    /// As of [`Table::read`].
    pub fn of_run(directory: &Path) -> Result<Self, Diagnostics> {
        Self::read(&TableFile::path_in(directory, "trajectory"))
    }

    fn of_bytes(bytes: Vec<u8>) -> Result<Self, String> {
        let TableFile { names, numbers, stray, .. } =
            TableFile::of_bytes(bytes, &[]).map_err(|malformed| malformed.why)?;
        if let Some((name, row)) = stray {
            return Err(format!("`{name}` is no number in row {row}"));
        }
        let time = names.iter().position(|name| name == "time").ok_or("it has no column `time`")?;
        let times = &numbers[time];
        if times.windows(2).any(|t| t[1].total_cmp(&t[0]).is_lt()) {
            return Err("its times are not ascending".to_owned());
        }
        let is_last = |row: &usize| times.get(row + 1).is_none_or(|next| *next != times[*row]);
        let rows: Vec<usize> = (0..times.len()).filter(is_last).collect();
        let column = |k: usize| rows.iter().map(|row| numbers[k][*row]).collect::<Vec<f64>>();
        let others = (0..names.len()).filter(|k| *k != time);
        let columns = others.map(|k| (names[k].clone(), column(k))).collect();
        Ok(Self { times: column(time), columns })
    }

    /// The largest number in it.
    pub fn largest(&self) -> f64 {
        self.columns.values().flatten().fold(0.0, |most, x| most.max(x.abs()))
    }

    /// The rows of this table at times that another one has too.
    pub(super) fn within(&self, other: &Self) -> Self {
        let rows: Vec<usize> = self.common(other).into_iter().map(|(row, _)| row).collect();
        let of = |list: &Vec<f64>| rows.iter().map(|row| list[*row]).collect();
        let columns = self.columns.iter().map(|(name, list)| (name.clone(), of(list))).collect();
        Self { times: of(&self.times), columns }
    }

    /// Rows of both tables at the times that both have.
    pub fn common(&self, other: &Self) -> Vec<(usize, usize)> {
        let (mut j, mut pairs) = (0, Vec::new());
        for (i, t) in self.times.iter().enumerate() {
            while j < other.times.len() && other.times[j] < t - SAME * t.abs() {
                j += 1;
            }
            if other.times.get(j).is_some_and(|s| (s - t).abs() <= SAME * t.abs().max(s.abs())) {
                pairs.push((i, j));
            }
        }
        pairs
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_one_time_are_one_and_common_times_are_found() {
        let table = Table::of_bytes(b"time,a.x\n0,1\n0.1,2\n0.1,3\n0.2,4\n".to_vec()).unwrap();
        assert_eq!(
            (table.times.as_slice(), &table.columns["a.x"][..]),
            (&[0.0, 0.1, 0.2][..], &[1.0, 3.0, 4.0][..])
        );
        let other = Table { times: vec![0.0, 0.05, 0.1 + 1e-17, 0.15], columns: BTreeMap::new() };
        assert_eq!(table.common(&other), [(0, 0), (1, 2)]);
    }

    #[test]
    fn what_is_no_table_is_refused() {
        let why = |text: &str| Table::of_bytes(text.as_bytes().to_vec()).unwrap_err();
        assert_eq!(why("t,a\n0,1\n"), "it has no column `time`");
        assert_eq!(why("time,a\n0,x\n"), "`a` is no number in row 1");
        assert_eq!(why("time,a\n1,0\n0,0\n"), "its times are not ascending");
    }
}
