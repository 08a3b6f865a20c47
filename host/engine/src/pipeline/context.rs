//! One place in time, and everything that a step is formulated from there: commands, forces, masses, contacts and rows.
//!
//! A step begins in one context. A stepper that wants an evaluation at another time or place gets another context; the one
//! of the start stays as it is.

use vinci_core::contact::{ContactBuf, ContactError, RawContacts};
use vinci_core::geometry::Patches;
use vinci_core::lists::copy;
use vinci_core::model::{
    Applied, Dynamics, Foresight, Frames, Gyroscopic, JointRows, Method, RowStep, SupportBuf, System,
};
use vinci_core::stage::{DetectQuery, StepView, Supports};
use vinci_core::state::integrate;

use super::codes::Codes;
use super::failure::StepFailure;
use super::refinement::Refinement;
use super::settings::Settings;
use super::state::State;
use super::step_control::EventLocation;
use super::zeno_guard::ZenoGuard;
use crate::control::{Controllers, When};
use crate::drives::{Drives, StepEnd};

/// Everything that contexts are evaluated with: the system, what acts on it, and the settings.
pub(super) struct World<'a> {
    pub(super) system: &'a System,
    pub(super) drives: &'a Drives,
    pub(super) controllers: &'a mut Controllers,
    pub(super) settings: &'a Settings,
    pub(super) codes: &'a Codes,
}

/// One place in time. Keeps its memory from step to step.
#[derive(Default)]
pub(super) struct StepContext {
    /// Time, s.
    pub(super) t: f64,
    /// Positions, nq.
    pub(super) q: Vec<f64>,
    /// Velocities, nv.
    pub(super) v: Vec<f64>,
    /// Contacts without restitution.
    pub(super) guard: ZenoGuard,
    /// Velocities that drives command over the step, nv.
    pub(super) command: Vec<f64>,
    /// Velocities of driven dofs at the end of the step, nv, or empty.
    pub(super) drive_speed: Vec<f64>,
    /// Forces of drives and controllers, nv.
    pub(super) applied: Vec<f64>,
    pub(super) frames: Frames,
    pub(super) dynamics: Dynamics,
    /// Distance per body within which contacts are looked for, m.
    pub(super) margin: Vec<f64>,
    pub(super) contacts: ContactBuf,
    /// Nodes of bodies that meet in patches.
    patches: Patches,
    /// Part of the distances that turning has, m.
    turning: Vec<f64>,
    pub(super) supports: SupportBuf,
    pub(super) joints: JointRows,
    joints_middle: JointRows,
    joints_end: JointRows,
    foresight: Foresight,
    /// Where the stepper wanted contacts, if not at `q`.
    q_contacts: Vec<f64>,
    is_redetected: bool,
    ahead: Ahead,
}

/// Scratch for positions later in the step, reached with constant velocities.
#[derive(Default)]
struct Ahead {
    q: Vec<f64>,
    frames: Frames,
    force: Vec<f64>,
}

impl StepContext {
    pub(super) fn new(system: &System, settings: &Settings) -> Self {
        let zeros = || vec![0.0; system.nv()];
        let mut context = Self { command: zeros(), applied: zeros(), ..Self::default() };
        context.contacts.first_tangent = settings.first_tangent;
        context.contacts.single = !settings.or_groups;
        context.patches = Patches::new(system);
        context
    }

    /// Stands where the state stands.
    pub(super) fn stand_at(&mut self, state: &State) {
        self.t = state.t;
        copy(&mut self.q, &state.q);
        copy(&mut self.v, &state.v);
        self.guard.assign(&state.guard);
        self.is_redetected = false;
    }

    /// Stands at the time, positions and velocities that the stepper asked for.
    pub(super) fn stand_elsewhere(&mut self, t: f64, q: &[f64], v: &[f64]) {
        self.t = t;
        copy(&mut self.q, q);
        copy(&mut self.v, v);
        self.is_redetected = false;
    }

    /// Gives driven dofs the velocities that their drives have now, where the stepper asks for them: after a kink another
    /// one than the last step ended with.
    pub(super) fn set_driven_velocities(&mut self, world: &World<'_>, h: f64) -> Result<(), StepFailure> {
        if !world.settings.drive_speeds {
            return Ok(());
        }
        let speed = &mut self.drive_speed;
        speed.resize(self.v.len(), 0.0);
        world.drives.speeds(world.system, StepEnd::start(self.t, h), speed)?;
        for i in (0..self.v.len()).filter(|i| world.codes.is_prescribed(*i)) {
            self.v[i] = speed[i];
        }
        Ok(())
    }

    /// Commands, forces, masses and active distances at the start of a step of h. Controllers act.
    pub(super) fn prepare(&mut self, world: &mut World<'_>, h: f64) -> Result<(), StepFailure> {
        let World { system, drives, settings, .. } = *world;
        drives.commands(system, self.t, h, &self.q, &mut self.command)?;
        if settings.drive_speeds {
            self.drive_speed.resize(self.v.len(), 0.0);
            drives.speeds(system, StepEnd::end(self.t, h), &mut self.drive_speed)?;
        }
        self.place(world)?;
        if !world.controllers.is_empty() {
            let reference = if settings.second_order { self.t } else { self.t + h };
            let when = When { t: self.t, reference };
            world.controllers.act(system, &mut self.frames, when, &self.q, &self.v)?;
        }
        self.evaluate(world, settings.gyroscopic, h)
    }

