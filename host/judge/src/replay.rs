//! A recorded motion in the place of a stepper: it answers with the velocities and places of the record, and with impulses.

use std::rc::Rc;

use vinci_core::StageError;
use vinci_core::model::{DofRole, Frames, System};
use vinci_core::problem::{MlcpBuf, Problem, Solution, Status};
use vinci_core::referee::{Began, Check, Criterion, Declaration, Limits, Memory, Referee};
use vinci_core::stage::{Solver, StepView, Stepper, Update, Verdict};
use vinci_core::state::integrate;

use crate::forces::Forces;
use crate::motion::{Leg, Motion};
use crate::search::{Allowed, Found, Search};
use crate::sight::Question;

/// In which order those beside given ones are looked for.
const BESIDE: [Allowed; 4] = [Allowed::Known(0), Allowed::Known(1), Allowed::Known(2), Allowed::Known(3)];
/// In which order forces are looked for.
const WAYS: [Allowed; 5] =
    [Allowed::Lawful(0), Allowed::Lawful(1), Allowed::Lawful(2), Allowed::Lawful(3), Allowed::Any];

/// The recorded motion that is replayed.
#[derive(Debug, Clone)]
pub(crate) struct Record {
    pub(crate) motion: Rc<Motion>,
    pub(crate) legs: Rc<Vec<Leg>>,
    pub(crate) forces: Option<Rc<Forces>>,
}

/// The stepper that replays.
pub(crate) struct Replay {
    record: Record,
    declared: Declaration,
    limits: Limits,
    system: System,
    /// Driven velocities, which may be other than their commands; ascending.
    driven: Vec<u32>,
    /// A referee that says which of the forces that are found the step is accepted with.
    referee: Referee,
    /// Its memory before the step at hand.
    memory: Memory,
    /// The step at hand.
    step: u64,
    /// Impacts of it that were told.
    impacts: usize,
    search: Search,
    problem: MlcpBuf,
    q: Vec<f64>,
    v: Vec<f64>,
    motion: Vec<u8>,
    normal_rate: Vec<f64>,
    found: Found,
}

impl Replay {
    /// A replay of a record, held to a law within limits; `driven` velocities may be other than their commands.
    pub(crate) fn new(
        record: Record,
        (declared, limits, nominal): (&Declaration, Limits, f64),
        system: &System,
        driven: Vec<u32>,
    ) -> Self {
        let mut referee = Referee::new(system, declared.clone());
        referee.nominal = nominal;
        let mut problem = MlcpBuf::default();
        problem.clear(0, vinci_engine::pipeline::DEFAULT_TOLERANCE);
        Self {
            record,
            declared: declared.clone(),
            limits,
            system: system.clone(),
            driven,
            memory: referee.memory.clone(),
            referee,
            step: 0,
            impacts: 0,
            search: Search::default(),
            problem,
            q: Vec::new(),
            v: Vec::new(),
            motion: Vec::new(),
            normal_rate: Vec::new(),
            found: Found::default(),
        }
    }

    /// The step at hand is another one: the referee remembers the one before.
    fn begin(&mut self, step: &StepView<'_>) {
        if step.step != self.step {
            self.memory.clone_from(&self.referee.memory);
            self.step = step.step;
            self.impacts = 0;
        }
        if step.pass == 0 {
            self.impacts = 0;
        }
    }

    /// Velocities of a row. Locked ones rest and driven ones that the record leaves out follow their commands.
    fn take_velocities(&mut self, step: &StepView<'_>, row: usize) {
        self.v.clear();
        self.v.extend_from_slice(self.record.motion.v(row));
        for [_, dofs] in self.record.motion.absent() {
            dofs.clone().for_each(|i| self.v[i] = step.prescribed_speed(i));
        }
        for i in (0..self.v.len()).filter(|i| is_prescribed(step, *i)) {
            if self.driven.binary_search(&(i as u32)).is_err() {
                self.v[i] = step.prescribed_speed(i);
            }
        }
    }

    /// Places of a row; what the record leaves out moves with its velocities.
    fn take_places(&mut self, step: &StepView<'_>, leg: &Leg) {
        let motion = &self.record.motion;
        self.q.resize(step.q.len(), 0.0);
        integrate(&step.layout(), step.q, &self.v, leg.h, &mut self.q);
        let moved = self.q.clone();
        self.q.copy_from_slice(motion.q(leg.to));
        for [places, _] in motion.absent() {
            self.q[places.clone()].copy_from_slice(&moved[places.clone()]);
        }
    }

    fn impact(&mut self, step: &StepView<'_>, row: usize) -> Result<(), StageError> {
        self.take_velocities(step, row);
        let none = vec![0.0; step.contacts.len() * step.contacts.stride()];
        let ask = Question { step, v: &self.v, declared: &self.declared, impact: true };
        let mut best: Option<Found> = None;
        for allowed in WAYS {
            let found = self.search.find(&ask, allowed, &none)?;
            let update =
                told(Verdict::Impact, step, (&self.v, &[]), &found, (&self.motion, &self.normal_rate));
            let report = self.referee.judge_impact(step, &update)?;
            let is_lawful = self.limits.failures(&report, true).is_empty();
            best = Some(found);
            if is_lawful {
                break;
            }
        }
        self.found = best.unwrap_or_default();
        Ok(())
    }

