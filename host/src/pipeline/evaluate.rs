//! What a step is formulated from: commands, forces, masses, contacts and rows at a place, and what controllers do.

use std::time::Instant;

use vinci_core::contact::RawContacts;
use vinci_core::geometry::DetectorReport;
use vinci_core::model::{Applied, DofRole, Gyroscopic, Method, RowStep};
use vinci_core::referee::{Criterion, Findings};
use vinci_core::stage::DetectQuery;
use vinci_core::state::integrate;

use super::outcome::{StepFailure, Who};
use super::step::{copy, stage};
use super::{Events, Settings, Simulation, Stage};
use crate::control::When;
use crate::drives::StepEnd;

/// A look at a detector's answer as findings; places are pairs of shapes.
fn findings(report: &DetectorReport, raw: &RawContacts<'_>, n_shapes: usize) -> Findings {
    let mut found = Findings::default();
    let pair = |contact: u32| {
        let key = raw.key.get(contact as usize).copied().unwrap_or_default();
        key.shape_a as usize * n_shapes + key.shape_b as usize
    };
    for amount in [report.unit, report.gap, report.surface] {
        found.take(Criterion::Detected, amount.value, pair(amount.contact));
    }
    found.take(Criterion::Normal, report.normal.value, pair(report.normal.contact));
    for (criterion, fault) in [(Criterion::WrongGap, report.distance), (Criterion::Missed, report.missed)] {
        if let Some(fault) = fault {
            found.take(criterion, fault.share, fault.shape_a as usize * n_shapes + fault.shape_b as usize);
        }
    }
    found
}

impl Simulation {
    /// Everything at the time, positions and velocities that the stepper asked for, in the work's `t_at`, `q_at`, `v_at`.
    pub(super) fn evaluate_elsewhere(&mut self, after: f64, h: f64) -> Result<(), StepFailure> {
        self.elsewhere = true;
        self.work.t_at = self.t + after;
        self.swap_place();
        let evaluated = self.evaluate(h).and_then(|()| self.detect_here());
        self.swap_place();
        evaluated
    }

    /// Whether the work stands at other positions or velocities than the step's start.
    pub(super) fn is_moved(&self) -> bool {
        self.elsewhere && (self.q != self.work.q_at || self.v != self.work.v_at)
    }

    fn swap_place(&mut self) {
        let w = &mut self.work;
        std::mem::swap(&mut self.t, &mut w.t_at);
        std::mem::swap(&mut self.q, &mut w.q_at);
        std::mem::swap(&mut self.v, &mut w.v_at);
    }

    /// Drives, forces, masses and active distances at the start of the step.
    pub(super) fn prepare(&mut self, h: f64) -> Result<(), StepFailure> {
        self.drives.commands(&self.system, self.t, h, &self.q, &mut self.work.command)?;
        if self.settings.drive_speeds {
            self.work.drive_speed.resize(self.v.len(), 0.0);
            self.drives.speeds(&self.system, StepEnd::end(self.t, h), &mut self.work.drive_speed)?;
        }
        self.evaluate(h)
    }

    /// Gives driven dofs the velocities that their drives have now, where the stepper asks for them: after a kink another
    /// one than the last step ended with.
    pub(super) fn set_driven_velocities(&mut self, h: f64) -> Result<(), StepFailure> {
        if !self.settings.drive_speeds {
            return Ok(());
        }
        let speed = &mut self.work.drive_speed;
        speed.resize(self.v.len(), 0.0);
        self.drives.speeds(&self.system, StepEnd::start(self.t, h), speed)?;
        let prescribed = |i: &usize| DofRole::from_code(self.work.role[*i]) == DofRole::Prescribed;
        for i in (0..self.v.len()).filter(prescribed) {
            self.v[i] = self.work.drive_speed[i];
        }
        Ok(())
    }

    /// What [`Simulation::prepare`] does, but for the commands.
    fn evaluate(&mut self, h: f64) -> Result<(), StepFailure> {
        let mut mark = Instant::now();
        let moved = self.is_moved();
        let w = &mut self.work;
        w.applied.fill(0.0);
        self.system.place(&self.q, &mut w.frames);
        self.drives.add_forces(&self.system, self.t, &self.q, &self.v, &mut w.applied)?;
        self.ask_controllers(h)?;
        let w = &mut self.work;
        let Settings { gyroscopic, second_order, stepping, margin, .. } = self.settings;
        // A torque that looks ahead over the step belongs to the step's start.
        let gyroscopic = match gyroscopic {
            Gyroscopic::Implicit if moved => Gyroscopic::Explicit,
            asked => asked,
        };
        let method = Method { gyroscopic, h, second_order };
        let applied = Applied { force: &w.applied, ..self.controllers.applied() };
        self.system.evaluate(&self.q, &self.v, &mut w.frames, &applied, method, &mut w.dynamics);
        w.foresight.look(&self.system, &self.v, &w.command, &w.role, &w.dynamics, h);
        // Contacts that count as closed are looked at even where the step is next to nothing.
        let closed = if stepping.events == Events::None { 0.0 } else { 10.0 * stepping.event_tolerance };
        let extra = margin.max(closed);
        self.system.active_margins(&w.foresight.v, &mut w.frames, &w.dynamics, h, extra, &mut w.margin);
        // A piece of a grid step takes back its part of a joint's distance: all of it in a moment would be a blow.
        let rows = RowStep { q: &self.q, speed: &w.foresight.v, h, grid: h.max(self.settings.step) };
        w.joints.fill(&self.system, &w.frames, &rows);
        if second_order {
            self.look_forward(h)?;
        }
        self.timing.lap(Stage::Kinematics, &mut mark);
        Ok(())
    }

