//! Acceptance of a step by the referee's limits; where it is refused: the criterion, by how much, where and when.
//!
//! The referee's findings have no unit; every check has one limit for all of its criteria. `"referee"` of an experiment sets a
//! limit or switches a check off, and the summary says so.

use serde::{Deserialize, Serialize};
use vinci_core::clock::seconds;
use vinci_core::referee::{Check, Criterion, FindingSubject, Findings, Report, Worst};

use vinci_engine::pipeline::Accepted;
use vinci_scene::experiment::{Limit, RefereeLimits};

/// Limits of the checks; none: the check is switched off.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Limits([Option<f64>; Check::ALL.len()]);

impl Default for Limits {
    fn default() -> Self {
        Self(Check::ALL.map(|check| Some(default_limit(check))))
    }
}

/// Limit where the experiment gives none. The reasons stand in the book's page on the referee.
pub fn default_limit(check: Check) -> f64 {
    match check {
        Check::Solution | Check::Rows => 1e-5,
        Check::Consistency => 1e-6,
        Check::Penetration => 0.1,
        Check::PassingThrough => 0.1,
        Check::Work => 0.01,
    }
}

impl Limits {
    /// Limits that an experiment asks for.
    pub fn of(asked: &RefereeLimits) -> Self {
        let of = |check: Check| match asked.of(check) {
            None => Some(default_limit(check)),
            Some(Limit::Value(limit)) => Some(limit),
            Some(Limit::Judged(judged)) => judged.then(|| default_limit(check)),
        };
        Self(Check::ALL.map(of))
    }

    /// The limit of a criterion, if it is judged: that of its check; three times that for the deformation of soft pairs, a
    /// factor for what is compared with distances of core's own.
    pub fn of_criterion(&self, criterion: Criterion) -> Option<f64> {
        let factor = match criterion {
            Criterion::Deformation => 3.0,
            // Curved surfaces are found by iteration.
            Criterion::WrongGap | Criterion::Missed => 1e4,
            // Corners that detectors round off count as faces.
            Criterion::Normal => 1e5,
            _ => 1.0,
        };
        self.of_check(criterion.check()).map(|limit| factor * limit)
    }

    /// The limit of a check, if it is judged.
    pub fn of_check(&self, check: Check) -> Option<f64> {
        Check::ALL.iter().position(|c| *c == check).and_then(|at| self.0[at])
    }
}

/// Where a finding stands within a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spot {
    /// Meaning of the index.
    pub place: FindingSubject,
    /// The index.
    pub at: usize,
}

/// The worst finding of a check that is not accepted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Refusal {
    /// The check.
    pub check: String,
    /// The criterion that failed.
    #[serde(with = "by_name")]
    pub criterion: Criterion,
    /// The value found, without unit.
    #[serde(deserialize_with = "number")]
    pub value: f64,
    /// The largest value that would have been accepted.
    pub limit: f64,
    /// Step, from 1.
    pub step: u64,
    /// Time at the end of that step, s.
    pub time: f64,
    /// Contact, support point, joint, body or velocity, in words.
    pub place: String,
    /// True if it is of an impact before the step.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub impact: bool,
    /// Of a contact that closes within the step, its gap at the start, m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gap: Option<f64>,
}

impl Refusal {
    /// Refusal by a failed criterion at a step.
    pub fn new(failed: &Failed, step: u64, time: f64, place: String) -> Self {
        let Failed { criterion, value, limit, impact, .. } = *failed;
        let check = criterion.check().name().to_owned();
        Self { check, criterion, value, limit, step, time, place, impact, gap: None }
    }

    /// This refusal with the gap of its contact at the start, m. A contact that approaches across a gap is not closed yet.
    pub fn across(self, gap: Option<f64>) -> Self {
        let is_open = self.criterion == Criterion::Approach && !self.impact;
        Self { gap: gap.filter(|gap| is_open && *gap > 0.0), ..self }
    }
}

