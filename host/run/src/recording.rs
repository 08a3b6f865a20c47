//! Recording: what `vinci run` does with every interval of steps, which is judge, count and write.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};
use vinci_core::clock::seconds;

use vinci_core::model::System;

use super::run_loop::Observer;
use super::state::States;
use super::surroundings::Surroundings;
use super::turns::Turn;
use super::writing::{Stopped, Writing};
use crate::gathered::Gathered;
use crate::pictures::Pictures;
use crate::prepared::Prepared;
use crate::record::{Recorder, bodies};
use crate::scheduled_events::FiredEvent;
use crate::signals::Stop;
use vinci_engine::pipeline::{Accepted, ContactEventKind, Simulation, Stage, deviation};

/// How long a run that is to stop goes on towards the next grid time, where a checkpoint can stand.
const PATIENCE: Duration = Duration::from_secs(5);

/// When a run stops, when it writes a checkpoint, and when it makes way for others.
#[derive(Default)]
pub(super) struct Pace {
    pub(super) stop: Stop,
    pub(super) every: Option<Duration>,
    pub(super) last: Option<Instant>,
    /// When it was first seen between grid times that the run is to stop.
    pub(super) asked: Option<Instant>,
    /// Its place among runs that take turns.
    pub(super) turn: Option<Turn>,
    /// Working directory and streams of the process before any plugin was loaded.
    pub(super) surroundings: Option<Surroundings>,
    /// Words for what plugins did to them.
    pub(super) damage: Option<String>,
}

impl Pace {
    fn is_due(&mut self) -> bool {
        let is_due = self.every.is_some_and(|every| self.last.is_none_or(|last| last.elapsed() >= every));
        if is_due {
            self.last = Some(Instant::now());
        }
        is_due
    }

    /// Puts back what plugins of this run have changed of the process.
    pub(super) fn put_back(&mut self) {
        let damage = self.surroundings.as_ref().and_then(Surroundings::restore);
        self.damage = self.damage.take().or(damage);
    }

    /// Lets other runs go on that have come less far than this part of their time. How long it had to wait.
    fn make_way(&mut self, reached: f64) -> Duration {
        if self.turn.as_ref().is_none_or(|turn| !turn.is_due(reached)) {
            return Duration::ZERO;
        }
        // Nobody else is to be blamed for it.
        self.put_back();
        self.turn.as_mut().map_or(Duration::ZERO, Turn::pass)
    }

    /// Returns true if grid times are too far away: steps next to nothing may never lead to one.
    fn is_out_of_patience(&mut self) -> bool {
        self.stop.is_asked() && self.asked.get_or_insert_with(Instant::now).elapsed() > PATIENCE
    }
}

/// The observer of `vinci run`.
pub(super) struct Recording<'a, P: FnMut(f64)> {
    pub(super) writing: &'a mut Writing,
    pub(super) pace: &'a mut Pace,
    pub(super) states: States,
    pub(super) duration: f64,
    pub(super) stopped: Option<Stopped>,
    pub(super) progress: P,
}

impl<P: FnMut(f64)> Observer for Recording<'_, P> {
    fn interval(
        &mut self,
        simulation: &mut Simulation,
        before: u64,
        row: Option<u64>,
    ) -> std::io::Result<ControlFlow<()>> {
        let mut mark = Instant::now();
        let Writing { recorder, pictures, gathered, .. } = &mut *self.writing;
        record_interval(simulation, before, row, (recorder, pictures), gathered)?;
        if let Some(archive) = &mut self.writing.archive {
            archive.write(simulation)?;
        }
        self.writing.races.write(simulation)?;
        (self.progress)(simulation.time());
        trace(simulation, before);
        if let Some(told) = simulation.solvers.taken_over.take() {
            let (step, t) = (before + simulation.n_last() as u64, simulation.time());
            tracing::info!(step, t, "a fallback: {told}");
        }
        simulation.timing.lap(Stage::Record, &mut mark);
        // A run goes on from grid times only, and one that is at its end anyway ends.
        let goes_on = simulation.next_end(self.duration).is_some();
        self.stopped = match row {
            Some(_) => (goes_on && self.pace.stop.is_asked()).then_some(Stopped::OnGrid),
            None => self.pace.is_out_of_patience().then_some(Stopped::Between),
        };
        if self.stopped.is_some() {
            return Ok(ControlFlow::Break(()));
        }
        self.writing.clock.leave_out(self.pace.make_way(simulation.time() / self.duration));
        Ok(ControlFlow::Continue(()))
    }

    fn grid(&mut self, prepared: &Prepared) -> std::io::Result<()> {
        // Before the states of this time: a run that goes on writes them again.
        if self.pace.is_due() {
            tracing::debug!(t = prepared.simulation.time(), "writes a checkpoint");
            self.writing.checkpoint(prepared)?;
        }
        self.states.at_grid(prepared, &mut self.writing.ledger)
    }

    fn fired(&mut self, fired: &FiredEvent) -> std::io::Result<()> {
        tracing::info!(t = fired.t, "event {}: {}", fired.event + 1, fired.text);
        self.writing.recorder.change(fired.t, &format!("event {}: {}", fired.event + 1, fired.text))
    }
}

/// Steps for people who want to see all of them.
fn trace(simulation: &Simulation, before: u64) {
    for k in 0..simulation.n_last() {
        let (step, accepted) = (before + 1 + k as u64, simulation.of_last(k));
        let (t, h, contacts, residual) = (accepted.t, accepted.h, accepted.contacts.len(), accepted.residual);
        tracing::trace!(step, t, h, contacts, residual, "accepted");
    }
}

/// Judges, counts and writes the steps of an interval. `row`: number of the grid time it ends at, if it does.
fn record_interval(
    simulation: &Simulation,
    before: u64,
    row: Option<u64>,
    (recorder, pictures): (&mut Recorder, &mut Pictures),
    gathered: &mut Gathered,
) -> std::io::Result<()> {
    let system = &simulation.system;
    let n = simulation.n_last();
    for k in 0..n {
        let (accepted, step) = (simulation.of_last(k), before + 1 + k as u64);
        gathered.referee.add(step, &accepted, system);
        gathered.impacts.add(&accepted);
        gathered.max_deviation = gathered.max_deviation.max(deviation(&accepted, simulation.may_deviate()));
        warn_of(system, &accepted);
        let written = recorder.step(system, row.filter(|_| k + 1 == n), &accepted)?;
        pictures.step(system, &accepted, written);
    }
    let energy = simulation.energy();
    gathered.energy.r#final = energy;
    gathered.energy.max = gathered.energy.max.max(energy);
    if let Some(row) = row {
        gathered.curve.add(row, simulation.time(), energy, simulation.q());
    }
    Ok(())
}

/// Warns of what deserves attention while the run goes on.
fn warn_of(system: &System, accepted: &Accepted<'_>) {
    for impact in accepted.impacts.iter().filter(|i| i.grew) {
        let (t, change) = (impact.t, impact.energy_change);
        tracing::warn!(
            "the impact at t = {} s added {change:e} J: {}",
            seconds(t),
            bodies(system, &impact.contacts)
        );
    }
    for event in accepted.events.iter().filter(|e| e.kind == ContactEventKind::Zeno) {
        let pair = bodies(system, &[event.contact]);
        tracing::warn!(
            "too many impacts within a step at t = {} s: {pair} has no restitution until it opens",
            seconds(event.t)
        );
    }
}
