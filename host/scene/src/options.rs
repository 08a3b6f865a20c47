//! Options of plugins, checked against the schema in the plugin's manifest.

use super::load::Loaded;
use super::node::{Entry, Node, Value};
use super::path::{Path, Segment, at};
use super::validate::validate_at;
use crate::diagnostics::{Code, Diagnostic, Diagnostics};
use crate::experiment::{Isolation, IsolationWord, Plugin, Solver};
use crate::validate::Subject;
use serde_json::Value as Json;

/// Checks the options `node` of a plugin, which stand at `path` of the experiment, against the JSON Schema of its manifest:
/// unknown keys with suggestions, wrong types, ranges.
pub fn validate_options(node: &Node, schema: &Json, path: &Path, plugin: &str) -> Diagnostics {
    let subject =
        Subject { name: "the options".into(), hint: format!("`vinci plugin info {plugin}` explains them") };
    let mut diagnostics = Diagnostics::new();
    validate_at(node, schema, path, &subject, &mut diagnostics);
    diagnostics
}

/// Word in the schema of an option that limits iterations: it takes the `budget` of an experiment.
const BUDGET: &str = "x-vinci-budget";

impl Loaded {
    /// This document with this solver as the default.
    pub fn with_solver(&self, id: &str) -> Self {
        Self { default_solver: true, ..self.with_chain(&[id]) }
    }

    /// These plugins with the solvers that the host chose in the place of a word for its choice.
    pub fn with_chosen(&self, ids: &[&str]) -> Self {
        let written = self.experiment_node.find(&at!["solver"]).cloned();
        Self { chosen_for: self.chosen_for.clone().or(written), ..self.with_chain(ids) }
    }

    /// These options with other solvers: the first, and its fallbacks.
    fn with_chain(&self, ids: &[&str]) -> Self {
        let mut named = self.clone();
        let place = named.experiment_node.place_of(&at!["solver"]).part(0, 1);
        let key = |key: &str, node: Node| Entry {
            key: key.to_owned(),
            key_place: place.clone(),
            node,
            carried: false,
        };
        let plugin = |id: &&str| key("plugin", Node::new(Value::String((*id).to_owned()), place.clone()));
        let object = |entries: Vec<Entry>| Node::new(Value::Object(entries), place.clone());
        let fallback: Vec<Node> = ids.iter().skip(1).map(|id| object(vec![plugin(id)])).collect();
        let mut entries: Vec<Entry> = ids.iter().take(1).map(plugin).collect();
        entries.extend(self.of_any_solver());
        if !fallback.is_empty() {
            entries.push(key("fallback", Node::new(Value::Array(fallback), place.clone())));
        }
        if let Some(entry) = named.experiment_node.entry_mut("solver", &place) {
            entry.node = object(entries);
        }
        named.experiment.solver = ids.split_first().map(|(first, others)| {
            let fallback = others.iter().map(|id| Plugin::named(id)).collect();
            let written = self.experiment.solver.as_ref();
            let (islands, sleeping, race) =
                written.map_or((false, None, false), |s| (s.islands, s.sleeping, s.race));
            Solver { fallback, islands, sleeping, race, ..Solver::named(first) }
        });
        named
    }

    /// Entries of the solver that are the host's, and hold for any.
    fn of_any_solver(&self) -> Vec<Entry> {
        let written = self.experiment_node.find(&at!["solver"]).map_or(&[][..], Node::entries);
        written
            .iter()
            .filter(|entry| ["islands", "sleeping", "race"].contains(&entry.key.as_str()))
            .cloned()
            .collect()
    }

    /// The checked options of the plugin at `path` (`solver`, `solver.fallback[0]`), whose id is `plugin` and whose manifest has
    /// the option schema `schema`.
    ///
    /// Options written for another plugin (which a flag or an overlay has exchanged for this one) stay if this one takes
    /// them, otherwise they are removed from the experiment with a warning. Findings go to `diagnostics`; with an error among
    /// them the options must not be used.
    pub fn plugin_options(
        &mut self,
        path: &Path,
        plugin: &str,
        schema: &Json,
        diagnostics: &mut Diagnostics,
    ) -> Json {
        let (place, path) = (path, path.join("options"));
        if let Some(Value::Object(entries)) = self.experiment_node.find_mut(&path).map(|n| &mut n.value) {
            drop_foreign(entries, schema, &path, plugin, diagnostics);
        }
        let mut options = match self.experiment_node.find(&path) {
            Some(node) => {
                diagnostics.append(validate_options(node, schema, &path, plugin));
                node.to_json()
            }
            None => Json::Object(serde_json::Map::new()),
        };
        self.spend_budget(place, (plugin, schema), &mut options, diagnostics);
        options
    }

