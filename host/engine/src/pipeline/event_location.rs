//! ContactEvent location: the step after which the first open contact has just closed.

use super::failure::{StepFailure, Who, stage};
use super::simulation::Simulation;
use super::state::{ON_GRID, Snapshot};
use super::step_control::{EventLocation, StepControl};
use super::trial::Trial;
use vinci_core::stage::DetectQuery;

/// Trials on the way to one event. Bisection alone needs 50 for any bracket.
const MAX_TRIALS: u32 = 100;

/// A step after which the gap is open and one after which it has closed too far: (h, gap) each. Regula falsi (Illinois),
/// every third time bisection.
#[derive(Debug, Clone, Copy)]
struct Bracket {
    open: (f64, f64),
    shut: (f64, f64),
    /// Which end moved last: −1 shut, 1 open. The other one's gap is halved when the same end moves again.
    last_side: i32,
}

impl Bracket {
    /// The k-th step to try, k from 1.
    fn next(&self, k: u32) -> f64 {
        let ((a, gap_a), (b, gap_b)) = (self.open, self.shut);
        let secant = (a * gap_b - b * gap_a) / (gap_b - gap_a);
        if secant > a && secant < b && !k.is_multiple_of(3) { secant } else { 0.5 * (a + b) }
    }

    /// Returns true if nothing is left between the ends.
    fn is_closed(&self, h: f64, width: f64) -> bool {
        self.shut.0 - self.open.0 <= width || h <= self.open.0 || h >= self.shut.0
    }

    fn shut_at(&mut self, h: f64, gap: f64) {
        self.shut = (h, gap);
        self.open.1 *= if self.last_side < 0 { 0.5 } else { 1.0 };
        self.last_side = -1;
    }

    fn open_at(&mut self, h: f64, gap: f64) {
        self.open = (h, gap);
        self.shut.1 *= if self.last_side > 0 { 0.5 } else { 1.0 };
        self.last_side = 1;
    }
}

impl Simulation {
    /// A trial of h, and where it penetrates the location of the time of contact.
    pub(super) fn try_interval(&mut self, h: f64, from: &Snapshot) -> Result<Trial, StepFailure> {
        let StepControl { events, event_tolerance, min_step, .. } = self.settings.control;
        let mut trial = self.attempt_interval(h, from)?;
        for _ in 0..MAX_TRIALS {
            // What was passed is looked at from nearby.
            let near = trial.passed.filter(|t| *t > min_step && trial.gap >= -event_tolerance);
            let Some(time) = near else { break };
            self.counts.rejected += 1;
            trial = self.attempt_interval(time, from)?;
        }
        if events == EventLocation::None || trial.gap >= -event_tolerance {
            return Ok(trial);
        }
        if trial.taken <= min_step * (1.0 + ON_GRID) {
            self.counts.floored += 1;
            return Ok(Trial { cut: true, ..trial });
        }
        self.counts.missed += u64::from(events == EventLocation::Predict);
        self.counts.located += 1;
        Ok(Trial { cut: true, ..self.locate(trial, from)? })
    }

    /// Finds the step after which the smallest gap of the contacts that were open is within the tolerance.
    fn locate(&mut self, penetrating: Trial, from: &Snapshot) -> Result<Trial, StepFailure> {
        let StepControl { event_tolerance: tol, min_step: least, .. } = self.settings.control;
        let open = (0.0, self.trial.start.smallest_open(tol));
        let mut bracket = Bracket { open, shut: (penetrating.taken, penetrating.gap), last_side: 0 };
        for k in 1..MAX_TRIALS {
            self.counts.rejected += 1;
            let h = bracket.next(k);
            // The gap jumps there: the step before is the last one without penetration.
            if bracket.is_closed(h, 1e-15 * self.settings.step) && bracket.open.0 >= least {
                return self.attempt_interval(bracket.open.0, from);
            }
            if h < least || bracket.is_closed(h, 1e-15 * self.settings.step) {
                self.counts.floored += 1;
                return self.attempt_interval(least.min(penetrating.taken), from);
            }
            let trial = self.attempt_interval(h, from)?;
            let partial = !trial.whole || trial.taken < h * (1.0 - ON_GRID);
            if let Some(time) = trial.passed {
                bracket.shut = (h.min(time.max(0.5 * (bracket.open.0 + h))), -tol);
                bracket.last_side = 0;
            } else if trial.gap < -tol {
                bracket.shut_at(trial.taken, trial.gap);
            } else if trial.gap <= tol || partial {
                return Ok(trial);
            } else {
                bracket.open_at(h, trial.gap);
            }
        }
        self.attempt_interval(bracket.open.0.max(least), from)
    }

    /// The smallest gap at the end of a trial from `from`, and whether its last step passed a contact.
    pub(super) fn look_at_gaps(&mut self, trial: &mut Trial, from: &Snapshot) -> Result<(), StepFailure> {
        if self.settings.control.events != EventLocation::None {
            trial.gap = self.smallest_gap()?;
            trial.passed = self.passed(from.state.t);
        }
        Ok(())
    }

    /// Smallest gap, here, of the contacts that were open at the start of the interval, m.
    fn smallest_gap(&mut self) -> Result<f64, StepFailure> {
        let (scratch, state) = (&mut self.trial, &self.state);
        self.system.place(&state.q, &mut scratch.frames);
        let context = self.contexts.current_mut();
        let pose = scratch.frames.poses();
        let query = DetectQuery { t: state.t, pose, margin: &context.margin };
        let raw = self.detector.detect(&query).map_err(stage(Who::Detector))?;
        scratch.end.of_raw(&context.with_nodes(&self.system, pose, &raw).map_err(StepFailure::from)?);
        Ok(scratch.end.worst_since(&scratch.start, self.settings.control.event_tolerance))
    }

    /// Time at which the last step may have gone through a contact to its far side, or nearly so: an open contact whose gap closes if its
    /// rate W_nᵀ v holds for the step, and that is open at the end. Then the time from `start` at which it closes. A body
    /// that passes a corner is found so as well; it loses nothing but a shorter step.
    fn passed(&self, start: f64) -> Option<f64> {
        let (control, state, contexts) = (self.settings.control, &self.state, &self.contexts);
        let (tol, h) = (control.event_tolerance, state.h_last);
        let contacts = contexts.current().contacts.view();
        let before = state.t - h - start;
        // The scheme's velocity over the step.
        let v = |i: usize| match control.order {
            // Drives move their dofs with the mean of the step.
            2 if contexts.codes.is_prescribed(i) => contexts.current().command[i],
            2 => 0.5 * (contexts.start.v[i] + state.v[i]),
            _ => state.v[i],
        };
        let time = |i: usize| {
            let (row, psi) = (contacts.row(i), contacts.gap[i]);
            let nu: f64 = contacts.jacobian.entries(row).map(|(i, x)| x * v(i)).sum();
            let closes = psi > tol && psi + h * nu < -tol;
            let open = self.trial.end.get(&contacts.key[i]).is_none_or(|gap| gap > tol);
            (closes && open).then(|| before - psi / nu)
        };
        (0..contacts.len()).filter_map(time).min_by(f64::total_cmp)
    }
}