    /// The forces with which the referee accepts the step, or those that come nearest.
    fn explain(&mut self, step: &StepView<'_>) -> Result<(), StageError> {
        let mut known = vec![0.0; step.contacts.len() * step.contacts.stride()];
        let ways: &[Allowed] = match &self.record.forces {
            Some(forces) => {
                forces.impulses(step.step as usize, &step.contacts, step.h, &mut known);
                &BESIDE
            }
            None => &WAYS,
        };
        let began = Began { q: step.q, evaluated: None, moving: None };
        let mut best: Option<((bool, f64), Found, Memory)> = None;
        for allowed in ways {
            let ask = Question { step, v: &self.v, declared: &self.declared, impact: false };
            let found = self.search.find(&ask, *allowed, &known)?;
            self.referee.memory.clone_from(&self.memory);
            let (now, rates) = ((&self.v[..], &self.q[..]), (&self.motion[..], &self.normal_rate[..]));
            let update = told(Verdict::Accept, step, now, &found, rates);
            let report = self.referee.judge(step, &update, &began)?;
            let failed = self.limits.failures(&report, false);
            let of_forces = failed.iter().filter(|f| of_forces(f.criterion));
            let unexplained = failed.iter().any(|f| f.criterion == Criterion::Momentum);
            let worst = of_forces.map(|f| f.value / f.limit).fold(0.0, f64::max);
            self.commit(step);
            if best.as_ref().is_none_or(|(rank, ..)| (unexplained, worst) < *rank) {
                best = Some(((unexplained, worst), found, self.referee.memory.clone()));
            }
            if worst == 0.0 {
                break;
            }
        }
        if let Some((_, found, memory)) = best {
            (self.found, self.referee.memory) = (found, memory);
        }
        Ok(())
    }

    fn commit(&mut self, step: &StepView<'_>) {
        let mut frames = Frames::default();
        self.system.place(step.q, &mut frames);
        self.referee.commit(&step.contacts, frames.poses());
    }
}

/// Returns true if forces decide on a criterion: the others are of the motion alone.
fn of_forces(criterion: Criterion) -> bool {
    matches!(criterion.check(), Check::Solution | Check::Rows | Check::Work)
}

fn is_prescribed(step: &StepView<'_>, dof: usize) -> bool {
    DofRole::from_code(step.role[dof]) == DofRole::Prescribed
}

impl Stepper for Replay {
    fn formulate<'s>(&'s mut self, step: &StepView<'_>) -> Result<Problem<'s>, StageError> {
        self.begin(step);
        Ok(Problem::Mlcp(self.problem.view()))
    }

    fn update<'s>(&'s mut self, step: &StepView<'_>, _: &Solution<'_>) -> Result<Update<'s>, StageError> {
        let leg = self.record.legs.get(step.step as usize).cloned();
        let leg = leg.ok_or_else(|| StageError::bad_input("the motion has ended"))?;
        self.motion.clear();
        let model = self.declared.motion as u8;
        self.motion.extend(step.motion.iter().map(|named| if *named == 0 { model } else { *named }));
        self.normal_rate.clear();
        self.normal_rate.extend(step.contacts.gap.iter().map(|gap| gap / step.h));
        if let Some(row) = leg.impacts.clone().nth(self.impacts) {
            self.impacts += 1;
            self.impact(step, row)?;
            let rates = (&self.motion[..], &self.normal_rate[..]);
            return Ok(told(Verdict::Impact, step, (&self.v, &[]), &self.found, rates));
        }
        self.take_velocities(step, leg.to);
        self.take_places(step, &leg);
        self.explain(step)?;
        let (now, rates) = ((&self.v[..], &self.q[..]), (&self.motion[..], &self.normal_rate[..]));
        Ok(told(Verdict::Accept, step, now, &self.found, rates))
    }
}

/// The answer of a stepper: a verdict, v⁺ and q⁺, impulses, motion models and normal rates.
fn told<'a>(
    verdict: Verdict,
    step: &StepView<'_>,
    (v, q): (&'a [f64], &'a [f64]),
    found: &'a Found,
    (motion, normal_rate): (&'a [u8], &'a [f64]),
) -> Update<'a> {
    Update {
        verdict,
        h_used: step.h,
        v,
        q,
        impulse: &found.contact,
        row_impulse: &found.row,
        support_impulse: &found.support,
        normal_rate,
        motion,
        ..Update::default()
    }
}

/// A solver for the problem without unknowns of [`Replay`].
pub(crate) struct Nothing;

impl Solver for Nothing {
    fn solve<'s>(&'s mut self, _: &Problem<'_>) -> Result<Solution<'s>, StageError> {
        Ok(Solution { status: Status::Converged, ..Solution::default() })
    }
}
