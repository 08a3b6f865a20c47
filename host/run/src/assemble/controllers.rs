//! Controllers that are plugins: what they govern, and instances that are told of it.

use std::cell::RefCell;
use std::rc::Rc;

use vinci_core::model::{System, SystemView};
use vinci_engine::control::{Controller, Law, Sampled};
use vinci_engine::system_views::GovernedViews;
use vinci_scene::Governed;
use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics};

use super::maker::Maker;
use crate::used::Used;

impl Maker<'_> {
    /// A law for every controller of the experiment; nothing where one cannot be made.
    pub(super) fn controllers(
        &self,
        (plugins, governed): (&[Used], Vec<Governed>),
        system: &System,
        view: &SystemView<'_>,
        diagnostics: &mut Diagnostics,
    ) -> Option<Vec<Controller>> {
        if governed.is_empty() {
            return Some(Vec::new());
        }
        let lists = GovernedViews::new(system);
        let names = lists.names();
        let mut laws = Vec::new();
        for (used, of) in plugins.iter().zip(governed) {
            if !used.manifest.works_in(system.space) {
                self.controls_elsewhere(used, system, diagnostics);
                continue;
            }
            if let Some(what) = unable(used, &of) {
                self.cannot(used, &of.name, what, diagnostics);
                continue;
            }
            let set_points: Vec<u32> = of.led.iter().map(|(dof, _)| *dof).collect();
            let view = lists.view(view, &names, [&of.efforts, &set_points]);
            let made = self.created(used.plugin.create_controller(&used.options, &view), used, diagnostics);
            laws.extend(made.map(|stage| controller(of, stage)));
        }
        (laws.len() == plugins.len()).then_some(laws)
    }

    fn cannot(
        &self,
        used: &Used,
        name: &str,
        (key, capability): (&str, &str),
        diagnostics: &mut Diagnostics,
    ) {
        let message =
            format!("controller `{name}` has `{key}`, and {} gives no {capability}", used.manifest.id);
        let help = format!(
            "its capabilities: {}; take `{key}` out, or another plugin",
            used.manifest.capabilities.join(", ")
        );
        let place = self.loaded.place(&used.path.join(key));
        diagnostics.push(Diagnostic::error(Code::Contradiction, message).help(help).at(place));
    }

    fn controls_elsewhere(&self, used: &Used, system: &System, diagnostics: &mut Diagnostics) {
        let (spaces, space) = (used.manifest.spaces.join(" and "), system.space.name());
        let message = format!("{} works in {spaces} scenes, this scene is {space}", used.manifest.id);
        let help = "choose a controller for this space; `vinci plugin list` shows them";
        diagnostics.push(self.at_plugin(used, Diagnostic::error(Code::Contradiction, message).help(help)));
    }
}

/// Part of its task that a controller cannot give: the key of the experiment, the capability.
fn unable(used: &Used, of: &Governed) -> Option<(&'static str, &'static str)> {
    let asked =
        [("efforts", "efforts", of.efforts.is_empty()), ("set_points", "set-points", of.led.is_empty())];
    let lacks = |(_, word, none): &(&str, &str, bool)| !none && !used.manifest.has_capability(word);
    asked.into_iter().find(lacks).map(|(key, word, _)| (key, word))
}

fn controller(of: Governed, stage: vinci_abi::ForeignController) -> Controller {
    let Governed { name, every, efforts, led, references } = of;
    let stage = Rc::new(RefCell::new(stage));
    Controller { name, law: Law::Sampled(Sampled { stage, every, efforts, led, references }) }
}
