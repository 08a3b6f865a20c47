//! Acceptance of a step by the referee's limits; where it is refused: the criterion, by how much, where and when.
//!
//! The referee's findings have no unit; every check has one limit for all of its criteria. `"referee"` of an experiment sets a
//! limit or switches a check off, and the summary says so.

use serde::{Deserialize, Serialize};
use vinci_core::clock::seconds;
use vinci_core::referee::{Check, Criterion, Failed, FindingSubject, Limits};
use vinci_scene::experiment::{Limit, RefereeLimits};

/// Limits that an experiment asks for.
pub fn limits_of(asked: &RefereeLimits) -> Limits {
    Limits::by(|check| match asked.of(check) {
        None => Some(Limits::default_of(check)),
        Some(Limit::Value(limit)) => Some(limit),
        Some(Limit::Judged(judged)) => judged.then(|| Limits::default_of(check)),
    })
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
    /// Gap at the start of the step, m, of a contact that closes within it.
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

#[cfg(test)]
mod tests {
    use super::*;
    use vinci_core::referee::Spot;

    #[test]
    fn a_check_that_is_switched_off_has_no_limit() {
        let asked = RefereeLimits { penetration: Some(Limit::Judged(false)), ..RefereeLimits::default() };
        let limits = limits_of(&asked);
        assert_eq!(limits.of_check(Check::Penetration), None);
        assert_eq!(limits.of_check(Check::Work), Some(0.01));
    }

    #[test]
    fn refusals_read_as_sentences() {
        let sentence = |criterion: Criterion, value: f64, place: &str| {
            let at = Spot { place: criterion.place(), at: 0 };
            let limit = Limits::default_of(criterion.check());
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
