//! Simulations beside those of a run, with which its steps are linearised.

use vinci_core::model::{Frames, Space, System};
use vinci_engine::drives::DofDrive;
use vinci_engine::pipeline::{Apart, BESIDE, End, NoDerivative, Simulation, Tape};
use vinci_run::{Prepared, polygon};

use crate::linear_step::LinearStep;
use crate::members::{Member, groups};
use crate::refused::Refused;
use crate::sides::{Column, Found, Sides};
use crate::trials::Trials;
use crate::whole_runs::scale;

/// Part of a parameter by which it is moved at first. Problems are nearly linear in masses, friction and stiffness at a fixed solution; places
/// are not, and contacts that are moved too far are others.
const PART: f64 = 1e-4;

/// Simulations beside those of a run, which is linearised with them: one with its own values, and a pair for every parameter or
/// group of such. Making them costs as much as many steps.
pub(crate) struct Probes {
    pub(crate) here: Simulation,
    pub(crate) sides: Vec<Sides>,
    /// True if steps hand on bases of contacts.
    pub(crate) carries_bases: bool,
    /// By parameter: ∂(q, v, m)/∂θ at the start of the run.
    pub(crate) at_start: Vec<Vec<f64>>,
    /// By parameter: true if it moves shapes, or places at the start.
    pub(crate) moves_places: Vec<bool>,
    /// All steps of the run as they were linearised in one reading of ties, where memory allows.
    pub(crate) known: Vec<LinearStep>,
}

impl Probes {
    /// Probes of the run with these values.
    pub(crate) fn new(trials: &Trials<'_>, values: &[f64]) -> Result<Self, Refused> {
        let here = trials.ready(values).map_err(Refused::Experiment)?;
        check(&here)?;
        let carries_bases = carries_bases(&here);
        let start = here.simulation.standing(carries_bases);
        let (mut sides, mut at_start) = (Vec::new(), vec![Vec::new(); values.len()]);
        let mut moves_places = vec![false; values.len()];
        for group in groups(&trials.parameters, &here.loaded, here.simulation.settings.step) {
            for made in sides_of(trials, values, &group, (&here, &start))? {
                let column = made.at_start(&start, carries_bases)?;
                let moves = !made.has_same_places() || column[..start.v.len()].iter().any(|x| *x != 0.0);
                for member in made.members() {
                    at_start[member.parameter].clone_from(&column);
                    moves_places[member.parameter] = moves;
                }
                sides.push(made);
            }
        }
        Ok(Self { at_start, moves_places, carries_bases, sides, here: here.simulation, known: Vec::new() })
    }

