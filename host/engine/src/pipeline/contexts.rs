//! The contexts of a step: one at its start, one where the stepper last asked for an evaluation.

use vinci_core::model::{DofRole, System};
use vinci_core::stage::StepView;

use super::context::StepContext;
use super::simulation::Settings;

/// What a system fixes per velocity and per block, as steppers read it.
pub(super) struct Codes {
    /// Role of every velocity.
    pub(super) role: Vec<u8>,
    /// Motion model of every block.
    pub(super) motion: Vec<u8>,
    /// Stiffness of impedance dofs.
    pub(super) impedance: Vec<f64>,
}

impl Codes {
    fn of(system: &System) -> Self {
        Self { role: system.roles(), motion: system.motions(), impedance: system.impedances() }
    }

    /// Whether a velocity is prescribed.
    pub(super) fn is_prescribed(&self, dof: usize) -> bool {
        DofRole::from_code(self.role[dof]) == DofRole::Prescribed
    }
}

/// Which context a round of a step is formulated in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Site {
    /// Where the step begins.
    Start,
    /// Where the stepper last asked for an evaluation.
    Elsewhere,
}

/// The contexts of a step.
pub(super) struct Contexts {
    pub(super) codes: Codes,
    pub(super) start: StepContext,
    pub(super) elsewhere: StepContext,
    /// The one in use.
    pub(super) site: Site,
}

impl Contexts {
    pub(super) fn new(system: &System, settings: &Settings) -> Self {
        let context = || StepContext::new(system, settings);
        Self { codes: Codes::of(system), start: context(), elsewhere: context(), site: Site::Start }
    }

    /// The context in use.
    pub(super) fn current(&self) -> &StepContext {
        match self.site {
            Site::Start => &self.start,
            Site::Elsewhere => &self.elsewhere,
        }
    }

    /// The context in use, to be changed.
    pub(super) fn current_mut(&mut self) -> &mut StepContext {
        match self.site {
            Site::Start => &mut self.start,
            Site::Elsewhere => &mut self.elsewhere,
        }
    }

    /// Whether the context in use has other positions or velocities than the start.
    pub(super) fn is_moved(&self) -> bool {
        self.site == Site::Elsewhere && self.elsewhere.differs(&self.start)
    }

    /// The context in use, as the stepper sees it in a step of h.
    pub(super) fn view<'a>(
        &'a self,
        (system, settings): (&'a System, &'a Settings),
        round: Round,
        h: f64,
    ) -> StepView<'a> {
        self.current().view(system, &self.codes, settings.tolerance, round, h)
    }
}

/// How often a stepper has been asked.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Round {
    /// Number of the step.
    pub(super) step: u64,
    /// Attempt at the step.
    pub(super) attempt: u32,
    /// Round of the attempt.
    pub(super) pass: u32,
}
