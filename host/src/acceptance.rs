//! Whether the referee accepts a step, and if not: which criterion failed, by how much, where.

use serde::{Deserialize, Serialize};
use vinci_core::referee::{Report, Worst};

use crate::pipeline::Accepted;

/// A momentum residual above this part of its row's largest term, and above what the accepted residual of the solver can
/// amount to, says that the stepper's answer is not a solution. Forces may be wrong by this part of the step's largest.
pub const MOMENTUM_LIMIT: f64 = 1e-6;

/// What a step must fulfil.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Criterion {
    /// A v⁺ = b + W p.
    Momentum,
    /// The same of an impact.
    ImpactMomentum,
    /// Contacts only push: p_n ≥ 0.
    Pull,
    /// |p_t| ≤ μ p_n, at support points |p| ≤ h μ N.
    Cone,
    /// Friction brakes: p_t · ν_t ≤ 0.
    FrictionPower,
}

impl Criterion {
    /// What is wrong where it fails, and the unit of its value.
    pub fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Momentum => ("the momentum balance is off", "of its terms"),
            Self::ImpactMomentum => ("the momentum balance of an impact is off", "of its terms"),
            Self::Pull => ("a contact pulls", "N s"),
            Self::Cone => ("friction leaves its cone", "N s"),
            Self::FrictionPower => ("friction drives instead of braking", "J"),
        }
    }
}

/// Where a finding stands within a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spot {
    /// A contact, or n + k for support point k of a step with n contacts.
    Contact(usize),
    /// A velocity.
    Velocity(usize),
}

/// The first finding for which a run is not accepted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Refusal {
    /// What failed.
    pub criterion: Criterion,
    /// The value found, in the criterion's unit.
    pub value: f64,
    /// The largest value that would have been accepted.
    pub limit: f64,
    /// Step, from 1.
    pub step: u64,
    /// Contact, support point or velocity, in words.
    pub place: String,
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (what, unit) = self.criterion.words();
        write!(f, "step {}: {what} by {:.1e} {unit} (limit {:.1e})", self.step, self.value, self.limit)?;
        if self.place.is_empty() { Ok(()) } else { write!(f, " at {}", self.place) }
    }
}

/// A criterion that failed: value, limit, place.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Failed {
    /// What failed.
    pub criterion: Criterion,
    /// The value.
    pub value: f64,
    /// Its limit.
    pub limit: f64,
    /// Where.
    pub at: Spot,
}

/// What the numbers of a step are compared with.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Scale {
    /// Largest impulse that friction or contacts exert or may exert: max(|p|, |p_s|, h μ N), N s.
    pub impulse: f64,
    /// Largest velocity at the end of the step.
    pub speed: f64,
    /// What the accepted residual of the solver may amount to in any one row.
    pub slack: f64,
}

impl Scale {
    /// Of a step. At a support point the disc's radius h μ N counts: a part that rests without a push has impulses of
    /// rounding only, and rounding is no measure of itself.
    pub fn of(accepted: &Accepted<'_>) -> Self {
        let largest = |list: &[f64]| list.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        let radius = accepted.h * largest(accepted.supports.bound);
        Self {
            impulse: largest(accepted.impulse).max(largest(accepted.support_impulse)).max(radius),
            speed: largest(accepted.v),
            slack: accepted.slack,
        }
    }

    /// Impulse that is no finding, N s.
    fn impulse_limit(&self) -> f64 {
        MOMENTUM_LIMIT * self.impulse + 2.0 * self.slack
    }

    /// Work that is no finding, J.
    fn work_limit(&self) -> f64 {
        let (p, v, slack) = (self.impulse, self.speed, self.slack);
        MOMENTUM_LIMIT * p * v + 2.0 * slack * (p + v + slack)
    }
}

/// The first criterion that a step (its impacts before it) does not fulfil.
pub fn first_failure(accepted: &Accepted<'_>) -> Option<Failed> {
    let impact =
        accepted.impacts.iter().find_map(|i| momentum(&i.report, i.slack, Criterion::ImpactMomentum));
    let stride = accepted.contacts.stride();
    let mut pull = Worst::default();
    for (i, p) in accepted.impulse.iter().step_by(stride).enumerate() {
        if -p > pull.value || p.is_nan() {
            pull = Worst { value: -p, at: i };
        }
    }
    impact.or_else(|| failure(&accepted.report, pull, &Scale::of(accepted)))
}

