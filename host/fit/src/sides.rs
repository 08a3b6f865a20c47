//! Derivatives of single steps by parameters, between simulations beside a parameter's value.

use vinci_core::lists::largest;
use vinci_engine::pipeline::{
    Apart, End, Modes, NoDerivative, Simulation, Start, Tape, difference, has_corner, is_bent,
};

use crate::members::Member;

/// Steps are affine in most parameters at a fixed solution and in fixed modes: in new modes, and every so many steps, both sides are looked
/// at, and while both have the same derivative one of them is enough in between.
const BOTH: u64 = 8;

/// Part by which both sides of a difference may be apart before it counts as too wide, and the part that is wanted then: errors of central
/// differences fall with its square.
const TOO_WIDE: f64 = 1e-3;
const WANTED: f64 = 1e-4;

/// Part of a derivative that rounding may be before its difference counts as too narrow, where both sides are the same to `STRAIGHT`.
const TOO_NARROW: f64 = 1e-7;
const STRAIGHT: f64 = 1e-5;

/// Factor on differences over which a step goes another way: a threshold of its stepper lies within.
const NARROWER: f64 = 0.01;

/// Rounding of the numbers of a step's end, as a part of the largest.
const ROUNDING: f64 = 16.0 * f64::EPSILON;

/// Room between the rounding of a difference and what counts as too wide.
const ROOM: f64 = 10.0;

/// How often differences of a parameter are made wider or narrower.
const TRIES: u32 = 3;

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
    tries: Tries,
}

/// How often differences may still be made wider and narrower. What was too wide grows no more.
#[derive(Debug, Clone, Copy)]
struct Tries {
    wider: u32,
    narrower: u32,
}

impl Tries {
    /// After differences were changed by a factor, or could not be (`made`: they were).
    fn after(self, factor: f64, made: bool) -> Self {
        let left = |tries: u32| if made { tries.saturating_sub(1) } else { 0 };
        match factor > 1.0 {
            true => Self { wider: left(self.wider), ..self },
            false => Self { wider: 0, narrower: left(self.narrower) },
        }
    }
}

/// B = ∂(q⁺, v⁺, m⁺)/∂θ of a step, of one parameter.
#[derive(Debug, Clone)]
pub(crate) struct Column {
    pub(crate) parameter: usize,
    /// The mean of both sides.
    pub(crate) mean: Vec<f64>,
    /// The upper side where it is another one.
    pub(crate) corner: Option<Vec<f64>>,
}

/// Answer of a pair of simulations to a step.
pub(crate) enum Found {
    /// The step reads none of its parameters.
    Nothing,
    /// Its derivative by the one that it reads.
    Column(Column),
    /// Differences that are larger by this factor would tell more.
    Better(f64),
}

impl Sides {
    /// Sides from simulations above and below; `steps` are the differences of the members.
    pub(crate) fn new(
        probes: [Simulation; 2],
        (members, steps): (Vec<Member>, Vec<f64>),
        same_places: bool,
        only_start: bool,
        apart: Apart,
    ) -> Self {
        let (bent, since, modes, read) = (false, 0, Modes::default(), 0);
        let tries = Tries { wider: TRIES, narrower: TRIES };
        Self { probes, members, steps, same_places, only_start, apart, bent, since, modes, read, tries }
    }

    /// Its parameters, in the order of the times at which they act.
    pub(crate) fn members(&self) -> &[Member] {
        &self.members
    }

    /// True if shapes are where they were whatever the parameter.
    pub(crate) fn has_same_places(&self) -> bool {
        self.same_places
    }

    /// True if its steps may copy the contacts of the parameters' own values.
    pub(crate) fn copies_contacts(&self) -> bool {
        self.same_places && !self.only_start
    }

    /// Members, and their differences times a factor.
    pub(crate) fn moved_by(&self, factor: f64) -> (&[Member], Vec<f64>) {
        (&self.members, self.steps.iter().map(|step| factor * step).collect())
    }

    /// These in the place of others, whose differences have been changed by a factor.
    pub(crate) fn in_place_of(self, other: &Self, factor: f64) -> Self {
        Self { tries: other.tries.after(factor, true), ..self }
    }

    /// Its differences cannot be changed by a factor.
    pub(crate) fn settle(&mut self, factor: f64) {
        self.tries = self.tries.after(factor, false);
    }

    pub(crate) fn begin(&mut self) {
        (self.bent, self.since, self.read, self.modes) = (false, 0, 0, Modes::default());
        self.probes.iter_mut().for_each(Simulation::forget_beside);
    }

    /// Returns true if drives alone are others than here, and the start of the run is the same.
    pub(crate) fn are_driven_apart(&self, start: &End) -> bool {
        let stands_there = |probe: &Simulation| probe.q() == start.q && probe.v() == start.v;
        self.apart == Apart::Drives && self.same_places && self.probes.iter().all(stands_there)
    }

    /// ∂(q, v, m)/∂θ at the start. `bases`: those of contacts are among m.
    pub(crate) fn at_start(&self, here: &End, bases: bool) -> Result<Vec<f64>, NoDerivative> {
        let [above, below] = self.probes.each_ref().map(|probe| probe.standing(bases));
        if above == *here && below == *here {
            return Ok(vec![0.0; 2 * here.v.len() + here.carried.len()]);
        }
        difference(&self.probes[0], (&above, &below), self.steps[0])
    }

