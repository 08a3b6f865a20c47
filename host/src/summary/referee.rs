//! What the referee found in a run: its checks with their limits, the worst of every one, and the numbers behind them.

use std::collections::BTreeMap;

use serde::Serialize;
use vinci_core::model::{RowOwner, System};
use vinci_core::referee::{Check, Criterion, Declaration, Place, Report, Worst};

use crate::acceptance::{Failed, Limits, Refusal, Spot, failures, of_report};
use crate::labels;
use crate::pipeline::{Accepted, StepWork};

/// Where a number of a run stands: whatever does not change from step to step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Site {
    Nowhere,
    Bodies(u32, u32),
    Support(u32),
    Velocity(u32),
    Coordinate(u32),
    Block(u32),
    Row(RowOwner),
    Shapes(u32, u32),
}

impl Site {
    fn of(spot: Spot, accepted: &Accepted<'_>, n_shapes: usize) -> Self {
        let contacts = &accepted.contacts;
        let index = spot.at as u32;
        match spot.place {
            Place::Contact => match (contacts.body_a.get(spot.at), spot.at.checked_sub(contacts.len())) {
                (Some(&a), _) => Self::Bodies(a, contacts.body_b[spot.at]),
                (None, Some(k)) => accepted.supports.body.get(k).map_or(Self::Nowhere, |b| Self::Support(*b)),
                (None, None) => Self::Nowhere,
            },
            Place::Velocity => Self::Velocity(index),
            Place::Coordinate => Self::Coordinate(index),
            Place::Block => Self::Block(index),
            Place::Row => accepted.row_owners.get(spot.at).map_or(Self::Nowhere, |owner| Self::Row(*owner)),
            Place::Shapes => {
                Self::Shapes((spot.at / n_shapes.max(1)) as u32, (spot.at % n_shapes.max(1)) as u32)
            }
        }
    }

    fn name(self, system: &System) -> String {
        let body = |b: u32| system.bodies.get(b as usize).map_or("?", |b| b.name.as_str());
        match self {
            Self::Nowhere => String::new(),
            Self::Bodies(a, b) => format!("{} / {}", body(a), body(b)),
            Self::Support(b) => format!("{} / its plane", body(b)),
            Self::Velocity(i) => labels::of_block(system, i as usize)
                .map_or_else(String::new, |(owner, name)| format!("{owner}, velocity {name}")),
            Self::Coordinate(i) => coordinate(system, i as usize),
            Self::Block(b) => system.block_name(b as usize).to_owned(),
            Self::Row(owner) => row(system, owner),
            Self::Shapes(a, b) => {
                let of = |s: u32| system.shapes.get(s as usize).map_or("?", |shape| body(shape.body));
                format!("{} / {} (shapes {a} and {b})", of(a), of(b))
            }
        }
    }
}

fn coordinate(system: &System, i: usize) -> String {
    let starts = system.layout().q_start;
    let block = starts.partition_point(|&start| start as usize <= i).saturating_sub(1);
    let [places, _] = labels::block(system, block);
    places.get(i - starts[block] as usize).map_or_else(String::new, ToString::to_string)
}

fn row(system: &System, owner: RowOwner) -> String {
    let joint_of = |tree: u32, dof: u32| {
        let first = system.layout().block_start[system.n_blocks() - system.trees.len() + tree as usize];
        labels::velocity(system, first as usize + dof as usize).map_or_else(String::new, |label| label.owner)
    };
    match owner {
        RowOwner::Joint(j) => format!("joint `{}`", system.joints[j as usize].name),
        RowOwner::Coupler(c) => format!("coupler {c}"),
        RowOwner::Friction(tree, dof) => format!("dry friction of {}", joint_of(tree, dof)),
        RowOwner::Lower(tree, dof) => format!("lower limit of {}", joint_of(tree, dof)),
        RowOwner::Upper(tree, dof) => format!("upper limit of {}", joint_of(tree, dof)),
    }
}

/// The worst step of a run.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct WorstStep {
    /// Step, from 1; 0: there was no contact at all.
    pub step: u64,
    /// Contact in words, "a / b"; empty where there is none.
    pub contact: String,
}

