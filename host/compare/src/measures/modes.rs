//! Modes of contacts over time: of every pair of bodies open, stick or slip.

use std::collections::BTreeMap;
use std::path::Path;

use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics};
use vinci_scene::files::{LARGEST_TABLE, read_regular};

/// Modes over time: 0 open, 1 stick, 2 slip, the highest of a pair's contacts.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Modes {
    /// By pair of bodies: times, s, and modes; times without a row are open.
    pub(super) pairs: BTreeMap<String, Vec<(f64, u8)>>,
    /// Times at which anything was recorded, s.
    times: Vec<f64>,
}

impl Modes {
    /// Of the directory of a run; empty where it recorded no contacts.
    pub(super) fn read(directory: &Path) -> Result<Self, Diagnostics> {
        let path = directory.join("contacts.csv");
        if !path.exists() {
            return Ok(Self::default());
        }
        let bad = |why: String| Diagnostic::error(Code::Io, format!("cannot read {}: {why}", path.display()));
        let bytes = read_regular(&path, LARGEST_TABLE).map_err(|e| bad(e.to_string()))?;
        Self::of_bytes(&bytes).map_err(|e| bad(e.to_string()).into())
    }

    fn of_bytes(bytes: &[u8]) -> csv::Result<Self> {
        let mut reader = csv::Reader::from_reader(bytes);
        let names = reader.headers()?.clone();
        let at = |name: &str| names.iter().position(|n| n == name).unwrap_or(usize::MAX);
        let columns = ["time", "body_a", "body_b", "mode"].map(at);
        let mut modes = Self::default();
        for record in reader.records() {
            let record = record?;
            let word = |k: usize| record.get(columns[k]).unwrap_or_default();
            let t: f64 = word(0).parse().unwrap_or(f64::NAN);
            let mode = ["open", "stick", "slip"].iter().position(|m| *m == word(3)).unwrap_or(0) as u8;
            let list = modes.pairs.entry(format!("{} / {}", word(1), word(2))).or_default();
            match list.last_mut() {
                Some((last, known)) if *last == t => *known = (*known).max(mode),
                _ => list.push((t, mode)),
            }
            if modes.times.last() != Some(&t) {
                modes.times.push(t);
            }
        }
        Ok(modes)
    }

    fn at(&self, pair: &str, t: f64) -> u8 {
        let Some(list) = self.pairs.get(pair) else { return 0 };
        let k = list.partition_point(|(time, _)| *time < t - 1e-9 * t.abs());
        list.get(k).filter(|(time, _)| (time - t).abs() <= 1e-9 * t.abs()).map_or(0, |(_, mode)| *mode)
    }

    /// Part of the times that both recorded at which some pair is in another mode, and the first of them.
    pub(super) fn differing(&self, other: &Self) -> (f64, Option<f64>) {
        let pairs: std::collections::BTreeSet<&String> =
            self.pairs.keys().chain(other.pairs.keys()).collect();
        let known = |t: &&f64| other.times.iter().any(|s| (*s - **t).abs() <= 1e-9 * t.abs());
        let common: Vec<f64> = self.times.iter().filter(known).copied().collect();
        let differs = |t: &f64| pairs.iter().any(|pair| self.at(pair, *t) != other.at(pair, *t));
        let differing: Vec<f64> = common.iter().copied().filter(differs).collect();
        let part = if common.is_empty() { 0.0 } else { differing.len() as f64 / common.len() as f64 };
        (part, differing.first().copied())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pair_has_the_highest_mode_of_its_contacts_and_times_are_held_against_each_other() {
        let text =
            |rows: &str| Modes::of_bytes(format!("time,body_a,body_b,mode\n{rows}").as_bytes()).unwrap();
        let a = text("0.1,g,b,stick\n0.1,g,b,slip\n0.2,g,b,stick\n0.3,g,b,stick\n0.4,g,b,open\n");
        let b = text("0.1,g,b,slip\n0.2,g,b,slip\n0.3,g,b,stick\n0.5,g,b,open\n");
        assert_eq!(a.pairs["g / b"][0], (0.1, 2));
        assert_eq!(a.differing(&b), (1.0 / 3.0, Some(0.2)));
        assert_eq!(a.differing(&a), (0.0, None));
    }
}