    /// Forces, masses and active distances elsewhere in a step of h from `start`. Commands are those of the step, and
    /// controllers hold what they did at its start, but for implicit gains.
    pub(super) fn prepare_elsewhere(
        &mut self,
        world: &mut World<'_>,
        start: &Self,
        h: f64,
    ) -> Result<(), StepFailure> {
        copy(&mut self.command, &start.command);
        copy(&mut self.drive_speed, &start.drive_speed);
        self.guard.assign(&start.guard);
        self.place(world)?;
        if !world.controllers.is_empty() {
            world.controllers.look_again(self.t, &self.q, &self.v)?;
        }
        // A torque that looks ahead over the step belongs to the step's start.
        let gyroscopic = match world.settings.gyroscopic {
            Gyroscopic::Implicit if self.differs(start) => Gyroscopic::Explicit,
            asked => asked,
        };
        self.evaluate(world, gyroscopic, h)
    }

    /// Returns true if positions or velocities are others.
    pub(super) fn differs(&self, other: &Self) -> bool {
        self.q != other.q || self.v != other.v
    }

    /// Frames, and forces of drives.
    fn place(&mut self, world: &World<'_>) -> Result<(), StepFailure> {
        self.applied.fill(0.0);
        world.system.place(&self.q, &mut self.frames);
        Ok(world.drives.add_forces(world.system, self.t, &self.q, &self.v, &mut self.applied)?)
    }

    /// Masses, forces, active distances and rows of joints, with what drives and controllers do.
    fn evaluate(&mut self, world: &World<'_>, gyroscopic: Gyroscopic, h: f64) -> Result<(), StepFailure> {
        let World { system, controllers, settings, codes, .. } = world;
        if !controllers.is_empty() {
            let force = controllers.applied().force;
            self.applied.iter_mut().zip(force).for_each(|(sum, more)| *sum += more);
        }
        let Settings { second_order, control, margin, .. } = **settings;
        let method = Method { gyroscopic, h, second_order };
        let applied = Applied { force: &self.applied, ..controllers.applied() };
        system.evaluate(&self.q, &self.v, &mut self.frames, &applied, method, &mut self.dynamics);
        let driven = (self.command.as_slice(), codes.role.as_slice());
        self.foresight.look((system, &self.frames), &self.v, driven, &self.dynamics, h);
        // Contacts that count as closed are looked at even where the step is next to nothing.
        let closed = if control.events == EventLocation::None { 0.0 } else { 10.0 * control.event_tolerance };
        let extra = margin.max(closed);
        let speed = &self.foresight.v;
        system.active_margins(speed, &mut self.frames, &self.dynamics, h, extra, &mut self.margin);
        if !self.margin.iter().all(|margin| margin.is_finite()) {
            return Err(StepFailure::too_large(system, &self.applied));
        }
        if !system.materials.patches.is_empty() {
            system.turning(speed, h, &mut self.turning);
        }
        // A part of a grid step takes back its part of a joint's distance: all of it in a moment would be a blow.
        let rows = RowStep { q: &self.q, speed, h, grid: h.max(settings.step), returns: !second_order };
        self.joints.fill(system, &self.frames, &rows);
        if second_order { self.look_forward(world, h) } else { Ok(()) }
    }

    /// Evaluates what a stepper of second order gets: rates of forces, joints at the middle and at the end of the step.
    fn look_forward(&mut self, world: &World<'_>, h: f64) -> Result<(), StepFailure> {
        let World { system, drives, controllers, .. } = world;
        let Ahead { q, frames, force } = &mut self.ahead;
        q.resize(self.q.len(), 0.0);
        integrate(&system.layout(), &self.q, &self.v, 0.5 * h, q);
        let rows = RowStep { q: &self.q, speed: &self.foresight.v, h, grid: h, returns: false };
        system.place(q, frames);
        self.joints_middle.fill(system, frames, &rows);
        integrate(&system.layout(), &self.q, &self.v, h, q);
        system.place(q, frames);
        self.joints_end.fill(system, frames, &rows);
        force.clear();
        force.resize(self.v.len(), 0.0);
        drives.add_forces(system, self.t + h, q, &self.v, force)?;
        controllers.add_later(self.t + h, &self.q, &self.v, force)?;
        let change = force.iter().zip(&self.applied).map(|(later, now)| (later - now) / h);
        self.dynamics.force_rate.iter_mut().zip(change).for_each(|(rate, more)| *rate += more);
        Ok(())
    }

