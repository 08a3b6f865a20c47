//! The maker of stages: it checks plugins against each other and the scene, creates their instances, and reports where one refuses.

use vinci_core::StageError;

use crate::used::{Used, is_fault};
use vinci_engine::registry::Registry;
use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics};
use vinci_scene::{Loaded, Path};

/// Checks plugins against each other and the scene, and creates their instances.
pub(super) struct Maker<'a> {
    pub(super) loaded: &'a Loaded,
    pub(super) registry: &'a Registry,
}

impl Maker<'_> {
    pub(super) fn at_plugin(&self, used: &Used, diagnostic: Diagnostic) -> Diagnostic {
        diagnostic.at(self.loaded.place(&used.path.join("plugin")))
    }

    /// A refusal belongs to the options; a fault is the plugin's.
    pub(super) fn created<T>(
        &self,
        created: Result<T, StageError>,
        used: &Used,
        diagnostics: &mut Diagnostics,
    ) -> Option<T> {
        created
            .map_err(|error| {
                let diagnostic = if is_fault(&error) {
                    Diagnostic::error(Code::PluginFault, error.message)
                } else {
                    let message = format!("{} refuses: {}", used.manifest.id, error.message);
                    Diagnostic::error(Code::BadOption, message)
                };
                diagnostics.push(match self.option_named_in(&diagnostic, used) {
                    Some(path) => {
                        let help = format!("`vinci plugin info {}` lists the options", used.manifest.id);
                        diagnostic.help(help).at(self.loaded.place(&path))
                    }
                    None => self.at_plugin(used, diagnostic),
                });
            })
            .ok()
    }

    /// The option of a refused plugin that the refusal names first as a whole word, if the experiment gives it.
    fn option_named_in(&self, refusal: &Diagnostic, used: &Used) -> Option<Path> {
        if refusal.code != Code::BadOption {
            return None;
        }
        let path = used.path.join("options");
        let given = self.loaded.experiment_node.find(&path)?.entries();
        let mut words = refusal.message.split(|c: char| !c.is_alphanumeric() && c != '_');
        let named = words.find_map(|word| given.iter().find(|entry| entry.key == word))?;
        Some(path.join(named.key.as_str()))
    }
}
