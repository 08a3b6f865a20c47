//! Derivatives of single steps by parameters, between simulations beside a parameter's value.

use vinci_core::model::{Frames, Space, System};
use vinci_engine::drives::DofDrive;
use vinci_engine::pipeline::{
    Apart, BESIDE, End, Modes, NoDerivative, Simulation, Start, Tape, difference, is_bent,
};
use vinci_run::{Prepared, polygon};

use crate::linear_step::LinearStep;
use crate::members::{Member, groups};
use crate::refused::Refused;
use crate::trials::Trials;
use crate::whole_runs::scale;

/// Steps are affine in most parameters at a fixed solution and in fixed modes: in new modes, and every so many steps, both sides are looked
/// at, and while both have the same derivative one of them is enough in between.
const BOTH: u64 = 8;

/// A pair of simulations beside a parameter's value, or beside the values of several of which no step reads two.
pub(crate) struct Sides {
    /// Above, below.
    probes: [Simulation; 2],
    /// Parameters, in the order of the times at which they act.
    members: Vec<Member>,
    /// Difference of each of them to either side.
    steps: Vec<f64>,
    /// True if shapes are where they were whatever the parameter.
    same_places: bool,
    /// True if the parameter is read once, for the initial state: no step depends on it otherwise.
    only_start: bool,
    /// Data in which both are apart from the parameter's own value.
    apart: Apart,
    /// True if one side has had another derivative than the other: steps are not affine in it, and both sides are needed.
    bent: bool,
    /// Steps that read the same parameter since both sides were looked at, and their modes.
    since: u64,
    modes: Modes,
    read: usize,
}

/// Part of a parameter by which it is moved. Problems are nearly linear in masses, friction and stiffness at a fixed solution; places are not,
/// and contacts that are moved too far are others.
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
        for group in groups(&trials.parameters, &here.loaded, here.simulation.settings.step) {
            for made in sides_of(trials, values, &group, (&here, &start))? {
                let column = made.at_start(&start, carries_bases)?;
                made.members.iter().for_each(|member| at_start[member.parameter].clone_from(&column));
                sides.push(made);
            }
        }
        Ok(Self { at_start, carries_bases, sides, here: here.simulation, known: Vec::new() })
    }

    /// Another run begins: nothing is known of its steps.
    pub(crate) fn begin(&mut self) {
        self.here.forget_beside();
        self.sides.iter_mut().for_each(Sides::begin);
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
        if wide.same_places { Ok(wide) } else { moved(&member, BESIDE) }
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
    let (members, modes) = (members.to_vec(), Modes::default());
    Ok(Sides {
        probes,
        members,
        steps,
        same_places,
        only_start,
        apart,
        bent: false,
        since: 0,
        modes,
        read: 0,
    })
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

impl Sides {
    fn begin(&mut self) {
        (self.bent, self.since, self.read, self.modes) = (false, 0, 0, Modes::default());
        self.probes.iter_mut().for_each(Simulation::forget_beside);
    }

    /// Returns true if drives alone are others than here, and the start of the run is the same.
    fn are_driven_apart(&self, start: &End) -> bool {
        let stands_there = |probe: &Simulation| probe.q() == start.q && probe.v() == start.v;
        self.apart == Apart::Drives && self.same_places && self.probes.iter().all(stands_there)
    }

    /// ∂(q, v, m)/∂θ at the start. `bases`: those of contacts are among m.
    fn at_start(&self, here: &End, bases: bool) -> Result<Vec<f64>, NoDerivative> {
        let [above, below] = self.probes.each_ref().map(|probe| probe.standing(bases));
        if above == *here && below == *here {
            return Ok(vec![0.0; 2 * here.v.len() + here.carried.len()]);
        }
        difference(&self.probes[0], (&above, &below), self.steps[0])
    }

    /// The parameter that a step reads and B = ∂(q⁺, v⁺, m⁺)/∂θ of the step; none where it reads none. `here` is the simulation of the
    /// parameters' own values.
    pub(crate) fn of_step(
        &mut self,
        tape: &Tape,
        here: &mut Simulation,
    ) -> Result<Option<(usize, Vec<f64>)>, NoDerivative> {
        let Some(member) = self.member(tape) else { return Ok(None) };
        if self.only_start || self.probes.iter().all(|probe| probe.reads_alike(here, self.apart, tape)) {
            return Ok(None);
        }
        let (parameter, step) = (self.members[member].parameter, self.steps[member]);
        let above = self.probes[0].beside(tape, self.start(tape, here))?;
        if self.one_is_enough(tape, member) {
            self.since += 1;
            let middle = here.end_here(tape)?;
            return Ok(Some((parameter, difference(here, (&above, &middle), 0.5 * step)?)));
        }
        (self.since, self.read, self.modes) = (1, member, tape.modes());
        let below = self.probes[1].beside(tape, self.start(tape, here))?;
        if self.same_places && !self.bent {
            let middle = here.end_here(tape)?;
            let side = |a: &End, b: &End| difference(here, (a, b), 0.5 * step);
            self.bent = is_bent(&side(&above, &middle)?, &side(&middle, &below)?);
        }
        Ok(Some((parameter, difference(here, (&above, &below), step)?)))
    }

    /// The member that acts during the step, by its times.
    fn member(&self, tape: &Tape) -> Option<usize> {
        let [from, to] = tape.span();
        let acts = |member: &Member| member.span[0] <= to && from <= member.span[1];
        self.members.iter().position(acts)
    }

    /// Start of the step on the tape, with the parameter's other value.
    fn start<'t>(&self, tape: &'t Tape, here: &'t Simulation) -> Start<'t> {
        Start { same_places: self.same_places, like: self.same_places.then_some(here), ..tape.start() }
    }

    /// Returns true if the step was found affine in the parameter: in these modes, a few steps ago.
    fn one_is_enough(&self, tape: &Tape, member: usize) -> bool {
        let looked = (1..BOTH).contains(&self.since) && self.read == member;
        looked && self.same_places && !self.bent && tape.is_in(&self.modes)
    }
}
