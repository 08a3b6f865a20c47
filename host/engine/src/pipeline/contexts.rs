//! The contexts of a step: one at its start, one where the stepper last asked for an evaluation.

use vinci_core::model::System;
use vinci_core::stage::StepView;

use super::codes::Codes;
use super::context::{Round, StepContext};
use super::settings::Settings;

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

    /// Returns true if the context in use has other positions or velocities than the start.
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
        let tolerance = round.refinement.tolerance(settings.tolerance);
        self.current().view(system, &self.codes, tolerance, round, h)
    }
}
