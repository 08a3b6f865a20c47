//! Derivatives of a step by the implicit function theorem at its active set.
//!
//! A step is (q, v) → (q⁺, v⁺) through the problems of its rounds. Beside a step that was made, every problem is formulated anew, from contacts,
//! masses and forces there, and its solution is that of the step moved along its equations (`core/src/problem/active.rs`): no problem is
//! solved, and no mode changes. Derivatives of what a problem is made of (∂W/∂q, ∂ψ/∂q, ∂M/∂q, ∂f/∂q, and by parameters) are central
//! differences of the detector, of contact kinematics and of the stepper's own formulation at a fixed solution; the derivative of the solution
//! by them is exact.

use std::sync::Arc;

use vinci_core::lists::{copy, same_bits};
use vinci_core::problem::{Solution, Status, Ties};
use vinci_core::stage::Verdict;
use vinci_core::state::{displacement, integrate};

use super::contexts::Site;
use super::failure::{StepFailure, Who, stage};
use super::no_derivative::NoDerivative;
use super::simulation::Simulation;
use super::tape::{End, Tape, Taped};

/// Displacement of a difference, m, rad or of velocities: below the tolerances within which steppers take contacts as closed or at rest.
pub const BESIDE: f64 = 3e-7;

/// Distance from the origin beyond which the rounding of places is too large beside [`BESIDE`], m: at 1000 m 4e-3 of a derivative was lost.
const FAR: f64 = 100.0;

/// Where a step begins beside another.
#[derive(Clone, Copy)]
pub struct Start<'a> {
    /// Positions.
    pub q: &'a [f64],
    /// Velocities.
    pub v: &'a [f64],
    /// Numbers that the step before has handed on.
    pub carried: &'a [f64],
    /// True if all shapes are where they were: contacts are those of the step.
    pub same_places: bool,
    /// Simulation with whose system, or with one beside it, the step was made last from there: its contacts are copied.
    pub like: Option<&'a Simulation>,
}

impl Simulation {
    /// Keeps from now on what every step is made of, for its derivatives ([`Simulation::tape`]); ties are read as `ties` says. `bases`: those
    /// of contacts are carried from step to step and count, as under friction polygons in space.
    pub fn tape_steps(&mut self, ties: Ties, bases: bool) {
        self.tape = Some(Box::new(Tape { ties: Some(ties), carries_bases: bases, ..Tape::default() }));
    }

    /// Parts that the last step was made of.
    pub fn tape(&self) -> Option<&Tape> {
        self.tape.as_deref()
    }

    /// Steps of another run come next, or ties are read in another way: what is known of steps beside others holds no more.
    pub fn forget_beside(&mut self) {
        (self.beside.here, self.beside.filled, self.beside.narrow) = (None, None, 0);
    }

    /// The tape of the step that was just made, if it can be differentiated and chained with others.
    ///
    /// # Errors
    /// Why not.
    pub fn chainable_tape(&self) -> Result<&Tape, NoDerivative> {
        let tape = self.tape().ok_or(NoDerivative::Nothing)?;
        if let Some(why) = &tape.refused {
            return Err(why.clone());
        }
        if self.is_far() {
            return Err(NoDerivative::Far);
        }
        match tape.handed_on.is_all_since(&tape.carried) {
            true => Ok(tape),
            false => Err(NoDerivative::Memory("the stepper")),
        }
    }

    /// Returns true if the step began with a body far from the origin.
    fn is_far(&self) -> bool {
        let space = self.system.space;
        let lengths = space.n_t() + 1;
        let mut poses = self.contexts.start.frames.poses().chunks(space.nq());
        poses.any(|pose| pose[..lengths].iter().any(|x| x.abs() > FAR))
    }

    /// Reason why no step has a derivative, as far as that is known before any is made.
    ///
    /// # Errors
    /// Why not.
    pub fn may_be_differentiated(&self) -> Result<(), NoDerivative> {
        match () {
            () if !self.settings.control.is_plain() => Err(NoDerivative::StepSize),
            () if !self.controllers.state().is_empty() => Err(NoDerivative::Memory("a controller")),
            () => Ok(()),
        }
    }

    /// The end of a step like that on the tape from another place, in the same modes. The simulation is a probe: it may have been
    /// made of other parameters, and where it stands is lost.
    ///
    /// # Errors
    /// A step without derivative.
    pub fn beside(&mut self, tape: &Tape, from: Start<'_>) -> Result<End, NoDerivative> {
        self.stand_beside(tape)?;
        self.end_beside(tape, from)
    }

