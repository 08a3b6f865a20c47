//! Contacts where a simulation stands, outside of steps: to be looked at, and to be judged.

use vinci_core::contact::Contacts;
use vinci_core::referee::Report;

use super::failure::StepFailure;
use super::simulation::Simulation;

impl Simulation {
    /// Contacts at the present state, for checks before the first step (overlap) and after the last (penetration).
    ///
    /// # Errors
    /// As of a step.
    pub fn contacts_now(&mut self) -> Result<Contacts<'_>, StepFailure> {
        self.look_around(self.settings.step)?;
        Ok(self.contexts.start.contacts.view())
    }

    /// Contacts at the present state, judged: overlap, and gaps that the last step does not explain.
    ///
    /// # Errors
    /// As of a step.
    pub fn judge_end(&mut self) -> Result<Report, StepFailure> {
        self.look_around(self.settings.step)?;
        self.judge.look_back(&self.system, &self.contexts.start, &self.state);
        let mut report = Report::default();
        self.judge.judge_start(&self.contexts.start, &mut report);
        Ok(report)
    }
}
