//! Limits of the referee's checks, and what of a report is beyond them.

use super::{Check, Criterion, FindingSubject, Findings, Report, Worst};

/// Limits of the checks; none: the check is switched off.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Limits([Option<f64>; Check::ALL.len()]);

impl Default for Limits {
    fn default() -> Self {
        Self::by(|check| Some(Self::default_of(check)))
    }
}

impl Limits {
    /// Limit of every check, as `limit` says.
    pub fn by(limit: impl FnMut(Check) -> Option<f64>) -> Self {
        Self(Check::ALL.map(limit))
    }

    /// Limit of a check where nobody asks for another. The reasons stand in the book's page on the referee.
    pub fn default_of(check: Check) -> f64 {
        match check {
            Check::Solution | Check::Rows => 1e-5,
            Check::Consistency => 1e-6,
            Check::Penetration => 0.1,
            Check::PassingThrough => 0.1,
            Check::Work => 0.01,
        }
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

    /// Criteria that a report does not fulfil. `impact`: it is the report of an impact.
    pub fn failures(&self, report: &Report, impact: bool) -> Vec<Failed> {
        if report.findings.is_clean() {
            return Vec::new();
        }
        let failed = |criterion| self.failed(criterion, &report.findings, impact);
        Criterion::ALL.into_iter().filter_map(failed).collect()
    }

    fn failed(&self, criterion: Criterion, findings: &Findings, impact: bool) -> Option<Failed> {
        let Worst { value, at } = findings.of(criterion);
        let limit = self.of_criterion(criterion)?;
        // NaN is beyond any limit.
        let lawful = value <= limit;
        let at = Spot { place: criterion.place(), at };
        (!lawful).then_some(Failed { criterion, value, limit, at, impact })
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
                limits.failures(&report, false)
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
        let limits = Limits::by(|check| (check != Check::Penetration).then(|| Limits::default_of(check)));
        let mut report = Report::default();
        report.findings.take(Criterion::Overlap, f64::NAN, 0);
        assert!(limits.failures(&report, false).is_empty());
        report.findings.take(Criterion::Pull, 1.0, 0);
        assert_eq!(limits.failures(&report, false).len(), 1);
    }
}