    /// Stands where the step on the tape began.
    pub(super) fn stand_beside(&mut self, tape: &Tape) -> Result<(), NoDerivative> {
        if let Some(why) = &tape.refused {
            return Err(why.clone());
        }
        self.state.assign(&tape.start);
        Ok(())
    }

    /// Makes the step from beside the place where it began; of the state only that place changes.
    fn end_beside(&mut self, tape: &Tape, from: Start<'_>) -> Result<End, NoDerivative> {
        self.begin_beside(tape, from)?;
        for taped in &tape.rounds {
            self.round_beside(tape, taped, from.same_places)?;
        }
        self.record.complete(&self.system, &self.contexts.start)?;
        let carried = self.carried_on(tape)?;
        Ok(End { q: self.record.q.clone(), v: self.record.v.clone(), carried })
    }

    fn begin_beside(&mut self, tape: &Tape, from: Start<'_>) -> Result<(), NoDerivative> {
        copy(&mut self.state.q, from.q);
        copy(&mut self.state.v, from.v);
        self.load_carried(tape, from.carried)?;
        self.controllers.set_state(&tape.controllers);
        self.record.begin();
        self.beside.looks = 0;
        self.stand_at_start();
        let (world, start, _) = self.world();
        start.set_driven_velocities(&world, tape.h)?;
        self.prepare(tape.h)?;
        match from.like.filter(|like| self.has_contacts_of(like, tape)) {
            Some(like) => {
                let Self { system, state, contexts, beside, .. } = self;
                contexts.start.copy_contacts(system, &like.contexts.start.contacts, state);
                beside.looks += 1;
                beside.filled = like.beside.filled;
                Ok(())
            }
            None => self.contacts_beside(tape, from.same_places),
        }
    }

    /// Returns true if the contacts at the start of the step are those that stand in the context of another simulation.
    fn has_contacts_of(&self, like: &Self, tape: &Tape) -> bool {
        let are_nodes = [self, like].iter().any(|of| !of.system.materials.patches.is_empty());
        like.beside.filled == Some(tape.start.step)
            && !are_nodes
            && same_bits(&self.contexts.start.v, &tape.start.v)
    }

    /// The contacts of the step, found here.
    fn contacts_beside(&mut self, tape: &Tape, same_places: bool) -> Result<(), NoDerivative> {
        if self.has_filled(tape, same_places) {
            return Ok(());
        }
        let Self { system, detector, state, contexts, beside, .. } = self;
        let (is_start, context) = (contexts.site == Site::Start, contexts.current_mut());
        let look = tape.look(beside.looks).ok_or(NoDerivative::Parted)?;
        beside.looks += 1;
        if same_places && (is_start || same_bits(&look.q, &context.q)) {
            let nodes = (look.contacts.view(), &look.cell[..]);
            context.fill_nodes(system, nodes, state).map_err(StepFailure::from)?;
            return Ok(());
        }
        copy(&mut context.margin, &look.margin);
        // Contacts at the edge of what is looked for stay in sight.
        context.margin.iter_mut().for_each(|m| *m += 10.0 * BESIDE);
        let raw = detector.detect(&context.query()).map_err(stage(Who::Detector))?;
        let (nodes, cell) = context.nodes(system, &raw).map_err(StepFailure::from)?;
        beside.cell.clear();
        beside.contacts.take_matching(&look.contacts, &nodes, |i, k| {
            beside.cell.extend(k.map_or(look.cell.get(i), |k| cell.get(k)));
        });
        let nodes = (beside.contacts.view(), &beside.cell[..]);
        context.fill_nodes(system, nodes, state).map_err(StepFailure::from)?;
        Ok(())
    }

    /// Returns true if the contacts at the start of the step stand in their context already, from a step beside it with other velocities.
    /// Notes that they will.
    fn has_filled(&mut self, tape: &Tape, same_places: bool) -> bool {
        let Self { contexts, beside, state, .. } = self;
        if contexts.site == Site::Elsewhere {
            return false;
        }
        let hits = tape.rounds.iter().any(|taped| taped.verdict == Verdict::Impact);
        let stands = same_places && !hits && !tape.carries_bases && same_bits(&tape.start.q, &state.q);
        let now = stands.then_some(tape.start.step);
        let known = std::mem::replace(&mut beside.filled, now);
        let filled = stands && known == now;
        beside.looks += usize::from(filled);
        filled
    }