/// Name of a criterion as summaries write it: `gap-jump`.
pub fn name_of(criterion: Criterion) -> String {
    let name = format!("{criterion:?}");
    let mut out = String::new();
    for c in name.chars() {
        if c.is_uppercase() && !out.is_empty() {
            out.push('-');
        }
        out.push(c.to_ascii_lowercase());
    }
    out
}

/// Criteria in files: their names.
pub(crate) mod by_name {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};
    use vinci_core::referee::Criterion;

    pub(crate) fn serialize<S: Serializer>(criterion: &Criterion, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&super::name_of(*criterion))
    }

    pub(crate) fn deserialize<'a, D: Deserializer<'a>>(from: D) -> Result<Criterion, D::Error> {
        let name = String::deserialize(from)?;
        let known = Criterion::ALL.into_iter().find(|criterion| super::name_of(*criterion) == name);
        known.ok_or_else(|| D::Error::custom(format!("`{name}` is no criterion")))
    }
}

/// A number; JSON has none for what is not finite.
fn number<'a, D: serde::Deserializer<'a>>(from: D) -> Result<f64, D::Error> {
    Ok(Option::deserialize(from)?.unwrap_or(f64::NAN))
}

/// Description of a contact that is open at the start, and would be beyond its surface at the end by the step's own rates.
const CLOSES: &str = "closes within the step";

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let place = self.place.as_str();
        let description = if self.gap.is_some() { CLOSES } else { self.criterion.description() };
        write!(f, "step {}, t = {} s", self.step, seconds(self.time))?;
        if self.impact {
            write!(f, ", in an impact")?;
        }
        match self.criterion.place() {
            FindingSubject::Velocity | FindingSubject::Coordinate if place.is_empty() => {
                write!(f, ": {description}")?
            }
            FindingSubject::Velocity | FindingSubject::Coordinate => write!(f, ": {description} at {place}")?,
            _ if place.is_empty() => write!(f, ": a contact {description}")?,
            _ => write!(f, ": {place} {description}")?,
        }
        if let Some(gap) = self.gap {
            write!(f, " over its gap of {gap:.1e} m")?;
        }
        match self.criterion.check() {
            Check::Penetration | Check::PassingThrough => {
                let (value, limit) = (part(self.value), 100.0 * self.limit);
                write!(f, " by {value} the thinner body's thickness (limit {limit:.1} %)")
            }
            Check::Work => {
                let (value, limit) = (part(self.value), 100.0 * self.limit);
                write!(f, ": {value} what flowed through it (limit {limit:.1} %)")
            }
            _ => write!(f, " ({:.1e} of the sizes that belong to it, limit {:.1e})", self.value, self.limit),
        }
    }
}

/// A part of something: "12.5 % of", "3.0e2 times".
fn part(value: f64) -> String {
    if value < 10.0 { format!("{:.1} % of", 100.0 * value) } else { format!("{value:.1e} times") }
}

/// A criterion that failed: value, limit, place.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Failed {
    /// The criterion that failed.
    pub criterion: Criterion,
    /// The value.
    pub value: f64,
    /// Its limit.
    pub limit: f64,
    /// Where.
    pub at: Spot,
    /// True if an impact before the step failed, not the step.
    pub impact: bool,
}

/// Everything that a step (its impacts before it) does not fulfil: of every check the criterion that is farthest beyond.
pub fn failures(accepted: &Accepted<'_>, limits: &Limits) -> Vec<Failed> {
    let impacts = accepted.impacts.iter().flat_map(|i| of_report(&i.report, limits, true));
    let mut all: Vec<Failed> = impacts.chain(of_report(&accepted.report, limits, false)).collect();
    all.sort_by(|a, b| (b.value / b.limit).total_cmp(&(a.value / a.limit)));
    all
}

