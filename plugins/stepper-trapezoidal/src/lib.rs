//! A linearly implicit trapezoidal time-stepper: second order between events, one complementarity problem per step.
//!
//! Forces act as their mean over the step, springs and dampers linearised once; closed contacts do not approach; positions
//! move with the mean velocity. Stiff springs act as rigid links at any step size. Impacts are separate: a closed
//! contact that approaches is resolved by Poisson's law before the step (the host locates collisions,
//! `"events": "backup"`).
//!
//! - the options are in [`config`];
//! - the balance and the normal row are in [`formulate`] (the rest is `vinci_core::rigid`); which contacts leave in `leaving`;
//! - the way back, with q⁺, is in [`update`].
//!
//! After F. A. Potra, M. Anitescu, B. Gavrea and J. Trinkle, Int. J. Numer. Meth. Engng 66 (2006) 1079, derived anew: see
//! README.md for the derivation, the formulas and the limits.

pub mod config;
pub mod formulate;
mod leaving;
pub mod update;

use config::Config;
use leaving::Leaving;
use vinci_sdk::core::rigid::{Impacts, RigidStep};
use vinci_sdk::prelude::*;
use vinci_sdk::rigid::impact_friction;

/// The stepper. It keeps nothing between steps but memory.
#[derive(Debug)]
pub struct Trapezoidal {
    config: Config,
    rigid: RigidStep,
    impacts: Impacts,
    /// Names of the moving bodies, for messages.
    names: Vec<String>,
    /// Zeros: every block follows the trapezoidal rule.
    default_motion: Vec<u8>,
    mean: Vec<f64>,
    q: Vec<f64>,
    leaving: Leaving,
}

impl Stepper for Trapezoidal {
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
}

impl StepperPlugin for Trapezoidal {
    fn manifest() -> Manifest {
        Manifest::new("vinci.stepper.trapezoidal", Role::Stepper, env!("CARGO_PKG_VERSION"))
            .title("Linearly implicit trapezoidal: second order between events")
            .citation(
                "F. A. Potra, M. Anitescu, B. Gavrea, J. Trinkle, Int. J. Numer. Meth. Engng 66 (2006) 1079-1124",
            )
            .classes(&[ProblemClass::Mlcp, ProblemClass::Cone])
            .capabilities(&["dynamic", "supports", "order-2", "drive-speeds"])
            .declares(&[
                "law=velocity",
                "contact-tolerance=@contact_tolerance",
                "motion=trapezoidal",
                "own-positions=0.5",
                "polygon=@friction_directions",
                "restitution-threshold=@restitution_threshold",
                "impact-law=@impact_law",
            ])
            .reads(&["friction", "restitution", "joint-friction", "joint-limits"])
            .ignores(&["stiffness", "damping", "dissipation"])
            .options::<Config>()
    }

    fn create(options: &str, system: &SystemView<'_>) -> Result<Self, StageError> {
        let config = Config::parse(options)?;
        let law = config.friction.law(config.friction_directions, system);
        let rigid = RigidStep::new(MotionModel::Trapezoidal, law, system.space);
        let friction = impact_friction(config.impact_law, law, config.friction_directions, system);
        let impacts = Impacts::new(config.impact_rule(), friction, system.space);
        let moving = system.body_names.iter().zip(system.is_static).filter(|(_, still)| **still == 0);
        let names = moving.map(|(name, _)| (*name).to_owned()).collect();
        Ok(Self {
            config,
            rigid,
            impacts,
            names,
            default_motion: Vec::new(),
            mean: Vec::new(),
            q: Vec::new(),
            leaving: Leaving::default(),
        })
    }
}

vinci_sdk::export_plugin!(stepper = Trapezoidal);
