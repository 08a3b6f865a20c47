//! Modes of contacts over time: of every pair of bodies open, stick or slip.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use vinci_core::referee::Mode;
use vinci_run::table_file::{TableFile, WORDS};
use vinci_scene::diagnostics::Diagnostics;

/// Modes over time, the highest of a pair's contacts.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Modes {
    /// By pair of bodies: times, s, and modes; times without a row are open.
    pub(super) pairs: BTreeMap<String, Vec<(f64, Mode)>>,
    /// The recorded times, s; the first is the start.
    times: Vec<f64>,
}

impl Modes {
    /// Modes in the directory of a run that recorded states at these times, the first of them its start. Nothing where contacts were not recorded.
    pub(super) fn read(directory: &Path, times: &[f64]) -> Result<Option<Self>, Diagnostics> {
        let path = TableFile::path_in(directory, "contacts");
        if !path.exists() {
            return Ok(None);
        }
        Ok(Some(Self::of_table(&TableFile::read(&path, &WORDS)?, times)))
    }

    fn of_table(table: &TableFile, times: &[f64]) -> Self {
        let [a, b, mode] = ["body_a", "body_b", "mode"].map(|name| table.words_of(name));
        let word = |of: &[String], k: usize| of.get(k).cloned().unwrap_or_default();
        let mut modes = Self { times: times.to_vec(), ..Self::default() };
        for (k, &t) in table.column("time").unwrap_or_default().iter().enumerate() {
            let mode = Mode::of_name(&word(mode, k)).unwrap_or(Mode::Open);
            let list = modes.pairs.entry(format!("{} / {}", word(a, k), word(b, k))).or_default();
            match list.last_mut() {
                Some((last, known)) if *last == t => *known = (*known).max(mode),
                _ => list.push((t, mode)),
            }
        }
        modes
    }

    /// The mode of a pair in the step that ends at t.
    fn at(&self, pair: &str, t: f64) -> Mode {
        self.pairs
            .get(pair)
            .and_then(|list| list.get(place(list, t, |row| row.0)?))
            .map_or(Mode::Open, |(_, mode)| *mode)
    }

    /// First and last time, s.
    pub(super) fn span(&self) -> Option<[f64; 2]> {
        Some([*self.times.first()?, *self.times.last()?])
    }

    /// Modes of a pair as intervals in which they stay: from, to, mode.
    pub(super) fn intervals(&self, pair: &str) -> Vec<(f64, f64, Mode)> {
        let mut all: Vec<(f64, f64, Mode)> = Vec::new();
        for two in self.times.windows(2) {
            let mode = self.at(pair, two[1]);
            match all.last_mut() {
                Some((_, to, known)) if *known == mode => *to = two[1],
                _ => all.push((two[0], two[1], mode)),
            }
        }
        all
    }

    /// Part of the steps that end at times that both recorded in which some pair is in another mode, and the end of the first of them.
    pub(super) fn differing(&self, other: &Self) -> (f64, Option<f64>) {
        let pairs: BTreeSet<&String> = self.pairs.keys().chain(other.pairs.keys()).collect();
        let known = |t: &&f64| place(&other.times, **t, |s| *s).is_some();
        let common: Vec<f64> = self.times.iter().skip(1).filter(known).copied().collect();
        let differs = |t: &f64| pairs.iter().any(|pair| self.at(pair, *t) != other.at(pair, *t));
        let differing: Vec<f64> = common.iter().copied().filter(differs).collect();
        let part = if common.is_empty() { 0.0 } else { differing.len() as f64 / common.len() as f64 };
        (part, differing.first().copied())
    }
}

/// Place of a time in an ascending list.
fn place<T>(list: &[T], t: f64, time: impl Fn(&T) -> f64) -> Option<usize> {
    let near = 1e-9 * t.abs();
    let k = list.partition_point(|row| time(row) < t - near);
    list.get(k).filter(|row| (time(row) - t).abs() <= near).map(|_| k)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIMES: [f64; 6] = [0.0, 0.1, 0.2, 0.3, 0.4, 0.5];

    fn modes(rows: &str) -> Modes {
        let text = format!("time,body_a,body_b,mode\n{rows}");
        Modes::of_table(&TableFile::of_bytes(text.into_bytes(), &WORDS).unwrap(), &TIMES)
    }

    #[test]
    fn a_pair_has_the_highest_mode_of_its_contacts_and_times_are_held_against_each_other() {
        let a = modes("0.1,g,b,stick\n0.1,g,b,slip\n0.2,g,b,stick\n0.3,g,b,stick\n0.4,g,b,open\n");
        let b = modes("0.1,g,b,slip\n0.2,g,b,slip\n0.3,g,b,stick\n0.5,g,b,open\n");
        assert_eq!(a.pairs["g / b"][0], (0.1, Mode::Slip));
        assert_eq!(a.differing(&b), (0.2, Some(0.2)));
        assert_eq!(a.differing(&a), (0.0, None));
    }

    /// A body that is too far away to be detected has no row: these times were not compared at all.
    #[test]
    fn a_body_that_is_gone_is_in_another_mode_than_one_that_slides() {
        let slides = modes("0.1,g,b,slip\n0.2,g,b,slip\n0.3,g,b,slip\n0.4,g,b,slip\n0.5,g,b,slip\n");
        let gone = modes("0.1,g,b,slip\n");
        assert_eq!(slides.differing(&gone), (0.8, Some(0.2)));
        assert_eq!(gone.differing(&slides), (0.8, Some(0.2)));
        assert_eq!(gone.intervals("g / b"), [(0.0, 0.1, Mode::Slip), (0.1, 0.5, Mode::Open)]);
        assert_eq!(gone.span(), Some([0.0, 0.5]));
    }
}