    /// Adds what controllers do. Elsewhere within a step they hold what they did at its start, but for implicit gains.
    fn ask_controllers(&mut self, h: f64) -> Result<(), StepFailure> {
        if self.controllers.is_empty() {
            return Ok(());
        }
        if self.elsewhere {
            self.controllers.look_again(self.t, &self.q, &self.v)?;
        } else {
            let reference = if self.settings.second_order { self.t } else { self.t + h };
            let when = When { t: self.t, reference };
            self.controllers.act(&self.system, &mut self.work.frames, when, &self.q, &self.v)?;
        }
        let force = self.controllers.applied().force;
        self.work.applied.iter_mut().zip(force).for_each(|(sum, more)| *sum += more);
        Ok(())
    }

    /// What a stepper of second order gets: rates of forces, joints at the middle and at the end of the step.
    fn look_forward(&mut self, h: f64) -> Result<(), StepFailure> {
        let (w, system) = (&mut self.work, &self.system);
        w.q_query.resize(self.q.len(), 0.0);
        integrate(&system.layout(), &self.q, &self.v, 0.5 * h, &mut w.q_query);
        let rows = RowStep { q: &self.q, speed: &w.foresight.v, h, grid: h };
        system.place(&w.q_query, &mut w.frames_query);
        w.joints_middle.fill(system, &w.frames_query, &rows);
        integrate(&system.layout(), &self.q, &self.v, h, &mut w.q_query);
        system.place(&w.q_query, &mut w.frames_query);
        w.joints_end.fill(system, &w.frames_query, &rows);
        w.later.clear();
        w.later.resize(self.v.len(), 0.0);
        self.drives.add_forces(system, self.t + h, &w.q_query, &self.v, &mut w.later)?;
        self.controllers.add_later(self.t + h, &self.q, &self.v, &mut w.later)?;
        let change = w.later.iter().zip(&w.applied).map(|(later, now)| (later - now) / h);
        w.dynamics.force_rate.iter_mut().zip(change).for_each(|(rate, more)| *rate += more);
        Ok(())
    }

    /// Where the step begins, and whether the one before carried a body across another on the way there.
    pub(super) fn look_back(&mut self) {
        let mut mark = Instant::now();
        let w = &mut self.work;
        w.start.begin(&w.frames, &w.contacts.view(), &w.margin);
        let shapes = self.detector_check.shapes();
        if let Some(passed) = self.passing.end(shapes, &self.system, &w.frames, &self.v, self.h_last) {
            let at = passed.pass.shape_a as usize * self.system.shapes.len() + passed.pass.shape_b as usize;
            w.detected.take(Criterion::Crossing, passed.share(), at);
        }
        self.timing.lap(Stage::Referee, &mut mark);
    }

    pub(super) fn place_here(&mut self) {
        self.system.place(&self.q, &mut self.work.frames);
    }

    /// Detects where the frames stand and computes the kinematics of what is found.
    pub(super) fn detect_here(&mut self) -> Result<(), StepFailure> {
        let mut mark = Instant::now();
        let w = &mut self.work;
        let query = DetectQuery { t: self.t, pose: w.frames.poses(), margin: &w.margin };
        let raw = self.detector.detect(&query).map_err(stage(Who::Detector))?;
        self.timing.lap(Stage::Detect, &mut mark);
        if !self.elsewhere {
            w.detected =
                findings(&self.detector_check.judge(&query, &raw, self.step), &raw, self.system.shapes.len());
            self.timing.lap(Stage::Referee, &mut mark);
        }
        w.contacts.fill(&self.system, &w.frames, &self.v, &raw, &self.memory)?;
        self.guard.apply(&mut w.contacts);
        if !self.system.supports.is_empty() {
            w.supports.fill(&self.system, &w.frames);
            w.supports.last_impulse.clone_from(&self.support_impulse);
        }
        self.timing.lap(Stage::Kinematics, &mut mark);
        Ok(())
    }

    /// What controllers did in the step, as it came out; they remember what they measure.
    pub(super) fn end_control(&mut self, h: f64) -> Result<(), StepFailure> {
        if self.controllers.is_empty() {
            return Ok(());
        }
        let (w, end) = (&mut self.work, self.t + h);
        copy(&mut w.controlled, self.controllers.applied().force);
        let part = match (self.elsewhere, self.settings.second_order) {
            (true, _) => 0.0,
            (_, true) => 0.5,
            _ => 1.0,
        };
        if part == 0.5 {
            w.later.clear();
            w.later.resize(self.v.len(), 0.0);
            self.controllers.add_later(end, &self.q, &self.v, &mut w.later)?;
            w.controlled.iter_mut().zip(&w.later).for_each(|(now, later)| *now = 0.5 * (*now + later));
        }
        self.controllers.add_implicit(part, h, &self.v, &w.v_next, &mut w.controlled);
        Ok(self.controllers.measure(&w.contacts.view(), &w.impulse, h, end)?)
    }
}
