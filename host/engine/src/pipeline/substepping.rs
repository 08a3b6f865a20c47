//! Substepping: from one grid time to the next, interval by interval, with trial steps, error estimates and rollback.
//!
//! An interval is what is tried as a whole: one step, or with an accuracy target one step against two halves, of which the
//! halves are kept. Location of events stands around it ([`super::event_location`]): whatever an interval is made of, it
//! ends where a contact closes.

use super::failure::{StepFailure, Who, stage};
use super::outcome::{ContactEvent, ContactEventKind};
use super::simulation::Simulation;
use super::state::{ON_GRID, Snapshot};
use super::step_control::{EventLocation, StepSize};
use super::trial::Trial;
use vinci_core::lists::copy;

/// Intervals between two probes of the order.
const PROBE_EVERY: u32 = 16;

/// An interval adds to no probe where positions differ by less than this part of a body's place: rounding.
const PROBE_ROUNDING: f64 = 1e-13;

impl Simulation {
    /// Goes on towards the time `end` (the next grid time, or before it), by one interval: as far as the events and the
    /// wanted accuracy let it. Its steps are [`Simulation::of_last`].
    ///
    /// # Errors
    /// Why there is no step; the simulation then stands where it stood before.
    pub fn advance_to(&mut self, end: f64) -> Result<(), StepFailure> {
        self.pending.clear();
        // Ahead of trials: whoever is asked at a grid time is asked once.
        self.sample()?;
        let rest = self.rest(end);
        if self.settings.control.is_plain() {
            self.advance(rest)?;
            self.counts.accepted += 1;
            self.counts.substeps += 1;
        } else {
            let mut from = std::mem::take(&mut self.trial.from);
            self.snapshot_into(&mut from);
            let made = self.interval(rest, &from);
            let back = if made.is_err() { self.restore(&from).map_err(stage(Who::Any)) } else { Ok(()) };
            self.trial.from = from;
            made.and(back)?;
        }
        if (self.state.t - end).abs() <= ON_GRID * self.settings.step {
            self.state.t = end;
        }
        self.counts.zeno += (0..self.n_last())
            .map(|k| {
                self.of_last(k).events.iter().filter(|e| e.kind == ContactEventKind::Zeno).count() as u64
            })
            .sum::<u64>();
        Ok(())
    }

    /// Time to go, s. From grid time to grid time it is h to the bit.
    fn rest(&self, end: f64) -> f64 {
        let h = self.settings.step;
        let whole = self.state.t == self.state.grid as f64 * h && end == self.next_grid_time();
        if whole { h } else { end - self.state.t }
    }

    fn interval(&mut self, rest: f64, from: &Snapshot) -> Result<(), StepFailure> {
        let control = self.settings.control;
        let mut h = self.proposed(rest);
        if control.events != EventLocation::None {
            self.look_around(rest)?;
            self.trial.start.of_contacts(&self.contexts.start.contacts.view());
        }
        let predicted = if control.events == EventLocation::Predict { self.predict_contact(h) } else { None };
        if let Some(time) = predicted {
            h = time.max(control.min_step).min(h);
            self.counts.predicted += 1;
        }
        let probed = self.probe(h, from)?;
        let accuracy = control.accuracy.unwrap_or(f64::INFINITY);
        let mut trial = self.try_solvable(&mut h, from)?;
        while trial.error > accuracy {
            let taken = self.state.t - from.state.t;
            if taken <= control.min_step * (1.0 + ON_GRID) {
                self.counts.floored += 1;
                break;
            }
            self.counts.rejected += 1;
            h = StepSize::rescaled(taken, trial.error, accuracy, control.order).max(control.min_step);
            trial = self.try_solvable(&mut h, from)?;
        }
        self.finish_interval(trial, predicted.is_some(), probed, h, from.state.t);
        Ok(())
    }

    /// The step that step control proposes, fitted so that equal steps reach the end.
    fn proposed(&self, rest: f64) -> f64 {
        let h = self.state.step_size.h;
        if self.settings.control.accuracy.is_none() || h == 0.0 || h >= rest {
            return rest;
        }
        let h = h.max(self.settings.control.min_step);
        rest / (rest / h).ceil()
    }

    /// A trial of h, and of half of that as long as a step of it has no solution that a solver finds.
    fn try_solvable(&mut self, h: &mut f64, from: &Snapshot) -> Result<Trial, StepFailure> {
        let least = self.settings.control.min_step;
        loop {
            match self.try_interval(*h, from) {
                Err(StepFailure::Unsolved { .. }) if *h > least * (1.0 + ON_GRID) => {
                    self.counts.rejected += 1;
                    *h = (0.5 * *h).max(least);
                }
                made => return made,
            }
        }
    }

