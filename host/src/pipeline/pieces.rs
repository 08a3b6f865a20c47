//! The way to a grid time, piece by piece: trial steps, their errors and events, going back.
//!
//! A piece is what is tried as a whole: one step, or with an accuracy target one step against two halves, of which the
//! halves are kept. Location of events stands around it: whatever a piece is made of, it ends where a contact closes.

use vinci_core::model::DofRole;

use super::gaps::Gaps;
use super::outcome::{Event, EventKind, Who};
use super::step::{ON_GRID, stage};
use super::stepping::{Control, Stepping};
use super::{Events, Simulation, Snapshot, StepFailure};

/// Trials on the way to one event. Bisection alone needs 50 for any bracket.
const MAX_TRIALS: u32 = 100;

/// Pieces between two probes of the order.
const PROBE_EVERY: u32 = 16;

/// A piece adds to no probe where positions differ by less than this part of a body's place: rounding.
const PROBE_ROUNDING: f64 = 1e-13;

/// Scratch of trials.
#[derive(Default)]
pub(super) struct TrialWork {
    pub(super) start: Gaps,
    pub(super) velocity: Vec<f64>,
    /// A block of the mass matrix in elimination.
    pub(super) block: Vec<f64>,
    pub(super) acceleration: Vec<f64>,
    end: Gaps,
    from: Snapshot,
    q_full: Vec<f64>,
    q_quarters: Vec<f64>,
}

/// How a trial came out; the simulation stands at its end.
#[derive(Debug, Clone, Copy)]
struct Trial {
    /// Time it took, s: less than asked for where the stepper took less, or where it penetrated half way.
    taken: f64,
    /// Smallest gap at its end of the contacts that were open at its start, m; ∞ without.
    gap: f64,
    /// Estimated error, m; 0 without an accuracy target.
    error: f64,
    /// Whether all of it was made, so that the error means something.
    whole: bool,
    /// Time from its start at which a contact may have been passed that is open again at its end, s.
    passed: Option<f64>,
}

