//! The lying stepper: Stewart and Trinkle's step over core's own assembly, then the lie.

use vinci_sdk::core::rigid::{RigidStep, Undetermined, gap_rate};
use vinci_sdk::prelude::*;

use crate::balance::Balance;
use crate::claim::Claim;
use crate::config::{Config, DECLARES};
use crate::layered::Layered;
use crate::lies;

/// The stepper.
#[derive(Debug)]
pub struct LyingStepper {
    pub(crate) config: Config,
    rigid: RigidStep,
    claim: Claim,
    /// Velocities at the start of the step, after its impacts: those of a view elsewhere are others.
    start: Vec<f64>,
    ended: Vec<f64>,
    layered: Option<Layered>,
}

impl LyingStepper {
    /// The constant of a normal row, ∞ to leave the contact out.
    fn normal_rate(config: &Config, step: &StepView<'_>, i: usize) -> f64 {
        let contacts = &step.contacts;
        let (psi, e) = (contacts.gap[i], contacts.pair.restitution[i]);
        if let Some(tolerance) = config.closed {
            return if psi <= tolerance { 0.0 } else { f64::INFINITY };
        }
        let nu = gap_rate(step, i);
        let closes = psi + step.h * nu <= 0.0 && nu < -0.01;
        if e > 0.0 && closes { e * nu } else { psi / step.h }
    }
}

impl Stepper for LyingStepper {
    fn formulate<'s>(&'s mut self, step: &StepView<'_>) -> Result<Problem<'s>, StageError> {
        if let Some(layered) = &mut self.layered {
            return layered.formulate(&self.config, step);
        }
        if step.pass == 0 {
            self.start = step.v.to_vec();
        }
        let view = StepView { v: &self.start, ..*step };
        let config = &self.config;
        self.rigid.formulate(&view, |_, i| Self::normal_rate(config, &view, i))
    }

    fn update<'s>(
        &'s mut self,
        step: &StepView<'_>,
        solution: &Solution<'_>,
    ) -> Result<Update<'s>, StageError> {
        if let Some(layered) = &mut self.layered {
            return layered.update(step, solution);
        }
        self.claim = Claim::of(&self.rigid.update(step, solution)?);
        if self.config.lies_at(step.step) && self.claim.verdict == Verdict::Accept {
            let mut balance = Balance::new(self.rigid.momentum())?;
            let rates: Vec<f64> =
                (0..step.contacts.len()).map(|i| Self::normal_rate(&self.config, step, i)).collect();
            lies::tell(&self.config, step, &rates, &mut balance, (&mut self.claim, &mut self.ended));
        }
        if self.claim.verdict == Verdict::Impact {
            self.start.clone_from(&self.claim.v);
        }
        Ok(self.claim.view())
    }
}

impl StepperPlugin for LyingStepper {
    fn manifest() -> Manifest {
        Manifest::new("test.stepper.liar", Role::Stepper, env!("CARGO_PKG_VERSION"))
            .title("Lies on demand")
            .classes(&[ProblemClass::Mlcp, ProblemClass::Cone])
            .capabilities(&["dynamic", "first-order", "quasi-static", "quasi-dynamic", "supports"])
            .declares(&DECLARES)
            .reads(&["friction", "restitution"])
            .options::<Config>()
    }

    fn create(options: &str, system: &SystemView<'_>) -> Result<Self, StageError> {
        let config: Config = parse_options(options)?;
        let law = config.friction.law(8, system);
        let rigid = RigidStep::new(config.motion.into(), law, system.space)
            .undetermined(Undetermined::Refuse, system);
        let layered = Layered::new(&config, system)?;
        Ok(Self { config, rigid, claim: Claim::default(), start: Vec::new(), ended: Vec::new(), layered })
    }
}
