//! The Stewart-Trinkle time-stepper: contact on the level of positions, Coulomb friction by a pyramid or a cone.
//!
//! Every step is one complementarity problem in which the *linearised gaps at the end of the step* are non-negative. Impacts happen
//! inside the step, no event needs to be located, and the set of contacts may be any superset of those that close.
//! For gaps ψ ≥ 0 and no prescribed motion the problem has a solution for every step size.
//!
//! - the options are in [`config`];
//! - the normal row is in [`formulate`] (the rest is `vinci_core::rigid`, shared by all rigid steppers);
//! - the way back is in [`update`].
//!
//! Papers: D. E. Stewart and J. C. Trinkle, Int. J. Numer. Meth. Engng 39 (1996) 2673; motion models as in S. Berard et
//! al., ICRA 2007 (dVC); the first-order model is B. Gavrea's quasi-static MLCP (3.1). See README.md for the formulas
//! and the departures.

pub mod config;
pub mod formulate;
pub mod update;

use config::Config;
use vinci_sdk::core::rigid::RigidStep;
use vinci_sdk::prelude::*;

/// The stepper. It keeps nothing between steps but memory.
#[derive(Debug)]
pub struct StewartTrinkle {
    config: Config,
    rigid: RigidStep,
}

impl Stepper for StewartTrinkle {
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

impl StepperPlugin for StewartTrinkle {
    fn manifest() -> Manifest {
        Manifest::new("vinci.stepper.stewart-trinkle", Role::Stepper, env!("CARGO_PKG_VERSION"))
            .title("Stewart-Trinkle: position-level contact, Coulomb friction")
            .citation("D. E. Stewart, J. C. Trinkle, Int. J. Numer. Meth. Engng 39 (1996) 2673-2691")
            .classes(&[ProblemClass::Mlcp, ProblemClass::Cone])
            .capabilities(&[
                "dynamic",
                "first-order",
                "quasi-static",
                "quasi-dynamic",
                "supports",
                "or-groups",
                "sees-failures",
            ])
            .declares(&[
                "motion=@motion",
                "polygon=@friction_directions",
                "restitution-threshold=@restitution_threshold",
                "resting-gap=@resting_gap",
                "compliance=@compliance",
            ])
            .reads(&["friction", "restitution", "joint-friction", "joint-limits"])
            .ignores(&["stiffness", "damping", "dissipation"])
            .options::<Config>()
    }

    fn create(options: &str, system: &SystemView<'_>) -> Result<Self, StageError> {
        let config = Config::parse(options)?;
        let law = config.friction.law(config.friction_directions, system);
        let rigid = RigidStep::new(config.motion.into(), law, system.space)
            .undetermined(config.undetermined.into(), system)
            .relaxed(config.compliance);
        Ok(Self { config, rigid })
    }
}

vinci_sdk::export_plugin!(stepper = StewartTrinkle);
