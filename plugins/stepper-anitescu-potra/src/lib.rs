//! The Anitescu-Potra time-stepper: contact on the level of velocities, Coulomb friction by a pyramid or a cone.
//!
//! Every step is one complementarity problem in which *closed contacts do not approach*. Without prescribed
//! motion it has a solution for every step size and every friction cone. Gaps themselves are not looked at: a contact that
//! closes within a step is noticed at the next one, with the penetration it has by then, unless the host locates events.
//! Where a closed contact with restitution approaches, an impact comes first, by itself.
//!
//! - the options are in [`config`];
//! - the normal row is in [`formulate`] (the rest is `vinci_core::rigid`, shared by all rigid steppers);
//! - the way back is in [`update`].
//!
//! Paper: M. Anitescu and F. A. Potra, Nonlinear Dynamics 14 (1997) 231; motion models as in S. Berard et al., ICRA 2007
//! (dVC). See README.md for the formulas and the departures.

pub mod config;
pub mod formulate;
pub mod update;

use config::Config;
use vinci_sdk::core::rigid::{Impacts, RigidStep};
use vinci_sdk::prelude::*;
use vinci_sdk::rigid::impact_friction;

/// The stepper. It keeps nothing between steps but memory.
#[derive(Debug)]
pub struct AnitescuPotra {
    config: Config,
    rigid: RigidStep,
    impacts: Impacts,
}

impl Stepper for AnitescuPotra {
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

impl StepperPlugin for AnitescuPotra {
    fn manifest() -> Manifest {
        Manifest::new("vinci.stepper.anitescu-potra", Role::Stepper, env!("CARGO_PKG_VERSION"))
            .title("Anitescu-Potra: velocity-level contact, Coulomb friction")
            .citation("M. Anitescu, F. A. Potra, Nonlinear Dynamics 14 (1997) 231-247")
            .classes(&[ProblemClass::Mlcp, ProblemClass::Cone])
            .capabilities(&["dynamic", "first-order", "quasi-static", "quasi-dynamic", "supports"])
            .declares(&[
                "law=velocity",
                "contact-tolerance=@contact_tolerance",
                "motion=@motion",
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
        let rigid = RigidStep::new(config.motion.into(), law, system.space)
            .undetermined(config.undetermined.into(), system);
        let friction = impact_friction(config.impact_law, law, config.friction_directions, system);
        let impacts = Impacts::new(config.impact_rule(), friction, system.space);
        Ok(Self { config, rigid, impacts })
    }
}

vinci_sdk::export_plugin!(stepper = AnitescuPotra);
