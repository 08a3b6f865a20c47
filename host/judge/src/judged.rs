//! A motion before the referee: step by step through the simulation that runs go through, with the record in the place of a stepper.

use std::rc::Rc;
use vinci_core::clock::seconds;

use vinci_core::contact::Contacts;
use vinci_core::model::System;
use vinci_core::problem::ProblemClass;
use vinci_core::referee::{Criterion, Limits};
use vinci_engine::pipeline::{Accepted, NamedSolver, Simulation, SolverRoute, StepFailure};
use vinci_run::acceptance::limits_of;
use vinci_run::summary::{EnergySummary, ImpactSummary, RefereeTotals};
use vinci_run::{Scenery, open_joints, overlaps};
use vinci_scene::Loaded;
use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics};

use crate::forces::Forces;
use crate::motion::{Leg, Motion};
use crate::replay::{Nothing, Record, Replay};
use crate::tally::Tally;
use crate::widths::{Due, Look, look};

/// Part of the largest speed of a step that counts as rest.
const RESTING: f64 = 1e-3;

/// Watch over a judged motion.
pub trait Watch {
    /// A step was judged: its number from 1, and everything of it.
    ///
    /// # Errors
    /// Of output; they end the judgement.
    fn step(&mut self, system: &System, number: u64, accepted: &Accepted<'_>) -> std::io::Result<()>;
}

/// A judged motion.
pub struct Judged {
    /// Where it ended.
    pub simulation: Simulation,
    /// The referee's findings.
    pub totals: RefereeTotals,
    /// Numbers beside them.
    pub tally: Tally,
    /// Energies.
    pub energy: EnergySummary,
    /// Impacts.
    pub impacts: ImpactSummary,
    /// Largest deviation of a driven velocity from its command in a step, m or rad.
    pub deviation: f64,
    /// Longest step, s.
    pub longest: f64,
    /// Forces that the same motion allows, at the times that were asked for.
    pub looks: Vec<Look>,
}

/// A simulation that replays a motion, at its first row.
///
/// # Errors
/// A law that gives every force, for a motion without forces.
pub(crate) fn simulation(
    scenery: &mut Scenery,
    stage: Box<dyn vinci_core::stage::Detector>,
    (motion, forces): (&Rc<Motion>, Option<&Rc<Forces>>),
) -> Result<(Simulation, Rc<Vec<Leg>>), Diagnostics> {
    let given = scenery.declared.law.is_compliant();
    if given && forces.is_none() {
        let message =
            "the law that is declared gives every contact force, and there are none to hold against it";
        let help = "give them with --contacts, or leave --declared out";
        return Err(Diagnostic::error(Code::Usage, message).help(help).into());
    }
    if scenery.declared.scaled_mass {
        let message = "the stepper of the experiment scales masses, and the motion does not say by how much";
        return Err(Diagnostic::error(Code::Usage, message).help("leave --declared out").into());
    }
    let limits = limits_of(&scenery.loaded.experiment.referee);
    let settings = vinci_engine::pipeline::Settings {
        deviates: true,
        held: false,
        refine_above: f64::INFINITY,
        ..scenery.settings
    };
    let legs = Rc::new(motion.legs(settings.step));
    let record = Record { motion: motion.clone(), legs: legs.clone(), forces: forces.cloned() };
    let system = scenery.system.clone();
    let driven = scenery.drives.prescribed(&system);
    let replay = Replay::new(record, (&scenery.declared, limits, settings.step), &system, driven);
    let solver =
        NamedSolver { id: "none".into(), takes: ProblemClass::Mlcp.bit(), solver: Box::new(Nothing) };
    let route = SolverRoute::new(solver, Vec::new());
    let drives = std::mem::take(&mut scenery.drives);
    let simulation = Simulation::new(system, drives, settings, stage, Box::new(replay), route)
        .controlled_by(std::mem::take(&mut scenery.controllers))
        .judged_by(scenery.declared.clone());
    Ok((begun(simulation, motion)?, legs))
}

/// A simulation at the first row of a motion.
fn begun(mut simulation: Simulation, motion: &Motion) -> Result<Simulation, Diagnostics> {
    let mut snapshot = simulation.snapshot();
    snapshot.state.t = motion.t[0];
    snapshot.state.grid = (motion.t[0] / simulation.settings.step + 1e-9).max(0.0).floor() as u64;
    snapshot.state.q.copy_from_slice(motion.q(0));
    snapshot.state.v.copy_from_slice(motion.v(0));
    let refused = |e: vinci_core::StageError| Diagnostic::error(Code::Run, e.message);
    simulation.restore(&snapshot).map_err(refused)?;
    Ok(simulation)
}

/// Warnings about the first row of a motion: bodies that overlap, joints that are open. The look leaves no trace; what a detector refuses,
/// the first step tells.
///
/// # Errors
/// A plugin that does not take its own state back.
pub(crate) fn look_at_start(
    loaded: &Loaded,
    simulation: &mut Simulation,
) -> Result<Diagnostics, Diagnostics> {
    let begin = simulation.snapshot();
    let mut found = overlaps(loaded, simulation).unwrap_or_default();
    simulation.restore(&begin).map_err(|e| Diagnostic::error(Code::PluginFault, e.message))?;
    found.append(open_joints(loaded, simulation));
    Ok(found)
}

/// Judges a motion. `may_stray`: driven velocities may be other than their commands; `looks_at`: times at which
/// forces are looked at, s.
///
/// # Errors
/// A step that cannot be judged; output of what watches.
pub(crate) fn judge(
    mut simulation: Simulation,
    (motion, legs, forces): (&Motion, &[Leg], Option<&Forces>),
    (limits, may_stray, looks_at): (Limits, bool, &[f64]),
    watch: &mut dyn Watch,
) -> Result<Judged, Diagnostics> {
    let initial = simulation.energy();
    let mut totals = RefereeTotals::new(simulation.declared(), limits);
    let (mut tally, mut impacts) = (Tally::default(), ImpactSummary::default());
    let mut energy = EnergySummary { initial, r#final: initial, max: initial };
    let (mut deviation, mut longest) = (0.0_f64, 0.0_f64);
    let (mut due, mut looks) = (Due::new(looks_at), Vec::new());
    for (k, leg) in legs.iter().enumerate() {
        simulation.advance(leg.h).map_err(|failure| unjudged(&simulation, &failure))?;
        let last = simulation.last();
        let mut accepted = Accepted { t: motion.t[leg.to], ..last };
        let (strays, at) = strays(&simulation, motion.v(leg.to), &accepted, motion);
        if !may_stray {
            accepted.report.findings.take(Criterion::Driven, strays, at);
        }
        if let Some(forces) = forces {
            let way = take_unmatched(forces, k, &simulation.system, &mut accepted);
            tally.moved = tally.moved.max(way);
        }
        let number = k as u64 + 1;
        totals.add(number, &accepted, &simulation.system);
        tally.add(&accepted, &limits, &simulation.system);
        impacts.add(&accepted);
        deviation = deviation.max(vinci_engine::pipeline::deviation(&accepted, simulation.may_deviate()));
        longest = longest.max(leg.h);
        let failed = |e: std::io::Error| Diagnostic::error(Code::Io, format!("cannot write: {e}"));
        watch.step(&simulation.system, number, &accepted).map_err(failed)?;
        if due.is_at(motion.t[leg.to], leg.h) {
            let seen = look(&simulation).map_err(|why| Diagnostic::error(Code::Run, why))?;
            looks.push(Look { time: motion.t[leg.to], ..seen });
        }
        energy.r#final = simulation.energy();
        energy.max = energy.max.max(energy.r#final);
    }
    let report = simulation.judge_end().map_err(|failure| unjudged(&simulation, &failure))?;
    totals.add_end(simulation.step_count(), &report, &simulation.last(), &simulation.system);
    Ok(Judged { simulation, totals, tally, energy, impacts, deviation, longest, looks })
}

fn unjudged(simulation: &Simulation, failure: &StepFailure) -> Diagnostics {
    let message = format!("the step from t = {} s cannot be judged: {failure}", seconds(simulation.time()));
    let help =
        "a detector that refuses the places of the motion, or a model that the balance has no meaning for";
    Diagnostic::error(Code::Run, message).help(help).into()
}

/// How far a prescribed velocity of the record is from what drives and locks command, as a part of it, and which.
fn strays(simulation: &Simulation, v: &[f64], accepted: &Accepted<'_>, motion: &Motion) -> (f64, usize) {
    let roles = simulation.system.roles();
    let fastest = v.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
    let absent: Vec<usize> = motion.absent().flat_map(|[_, dofs]| dofs.clone()).collect();
    let mut worst = (0.0, 0);
    for i in (0..v.len()).filter(|i| !absent.contains(i)) {
        let prescribed =
            vinci_core::model::DofRole::from_code(roles[i]) == vinci_core::model::DofRole::Prescribed;
        let size = v[i].abs().max(accepted.command[i].abs()) + RESTING * fastest;
        let off = (v[i] - accepted.command[i]).abs() / size.max(f64::MIN_POSITIVE);
        if prescribed && off > worst.0 {
            worst = (off, i);
        }
    }
    worst
}

/// Forces between bodies that do not touch. Returns how far others were moved to a contact at most, m.
fn take_unmatched(forces: &Forces, leg: usize, system: &System, accepted: &mut Accepted<'_>) -> f64 {
    let contacts: &Contacts<'_> = &accepted.contacts;
    let mut scratch = vec![0.0; contacts.len() * contacts.stride()];
    let shape = |body: u32| system.shapes.iter().position(|shape| shape.body == body).unwrap_or(0);
    let (unmatched, way) = forces.impulses(leg, contacts, accepted.h, &mut scratch);
    for (a, b) in unmatched {
        let at = shape(a) * system.shapes.len() + shape(b);
        accepted.report.findings.take(Criterion::Unmatched, 1.0, at);
    }
    way
}
