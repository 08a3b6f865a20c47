//! Proportional, integral and derivative action towards references, degree of freedom by degree of freedom, until a contact force passes
//! a bound: the guarded move.
//!
//! - `guard`: between which bodies the force is measured, and when it is too much;
//! - `control`: one call, in the letters of the README;
//! - `config`: the options.

mod config;
mod control;
mod guard;

pub use config::Config;

use control::Pid;
use guard::Guard;
use vinci_sdk::prelude::*;
use vinci_sdk::state;

/// Mark of the states of this version.
const MARK: u32 = 1;

/// The controller: options, what it governs, and what it remembers.
#[derive(Debug)]
pub struct GuardedPid {
    pid: Pid,
    guard: Option<Guard>,
    effort: Vec<f64>,
}

impl GuardedPid {
    /// A controller of the efforts that a system names.
    ///
    /// # Errors
    /// Options that cannot be; rotations in space, which have no coordinate; drives, which it does not lead.
    pub fn new(config: Config, system: &SystemView<'_>) -> Result<Self, StageError> {
        config.check().map_err(StageError::bad_option)?;
        if !system.set_points.is_empty() {
            return Err(StageError::unsupported("this controller gives efforts, it leads no drives"));
        }
        let guard = Guard::of(&config, system).map_err(StageError::bad_option)?;
        Ok(Self { pid: Pid::of(config, system)?, guard, effort: Vec::new() })
    }
}

impl Controller for GuardedPid {
    fn control<'s>(&'s mut self, view: &ControlView<'_>) -> Result<Commands<'s>, StageError> {
        let stopped = self.guard.as_mut().is_some_and(|guard| guard.has_stopped(view));
        self.effort.clear();
        if stopped {
            self.effort.resize(self.pid.len(), 0.0);
        } else {
            self.pid.act(view, &mut self.effort);
        }
        Ok(Commands { effort: &self.effort, set_point: &[] })
    }

    fn save_state(&self, bytes: &mut Vec<u8>) {
        let stopped = self.guard.as_ref().is_some_and(Guard::stopped);
        state::save(MARK, &(self.pid.integral(), stopped), bytes);
    }

    fn load_state(&mut self, bytes: &[u8]) -> Result<(), StageError> {
        let who = "vinci.controller.guarded-pid";
        let (integral, stopped): (Vec<f64>, bool) = state::load(MARK, who, bytes)?;
        if !self.pid.remember(integral) {
            return Err(state::foreign(who, bytes));
        }
        self.guard.iter_mut().for_each(|guard| guard.set_stopped(stopped));
        Ok(())
    }
}

impl ControllerPlugin for GuardedPid {
    fn manifest() -> Manifest {
        Manifest::new("vinci.controller.guarded-pid", Role::Controller, env!("CARGO_PKG_VERSION"))
            .title("PID towards references, until a contact force passes a bound")
            .licence("MIT OR Apache-2.0")
            .citation("Will & Grossman 1975, IEEE Transactions on Computers C-24:879 (the guarded move)")
            .citation("Åström & Hägglund 1995, PID Controllers: Theory, Design, and Tuning (conditional integration)")
            .capabilities(&["efforts"])
            .options::<Config>()
    }

    fn create(options: &str, system: &SystemView<'_>) -> Result<Self, StageError> {
        Self::new(parse_options(options)?, system)
    }
}

vinci_sdk::export_plugin!(controller = GuardedPid);