    /// formulate → move the solution → update, once.
    fn round_beside(&mut self, tape: &Tape, taped: &Taped, same_places: bool) -> Result<(), NoDerivative> {
        let Self { system, settings, contexts, stepper, record, beside, .. } = self;
        let view = contexts.view((system, settings), taped.round, tape.h);
        let problem = stepper.formulate(&view).map_err(stage(Who::Stepper))?;
        taped.beside(&problem, &mut beside.z)?;
        let (z, dual) = beside.z.split_at(taped.n);
        let solution = Solution { status: Status::Converged, z, dual, ..Solution::default() };
        let update = stepper.update(&view, &solution).map_err(stage(Who::Stepper))?;
        if update.verdict != taped.verdict {
            return Err(NoDerivative::Parted);
        }
        match update.verdict {
            Verdict::Accept => record.keep(&update, Default::default(), (0.0, 0.0)),
            Verdict::Again => {}
            Verdict::Impact => {
                record.keep_impact(&update, Default::default(), (0.0, 0.0));
                self.note_impact();
                self.contexts.site = Site::Start;
                self.prepare(tape.h)?;
                self.contacts_beside(tape, same_places)?;
            }
            Verdict::Evaluate => {
                let t = contexts.start.t + update.h_used;
                contexts.elsewhere.stand_elsewhere(t, update.q, update.v);
                self.prepare_elsewhere(tape.h)?;
                self.contacts_beside(tape, same_places)?;
            }
            Verdict::Redetect | Verdict::Retry | Verdict::Fail => {
                return Err(NoDerivative::Equations("the stepper looks at other places within a step"));
            }
        }
        Ok(())
    }

    /// Stands where the step on the tape began, with its contacts, for those that copy them.
    ///
    /// # Errors
    /// As of [`Simulation::beside`].
    pub fn stand_again(&mut self, tape: &Tape) -> Result<(), NoDerivative> {
        self.beside(tape, tape.start()).map(|_| ())
    }

    /// The end of the step on the tape by its equations, from where it began. It is computed once for all that is held against it.
    ///
    /// # Errors
    /// As of [`Simulation::beside`].
    pub fn end_here(&mut self, tape: &Tape) -> Result<Arc<End>, NoDerivative> {
        if let Some((state, end)) = &self.beside.here
            && *state == tape.start
        {
            return Ok(Arc::clone(end));
        }
        self.stand_beside(tape)?;
        let end = Arc::new(self.moved(tape, &vec![0.0; tape.size()], 0.0)?);
        self.beside.here = Some((tape.start.clone(), Arc::clone(&end)));
        Ok(end)
    }

    /// The end of the step from (q, v, carried numbers) ⊕ h · direction.
    pub(super) fn moved(&mut self, tape: &Tape, direction: &[f64], h: f64) -> Result<End, NoDerivative> {
        let n = tape.start.v.len();
        let (dq, rest) = direction.split_at(n);
        let (dv, carried) = rest.split_at(n);
        let [mut q, mut v, mut numbers] =
            [&mut self.beside.q, &mut self.beside.v, &mut self.beside.numbers].map(std::mem::take);
        q.resize(tape.start.q.len(), 0.0);
        integrate(&self.system.layout(), &tape.start.q, dq, h, &mut q);
        for (to, from, d) in [(&mut v, &tape.start.v, dv), (&mut numbers, &tape.carried.numbers, carried)] {
            to.clear();
            to.extend(from.iter().zip(d).map(|(x, d)| x + h * d));
        }
        let same_places = dq.iter().all(|d| *d == 0.0);
        let end = self.end_beside(tape, Start { q: &q, v: &v, carried: &numbers, same_places, like: None });
        (self.beside.q, self.beside.v, self.beside.numbers) = (q, v, numbers);
        end
    }
}

/// (a ⊖ b)/2h as displacements, velocities and carried numbers.
///
/// # Errors
/// Ends that hand on other contacts.
pub fn difference(of: &Simulation, (a, b): (&End, &End), h: f64) -> Result<Vec<f64>, NoDerivative> {
    if a.carried.len() != b.carried.len() {
        return Err(NoDerivative::Parted);
    }
    let n = a.v.len();
    let dq: Vec<f64> = a.q.iter().zip(&b.q).map(|(a, b)| (a - b) / (2.0 * h)).collect();
    let middle: Vec<f64> = a.q.iter().zip(&b.q).map(|(a, b)| 0.5 * (a + b)).collect();
    let mut out = vec![0.0; n];
    displacement(&of.system.layout(), &middle, &dq, &mut out);
    let rest = [(&a.v, &b.v), (&a.carried, &b.carried)];
    let both = rest.into_iter().flat_map(|(a, b)| a.iter().zip(b));
    out.extend(both.map(|(a, b)| (a - b) / (2.0 * h)));
    Ok(out)
}
