//! Which runs there are, and which comes next: all that is needed to go on, to say how far a sweep is, and to merge.

use serde::{Deserialize, Serialize};

use super::row::{Row, RunId};
use super::types::{Picture, Prune};

/// A rung as the order of runs sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// Its name.
    pub name: String,
    /// Samples on it.
    pub samples: u64,
}

/// A column of parameters.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// True if it holds texts.
    pub text: bool,
}

/// Shape of a sweep, as its directory of results holds it (`plan.json`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shape {
    /// Format of the file.
    pub format: String,
    /// Name of the sweep.
    pub name: String,
    /// SHA-256 of everything the rows depend on: the sweep, experiment and scene with all changes, the plugins, this program's version.
    pub hash: String,
    /// Cases FROM..TO.
    pub cases: [u64; 2],
    /// Ladder.
    pub rungs: Vec<Step>,
    /// Runs that are left out.
    pub prune: Prune,
    /// Parameters.
    pub parameters: Vec<Column>,
    /// Measures.
    pub measures: Vec<String>,
    /// Pictures.
    pub pictures: Vec<Picture>,
    /// [i, n]: units of work i − 1, i − 1 + n, … are done here.
    pub shard: [u64; 2],
    /// Units FROM..TO are done here in the place of those of `shard`: the part of a plan that was handed over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<[u64; 2]>,
}

/// Numbers of units of work, ascending.
pub(super) type Units = std::iter::StepBy<std::ops::Range<u64>>;

/// Runs of a sweep at most, so that numbers of runs and units can be added.
const MOST_RUNS: u64 = 1 << 62;

/// Format of `plan.json`.
pub(super) const PLAN_FORMAT: &str = "vinci/sweep-plan@1";

impl Shape {
    /// Checks a shape that was read: every number and name in it is used as it is.
    ///
    /// # Errors
    /// No rungs or none of their samples, ranges that are reversed or outside, more runs than can be counted, pictures that are none.
    pub fn check(&self) -> Result<(), String> {
        let ([from, to], [i, n]) = (self.cases, self.shard);
        let samples = self.rungs.iter().try_fold(0_u64, |all, rung| all.checked_add(rung.samples));
        let runs = samples.and_then(|samples| samples.checked_mul(to.checked_sub(from)?));
        if from > to || self.rungs.iter().any(|rung| rung.samples == 0) || self.rungs.is_empty() {
            return Err("it has no cases, rungs or samples".into());
        }
        if runs.is_none_or(|runs| runs >= MOST_RUNS) {
            return Err("it has more runs than can be counted".into());
        }
        let own = self.range.is_none_or(|[from, to]| from <= to && to <= self.units());
        if !(1 <= i && i <= n && own) {
            return Err(format!("there is no part {i} of {n} of it"));
        }
        match self.pictures.iter().find(|picture| !picture.is_sound()) {
            None => Ok(()),
            Some(picture) => Err(format!("`{}` is no picture", picture.file)),
        }
    }

    /// Samples of the rung that has most.
    fn most_samples(&self) -> u64 {
        self.rungs.iter().map(|r| r.samples).max().unwrap_or(1)
    }

    /// Units of work in all: cases where whole cases are pruned, else pairs of a case and a sample. What happens in one has no
    /// influence on another.
    pub fn units(&self) -> u64 {
        let cases = self.cases[1].saturating_sub(self.cases[0]);
        if self.prune == Prune::Case { cases } else { cases * self.most_samples() }
    }

    /// The shape of part i of n of a plan: a run of neighbouring units, so that parts one after the other are the whole.
    pub fn part(&self, [i, n]: [u64; 2]) -> Self {
        let to = |i: u64| (u128::from(self.units()) * u128::from(i) / u128::from(n)) as u64;
        Self { shard: [i, n], range: Some([to(i - 1), to(i)]), ..self.clone() }
    }

    /// The units that are done here, ascending.
    pub fn own_units(&self) -> Units {
        match (self.range, self.shard) {
            (Some([from, to]), _) => (from..to).step_by(1),
            (None, [i, n]) => (i - 1..self.units()).step_by(n as usize),
        }
    }

    /// How many those are.
    pub(super) fn own_units_count(&self) -> u64 {
        match (self.range, self.shard) {
            (Some([from, to]), _) => to.saturating_sub(from),
            (None, [i, n]) => (self.units() + 1).saturating_sub(i).div_ceil(n),
        }
    }

    /// Runs without any pruning.
    pub fn runs(&self) -> u64 {
        let cases = self.cases[1].saturating_sub(self.cases[0]);
        cases.saturating_mul(self.rungs.iter().map(|r| r.samples).sum())
    }

    /// The unit a run belongs to.
    pub fn unit_of(&self, id: RunId) -> Option<u64> {
        let case = id.case.checked_sub(self.cases[0])?;
        let there = self.rungs.get(id.rung as usize).is_some_and(|r| id.sample < r.samples);
        let unit = || if self.prune == Prune::Case { case } else { case * self.most_samples() + id.sample };
        (there && id.case < self.cases[1]).then(unit)
    }

    /// The unit that a row is of, if it is one of this sweep: with as many parameters and measures.
    pub fn unit_of_row(&self, row: &Row) -> Option<u64> {
        let fits = (row.parameters.len(), row.measures.len()) == (self.parameters.len(), self.measures.len());
        self.unit_of(row.id).filter(|_| fits)
    }

    /// The next run of a unit whose runs so far, in their order, had these successes; none when it has ended.
    pub fn next(&self, unit: u64, successes: &[bool]) -> Option<RunId> {
        let (k, last) = (successes.len() as u64, successes.last());
        if self.prune != Prune::Never && last == Some(&false) {
            return None;
        }
        if self.prune == Prune::Case {
            let mut before = 0;
            let rung = self.rungs.iter().position(|r| {
                before += r.samples;
                k < before
            })?;
            let sample = k + self.rungs[rung].samples - before;
            return Some(RunId { case: self.cases[0] + unit, sample, rung: rung as u32 });
        }
        let (case, sample) = (self.cases[0] + unit / self.most_samples(), unit % self.most_samples());
        let mut rungs = self.rungs.iter().enumerate().filter(|(_, r)| sample < r.samples);
        rungs.nth(k as usize).map(|(rung, _)| RunId { case, sample, rung: rung as u32 })
    }

    /// Runs of a unit without any pruning.
    pub fn runs_of(&self, unit: u64) -> u64 {
        if self.prune == Prune::Case {
            return self.rungs.iter().map(|r| r.samples).sum();
        }
        let sample = unit % self.most_samples();
        self.rungs.iter().filter(|r| sample < r.samples).count() as u64
    }

    /// A run in words.
    pub fn told(&self, id: RunId) -> String {
        let rung = self.rungs.get(id.rung as usize).map_or("?", |r| r.name.as_str());
        format!("case {}, sample {}, rung `{rung}`", id.case, id.sample)
    }
}