/// How a piece was found.
#[derive(Debug, Clone, Copy, Default)]
struct Finding {
    /// It was cut short for an event.
    cut: bool,
    error: f64,
    whole: bool,
}

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

    /// Whether nothing is left between the ends.
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
    /// Goes on towards the time `end` (the next grid time, or before it), by one piece: as far as the events and the
    /// wanted accuracy let it. Its steps are [`Simulation::of_last`].
    ///
    /// On failure the simulation stands where it stood before.
    pub fn proceed(&mut self, end: f64) -> Result<(), StepFailure> {
        self.n_held = 0;
        let rest = self.rest(end);
        if self.settings.stepping.is_plain() {
            self.advance(rest)?;
            (self.counts.accepted, self.counts.substeps) =
                (self.counts.accepted + 1, self.counts.substeps + 1);
        } else {
            let mut from = std::mem::take(&mut self.trial.from);
            self.snapshot_into(&mut from);
            let made = self.piece(rest, &from);
            let back = if made.is_err() { self.restore(&from).map_err(stage(Who::Any)) } else { Ok(()) };
            self.trial.from = from;
            made.and(back)?;
        }
        if (self.t - end).abs() <= ON_GRID * self.settings.step {
            self.t = end;
        }
        self.counts.zeno += (0..self.n_last())
            .map(|k| self.of_last(k).events.iter().filter(|e| e.kind == EventKind::Zeno).count() as u64)
            .sum::<u64>();
        Ok(())
    }

    /// Time to go, s. From grid time to grid time it is h to the bit.
    fn rest(&self, end: f64) -> f64 {
        let h = self.settings.step;
        let whole = self.t == self.grid as f64 * h && end == self.next_grid_time();
        if whole { h } else { end - self.t }
    }

    fn piece(&mut self, rest: f64, from: &Snapshot) -> Result<(), StepFailure> {
        let stepping = self.settings.stepping;
        let mut h = self.proposed(rest);
        if stepping.events != Events::None {
            self.look_around(rest)?;
        }
        let foreseen = if stepping.events == Events::Predict { self.predicted(h) } else { None };
        if let Some(time) = foreseen {
            h = time.max(stepping.min_step).min(h);
            self.counts.predicted += 1;
        }
        let probed = self.probe(h, from)?;
        let accuracy = stepping.accuracy.unwrap_or(f64::INFINITY);
        let mut found = self.try_solvable(&mut h, from)?;
        while found.error > accuracy {
            let taken = self.t - from.t;
            if taken <= stepping.min_step * (1.0 + ON_GRID) {
                self.counts.floored += 1;
                break;
            }
            self.counts.rejected += 1;
            h = Control::rescaled(taken, found.error, accuracy, stepping.order).max(stepping.min_step);
            found = self.try_solvable(&mut h, from)?;
        }
        self.finish_piece(found, foreseen.is_some(), probed, h, from.t);
        Ok(())
    }

    /// The controller's step, fitted so that equal steps reach the end.
    fn proposed(&self, rest: f64) -> f64 {
        if self.settings.stepping.accuracy.is_none() || self.control.h == 0.0 || self.control.h >= rest {
            return rest;
        }
        let h = self.control.h.max(self.settings.stepping.min_step);
        rest / (rest / h).ceil()
    }

    /// A trial of h, and of half of that as long as a step of it has no solution that a solver finds.
    fn try_solvable(&mut self, h: &mut f64, from: &Snapshot) -> Result<Finding, StepFailure> {
        let least = self.settings.stepping.min_step;
        loop {
            match self.try_piece(*h, from) {
                Err(StepFailure::Unsolved { .. }) if *h > least * (1.0 + ON_GRID) => {
                    self.counts.rejected += 1;
                    *h = (0.5 * *h).max(least);
                }
                made => return made,
            }
        }
    }

    /// A trial of h, and where it penetrates the location of the time of contact.
    fn try_piece(&mut self, h: f64, from: &Snapshot) -> Result<Finding, StepFailure> {
        let stepping = self.settings.stepping;
        let mut trial = self.attempt_piece(h, from)?;
        for _ in 0..MAX_TRIALS {
            // What was passed is looked at from nearby.
            let Some(time) =
                trial.passed.filter(|t| *t > stepping.min_step && trial.gap >= -stepping.event_tolerance)
            else {
                break;
            };
            self.counts.rejected += 1;
            trial = self.attempt_piece(time, from)?;
        }
        let finding = |trial: Trial, cut| Finding { cut, error: trial.error, whole: trial.whole };
        if stepping.events == Events::None || trial.gap >= -stepping.event_tolerance {
            return Ok(finding(trial, false));
        }
        if trial.taken <= stepping.min_step * (1.0 + ON_GRID) {
            self.counts.floored += 1;
            return Ok(finding(trial, true));
        }
        self.counts.missed += u64::from(stepping.events == Events::Predict);
        self.counts.located += 1;
        Ok(finding(self.locate(trial, from)?, true))
    }

    /// Finds the step after which the smallest gap of the contacts that were open is within the tolerance.
    fn locate(&mut self, penetrating: Trial, from: &Snapshot) -> Result<Trial, StepFailure> {
        let Stepping { event_tolerance: tol, min_step: least, .. } = self.settings.stepping;
        let open = (0.0, self.trial.start.smallest_open(tol));
        let mut bracket = Bracket { open, shut: (penetrating.taken, penetrating.gap), last_side: 0 };
        for k in 1..MAX_TRIALS {
            self.counts.rejected += 1;
            let h = bracket.next(k);
            // The gap jumps there: the step before is the last one without penetration.
            if bracket.is_closed(h, 1e-15 * self.settings.step) && bracket.open.0 >= least {
                return self.attempt_piece(bracket.open.0, from);
            }
            if h < least || bracket.is_closed(h, 1e-15 * self.settings.step) {
                self.counts.floored += 1;
                return self.attempt_piece(least.min(penetrating.taken), from);
            }
            let trial = self.attempt_piece(h, from)?;
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
        self.attempt_piece(bracket.open.0.max(least), from)
    }

    /// From the start of the piece: one step of h, or one against two halves.
    fn attempt_piece(&mut self, h: f64, from: &Snapshot) -> Result<Trial, StepFailure> {
        self.go_back(from)?;
        self.advance(h)?;
        let mut taken = self.h_last;
        let mut trial = Trial { taken, gap: f64::INFINITY, error: 0.0, whole: true, passed: None };
        if self.settings.stepping.accuracy.is_none() {
            trial.gap = self.smallest_gap()?;
            trial.passed = self.passed(from.t);
            return Ok(trial);
        }
        self.trial.q_full.clone_from(&self.q);
        self.go_back(from)?;
        self.cover(0.5 * taken)?;
        trial.gap = self.smallest_gap()?;
        trial.passed = self.passed(from.t);
        if trial.passed.is_some() || trial.gap <= self.settings.stepping.event_tolerance {
            // The second half would begin with the impact.
            taken *= 0.5;
            return Ok(Trial { taken, whole: false, ..trial });
        }
        self.hold();
        self.cover(0.5 * taken)?;
        trial.gap = self.smallest_gap()?;
        trial.passed = self.passed(from.t);
        let order = self.settings.stepping.order;
        trial.error =
            self.system.distance(&self.q, &self.trial.q_full) / f64::from(2_i32.pow(order as u32) - 1);
        Ok(trial)
    }

    fn go_back(&mut self, from: &Snapshot) -> Result<(), StepFailure> {
        self.n_held = 0;
        self.restore(from).map_err(stage(Who::Any))
    }

    /// Steps until h is covered, in one step unless the stepper takes less. All but the last are held.
    fn cover(&mut self, h: f64) -> Result<(), StepFailure> {
        let (mut rest, whole) = (h, h);
        loop {
            self.advance(rest)?;
            rest -= self.h_last;
            if rest <= ON_GRID * whole {
                return Ok(());
            }
            self.hold();
        }
    }

    /// Smallest gap, here, of the contacts that were open at the start of the piece, m; ∞ where no events are asked for.
    fn smallest_gap(&mut self) -> Result<f64, StepFailure> {
        let stepping = self.settings.stepping;
        if stepping.events == Events::None {
            return Ok(f64::INFINITY);
        }
        let w = &mut self.work;
        self.system.place(&self.q, &mut w.frames);
        let query = vinci_core::stage::DetectQuery { t: self.t, pose: w.frames.poses(), margin: &w.margin };
        let raw = self.detector.detect(&query).map_err(stage(Who::Detector))?;
        self.trial.end.of_raw(&raw);
        Ok(self.trial.end.worst_since(&self.trial.start, stepping.event_tolerance))
    }

    /// Whether the last step went through a contact to its far side, or nearly so: an open contact whose gap closes if its
    /// rate W_nᵀ v holds for the step, and that is open at the end. Then the time from `start` at which it closes. A body
    /// that passes a corner is found so as well; it loses nothing but a shorter step.
    fn passed(&self, start: f64) -> Option<f64> {
        let stepping = self.settings.stepping;
        if stepping.events == Events::None {
            return None;
        }
        let (tol, h) = (stepping.event_tolerance, self.h_last);
        let contacts = self.work.contacts.view();
        let before = self.t - h - start;
        // The scheme's velocity over the step; after a step the scratch holds the one at its start.
        let start_of_step = &self.work.v_next;
        let prescribed = |i: usize| DofRole::from_code(self.work.role[i]) == DofRole::Prescribed;
        let v = |i: usize| match stepping.order {
            // Drives move their dofs with the mean of the step.
            2 if prescribed(i) => self.work.command[i],
            2 => 0.5 * (start_of_step[i] + self.v[i]),
            _ => self.v[i],
        };
        let time = |i: usize| {
            let (row, psi) = (contacts.row(i), contacts.gap[i]);
            let along: f64 = contacts.jacobian.entries(row).map(|(i, x)| x * v(i)).sum();
            let nu = along + contacts.rate[row];
            let closes = psi > tol && psi + h * nu < -tol;
            let open = self.trial.end.get(&contacts.key[i]).is_none_or(|gap| gap > tol);
            (closes && open).then(|| before - psi / nu)
        };
        (0..contacts.len()).filter_map(time).min_by(f64::total_cmp)
    }

    /// Four quarter steps from the start of the piece, now and then; whether there is something to compare with.
    fn probe(&mut self, h: f64, from: &Snapshot) -> Result<bool, StepFailure> {
        if self.settings.stepping.accuracy.is_none() || self.control.since_probe < PROBE_EVERY {
            return Ok(false);
        }
        // What fails in a probe is the probe: the piece itself is still to be tried.
        let quarters = (0..4).try_for_each(|_| self.advance(0.25 * h));
        self.trial.q_quarters.clone_from(&self.q);
        self.go_back(from)?;
        Ok(quarters.is_ok())
    }

    /// Counts, events and the next step size of an accepted piece.
    fn finish_piece(&mut self, found: Finding, predicted: bool, probed: bool, h: f64, from: f64) {
        let stepping = self.settings.stepping;
        self.counts.accepted += 1;
        self.counts.substeps += self.n_last() as u64;
        let mut eventful = found.cut || !found.whole;
        if stepping.events != Events::None {
            for contact in self.trial.end.closed_since(&self.trial.start, stepping.event_tolerance) {
                self.work.events.push(Event { t: self.t, kind: EventKind::Contact, contact });
                eventful = true;
            }
        }
        eventful |= (0..self.n_last()).any(|k| !self.of_last(k).impacts.is_empty());
        let Some(accuracy) = stepping.accuracy else { return };
        let taken = self.t - from;
        if found.whole {
            let next = Control::rescaled(taken, found.error, accuracy, stepping.order);
            // A step that was cut for an event says little of the next one.
            let reset = found.cut || predicted;
            self.control.h = if reset { next.max(self.control.h) } else { next }.min(self.settings.step);
        }
        // Of half a piece no error is known, and nothing speaks for longer steps.
        self.control.since_probe += 1;
        if probed && taken >= h * (1.0 - ON_GRID) {
            self.control.since_probe = 0;
            if !eventful {
                self.note_order();
            }
        }
    }

    /// log₂ of |full − halves| / |halves − quarters|: h^(p+1) (1 − 2⁻ᵖ) over h^(p+1) (2⁻ᵖ − 4⁻ᵖ) is 2ᵖ.
    fn note_order(&mut self) {
        let whole = self.system.distance(&self.trial.q_full, &self.q);
        let half = self.system.distance(&self.q, &self.trial.q_quarters);
        let place = self.q.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        if half > 1e3 * PROBE_ROUNDING * place && whole > 0.0 {
            self.counts.orders.push((whole / half).log2());
        }
    }
}