    /// From the start of the interval: one step of h, or one against two halves.
    pub(super) fn attempt_interval(&mut self, h: f64, from: &Snapshot) -> Result<Trial, StepFailure> {
        self.go_back(from)?;
        self.advance(h)?;
        let mut taken = self.state.h_last;
        let mut trial =
            Trial { taken, gap: f64::INFINITY, error: 0.0, whole: true, passed: None, cut: false };
        if self.settings.control.accuracy.is_none() {
            self.look_at_gaps(&mut trial, from)?;
            return Ok(trial);
        }
        copy(&mut self.trial.q_full, &self.state.q);
        self.go_back(from)?;
        self.cover(0.5 * taken)?;
        self.look_at_gaps(&mut trial, from)?;
        if trial.passed.is_some() || trial.gap <= self.settings.control.event_tolerance {
            // The second half would begin with the impact.
            taken *= 0.5;
            return Ok(Trial { taken, whole: false, ..trial });
        }
        self.set_pending();
        self.cover(0.5 * taken)?;
        self.look_at_gaps(&mut trial, from)?;
        let order = self.settings.control.order;
        let distance = self.system.distance(&self.state.q, &self.trial.q_full);
        trial.error = distance / f64::from(2_i32.pow(order as u32) - 1);
        Ok(trial)
    }

    fn go_back(&mut self, from: &Snapshot) -> Result<(), StepFailure> {
        self.pending.clear();
        self.restore(from).map_err(stage(Who::Any))
    }

    /// Steps until h is covered, in one step unless the stepper takes less. All but the last are pending then.
    fn cover(&mut self, h: f64) -> Result<(), StepFailure> {
        let (mut rest, whole) = (h, h);
        loop {
            self.advance(rest)?;
            rest -= self.state.h_last;
            if rest <= ON_GRID * whole {
                return Ok(());
            }
            self.set_pending();
        }
    }

    /// Four quarter steps from the start of the interval, now and then; whether there is something to compare with.
    fn probe(&mut self, h: f64, from: &Snapshot) -> Result<bool, StepFailure> {
        if self.settings.control.accuracy.is_none() || self.state.step_size.since_probe < PROBE_EVERY {
            return Ok(false);
        }
        // What fails in a probe is the probe: the interval itself is still to be tried.
        let quarters = (0..4).try_for_each(|_| self.advance(0.25 * h));
        copy(&mut self.trial.q_quarters, &self.state.q);
        self.go_back(from)?;
        Ok(quarters.is_ok())
    }

    /// Counts, events and the next step size of an accepted interval.
    fn finish_interval(&mut self, trial: Trial, predicted: bool, probed: bool, h: f64, from: f64) {
        let control = self.settings.control;
        self.counts.accepted += 1;
        self.counts.substeps += self.n_last() as u64;
        let mut eventful = trial.cut || !trial.whole;
        if control.events != EventLocation::None {
            for contact in self.trial.end.closed_since(&self.trial.start, control.event_tolerance) {
                self.record.events.push(ContactEvent {
                    t: self.state.t,
                    kind: ContactEventKind::Contact,
                    contact,
                });
                eventful = true;
            }
        }
        eventful |= (0..self.n_last()).any(|k| !self.of_last(k).impacts.is_empty());
        let Some(accuracy) = control.accuracy else { return };
        let taken = self.state.t - from;
        let size = &mut self.state.step_size;
        if trial.whole {
            let next = StepSize::rescaled(taken, trial.error, accuracy, control.order);
            // A step that was cut for an event says little of the next one.
            let reset = trial.cut || predicted;
            size.h = if reset { next.max(size.h) } else { next }.min(self.settings.step);
        }
        // Half an interval has no estimate of its error, so the step size above is kept.
        size.since_probe = size.since_probe.saturating_add(1);
        if probed && taken >= h * (1.0 - ON_GRID) {
            size.since_probe = 0;
            if !eventful {
                self.note_order();
            }
        }
    }

    /// log₂ of |full − halves| / |halves − quarters|: h^(p+1) (1 − 2⁻ᵖ) over h^(p+1) (2⁻ᵖ − 4⁻ᵖ) is 2ᵖ.
    fn note_order(&mut self) {
        let q = &self.state.q;
        let whole = self.system.distance(&self.trial.q_full, q);
        let half = self.system.distance(q, &self.trial.q_quarters);
        let place = q.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        if half > 1e3 * PROBE_ROUNDING * place && whole > 0.0 {
            self.counts.orders.push((whole / half).log2());
        }
    }
}
