//! Derivatives of a step by the implicit function theorem at its active set.
//!
//! A step is (q, v) → (q⁺, v⁺) through the problems of its rounds. Beside a step that was made, every problem is formulated anew, from contacts,
//! masses and forces there, and its solution is that of the step moved along its equations (`core/src/problem/active.rs`): no problem is
//! solved, and no mode changes. Derivatives of what a problem is made of (∂W/∂q, ∂ψ/∂q, ∂M/∂q, ∂f/∂q, and by parameters) are central
//! differences of the detector, of contact kinematics and of the stepper's own formulation at a fixed solution; the derivative of the solution
//! by them is exact.

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

/// Where a step begins beside another.
#[derive(Debug, Clone, Copy)]
pub struct Start<'a> {
    /// Positions.
    pub q: &'a [f64],
    /// Velocities.
    pub v: &'a [f64],
    /// True if all shapes are where they were: contacts are those of the step.
    pub same_places: bool,
}

impl Simulation {
    /// Keeps from now on what every step is made of, for its derivatives ([`Simulation::tape`]); ties are read as `ties` says.
    pub fn tape_steps(&mut self, ties: Ties) {
        self.tape = Some(Box::new(Tape { ties: Some(ties), ..Tape::default() }));
    }

    /// Parts that the last step was made of.
    pub fn tape(&self) -> Option<&Tape> {
        self.tape.as_deref()
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
        let mut after = Vec::new();
        self.stepper.save_state(&mut after);
        if after == tape.stepper { Ok(tape) } else { Err(NoDerivative::Memory("the stepper")) }
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

    /// The end (q⁺, v⁺) of a step like that on the tape from another place, in the same modes. The simulation is a probe: it may have been
    /// made of other parameters, and where it stands is lost.
    ///
    /// # Errors
    /// A step without derivative.
    pub fn beside(&mut self, tape: &Tape, from: Start<'_>) -> Result<(&[f64], &[f64]), NoDerivative> {
        self.stand_beside(tape)?;
        self.end_beside(tape, from)?;
        Ok((&self.record.q, &self.record.v))
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
    fn end_beside(&mut self, tape: &Tape, from: Start<'_>) -> Result<(), NoDerivative> {
        self.begin_beside(tape, from)?;
        for taped in &tape.rounds {
            self.round_beside(tape, taped, from.same_places)?;
        }
        Ok(self.record.complete(&self.system, &self.contexts.start)?)
    }

    fn begin_beside(&mut self, tape: &Tape, from: Start<'_>) -> Result<(), NoDerivative> {
        copy(&mut self.state.q, from.q);
        copy(&mut self.state.v, from.v);
        self.stepper.load_state(&tape.stepper).map_err(stage(Who::Stepper))?;
        self.controllers.set_state(&tape.controllers);
        self.record.begin();
        self.stand_at_start();
        let (world, start, _) = self.world();
        start.set_driven_velocities(&world, tape.h)?;
        self.prepare(tape.h)?;
        self.contacts_beside(tape, from.same_places)
    }

    /// The contacts of the step, found here.
    fn contacts_beside(&mut self, tape: &Tape, same_places: bool) -> Result<(), NoDerivative> {
        let Self { system, detector, state, contexts, beside, .. } = self;
        let context = contexts.current_mut();
        let known = beside.filled.take();
        if same_places {
            let hits = tape.rounds.iter().any(|taped| taped.verdict == Verdict::Impact);
            if known == Some(tape.start.step) && !hits && same_bits(&tape.start.q, &state.q) {
                beside.filled = known;
                return Ok(());
            }
            beside.filled = Some(tape.start.step).filter(|_| same_bits(&tape.start.q, &state.q));
            context.fill_contacts(system, &tape.contacts.view(), state).map_err(StepFailure::from)?;
            return Ok(());
        }
        copy(&mut context.margin, &tape.margin);
        // Contacts at the edge of what is looked for stay in sight.
        context.margin.iter_mut().for_each(|m| *m += 10.0 * BESIDE);
        let raw = detector.detect(&context.query()).map_err(stage(Who::Detector))?;
        beside.contacts.take_matching(&tape.contacts, &raw);
        context.fill_contacts(system, &beside.contacts.view(), state).map_err(StepFailure::from)?;
        Ok(())
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
            Verdict::Redetect | Verdict::Evaluate | Verdict::Retry | Verdict::Fail => {
                return Err(NoDerivative::Equations("the stepper looks at other places within a step"));
            }
        }
        Ok(())
    }

    /// The end of the step on the tape by its equations, from where it began. It is computed once for all that is held against it.
    ///
    /// # Errors
    /// As of [`Simulation::beside`].
    pub fn end_here(&mut self, tape: &Tape) -> Result<End, NoDerivative> {
        if let Some((state, end)) = &self.beside.here
            && *state == tape.start
        {
            return Ok(end.clone());
        }
        self.stand_beside(tape)?;
        let resting = vec![0.0; 2 * tape.start.v.len()];
        let end = self.moved(tape, &resting, 0.0)?;
        self.beside.here = Some((tape.start.clone(), end.clone()));
        Ok(end)
    }

    pub(super) fn central(
        &mut self,
        tape: &Tape,
        direction: &[f64],
        h: f64,
    ) -> Result<Vec<f64>, NoDerivative> {
        let [plus, minus] = [1.0, -1.0].map(|sign| self.moved(tape, direction, sign * h));
        Ok(difference(self, (&plus?, &minus?), h))
    }

    /// The end of the step from (q, v) ⊕ h · direction.
    pub(super) fn moved(&mut self, tape: &Tape, direction: &[f64], h: f64) -> Result<End, NoDerivative> {
        let (dq, dv) = direction.split_at(direction.len() / 2);
        let mut beside = std::mem::take(&mut self.beside);
        beside.q.resize(tape.start.q.len(), 0.0);
        integrate(&self.system.layout(), &tape.start.q, dq, h, &mut beside.q);
        beside.v.clear();
        beside.v.extend(tape.start.v.iter().zip(dv).map(|(v, d)| v + h * d));
        let (q, v) = (std::mem::take(&mut beside.q), std::mem::take(&mut beside.v));
        self.beside = beside;
        let same_places = dq.iter().all(|d| *d == 0.0);
        let made = self.end_beside(tape, Start { q: &q, v: &v, same_places });
        (self.beside.q, self.beside.v) = (q, v);
        made.map(|()| (self.record.q.clone(), self.record.v.clone()))
    }
}

/// (a ⊖ b)/2h as displacements and velocities, 2 nv.
pub fn difference(of: &Simulation, (a, b): (&End, &End), h: f64) -> Vec<f64> {
    let n = a.1.len();
    let dq: Vec<f64> = a.0.iter().zip(&b.0).map(|(a, b)| (a - b) / (2.0 * h)).collect();
    let middle: Vec<f64> = a.0.iter().zip(&b.0).map(|(a, b)| 0.5 * (a + b)).collect();
    let mut out = vec![0.0; 2 * n];
    displacement(&of.system.layout(), &middle, &dq, &mut out[..n]);
    out[n..].iter_mut().zip(a.1.iter().zip(&b.1)).for_each(|(x, (a, b))| *x = (a - b) / (2.0 * h));
    out
}
