//! Outcomes of the tests.

use std::fmt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize, Serializer};

/// Outcome of one test.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "kebab-case")]
pub enum Outcome {
    /// The plugin does what it should.
    Passed {
        /// Remark on what was seen; may be empty.
        remark: String,
    },
    /// Against the contract or against the facts.
    Failed {
        /// Fault, place, and what was expected.
        reason: String,
    },
    /// Could not be tested on this plugin.
    Skipped {
        /// Reason why it was left out.
        reason: String,
    },
    /// The process of the test ended or was ended without an answer.
    Crashed {
        /// Reason.
        reason: String,
    },
    /// The library has no such role.
    NotApplicable,
}

/// Marks the line of a child's output that holds its answer.
const MARK: &str = "vinci-conformance-outcome ";

impl Outcome {
    /// One line that [`Outcome::from_output`] finds again in the output of a process. `word`: what that process was told alone, so that
    /// a plugin in it cannot answer in its place.
    pub fn to_line(&self, word: &str) -> String {
        // A struct of strings always serialises.
        format!("{MARK}{word} {}", serde_json::to_string(self).unwrap_or_default())
    }

    /// The answer in the output of a process that was told a word, if there is one.
    pub fn from_output(output: &str, word: &str) -> Option<Self> {
        let mut lines = output.lines().rev();
        let answer = lines.find_map(|line| line.strip_prefix(MARK)?.strip_prefix(word)?.strip_prefix(' '))?;
        serde_json::from_str(answer).ok()
    }

    /// Returns true if the plugin is to blame for something.
    pub fn is_bad(&self) -> bool {
        matches!(self, Self::Failed { .. } | Self::Crashed { .. })
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (word, text) = match self {
            Self::Passed { remark } => ("passed", remark.as_str()),
            Self::Failed { reason } => ("FAILED", reason.as_str()),
            Self::Skipped { reason } => ("skipped", reason.as_str()),
            Self::Crashed { reason } => ("CRASHED", reason.as_str()),
            Self::NotApplicable => ("not applicable", ""),
        };
        if text.is_empty() { f.write_str(word) } else { write!(f, "{word}: {text}") }
    }
}

/// One test and its outcome.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TestResult {
    /// Name, "role/test".
    pub name: String,
    /// Its level.
    pub level: u8,
    /// Outcome.
    #[serde(flatten)]
    pub outcome: Outcome,
}

/// All outcomes of one library; tests of roles it does not have are left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    /// The library.
    #[serde(serialize_with = "lossy")]
    pub path: PathBuf,
    /// Seed of the random tests.
    pub seed: u64,
    /// Outcomes in the order of the tests.
    pub results: Vec<TestResult>,
}

/// JSON holds no path that is not UTF-8.
fn lossy<S: Serializer>(path: &Path, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&path.to_string_lossy())
}

impl Report {
    pub(crate) fn new(path: &Path, seed: u64, results: impl Iterator<Item = TestResult>) -> Self {
        let results = results.filter(|r| r.outcome != Outcome::NotApplicable).collect();
        Self { path: path.to_owned(), seed, results }
    }

    /// Returns true if nothing failed or crashed (and something was tested).
    pub fn passed(&self) -> bool {
        !self.results.is_empty() && !self.results.iter().any(|r| r.outcome.is_bad())
    }

    /// The level up to which nothing failed or crashed, of those that were tested; 0: none.
    pub fn reached(&self) -> u8 {
        let bad = self.results.iter().filter(|r| r.outcome.is_bad()).map(|r| r.level).min();
        let tested = self.results.iter().map(|r| r.level).max().unwrap_or(0);
        bad.map_or(tested, |level| level - 1)
    }

    /// Numbers of tests passed, failed, skipped, crashed.
    pub fn counts(&self) -> [usize; 4] {
        let mut counts = [0; 4];
        for result in &self.results {
            match result.outcome {
                Outcome::Passed { .. } => counts[0] += 1,
                Outcome::Failed { .. } => counts[1] += 1,
                Outcome::Skipped { .. } => counts[2] += 1,
                Outcome::Crashed { .. } => counts[3] += 1,
                Outcome::NotApplicable => {}
            }
        }
        counts
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for result in &self.results {
            writeln!(f, "{} {:<32} {}", result.level, result.name, result.outcome)?;
        }
        let [passed, failed, skipped, crashed] = self.counts();
        write!(
            f,
            "{passed} passed, {failed} failed, {skipped} skipped, {crashed} crashed (seed {}); holds up to level {}",
            self.seed,
            self.reached()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_found_among_other_output() {
        let outcome = Outcome::Failed { reason: "z[0] is 1,\nnot 2".into() };
        let output = format!("hello\n{}\nbye\n", outcome.to_line("5c"));
        assert_eq!(Outcome::from_output(&output, "5c"), Some(outcome));
        assert_eq!(Outcome::from_output("hello\n", "5c"), None);
        // Somebody else's answer, who was told nothing.
        assert_eq!([("5"), ("5d"), ("")].map(|word| Outcome::from_output(&output, word)), [None, None, None]);
    }

    #[test]
    fn a_level_is_reached_when_nothing_below_it_fails() {
        let passed = || Outcome::Passed { remark: String::new() };
        let failed = || Outcome::Failed { reason: String::new() };
        let report = |levels: &[(u8, Outcome)]| {
            let results = levels.iter().cloned();
            let results = results.map(|(level, outcome)| TestResult { name: "x/y".into(), level, outcome });
            Report::new(Path::new("p"), 1, results).reached()
        };
        assert_eq!(report(&[(1, passed()), (5, passed()), (7, passed())]), 7);
        assert_eq!(report(&[(1, passed()), (5, failed()), (7, passed())]), 4);
        assert_eq!(report(&[(1, failed()), (5, failed())]), 0);
        assert_eq!(report(&[]), 0);
    }

    #[test]
    fn a_report_passes_only_if_something_did() {
        let report = |outcome| {
            let result = TestResult { name: "solver/x".into(), level: 4, outcome };
            Report::new(Path::new("p"), 1, [result].into_iter())
        };
        assert!(report(Outcome::Passed { remark: String::new() }).passed());
        assert!(!report(Outcome::NotApplicable).passed());
        assert!(!report(Outcome::Crashed { reason: String::new() }).passed());
        assert!(report(Outcome::Skipped { reason: String::new() }).passed());
    }
}