    /// B of the step on the tape, column by column, of the parameters that it reads. Sides whose differences are too wide or too narrow for it are
    /// made anew.
    pub(crate) fn columns(
        &mut self,
        tape: &Tape,
        (trials, values): (&Trials<'_>, &[f64]),
    ) -> Result<Vec<Column>, NoDerivative> {
        // Worth a step where several copy its contacts.
        if self.sides.iter().filter(|sides| sides.copies_contacts()).count() > 2 {
            self.here.stand_again(tape)?;
        }
        let mut all = Vec::new();
        for sides in &mut self.sides {
            all.extend(column(sides, tape, &mut self.here, (trials, values))?);
        }
        Ok(all)
    }

    /// Another run begins: nothing is known of its steps.
    pub(crate) fn begin(&mut self) {
        self.here.forget_beside();
        self.sides.iter_mut().for_each(Sides::begin);
    }
}

/// B of the step on the tape by the parameter of these sides that it reads. They are made anew while other differences would tell more.
fn column(
    sides: &mut Sides,
    tape: &Tape,
    here: &mut Simulation,
    (trials, values): (&Trials<'_>, &[f64]),
) -> Result<Option<Column>, NoDerivative> {
    loop {
        let factor = match sides.of_step(tape, here)? {
            Found::Nothing => return Ok(None),
            Found::Column(column) => return Ok(Some(column)),
            Found::Better(factor) => factor,
        };
        let ready = trials.ready(values).ok();
        match ready.and_then(|ready| beside(trials, values, sides.moved_by(factor), &ready).ok()) {
            Some(made) => *sides = made.in_place_of(sides, factor),
            None => sides.settle(factor),
        }
    }
}

/// Refuses runs of which it is known before any step that they have no derivatives.
fn check(run: &Prepared) -> Result<(), Refused> {
    run.simulation.may_be_differentiated()?;
    match run.loaded.experiment.events.is_empty() {
        true => Ok(()),
        false => Err(Refused::NoDerivative("an event changes the experiment during the run".to_owned())),
    }
}

/// Returns true if friction stands on bases of contacts, which turn with the motion from step to step: those of polygons in space.
fn carries_bases(run: &Prepared) -> bool {
    // What the manifest declares holds for polygons; a stepper that has both may write cones.
    let has_polygons = run.route.emitted.iter().any(|class| polygon(run, *class).is_some());
    let system = &run.simulation.system;
    has_polygons && system.space == Space::Spatial && !system.shapes.is_empty()
}

/// Probes of a group of parameters: one pair for all where only drives are others, else a pair for each.
fn sides_of(
    trials: &Trials<'_>,
    values: &[f64],
    group: &[Member],
    (here, start): (&Prepared, &End),
) -> Result<Vec<Sides>, Refused> {
    let size = |member: &Member| scale(values[member.parameter]);
    let moved = |members: &[Member], part: f64| {
        let steps = members.iter().map(|member| part * size(member)).collect();
        beside(trials, values, (members, steps), here)
    };
    if group.len() > 1
        && let Ok(shared) = moved(group, PART)
        && shared.are_driven_apart(start)
    {
        return Ok(vec![shared]);
    }
    let alone = |member: &Member| {
        let member = [Member::always(member.parameter)];
        let wide = moved(&member, PART)?;
        if wide.has_same_places() { Ok(wide) } else { moved(&member, BESIDE) }
    };
    group.iter().map(alone).collect()
}

/// Simulations with parameters moved by their steps to both sides.
fn beside(
    trials: &Trials<'_>,
    values: &[f64],
    (members, steps): (&[Member], Vec<f64>),
    here: &Prepared,
) -> Result<Sides, Refused> {
    let at = |sign: f64| {
        let mut moved = values.to_vec();
        members.iter().zip(&steps).for_each(|(member, step)| moved[member.parameter] += sign * step);
        let name = &trials.parameters[members[0].parameter].name;
        let refused = |_| Refused::NoDerivative(format!("`{name}` has values on one side only"));
        trials.ready(&moved).map_err(refused)
    };
    let made = [at(1.0)?, at(-1.0)?];
    if made.iter().any(|prepared| prepared.simulation.settings.step != here.simulation.settings.step) {
        return Err(Refused::NoDerivative("the size of the steps is among the parameters".to_owned()));
    }
    let scene_alone = made.iter().all(|prepared| prepared.loaded.experiment == here.loaded.experiment);
    let (probes, here) = (made.map(|prepared| prepared.simulation), &here.simulation);
    let same_places = probes.iter().all(|probe| has_same_places(probe, here));
    let only_start = probes.iter().all(|probe| starts_elsewhere(probe, here));
    let [above, below] = [0, 1].map(|side| probes[side].apart_from(here));
    let apart = if scene_alone && above == below { above } else { Apart::More };
    Ok(Sides::new(probes, (members.to_vec(), steps), same_places, only_start, apart))
}

/// Returns true if only the initial state is another.
fn starts_elsewhere(probe: &Simulation, here: &Simulation) -> bool {
    let start = |simulation: &Simulation| (simulation.q().to_vec(), simulation.v().to_vec());
    let resting = |simulation: &Simulation| {
        let mut system = simulation.system.clone();
        (system.initial_pose, system.initial_velocity) = (Vec::new(), Vec::new());
        for part in &mut system.trees {
            (part.q, part.v) = (Vec::new(), Vec::new());
        }
        system
    };
    // Orientations that are driven are told from the first one.
    let nq = here.system.space.nq();
    let is_driven_from_there = |drive: &DofDrive| {
        let pose = |system: &System| system.initial_pose[drive.body as usize * nq..][..nq].to_vec();
        pose(&probe.system) != pose(&here.system)
    };
    start(probe) != start(here)
        && here.controllers.is_empty()
        && probe.drives == here.drives
        && !here.drives.list.iter().any(is_driven_from_there)
        && resting(probe) == resting(here)
}

/// Returns true if bodies stand where they stand here at one q, with the same shapes.
fn has_same_places(probe: &Simulation, here: &Simulation) -> bool {
    let poses = |simulation: &Simulation| {
        let mut frames = Frames::default();
        simulation.system.place(here.q(), &mut frames);
        frames.poses().to_vec()
    };
    probe.system.shapes == here.system.shapes
        && probe.q().len() == here.q().len()
        && poses(probe) == poses(here)
}