    /// Gives the budget of the plugin at `path` to every option that limits its iterations.
    fn spend_budget(
        &self,
        path: &Path,
        (plugin, schema): (&str, &Json),
        options: &mut Json,
        diagnostics: &mut Diagnostics,
    ) {
        let Some(node) = self.experiment_node.find(&path.join("budget")) else { return };
        let (Some(budget), Json::Object(options)) = (node.to_json().as_u64(), options) else { return };
        let limits = limits_of_iterations(schema);
        let mut refuse = |code: Code, message: String, help: &str| {
            diagnostics.push(Diagnostic::error(code, message).at(node.place.clone()).help(help));
        };
        if limits.is_empty() {
            let message = format!(
                "{plugin} knows no budget: none of its options is marked as a limit of its iterations (`x-vinci-budget` in their schema)"
            );
            refuse(Code::BadOption, message, "leave `budget` out, or name a solver that knows one");
        }
        for (name, most) in limits {
            if options.contains_key(name) {
                let message =
                    format!("`budget` and the option `{name}` of {plugin} limit the same iterations");
                refuse(Code::Contradiction, message, "give one of them");
            } else if most.is_some_and(|most| budget > most) {
                let most = most.unwrap_or(budget);
                let message = format!("{plugin} takes a budget of at most {most} iterations, found {budget}");
                refuse(Code::OutOfRange, message, "give fewer");
            } else {
                options.insert(name.to_owned(), budget.into());
            }
        }
    }

    /// The process of its own that the experiment wants for the plugin at `path` (`solver`, `solver.fallback[0]`). Solvers that race have one each.
    pub fn isolation(&self, path: &Path) -> Option<Isolation> {
        // The document was checked: what cannot be read here is not there.
        let given = self.experiment_node.find(&path.join("isolation"));
        let given = given.and_then(|node| serde_json::from_value(node.to_json()).ok());
        let races = self.experiment.solver.as_ref().is_some_and(|solver| solver.race);
        let is_solver = matches!(path.segments().first(), Some(Segment::Key(key)) if key == "solver");
        given.or_else(|| (races && is_solver).then_some(Isolation::Word(IsolationWord::Process)))
    }

    /// An error about the plugin named at `path` (`solver`, `solver.fallback[0]`), at the place of its name.
    pub fn plugin_error(
        &self,
        path: &Path,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Diagnostic {
        let place = self.place(&path.join("plugin"));
        Diagnostic::error(Code::Plugin, message).at(place).help(help)
    }

    /// The paths of all plugins the experiment names: detector, stepper, solver, further detectors, the solver's fallbacks, controllers.
    pub fn plugin_paths(&self) -> Vec<Path> {
        let fallbacks = self.experiment.solver.as_ref().map_or(0, |solver| solver.fallback.len());
        let fallbacks = (0..fallbacks).map(|i| at!["solver", "fallback", i]);
        let others = (0..self.experiment.detector.others.len()).map(|i| at!["detector", "others", i]);
        let controllers = (0..self.experiment.controllers.len()).map(|i| at!["controllers", i]);
        let keys = super::merge::PLUGIN_KEYS.iter().map(|key| at![*key]);
        keys.chain(others).chain(fallbacks).chain(controllers).collect()
    }
}

/// Options of a schema that limit iterations, each with the largest value that it takes.
fn limits_of_iterations(schema: &Json) -> Vec<(&str, Option<u64>)> {
    let properties = schema["properties"].as_object().into_iter().flatten();
    let limits = properties.filter(|(_, option)| option[BUDGET] == true);
    limits.map(|(name, option)| (name.as_str(), option["maximum"].as_u64())).collect()
}

/// Removes carried options that the schema refuses.
fn drop_foreign(
    entries: &mut Vec<Entry>,
    schema: &Json,
    path: &Path,
    plugin: &str,
    diagnostics: &mut Diagnostics,
) {
    entries.retain_mut(|entry| {
        // An option that is set on this command line is meant for this plugin.
        let by_hand = entry.key_place.source.name().starts_with("--set");
        let foreign = entry.carried && !by_hand && !takes(entry, schema, path, plugin);
        if foreign {
            let message =
                format!("option `{}` was written for another plugin; {plugin} does not take it", entry.key);
            let help =
                "it is left out; give options of this plugin with --set or in an experiment of its own";
            diagnostics
                .push(Diagnostic::warning(Code::BadOption, message).at(entry.key_place.clone()).help(help));
        }
        entry.carried = false;
        !foreign
    });
}

/// Returns true if a schema takes this one option.
fn takes(entry: &Entry, schema: &Json, path: &Path, plugin: &str) -> bool {
    let alone = Node::new(Value::Object(vec![entry.clone()]), entry.node.place.clone());
    let findings = validate_options(&alone, schema, path, plugin);
    // What other options are missing is no matter here.
    findings.iter().all(|d| d.code == Code::MissingKey)
}
