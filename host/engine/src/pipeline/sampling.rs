//! Controllers that are stages, asked where the simulation stands: at a grid time, ahead of the step that begins there.

use std::time::Instant;

use vinci_core::model::{Frames, Space, System};
use vinci_core::stage::ControlView;

use super::failure::{StepFailure, Who, stage};
use super::simulation::Simulation;
use super::timing::Stage;
use crate::control::AskError;

impl Simulation {
    /// Asks the controllers that are due. They see what is there without their own efforts; what they answer holds until they are asked
    /// again, also in steps that are taken back.
    pub(super) fn sample(&mut self) -> Result<(), StepFailure> {
        if !self.controllers.is_due(self.state.grid) {
            return Ok(());
        }
        let mut bytes = Vec::new();
        self.controllers.save_stages(&mut bytes);
        let numbers = self.controllers.state().to_vec();
        let asked = self.ask_controllers();
        if asked.is_err() {
            self.controllers.set_state(&numbers);
            // A stage that panicked takes nothing back; what happened first is what is told.
            if let Err(error) = self.controllers.load_stages(&bytes) {
                tracing::debug!("after a controller that failed: {error}");
            }
        }
        self.controllers.lead(&mut self.drives);
        asked
    }

    fn ask_controllers(&mut self) -> Result<(), StepFailure> {
        self.controllers.rest(true);
        let looked = self.look_around(self.settings.step);
        self.controllers.rest(false);
        looked?;
        let mut mark = Instant::now();
        let Self { system, settings, contexts, controllers, state, twist, timing, .. } = self;
        let start = &mut contexts.start;
        twists(system, &start.v, &mut start.frames, twist);
        let (layout, dynamics) = (system.layout(), &start.dynamics);
        let place = ControlView {
            grid: state.grid,
            t: start.t,
            h: settings.step,
            period: settings.step,
            h_last: state.h_last,
            space: system.space,
            q: &start.q,
            v: &start.v,
            block_start: layout.block_start,
            q_start: layout.q_start,
            block_kind: layout.block_kind,
            quaternion: layout.quaternion,
            pose: start.frames.poses(),
            twist,
            mass: &dynamics.mass,
            force: &dynamics.force,
            bias: &dynamics.bias,
            reference: &[],
            has_reference: &[],
            contacts: start.contacts.view(),
        };
        let asked = controllers.ask(system, &place);
        timing.lap(Stage::Kinematics, &mut mark);
        asked.map_err(|error| match error {
            AskError::Reference(error) => error.into(),
            AskError::Stage(error) => stage(Who::Controller)(error),
        })
    }
}

/// Velocities of all bodies, world axes: of the centre of mass, then angular; planar (vx, vy, ω), spatial six numbers.
fn twists(system: &System, v: &[f64], frames: &mut Frames, out: &mut Vec<f64>) {
    system.set_velocity(v, frames);
    out.clear();
    for body in 0..system.bodies.len() as u32 {
        let (velocity, angular) = system.body_velocity(body, v, frames);
        match system.space {
            Space::Planar => out.extend([velocity.x, velocity.y, angular.z]),
            Space::Spatial => out.extend(velocity.iter().chain(angular.iter())),
        }
    }
}