    /// Query of the detector here.
    pub(super) fn query(&self) -> DetectQuery<'_> {
        DetectQuery { t: self.t, pose: self.frames.poses(), margin: &self.margin }
    }

    /// Contacts that the detector found at other poses, with nodes where bodies meet in patches.
    pub(super) fn with_nodes<'a>(
        &'a mut self,
        system: &System,
        poses: &[f64],
        raw: &'a RawContacts<'a>,
    ) -> Result<RawContacts<'a>, ContactError> {
        Ok(self.patches.refine(system, (poses, &self.margin), &self.turning, raw)?.0)
    }

    /// Contacts that the detector found, with nodes where bodies meet in patches, and the sides of the squares that those stand for, m.
    pub(super) fn nodes<'a>(
        &'a mut self,
        system: &System,
        raw: &'a RawContacts<'a>,
    ) -> Result<(RawContacts<'a>, &'a [f64]), ContactError> {
        self.patches.refine(system, (self.frames.poses(), &self.margin), &self.turning, raw)
    }

    /// Contact kinematics of what the detector found, with nodes where bodies meet in patches: gaps, bases, Jacobians, impulses of the last step.
    pub(super) fn fill_contacts(
        &mut self,
        system: &System,
        raw: &RawContacts<'_>,
        state: &State,
    ) -> Result<(), ContactError> {
        let nodes = self.patches.refine(system, (self.frames.poses(), &self.margin), &self.turning, raw)?;
        self.contacts.fill_nodes(system, &self.frames, &self.v, (&nodes.0, nodes.1), &state.memory)?;
        self.act_on_contacts(system, state);
        Ok(())
    }

    /// Contact kinematics of nodes that are known.
    pub(super) fn fill_nodes(
        &mut self,
        system: &System,
        (nodes, cell): (RawContacts<'_>, &[f64]),
        state: &State,
    ) -> Result<(), ContactError> {
        self.contacts.fill_nodes(system, &self.frames, &self.v, (&nodes, cell), &state.memory)?;
        self.act_on_contacts(system, state);
        Ok(())
    }

    /// Contact kinematics that a context with the same positions, velocities and memory has, of another system without patches.
    pub(super) fn copy_contacts(&mut self, system: &System, from: &ContactBuf, state: &State) {
        self.contacts.copy_from(from, system);
        self.act_on_contacts(system, state);
    }

    /// Contacts without restitution, and the support points.
    fn act_on_contacts(&mut self, system: &System, state: &State) {
        self.guard.apply(&mut self.contacts);
        if !system.supports.is_empty() {
            self.supports.fill(system, &self.frames);
            copy(&mut self.supports.last_impulse, &state.support_impulse);
        }
    }

    /// The next contacts are those of the configuration q.
    pub(super) fn redetect_at(&mut self, system: &System, q: &[f64]) {
        copy(&mut self.q_contacts, q);
        self.is_redetected = true;
        system.place(&self.q_contacts, &mut self.frames);
    }

    /// The next contacts are those of the positions here, within wider distances: bodies moved with v for h. False where the
    /// distances are wide enough.
    pub(super) fn widen(&mut self, system: &System, v: &[f64], h: f64) -> bool {
        let widened = system.widen_margins(v, &mut self.frames, h, &mut self.margin);
        if widened {
            system.place(&self.q, &mut self.frames);
        }
        widened
    }

    /// Where contacts are taken, if the stepper wanted them elsewhere than here.
    pub(super) fn redetected(&self) -> Option<&[f64]> {
        self.is_redetected.then_some(&self.q_contacts)
    }

    /// View that a stepper gets of this place in a step of h.
    pub(super) fn view<'a>(
        &'a self,
        system: &'a System,
        codes: &'a Codes,
        tolerance: f64,
        round: Round,
        h: f64,
    ) -> StepView<'a> {
        let (layout, dynamics) = (system.layout(), &self.dynamics);
        StepView {
            step: round.step,
            pass: round.pass,
            attempt: round.attempt,
            t: self.t,
            h,
            space: system.space,
            tolerance,
            q: &self.q,
            v: &self.v,
            block_start: layout.block_start,
            q_start: layout.q_start,
            block_kind: layout.block_kind,
            quaternion: layout.quaternion,
            motion: &codes.motion,
            mass: &dynamics.mass,
            drag: &dynamics.drag,
            force: &dynamics.force,
            bias: &dynamics.bias,
            stiffness: dynamics.stiffness.view(),
            viscosity: dynamics.viscosity.view(),
            role: &codes.role,
            command: &self.command,
            impedance: &codes.impedance,
            contacts: self.contacts.view(),
            rows: self.joints.view(),
            rows_middle: self.joints_middle.view().jacobian,
            rows_end: self.joints_end.view().jacobian,
            supports: if system.supports.is_empty() { Supports::default() } else { self.supports.view() },
            force_rate: &dynamics.force_rate,
            drive_speed: &self.drive_speed,
        }
    }
}

/// How often a stepper has been asked.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Round {
    /// Number of the step.
    pub(super) step: u64,
    /// Attempt at the step.
    pub(super) attempt: u32,
    /// Round of the attempt.
    pub(super) pass: u32,
    /// How exactly it is solved.
    pub(super) refinement: Refinement,
}