/// A check of a run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CheckSummary {
    /// Largest value that is accepted; none: the check is switched off.
    pub limit: Option<f64>,
    /// Whether it is fulfilled (or switched off).
    pub accepted: bool,
    /// The worst value, without unit.
    pub worst: f64,
    /// What it is of.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub criterion: String,
    /// Step, from 1; 0 where nothing was found.
    pub step: u64,
    /// Time at the end of that step, s.
    pub time: f64,
    /// Where.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub place: String,
    #[serde(skip)]
    site: Option<(Criterion, Site)>,
    #[serde(skip)]
    part: f64,
}

/// Work over the run, J.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct WorkSummary {
    /// By who does it; impacts count among contacts.
    #[serde(flatten)]
    pub of: StepWork,
    /// Energy at the end less that at the start less all work: what finite steps make of potential energy and turning masses.
    pub integration_error: f64,
}

/// Maxima of the referee's findings over all steps: numbers in physical units, and checks.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RefereeSummary {
    /// Deepest penetration, m.
    pub max_penetration: f64,
    /// Worst contact that is neither open nor pressed, m/s.
    pub max_complementarity: f64,
    /// Largest friction impulse beyond the cone, N s.
    pub max_cone_violation: f64,
    /// Largest momentum residual, N s.
    pub max_momentum_residual: f64,
    /// The same relative to the size of its row.
    pub max_momentum_relative: f64,
    /// Largest shortfall from maximum dissipation in a step, J.
    pub max_dissipation_deficit: f64,
    /// Largest work friction did on the bodies in a step, J (0 up to rounding).
    pub max_friction_power: f64,
    /// Largest angle between friction and the direction against the slip, degrees.
    pub max_friction_angle: f64,
    /// Largest part by which friction of a slipping contact is too weak.
    pub max_friction_weakness: f64,
    /// Largest accepted relative residual of the solved problems (natural map).
    pub max_residual: f64,
    /// Whether every step stands up to the referee.
    pub accepted: bool,
    /// The first finding for which it does not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refusal: Option<Refusal>,
    /// Every check with its limit and its worst finding.
    pub checks: BTreeMap<&'static str, CheckSummary>,
    /// Checks that are switched off, and laws that nobody judged.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub not_judged: Vec<String>,
    /// What the stepper declares of its law.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub declared: Vec<String>,
    /// Work over the run.
    pub work: WorkSummary,
    /// Where complementarity was worst.
    pub worst: WorstStep,
    #[serde(skip)]
    limits: Limits,
}

impl RefereeSummary {
    /// Of a run that has not begun.
    pub fn new(declared: &Declaration, limits: Limits) -> Self {
        let off = Check::ALL.into_iter().filter(|c| limits.of_check(*c).is_none());
        let mut not_judged: Vec<String> = off.map(|c| format!("{} (switched off)", c.name())).collect();
        not_judged.extend(declared.not_judged().map(str::to_owned));
        let check = |check: Check| {
            let limit = limits.of_check(check);
            let (criterion, place) = (String::new(), String::new());
            let none = CheckSummary {
                limit,
                accepted: true,
                worst: 0.0,
                criterion,
                step: 0,
                time: 0.0,
                place,
                site: None,
                part: 0.0,
            };
            (check.name(), none)
        };
        Self {
            max_penetration: 0.0,
            max_complementarity: 0.0,
            max_cone_violation: 0.0,
            max_momentum_residual: 0.0,
            max_momentum_relative: 0.0,
            max_dissipation_deficit: 0.0,
            max_friction_power: 0.0,
            max_friction_angle: 0.0,
            max_friction_weakness: 0.0,
            max_residual: 0.0,
            accepted: true,
            refusal: None,
            checks: Check::ALL.into_iter().map(check).collect(),
            not_judged,
            declared: declared.words.clone(),
            work: WorkSummary::default(),
            worst: WorstStep::default(),
            limits,
        }
    }