    /// B of the step on the tape. `here` is the simulation of the parameters' own values.
    pub(crate) fn of_step(&mut self, tape: &Tape, here: &mut Simulation) -> Result<Found, NoDerivative> {
        let Some(member) = self.member(tape) else { return Ok(Found::Nothing) };
        if self.only_start || self.probes.iter().all(|probe| probe.reads_alike(here, self.apart, tape)) {
            return Ok(Found::Nothing);
        }
        let (parameter, step) = (self.members[member].parameter, self.steps[member]);
        let one_side = self.one_is_enough(tape, member);
        let (above, below) = match self.ends(tape, here, one_side) {
            Err(why) if why.is_parted() && self.may_narrow() => return Ok(Found::Better(NARROWER)),
            ends => ends?,
        };
        let middle = here.end_here(tape)?;
        let up = difference(here, (&above, &middle), 0.5 * step)?;
        let Some(below) = below else {
            self.since += 1;
            return Ok(Found::Column(Column { parameter, mean: up, corner: None }));
        };
        let mean = difference(here, (&above, &below), step)?;
        let down = difference(here, (&middle, &below), 0.5 * step)?;
        let rounding = rounding(tape, &above).map(|x| x / step);
        let bend = bend((&up, &down), above.v.len(), rounding);
        if let Some(factor) = self.better(&mean, (bend, rounding), (&above, step)) {
            return Ok(Found::Better(factor));
        }
        (self.read, self.modes) = (member, tape.modes());
        // A step that does not depend on the parameter yet says nothing of those that will.
        self.since = u64::from(largest(&mean) > 0.0);
        self.bent |= self.same_places && is_bent(&up, &down);
        let corner = (bend > 0.0 && has_corner(&up, &mean)).then_some(up);
        Ok(Found::Column(Column { parameter, mean, corner }))
    }

    /// Ends of the step on the tape with the parameter's values above and, unless one side is enough, below.
    fn ends(
        &mut self,
        tape: &Tape,
        here: &Simulation,
        one_side: bool,
    ) -> Result<(End, Option<End>), NoDerivative> {
        let start =
            Start { same_places: self.same_places, like: self.same_places.then_some(here), ..tape.start() };
        let above = self.probes[0].beside(tape, start)?;
        let below = (!one_side).then(|| self.probes[1].beside(tape, start)).transpose()?;
        Ok((above, below))
    }

    /// Returns true if differences may be made narrower once more.
    fn may_narrow(&self) -> bool {
        self.same_places && self.tries.narrower > 0
    }

    /// Factor on differences that are too wide or too narrow for this step.
    fn better(
        &self,
        mean: &[f64],
        (bend, rounding): (f64, [f64; 3]),
        (above, step): (&End, f64),
    ) -> Option<f64> {
        if !self.same_places {
            return None;
        }
        let may_grow = self.tries.wider > 0;
        if largest(mean) == 0.0 && bend == 0.0 {
            // A force that is read, and moves nothing beside what else acts.
            return (may_grow && self.apart == Apart::Drives).then_some(1e4);
        }
        if bend > TOO_WIDE {
            // A corner stays as it is, and must not drown in rounding.
            let least = ROOM * largest(&rounding) / (TOO_WIDE * largest(mean).max(f64::MIN_POSITIVE));
            let factor = (WANTED / bend).clamp(0.01, 0.1).max(least);
            return (self.may_narrow() && factor < 0.5).then_some(factor);
        }
        let n = above.v.len();
        let speeds = mean[n..2 * n].iter().zip(&above.v);
        let (most, v) =
            speeds.fold((0.0_f64, 0.0), |m, (d, v)| if d.abs() > m.0 { (d.abs(), v.abs()) } else { m });
        let rounding = f64::EPSILON * v / (2.0 * step);
        (may_grow && rounding > TOO_NARROW * most && bend < STRAIGHT).then_some(100.0)
    }

    /// The member that acts during the step, by its times.
    fn member(&self, tape: &Tape) -> Option<usize> {
        let [from, to] = tape.span();
        let acts = |member: &Member| member.span[0] <= to && from <= member.span[1];
        self.members.iter().position(acts)
    }

    /// Returns true if the step was found affine in the parameter: in these modes, a few steps ago.
    fn one_is_enough(&self, tape: &Tape, member: usize) -> bool {
        let looked = (1..BOTH).contains(&self.since) && self.read == member;
        looked && self.same_places && !self.bent && tape.is_in(&self.modes)
    }
}

/// Rounding of the end of a step: of its places, velocities and carried numbers. Velocities have that of places over the step, too.
fn rounding(tape: &Tape, end: &End) -> [f64; 3] {
    let ([from, to], start) = (tape.span(), tape.start());
    let place = largest(&end.q).max(largest(start.q));
    let speed = largest(&end.v).max(largest(start.v)) + place / (to - from);
    [place, speed, largest(&end.carried).max(largest(start.carried))].map(|size| ROUNDING * size)
}

/// Largest distance of two one-sided derivatives as a part of them; 0 where that is rounding, of places, velocities and carried numbers. `n`: number
/// of velocities.
fn bend((up, down): (&[f64], &[f64]), n: usize, rounding: [f64; 3]) -> f64 {
    let part = |(k, (a, b)): (usize, (&f64, &f64))| {
        let gap = (a - b).abs();
        if gap > rounding[(k / n.max(1)).min(2)] { gap } else { 0.0 }
    };
    let size = largest(up).max(largest(down)).max(f64::MIN_POSITIVE);
    up.iter().zip(down).enumerate().map(part).fold(0.0_f64, f64::max) / size
}
