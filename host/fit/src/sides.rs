//! Derivatives of single steps by parameters, between simulations beside a parameter's value.

use vinci_core::model::{Frames, Space, System};
use vinci_engine::drives::DofDrive;
use vinci_engine::pipeline::{
    Apart, BESIDE, End, Modes, NoDerivative, Simulation, Start, Tape, difference, is_bent,
};
use vinci_run::{Prepared, polygon};

use crate::refused::Refused;
use crate::trials::Trials;
use crate::whole_runs::scale;

/// Steps are affine in most parameters at a fixed solution and in fixed modes: in new modes, and every so many steps, both sides are looked
/// at, and while both have the same derivative one of them is enough in between.
const BOTH: u64 = 8;

/// A pair of simulations beside a parameter's value.
pub(crate) struct Sides {
    /// Above, below.
    probes: [Simulation; 2],
    /// Difference of the parameter to either side.
    step: f64,
    /// True if shapes are where they were whatever the parameter.
    same_places: bool,
    /// True if the parameter is read once, for the initial state: no step depends on it otherwise.
    only_start: bool,
    /// Data in which both are apart from the parameter's own value.
    apart: Apart,
    /// True if one side has had another derivative than the other: steps are not affine in it, and both sides are needed.
    bent: bool,
    /// Steps that read it since both sides were looked at, and their modes.
    steps: u64,
    modes: Modes,
}

/// Part of a parameter by which it is moved. Problems are nearly linear in masses, friction and stiffness at a fixed solution; places are not,
/// and contacts that are moved too far are others.
const PART: f64 = 1e-4;

/// Simulations beside those of a run, which is linearised with them: one with its own values, and a pair for every parameter. Making them costs
/// as much as many steps.
pub(crate) struct Probes {
    pub(crate) here: Simulation,
    pub(crate) sides: Vec<Sides>,
    /// True if steps hand on bases of contacts.
    pub(crate) carries_bases: bool,
    /// By parameter: ∂(q, v, m)/∂θ at the start of the run.
    pub(crate) at_start: Vec<Vec<f64>>,
}

impl Probes {
    /// Probes of the run with these values.
    pub(crate) fn new(trials: &Trials<'_>, values: &[f64]) -> Result<Self, Refused> {
        let here = trials.ready(values).map_err(Refused::Experiment)?;
        check(&here)?;
        let of = |k: usize| {
            let size = scale(values[k]);
            let wide = beside(trials, values, k, &here, PART * size)?;
            if wide.same_places { Ok(wide) } else { beside(trials, values, k, &here, BESIDE * size) }
        };
        let sides = (0..values.len()).map(of).collect::<Result<Vec<_>, Refused>>()?;
        let carries_bases = carries_bases(&here);
        let start = here.simulation.standing(carries_bases);
        let at_start = sides.iter().map(|sides| sides.at_start(&start, carries_bases));
        let at_start = at_start.collect::<Result<_, NoDerivative>>()?;
        Ok(Self { at_start, carries_bases, sides, here: here.simulation })
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

/// Simulations with parameter k moved by `step` to both sides.
fn beside(
    trials: &Trials<'_>,
    values: &[f64],
    k: usize,
    here: &Prepared,
    step: f64,
) -> Result<Sides, Refused> {
    let at = |sign: f64| {
        let mut moved = values.to_vec();
        moved[k] += sign * step;
        let refused =
            |_| Refused::NoDerivative(format!("`{}` has values on one side only", trials.parameters[k].name));
        trials.ready(&moved).map_err(refused)
    };
    let made = [at(1.0)?, at(-1.0)?];
    let scene_alone = made.iter().all(|prepared| prepared.loaded.experiment == here.loaded.experiment);
    let (probes, here) = (made.map(|prepared| prepared.simulation), &here.simulation);
    let same_places = probes.iter().all(|probe| has_same_places(probe, here));
    let only_start = probes.iter().all(|probe| starts_elsewhere(probe, here));
    let [above, below] = [0, 1].map(|side| probes[side].apart_from(here));
    let apart = if scene_alone && above == below { above } else { Apart::More };
    Ok(Sides { probes, step, same_places, only_start, apart, bent: false, steps: 0, modes: Modes::default() })
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
        (self.bent, self.steps, self.modes) = (false, 0, Modes::default());
        self.probes.iter_mut().for_each(Simulation::forget_beside);
    }

    /// ∂(q, v, m)/∂θ at the start. `bases`: those of contacts are among m.
    fn at_start(&self, here: &End, bases: bool) -> Result<Vec<f64>, NoDerivative> {
        let [above, below] = self.probes.each_ref().map(|probe| probe.standing(bases));
        if above == *here && below == *here {
            return Ok(vec![0.0; 2 * here.v.len() + here.carried.len()]);
        }
        difference(&self.probes[0], (&above, &below), self.step)
    }

    /// B = ∂(q⁺, v⁺, m⁺)/∂θ of a step; `here` is the simulation of the parameter's own value.
    pub(crate) fn of_step(&mut self, tape: &Tape, here: &mut Simulation) -> Result<Vec<f64>, NoDerivative> {
        if self.only_start || self.probes.iter().all(|probe| probe.reads_alike(here, self.apart, tape)) {
            return Ok(vec![0.0; tape.size_after()]);
        }
        let above = self.probes[0].beside(tape, self.start(tape))?;
        if self.one_is_enough(tape) {
            self.steps += 1;
            let middle = here.end_here(tape)?;
            return difference(here, (&above, &middle), 0.5 * self.step);
        }
        (self.steps, self.modes) = (1, tape.modes());
        let below = self.probes[1].beside(tape, self.start(tape))?;
        if self.same_places && !self.bent {
            let middle = here.end_here(tape)?;
            let side = |a: &End, b: &End| difference(here, (a, b), 0.5 * self.step);
            self.bent = is_bent(&side(&above, &middle)?, &side(&middle, &below)?);
        }
        difference(here, (&above, &below), self.step)
    }

    /// Start of the step on the tape, with the parameter's other value.
    fn start<'t>(&self, tape: &'t Tape) -> Start<'t> {
        Start { same_places: self.same_places, ..tape.start() }
    }

    /// Returns true if the step was found affine in the parameter: in these modes, a few steps ago.
    fn one_is_enough(&self, tape: &Tape) -> bool {
        let looked = (1..BOTH).contains(&self.steps);
        looked && self.same_places && !self.bent && tape.is_in(&self.modes)
    }
}