    /// Takes one step's report in.
    pub fn add(&mut self, step: u64, accepted: &Accepted<'_>, system: &System) {
        self.max_residual = self.max_residual.max(accepted.residual);
        if self.accepted && !failures(accepted, &self.limits).is_empty() {
            self.refuse(&failures(accepted, &self.limits)[0], step, accepted, system);
        }
        for impact in accepted.impacts {
            self.max_residual = self.max_residual.max(impact.residual);
            self.take_numbers(&impact.report);
            self.take_checks(&impact.report, step, accepted, system);
            self.work.of.contacts += impact.energy_change;
        }
        self.take_numbers(&accepted.report);
        self.take_checks(&accepted.report, step, accepted, system);
        self.work.of.add(&accepted.work);
        let complementarity = &accepted.report.complementarity;
        let first = self.worst.step == 0 && complementarity.value == 0.0;
        if take(&mut self.max_complementarity, complementarity) || first {
            let spot = Spot { place: Place::Contact, at: complementarity.at };
            let contact = Site::of(spot, accepted, system.shapes.len()).name(system);
            self.worst = WorstStep { step, contact };
        }
    }

    /// What was found at the end of the run: `accepted` has the contacts there.
    pub fn add_end(&mut self, step: u64, report: &Report, accepted: &Accepted<'_>, system: &System) {
        let ended = Accepted { t: accepted.t + accepted.h, ..*accepted };
        let (accepted, step) = (&ended, step + 1);
        take(&mut self.max_penetration, &report.penetration);
        if self.accepted
            && let Some(failed) = of_report(report, &self.limits, false).first()
        {
            self.refuse(failed, step, accepted, system);
        }
        self.take_checks(report, step, accepted, system);
    }

    fn refuse(&mut self, failed: &Failed, step: u64, accepted: &Accepted<'_>, system: &System) {
        let place = Site::of(failed.at, accepted, system.shapes.len()).name(system);
        self.accepted = false;
        let (step, time) = moment(failed.criterion, step, accepted);
        self.refusal = Some(Refusal::new(failed, step, time, place));
    }

    fn take_numbers(&mut self, report: &Report) {
        take(&mut self.max_penetration, &report.penetration);
        take(&mut self.max_cone_violation, &report.cone);
        take(&mut self.max_momentum_residual, &report.momentum);
        take(&mut self.max_momentum_relative, &report.momentum_relative);
        take(&mut self.max_dissipation_deficit, &report.dissipation_deficit);
        take(&mut self.max_friction_power, &report.friction_power);
        let angle = Worst { value: report.friction_angle.value.to_degrees(), ..report.friction_angle };
        take(&mut self.max_friction_angle, &angle);
        take(&mut self.max_friction_weakness, &report.friction_weakness);
    }

    fn take_checks(&mut self, report: &Report, step: u64, accepted: &Accepted<'_>, system: &System) {
        if report.findings.is_clean() {
            return;
        }
        for criterion in Criterion::ALL {
            let worst = report.findings.of(criterion);
            let Some(check) = self.checks.get_mut(criterion.check().name()) else { continue };
            let limit = self.limits.of_criterion(criterion);
            check.accepted &= limit.is_none_or(|limit| worst.value <= limit);
            // Criteria of one check may have limits of their own: the one nearest to its limit is the worst.
            let part = worst.value / limit.unwrap_or(1.0);
            if part > check.part || (part.is_nan() && !check.part.is_nan()) {
                check.part = part;
                check.limit = limit;
                let spot = Spot { place: criterion.place(), at: worst.at };
                check.worst = worst.value;
                (check.step, check.time) = moment(criterion, step, accepted);
                check.site = Some((criterion, Site::of(spot, accepted, system.shapes.len())));
            }
        }
    }

    /// Puts names to the places, and the run's change of energy beside its work.
    pub fn finish(&mut self, energy_change: f64, system: &System) {
        for check in self.checks.values_mut() {
            if let Some((criterion, site)) = check.site {
                check.criterion = crate::acceptance::name_of(criterion);
                check.place = site.name(system);
            }
        }
        self.work.integration_error = energy_change - self.work.of.total();
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
