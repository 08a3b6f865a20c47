//! Controllers of an experiment, as far as they can be looked at without its scene: names, and formulas of references.

use super::super::experiment::Experiment;
use super::super::path::at;
use super::Lint;
use crate::diagnostics::Code;

impl Lint<'_> {
    pub(super) fn plugin_controllers(&mut self, experiment: &Experiment) {
        self.unique("controllers", "controller");
        for (i, controller) in experiment.controllers.iter().enumerate() {
            let path = at!["controllers", i];
            if controller.efforts.is_empty()
                && controller.set_points.is_empty()
                && !["efforts", "set_points"].iter().any(|key| self.written(&path.join(*key)))
            {
                let message = format!("controller `{}` governs nothing", controller.called(i));
                let help = "name degrees of freedom in `efforts` (it puts forces on them) or `set_points` (it leads their drives)";
                self.error(&path, Code::MissingKey, message, help);
            }
            for (name, drive) in &controller.reference {
                self.drive(drive, &[], &path.join("reference").join(name.as_str()));
            }
        }
    }
}