/// The first criterion that a report does not fulfil; `pull` is max (−p_n)₊, N s.
pub fn failure(report: &Report, pull: Worst, scale: &Scale) -> Option<Failed> {
    let at_contact = |criterion, worst: Worst, limit| {
        // NaN is beyond any limit.
        let lawful = worst.value <= limit;
        (!lawful).then_some(Failed { criterion, value: worst.value, limit, at: Spot::Contact(worst.at) })
    };
    momentum(report, scale.slack, Criterion::Momentum)
        .or_else(|| at_contact(Criterion::Pull, pull, scale.impulse_limit()))
        .or_else(|| at_contact(Criterion::Cone, report.cone, scale.impulse_limit()))
        .or_else(|| at_contact(Criterion::FrictionPower, report.friction_power, scale.work_limit()))
}

fn momentum(report: &Report, slack: f64, criterion: Criterion) -> Option<Failed> {
    let relative = report.momentum_relative;
    let lawful = relative.value <= MOMENTUM_LIMIT || report.momentum.value <= 2.0 * slack;
    (!lawful).then_some(Failed {
        criterion,
        value: relative.value,
        limit: MOMENTUM_LIMIT,
        at: Spot::Velocity(relative.at),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCALE: Scale = Scale { impulse: 2.0, speed: 3.0, slack: 1e-9 };

    fn worst(value: f64) -> Worst {
        Worst { value, at: 4 }
    }

    /// A report with one number wrong.
    fn made_up(criterion: Criterion, value: f64) -> Option<Failed> {
        let (mut report, mut pull) = (Report::default(), Worst::default());
        match criterion {
            Criterion::Momentum | Criterion::ImpactMomentum => {
                (report.momentum, report.momentum_relative) = (worst(value), worst(value));
            }
            Criterion::Pull => pull = worst(value),
            Criterion::Cone => report.cone = worst(value),
            Criterion::FrictionPower => report.friction_power = worst(value),
        }
        failure(&report, pull, &SCALE)
    }

    #[test]
    fn the_criterion_that_fails_is_named_with_value_limit_and_place() {
        // 1e-6 · 2 + 2e-9; 1e-6 · 2 · 3 + 2e-9 (2 + 3 + 1e-9).
        for (criterion, limit, at) in [
            (Criterion::Momentum, 1e-6, Spot::Velocity(4)),
            (Criterion::Pull, 2.002e-6, Spot::Contact(4)),
            (Criterion::Cone, 2.002e-6, Spot::Contact(4)),
            (Criterion::FrictionPower, 6.01e-6, Spot::Contact(4)),
        ] {
            assert_eq!(made_up(criterion, 0.99 * limit), None, "{criterion:?}");
            for value in [1.01 * limit, 5.0, f64::INFINITY, f64::NAN] {
                let found = made_up(criterion, value).expect("it is found");
                assert_eq!((found.criterion, found.at), (criterion, at));
                assert_eq!(found.value.to_bits(), value.to_bits());
                assert!((found.limit - limit).abs() < 1e-9 * limit, "{criterion:?}: {}", found.limit);
            }
        }
    }

    #[test]
    fn a_momentum_residual_within_the_solvers_is_no_finding() {
        let report = Report { momentum: worst(1.9e-9), momentum_relative: worst(0.5), ..Report::default() };
        assert_eq!(failure(&report, Worst::default(), &SCALE), None);
        let report = Report { momentum: worst(2.1e-9), ..report };
        assert_eq!(
            failure(&report, Worst::default(), &SCALE).map(|f| f.criterion),
            Some(Criterion::Momentum)
        );
    }

    #[test]
    fn a_refusal_reads_as_a_sentence() {
        let refusal = Refusal {
            criterion: Criterion::Cone,
            value: 0.25,
            limit: 2e-6,
            step: 7,
            place: "puck / its plane".into(),
        };
        assert_eq!(
            refusal.to_string(),
            "step 7: friction leaves its cone by 2.5e-1 N s (limit 2.0e-6) at puck / its plane"
        );
    }
}