/// Criteria that one report does not fulfil.
pub fn of_report(report: &Report, limits: &Limits, impact: bool) -> Vec<Failed> {
    if report.findings.is_clean() {
        return Vec::new();
    }
    Criterion::ALL
        .into_iter()
        .filter_map(|criterion| failed(criterion, &report.findings, limits, impact))
        .collect()
}

fn failed(criterion: Criterion, findings: &Findings, limits: &Limits, impact: bool) -> Option<Failed> {
    let Worst { value, at } = findings.of(criterion);
    let limit = limits.of_criterion(criterion)?;
    // NaN is beyond any limit.
    let lawful = value <= limit;
    let at = Spot { place: criterion.place(), at };
    (!lawful).then_some(Failed { criterion, value, limit, at, impact })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_criterion_fails_beyond_its_limit_and_nan_is_beyond_all() {
        let limits = Limits::default();
        for criterion in Criterion::ALL {
            let limit = limits.of_criterion(criterion).expect("all are judged");
            let of = |value: f64| {
                let mut report = Report::default();
                report.findings.take(criterion, value, 4);
                of_report(&report, &limits, false)
            };
            assert!(of(0.99 * limit).is_empty(), "{criterion:?}");
            for value in [1.01 * limit, 5.0, f64::INFINITY, f64::NAN] {
                let found = of(value);
                assert_eq!(found.len(), 1, "{criterion:?} {value}");
                assert_eq!((found[0].criterion, found[0].at.at), (criterion, 4));
                assert_eq!(found[0].value.to_bits(), value.to_bits());
            }
        }
    }

    #[test]
    fn a_check_that_is_switched_off_refuses_nothing() {
        let asked = RefereeLimits { penetration: Some(Limit::Judged(false)), ..RefereeLimits::default() };
        let limits = Limits::of(&asked);
        let mut report = Report::default();
        report.findings.take(Criterion::Overlap, f64::NAN, 0);
        assert!(of_report(&report, &limits, false).is_empty());
        report.findings.take(Criterion::Pull, 1.0, 0);
        assert_eq!(of_report(&report, &limits, false).len(), 1);
    }

    #[test]
    fn refusals_read_as_sentences() {
        let sentence = |criterion: Criterion, value: f64, place: &str| {
            let at = Spot { place: criterion.place(), at: 0 };
            let limit = default_limit(criterion.check());
            let failed = Failed { criterion, value, limit, at, impact: false };
            Refusal::new(&failed, 7, 0.07, place.into()).to_string()
        };
        assert_eq!(
            sentence(Criterion::Overlap, 0.47, "ball / floor"),
            "step 7, t = 0.07 s: ball / floor overlaps by 47.0 % of the thinner body's thickness (limit 10.0 %)"
        );
        let at = Spot { place: Criterion::Approach.place(), at: 0 };
        let failed = Failed { criterion: Criterion::Approach, value: 0.25, limit: 1e-5, at, impact: false };
        let approaches =
            |gap: f64| Refusal::new(&failed, 7, 0.07, "ball / floor".into()).across(Some(gap)).to_string();
        assert_eq!(
            approaches(2e-4),
            "step 7, t = 0.07 s: ball / floor closes within the step over its gap of 2.0e-4 m (2.5e-1 of the sizes that belong \
             to it, limit 1.0e-5)"
        );
        assert!(approaches(-2e-4).contains("ball / floor approaches although it is closed (2.5e-1"));
        assert_eq!(
            sentence(Criterion::Momentum, 0.25, "puck, velocity vx"),
            "step 7, t = 0.07 s: the momentum balance is off at puck, velocity vx (2.5e-1 of the sizes that belong to it, \
             limit 1.0e-5)"
        );
        assert_eq!(
            sentence(Criterion::Created, 0.5, "arm"),
            "step 7, t = 0.07 s: arm has energy that its contacts or joints created: 50.0 % of what flowed through it \
             (limit 1.0 %)"
        );
    }
}
