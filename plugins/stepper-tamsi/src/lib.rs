//! TAMSI, the transition-aware modified semi-implicit time-stepper: compliant contact with regularised friction.
//!
//! Forces are functions of the velocities at the end of the step, geometry is frozen at its start:
//!
//! r(v) = A v − b − h J_nᵀ π(J_n v) − h J_tᵀ f_t(J_t v, π) = 0,
//!
//! a root problem whose Newton updates are limited so that no contact passes over stiction.
//!
//! - [`config`]: the options;
//! - `elements`: contacts, support points and friction rows as force laws; `hard`: rows that keep their impulse;
//! - `balance`: r, its Jacobian and the limiter, called back by the solver; `pattern`: where the Jacobian's entries stand;
//! - `control`: halves steps that do not converge;
//! - [`formulate`] and [`update`]: there and back.
//!
//! The laws are core's ([`vinci_sdk::core::regularized`]). README.md has the formulas, the guarantees and the limits.
//!
//! Paper: A. M. Castro, A. Qu, N. Kuppuswamy, A. Alspach, M. Sherman, IEEE Robotics and Automation Letters 5 (2020) 1859.

mod answer;
mod balance;
pub mod config;
mod control;
mod elements;
mod entry_layout;
pub mod formulate;
mod hard;
mod pattern;
mod products;
mod rates;
pub mod update;

use balance::Balance;
use config::Config;
use control::Control;
use elements::Elements;
use vinci_sdk::core::momentum::Momentum;
use vinci_sdk::prelude::*;

/// The stepper. Between steps it keeps how far steps are halved.
#[derive(Debug)]
pub struct Tamsi {
    config: Config,
    momentum: Momentum,
    balance: Balance,
    control: Control,
    /// Place of every contact among the elements, or [`formulate::LEFT_OUT`].
    place: Vec<u32>,
    /// Names of all bodies, and of the moving ones, for messages.
    names: Vec<String>,
    moving: Vec<String>,
    /// Step of the problem formulated last, s.
    h: f64,
    /// Shorter step the host is asked to try, s, or 0.
    retry: f64,
    /// Reason why the last step was given up.
    reason: String,
    /// True if the problem formulated last only asks for forces at the end of the step.
    asks: bool,
    out: answer::Out,
}

impl Stepper for Tamsi {
    fn formulate<'s>(&'s mut self, step: &StepView<'_>) -> Result<Problem<'s>, StageError> {
        self.assemble(step)
    }

    fn update<'s>(
        &'s mut self,
        step: &StepView<'_>,
        solution: &Solution<'_>,
    ) -> Result<Update<'s>, StageError> {
        self.advance(step, solution)
    }

    fn save_state(&self, bytes: &mut Vec<u8>) {
        self.control.save(bytes);
    }

    fn load_state(&mut self, bytes: &[u8]) -> Result<(), StageError> {
        self.control = Control::load(bytes)?;
        Ok(())
    }
}

impl StepperPlugin for Tamsi {
    fn manifest() -> Manifest {
        Manifest::new("vinci.stepper.tamsi", Role::Stepper, env!("CARGO_PKG_VERSION"))
            .title("TAMSI: compliant contact with regularised friction, semi-implicit")
            .citation(
                "A. M. Castro, A. Qu, N. Kuppuswamy, A. Alspach, M. Sherman, IEEE Robotics and Automation Letters 5 (2020) \
                 1859-1866",
            )
            .classes(&[ProblemClass::Root])
            .capabilities(&[
                "dynamic",
                "first-order",
                "quasi-dynamic",
                "supports",
                "compliant",
                "needs-stiffness",
                "sees-failures",
            ])
            .declares(&["law=regularized", "coupling=@coupling", "friction-curve=@law", "norm=@norm", "stiction-velocity=@stiction_velocity"])
            .reads(&["stiffness", "dissipation", "joint-limits"])
            .ignores(&["restitution", "damping"])
            .reinterprets(&[
                "friction where coupling=one-way: regularised, in full above {stiction_velocity} m/s only, and of the normal \
                 forces at the start of the step",
                "friction: regularised, in full above {stiction_velocity} m/s only: what sticks creeps",
                "joint-friction: regularised, in full above {stiction_velocity} rad/s or m/s only: what sticks creeps",
            ])
            .options::<Config>()
    }

    fn create(options: &str, system: &SystemView<'_>) -> Result<Self, StageError> {
        let config = Config::parse(options)?;
        let elements = Elements::new(config.friction());
        let small = config.stiction_tolerance * config.stiction_velocity;
        let moves = |(name, still): (&&str, &u8)| (*still == 0).then(|| (*name).to_owned());
        Ok(Self {
            balance: Balance::new(elements, config.search(), small),
            names: system.body_names.iter().map(|name| (*name).to_owned()).collect(),
            moving: system.body_names.iter().zip(system.is_static).filter_map(moves).collect(),
            config,
            momentum: Momentum::default(),
            control: Control::default(),
            place: Vec::new(),
            h: 0.0,
            retry: 0.0,
            reason: String::new(),
            asks: false,
            out: answer::Out::default(),
        })
    }
}

vinci_sdk::export_plugin!(stepper = Tamsi);
