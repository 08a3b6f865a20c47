//! Totals of the referee's findings so far in a run.

use serde::{Deserialize, Serialize};
use vinci_core::model::System;
use vinci_core::referee::{
    Check, Criterion, Declaration, Failed, FindingSubject, Limits, Report, Spot, Worst,
};

use super::site::Site;
use super::{CheckSummary, RefereeSummary, WorstStep};
use crate::acceptance::{Refusal, by_name, name_of};
use vinci_engine::pipeline::Accepted;

/// The finding of a check that comes nearest to its limit, or goes farthest beyond.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct Nearest {
    #[serde(with = "by_name")]
    criterion: Criterion,
    site: Site,
    /// Its value as a part of its limit.
    part: f64,
}

/// A check that is not judged, or only beyond a limit that is larger than usual.
fn not_judged(check: Check, limits: Limits) -> Option<String> {
    let (name, usual) = (check.name(), Limits::default_of(check));
    match limits.of_check(check) {
        None => Some(format!("{name} (switched off)")),
        Some(limit) => (limit > usual).then(|| format!("{name} up to {limit} (usual limit {usual})")),
    }
}

/// Totals of the referee over a run so far.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RefereeTotals {
    /// Without the names of places.
    summary: RefereeSummary,
    limits: Limits,
    /// By check.
    nearest: [Option<Nearest>; Check::ALL.len()],
}

impl RefereeTotals {
    /// Totals of a run that has not begun.
    pub fn new(declared: &Declaration, limits: Limits) -> Self {
        let not_judged = Check::ALL.into_iter().filter_map(|check| not_judged(check, limits)).collect();
        let check = |check: Check| {
            let limit = limits.of_check(check);
            let (criterion, place) = (String::new(), String::new());
            let (worst, step, time) = (0.0, 0, 0.0);
            (
                check.name().to_owned(),
                CheckSummary { limit, accepted: true, worst, criterion, step, time, place },
            )
        };
        let summary = RefereeSummary {
            accepted: true,
            checks: Check::ALL.into_iter().map(check).collect(),
            not_judged,
            declared: declared.words.clone(),
            ..RefereeSummary::default()
        };
        Self { summary, limits, nearest: Default::default() }
    }

    /// Reason why the run is not accepted, if it is not.
    pub fn refusal(&self) -> Option<&Refusal> {
        self.summary.refusal.as_ref()
    }

    /// Takes one step's report in.
    pub fn add(&mut self, step: u64, accepted: &Accepted<'_>, system: &System) {
        self.summary.max_residual = self.summary.max_residual.max(accepted.residual);
        if self.summary.accepted
            && let Some(failed) = accepted.failures(&self.limits).first()
        {
            self.refuse(failed, step, accepted, system);
        }
        for impact in accepted.impacts {
            self.summary.max_residual = self.summary.max_residual.max(impact.residual);
            self.take_numbers(&impact.report);
            self.take_checks(&impact.report, step, accepted, system);
            self.summary.work.of.contacts += impact.energy_change;
        }
        self.take_numbers(&accepted.report);
        self.take_checks(&accepted.report, step, accepted, system);
        self.summary.work.of.add(&accepted.work);
        let complementarity = &accepted.report.complementarity;
        let first = self.summary.worst.step == 0 && complementarity.value == 0.0;
        if take(&mut self.summary.max_complementarity, complementarity) || first {
            let spot = Spot { place: FindingSubject::Contact, at: complementarity.at };
            let contact = Site::of(spot, accepted, system.shapes.len()).name(system);
            self.summary.worst = WorstStep { step, contact };
        }
    }

    /// Adds the report on the end of the run; `accepted` has the contacts there.
    pub fn add_end(&mut self, step: u64, report: &Report, accepted: &Accepted<'_>, system: &System) {
        // Detections are of the start of a step: of one that would be made next, and has no size yet.
        let ended = Accepted { h: 0.0, ..*accepted };
        let (accepted, step) = (&ended, step + 1);
        self.take_places(report);
        if self.summary.accepted
            && let Some(failed) = self.limits.failures(report, false).first()
        {
            self.refuse(failed, step, accepted, system);
        }
        self.take_checks(report, step, accepted, system);
    }

