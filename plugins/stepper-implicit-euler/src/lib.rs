//! Implicit Euler for multibody systems with compliant contact and regularised friction: the integrator that TAMSI is
//! measured against.
//!
//! r(x) = x − x_0 − h f(t + h, x) = 0 for x = (q, v) by Newton's method. Every evaluation of f is the host's: masses, forces,
//! drives and *contacts detected anew* at the place asked for ([`Verdict::Evaluate`]). The linear systems are solved here, and the
//! problems this stepper emits are empty: see README.md for why.
//!
//! - the options are in [`config`];
//! - `forces` has f, `mass` M⁻¹, `derivative` ∂f/∂x by differences;
//! - `newton` is the iteration, `control` the step size;
//! - what is refused and emitted is in [`formulate`], the stages of a step in [`update`], what outlasts it in `state`.
//!
//! After A. M. Castro, A. Qu, N. Kuppuswamy, A. Alspach and M. Sherman, IEEE Robotics and Automation Letters 5 (2020) 1859,
//! section III, and E. Hairer and G. Wanner, *Solving Ordinary Differential Equations II*, section IV.8.

pub mod config;
mod control;
mod derivative;
mod forces;
pub mod formulate;
mod mass;
mod newton;
mod progress;
mod state;
pub mod update;

use config::Config;
use vinci_sdk::prelude::*;

/// The stepper. Between steps it keeps a derivative, the step size and perhaps the second half of a doubled step.
#[derive(Debug)]
pub struct ImplicitEuler {
    config: Config,
    /// Names of the bodies, and of those that move, for messages.
    names: [Vec<String>; 2],
    empty: formulate::Empty,
    masses: mass::Masses,
    forces: forces::Forces,
    newton: newton::Newton,
    control: control::Control,
    progress: progress::StepProgress,
    report: progress::StepReport,
    /// The second half of a doubled step whose first half was accepted; the same before that.
    pending: Option<progress::Half>,
    after: Option<progress::Half>,
    /// True if a step is under way.
    begun: bool,
}

impl Stepper for ImplicitEuler {
    fn formulate<'s>(&'s mut self, step: &StepView<'_>) -> Result<Problem<'s>, StageError> {
        formulate::check(step, &self.names)?;
        Ok(self.empty.problem(step))
    }

    fn update<'s>(
        &'s mut self,
        step: &StepView<'_>,
        solution: &Solution<'_>,
    ) -> Result<Update<'s>, StageError> {
        self.advance(step, solution)
    }

    fn save_state(&self, bytes: &mut Vec<u8>) {
        self.save(bytes);
    }

    fn load_state(&mut self, bytes: &[u8]) -> Result<(), StageError> {
        self.load(bytes)
    }
}

impl StepperPlugin for ImplicitEuler {
    fn manifest() -> Manifest {
        Manifest::new("vinci.stepper.implicit-euler", Role::Stepper, env!("CARGO_PKG_VERSION"))
            .title("Implicit Euler: compliant contact detected within the iteration, regularised friction")
            .citation(
                "A. M. Castro, A. Qu, N. Kuppuswamy, A. Alspach, M. Sherman, IEEE Robotics and Automation Letters 5 (2020) \
                 1859-1866",
            )
            .citation("E. Hairer, G. Wanner, Solving Ordinary Differential Equations II, 2nd ed., Springer 1996, IV.8")
            .classes(&[ProblemClass::Mlcp, ProblemClass::Root])
            .capabilities(&["dynamic", "supports", "compliant", "needs-stiffness"])
            .declares(&["law=regularized", "coupling=end", "friction-curve=@law", "stiction-velocity=@stiction_velocity"])
            .reads(&["stiffness", "dissipation"])
            .ignores(&["restitution", "damping"])
            .reinterprets(&[
                "friction: regularised, in full above {stiction_velocity} m/s only: what sticks creeps",
            ])
            .refuses(&["joint-friction", "joint-limits"])
            .options::<Config>()
    }

    fn create(options: &str, system: &SystemView<'_>) -> Result<Self, StageError> {
        let config = Config::parse(options)?;
        let moving = system.body_names.iter().zip(system.is_static).filter(|(_, still)| **still == 0);
        let names = [
            system.body_names.iter().map(|name| (*name).to_owned()).collect(),
            moving.map(|(name, _)| (*name).to_owned()).collect(),
        ];
        let (masses, control, progress, report) = Default::default();
        Ok(Self {
            names,
            empty: formulate::Empty::new(system),
            masses,
            forces: forces::Forces::new(config.friction()),
            newton: newton::Newton::new(&config),
            control,
            progress,
            report,
            pending: None,
            after: None,
            begun: false,
            config,
        })
    }
}

vinci_sdk::export_plugin!(stepper = ImplicitEuler);