    fn refuse(&mut self, failed: &Failed, step: u64, accepted: &Accepted<'_>, system: &System) {
        let place = Site::of(failed.at, accepted, system.shapes.len()).name(system);
        self.summary.accepted = false;
        let (step, time) = moment(failed.criterion, step, accepted);
        let contacts = &accepted.contacts;
        let gap = (failed.at.at < contacts.len()).then(|| contacts.open_gap(failed.at.at));
        self.summary.refusal = Some(Refusal::new(failed, step, time, place).across(gap));
    }

    /// Numbers of a detection.
    fn take_places(&mut self, report: &Report) {
        take(&mut self.summary.max_penetration, &report.penetration);
        take(&mut self.summary.max_linearized_gap, &report.linearized);
        take(&mut self.summary.max_linearized_part, &report.linearized_part);
    }

    fn take_numbers(&mut self, report: &Report) {
        self.take_places(report);
        take(&mut self.summary.max_cone_violation, &report.cone);
        take(&mut self.summary.max_momentum_residual, &report.momentum);
        take(&mut self.summary.max_momentum_relative, &report.momentum_relative);
        take(&mut self.summary.max_dissipation_deficit, &report.dissipation_deficit);
        take(&mut self.summary.max_friction_power, &report.friction_power);
        let angle = Worst { value: report.friction_angle.value.to_degrees(), ..report.friction_angle };
        take(&mut self.summary.max_friction_angle, &angle);
        take(&mut self.summary.max_friction_weakness, &report.friction_weakness);
    }

    fn take_checks(&mut self, report: &Report, step: u64, accepted: &Accepted<'_>, system: &System) {
        if report.findings.is_clean() {
            return;
        }
        for criterion in Criterion::ALL {
            let worst = report.findings.of(criterion);
            if worst.value == 0.0 {
                continue;
            }
            let Some(check) = self.summary.checks.get_mut(criterion.check().name()) else { continue };
            let limit = self.limits.of_criterion(criterion);
            check.accepted &= limit.is_none_or(|limit| worst.value <= limit);
            // Criteria of one check may have limits of their own: the one nearest to its limit is the worst.
            let part = worst.value / limit.unwrap_or(1.0);
            let nearest = &mut self.nearest[criterion.check() as usize];
            let known = nearest.as_ref().map_or(0.0, |nearest| nearest.part);
            if part > known || (part.is_nan() && !known.is_nan()) {
                let spot = Spot { place: criterion.place(), at: worst.at };
                let site = Site::of(spot, accepted, system.shapes.len());
                (check.limit, check.worst) = (limit, worst.value);
                (check.step, check.time) = moment(criterion, step, accepted);
                *nearest = Some(Nearest { criterion, site, part });
            }
        }
    }

    /// The summary of a run over which the energy changed so, J: with names for the places.
    pub fn summary(&self, energy_change: f64, system: &System) -> RefereeSummary {
        let mut summary = self.summary.clone();
        for nearest in self.nearest.iter().flatten() {
            if let Some(check) = summary.checks.get_mut(nearest.criterion.check().name()) {
                check.criterion = name_of(nearest.criterion);
                check.place = nearest.site.name(system);
            }
        }
        summary.work.integration_error = energy_change - summary.work.of.total();
        summary
    }
}

/// Step and time that a finding speaks of: a detection at the start of a step is of the end of the one before.
fn moment(criterion: Criterion, step: u64, accepted: &Accepted<'_>) -> (u64, f64) {
    if criterion.is_of_start() {
        (step.saturating_sub(1), accepted.t - accepted.h)
    } else {
        (step, accepted.t)
    }
}

fn take(max: &mut f64, worst: &Worst) -> bool {
    if worst.value > *max || worst.value.is_nan() {
        *max = worst.value;
        return true;
    }
    false
}
