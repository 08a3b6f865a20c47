//! Parameters, formulas and changes of a sweep, each fault at its place.

use std::collections::{BTreeMap, BTreeSet};

use vinci_engine::expression::{Expression, ExpressionError};
use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics, TextSpan};
use vinci_scene::formula::finding;
use vinci_scene::{Entry, Node, PLUGIN_KEYS, Path, Segment, Value};

use super::laws;
use super::level::{Grid, Scalar};
use super::plan::{Model, OutcomeFormulas, Put, Setting};
use super::types::{Distribution, Level, Random, Rung, Sweep};

/// Gathers what a sweep says and what is wrong with it.
pub(super) struct Compiler<'a> {
    sweep: &'a Sweep,
    node: &'a Node,
    pub(super) diagnostics: Diagnostics,
    /// Where every name was given first.
    names: BTreeMap<String, TextSpan>,
}

/// Names of a rung, and which of them are texts.
struct Names {
    names: Vec<String>,
    texts: Vec<bool>,
}

impl<'a> Compiler<'a> {
    pub(super) fn new(sweep: &'a Sweep, node: &'a Node) -> Self {
        Self { sweep, node, diagnostics: Diagnostics::new(), names: BTreeMap::new() }
    }

    fn error(&mut self, place: TextSpan, code: Code, message: String, help: &str) {
        self.diagnostics.push(Diagnostic::error(code, message).at(place).help(help));
    }

    fn entries(&self, path: &Path) -> &'a [Entry] {
        self.node.find(path).map(Node::entries).unwrap_or_default()
    }

    /// A name of a rung: others may have it too, but not the sweep.
    fn name_of_rung(&mut self, name: &str, place: &TextSpan) {
        let kept = self.names.clone();
        self.name(name, place);
        self.names = kept;
    }

    /// A name that is given once and can stand in a formula.
    fn name(&mut self, name: &str, place: &TextSpan) {
        if let Some(earlier) = self.names.get(name) {
            let help = format!("it was given first at line {}", earlier.line());
            self.error(place.clone(), Code::DuplicateName, format!("`{name}` is there twice"), &help);
            return;
        }
        self.names.insert(name.to_owned(), place.clone());
        if let Some((message, help)) = laws::bad_name(name) {
            self.error(place.clone(), Code::BadExpression, message, help);
        }
    }

    /// The cases.
    pub(super) fn cases(&mut self) -> Grid {
        self.grid(&self.sweep.cases, "cases")
    }

    fn grid(&mut self, level: &Level, key: &str) -> Grid {
        let path = Path::root().join(key);
        let mut axes = Vec::new();
        for entry in self.entries(&path.join("grid")) {
            self.name(&entry.key, &entry.key_place);
            match laws::axis(&level.grid[&entry.key]) {
                Ok(values) => axes.push((entry.key.clone(), values)),
                Err((message, help)) => {
                    self.at_entry(entry, message, help);
                    // Its name is known in formulas all the same.
                    axes.push((entry.key.clone(), vec![Scalar::Number(0.0)]));
                }
            }
        }
        for entry in self.entries(&path.join("random")).iter().filter(|e| e.key != "count") {
            self.name(&entry.key, &entry.key_place);
        }
        let random = level.random.as_ref().map(|r| self.random(r, &path.join("random"))).unwrap_or_default();
        let count = level.random.as_ref().map_or(Some(1), |r| r.count);
        if count.is_none_or(|n| n == 0) {
            let place = self.node.place_of(&path.join("random")).part(0, 1);
            let help = "write \"count\": 100 beside the distributions";
            self.error(place, Code::MissingKey, "`random` lacks a `count` of 1 or more".into(), help);
        }
        let grid = Grid { axes, random, count: count.unwrap_or(1).max(1) };
        if !grid.is_countable() {
            let place = self.node.place_of(&path).part(0, 1);
            let message = format!("`{key}` has more points than can be counted");
            self.error(place, Code::OutOfRange, message, "give the axes fewer values");
        }
        grid
    }

    fn random(&mut self, random: &Random, path: &Path) -> Vec<(String, laws::Law)> {
        let mut laws = Vec::new();
        for entry in self.entries(path).iter().filter(|e| e.key != "count") {
            let distribution: Option<&Distribution> = random.parameters.get(&entry.key);
            match distribution.map(laws::law) {
                Some(Ok(law)) => laws.push((entry.key.clone(), law)),
                Some(Err((message, help))) => {
                    self.at_entry(entry, message, help);
                    laws.push((entry.key.clone(), laws::Law::Choice(vec![Scalar::Number(0.0)])));
                }
                None => {}
            }
        }
        laws
    }

    fn at_entry(&mut self, entry: &Entry, message: String, help: &str) {
        self.error(entry.node.place.clone(), Code::OutOfRange, format!("`{}`: {message}", entry.key), help);
    }

    /// The rungs.
    pub(super) fn models(&mut self, cases: &Grid) -> Vec<Model> {
        let samples = self.grid(&self.sweep.samples, "samples");
        for entry in self.entries(&Path::root().join("derive")) {
            self.name(&entry.key, &entry.key_place);
        }
        let alone = [Rung { name: "run".into(), ..Rung::default() }];
        let rungs = if self.sweep.ladder.is_empty() { &alone[..] } else { &self.sweep.ladder };
        let mut models: Vec<Model> = Vec::new();
        for (k, rung) in rungs.iter().enumerate() {
            let path = Path::root().join("ladder").join(k);
            if models.iter().any(|m| m.name == rung.name) {
                let place = self.node.place_of(&path.join("name"));
                let message = format!("there are two rungs `{}`", rung.name);
                self.error(place, Code::DuplicateName, message, "give every rung a name of its own");
            }
            models.push(self.model(rung, &path, cases, &samples));
        }
        models
    }

    fn model(&mut self, rung: &Rung, path: &Path, cases: &Grid, samples: &Grid) -> Model {
        let mut samples = samples.clone();
        if let Some(more) = &rung.samples {
            let at = path.join("samples").join("random");
            for entry in self.entries(&at).iter().filter(|e| e.key != "count") {
                self.name_of_rung(&entry.key, &entry.key_place);
            }
            samples.random.extend(self.random(&more.random, &at));
            if let Some(count) = more.random.count {
                if !samples.axes.is_empty() {
                    let help = "leave `count` out here, or the grid of the samples";
                    let message = "another number of samples cannot be had beside a grid of samples".into();
                    self.error(self.node.place_of(&at.join("count")), Code::Contradiction, message, help);
                }
                samples.count = count.max(1);
            }
        }
        let mut names = named(cases, &samples);
        let derived = self.derived(&mut names);
        let require = self.require(rung, path, &names);
        let mut settings = self.settings(&Path::root().join("set"), &names);
        settings.extend(self.settings(&path.join("set"), &names));
        Model {
            name: rung.name.clone(),
            simulates: rung.simulates(),
            samples,
            names: names.names,
            texts: names.texts,
            derived,
            require,
            path: rung.path.clone().map(|plan| (plan, self.node.place_of(&path.join("path")))),
            goal: self.node.place_of(&path.join("path").join("goal")),
            settings,
            plugins: Vec::new(),
        }
    }

    fn derived(&mut self, names: &mut Names) -> Vec<Expression> {
        let mut derived = Vec::new();
        for entry in self.entries(&Path::root().join("derive")) {
            let Some(formula) = self.formula(&entry.node, names) else { continue };
            derived.push(formula);
            names.names.push(entry.key.clone());
            names.texts.push(false);
        }
        derived
    }

    fn require(&mut self, rung: &Rung, path: &Path, names: &Names) -> Vec<(Expression, String)> {
        let nodes = self.node.find(&path.join("require")).map(Node::elements).unwrap_or_default();
        let both = nodes.iter().zip(&rung.require);
        let condition = |(node, text): (&Node, &String)| {
            Some((self.read(Expression::condition, node, names)?, text.clone()))
        };
        both.filter_map(condition).collect()
    }

    /// A formula of the numbers of a rung.
    fn formula(&mut self, node: &Node, names: &Names) -> Option<Expression> {
        self.read(Expression::value, node, names)
    }

    fn read(&mut self, read: Read, node: &Node, names: &Names) -> Option<Expression> {
        let text = node.as_str()?;
        let known: Vec<&str> = names.names.iter().map(String::as_str).collect();
        let formula = formula_of(read, text, &known, &names.texts, &node.place).and_then(|formula| {
            let help =
                "formulas of the sweep are values before a run; `outcome` and drives may speak of the time";
            match formula.uses_time() {
                false => Ok(formula),
                true => Err(Diagnostic::error(Code::BadExpression, "`t` has no value before a run")
                    .at(node.place.clone())
                    .help(help)),
            }
        });
        formula.map_err(|wrong| self.diagnostics.push(wrong)).ok()
    }

    fn settings(&mut self, at: &Path, names: &Names) -> Vec<Setting> {
        let mut settings = Vec::new();
        for entry in self.entries(at) {
            let Some(path) = Path::parse(&entry.key) else {
                let message = format!("`{}` is not a path", entry.key);
                let help = "write keys with dots between: scene.bodies.box.mass";
                self.error(entry.key_place.clone(), Code::BadSet, message, help);
                continue;
            };
            if let Some(put) = self.put(&path, &entry.node, names) {
                settings.push(Setting { path, path_place: entry.key_place.clone(), put });
            }
        }
        settings
    }

    fn put(&mut self, path: &Path, node: &Node, names: &Names) -> Option<Put> {
        let Some(text) = node.as_str() else { return Some(Put::Literal(node.clone())) };
        let of = names.names.iter().position(|name| name == text.trim());
        if let Some(k) = of.filter(|k| names.texts[*k]) {
            return Some(Put::Text(k, node.place.clone()));
        }
        let quoted = text.strip_prefix('\'').and_then(|t| t.strip_suffix('\''));
        let literal = quoted.or_else(|| (of.is_none() && names_plugin(path)).then_some(text));
        match literal {
            Some(text) => Some(Put::Literal(Node::new(Value::String(text.to_owned()), node.place.clone()))),
            None => Some(Put::Formula(self.formula(node, names)?, node.place.clone())),
        }
    }

    /// Parameters that no formula names: they would be varied for nothing, and a map over them is flat.
    pub(super) fn warn_of_unused(&mut self) {
        if self.diagnostics.has_errors() {
            return;
        }
        let mut words = BTreeSet::new();
        for key in ["derive", "set", "ladder", "outcome"] {
            self.node.get(key).into_iter().for_each(|node| gather(node, &mut words));
        }
        let derived = self.entries(&Path::root().join("derive"));
        let unused = self.names.iter().filter(|(name, _)| {
            !words.contains(name.as_str()) && derived.iter().all(|entry| entry.key != **name)
        });
        for (name, place) in unused {
            let message = format!("nothing depends on the parameter `{name}`");
            let help = format!(
                "name it in `set` (\"scene.materials.default.friction\": \"{name}\"), in `derive` or in `outcome`"
            );
            self.diagnostics
                .push(Diagnostic::warning(Code::UnknownName, message).at(place.clone()).help(help));
        }
    }

    /// Questions to a run; formulas of the state are compiled when there is one.
    pub(super) fn asked(&self) -> OutcomeFormulas {
        let path = Path::root().join("outcome");
        let text = |node: &Node| Some((node.as_str()?.to_owned(), node.place.clone()));
        let of = |key: &str| self.node.find(&path.join(key)).and_then(text);
        let measures = self.entries(&path.join("measure"));
        OutcomeFormulas {
            success: of("success"),
            until: of("until"),
            fail: of("fail"),
            measures: measures
                .iter()
                .filter_map(|e| Some((e.key.clone(), text(&e.node)?)))
                .map(|(name, (text, place))| (name, text, place))
                .collect(),
        }
    }
}

/// All words of all texts in a document.
fn gather<'n>(node: &'n Node, words: &mut BTreeSet<&'n str>) {
    let part = |c: char| !(c.is_ascii_alphanumeric() || c == '_');
    words.extend(node.as_str().into_iter().flat_map(|text| text.split(part)));
    node.entries().iter().for_each(|entry| gather(&entry.node, words));
    node.elements().iter().for_each(|element| gather(element, words));
}

/// How a text is read: [`Expression::value`] or [`Expression::condition`].
pub(super) type Read = fn(&str, &[&str]) -> Result<Expression, ExpressionError>;

/// A formula of the numbers called `known`, the last of which are those of a rung, with its texts.
pub(super) fn formula_of(
    read: Read,
    text: &str,
    known: &[&str],
    texts: &[bool],
    place: &TextSpan,
) -> Result<Expression, Diagnostic> {
    let formula = read(text, known).map_err(|e| finding(e, text, place.clone()))?;
    let own = known.len() - texts.len();
    let used = formula.variables();
    match used.into_iter().find(|i| i.checked_sub(own).is_some_and(|k| texts[k])) {
        None => Ok(formula),
        Some(i) => {
            let message = format!("`{}` is a text, which has no place in a formula", known[i]);
            let help = "a text parameter stands alone: \"solver.plugin\": \"which\"";
            Err(Diagnostic::error(Code::BadExpression, message).at(place.clone()).help(help))
        }
    }
}

/// Returns true if a path leads to the name of a plugin.
pub(super) fn names_plugin(path: &Path) -> bool {
    match path.segments() {
        [Segment::Key(role)] => PLUGIN_KEYS.contains(&role.as_str()),
        [Segment::Key(role), Segment::Key(key)] => PLUGIN_KEYS.contains(&role.as_str()) && key == "plugin",
        [Segment::Key(list), _, Segment::Key(key)] => list == "controllers" && key == "plugin",
        _ => false,
    }
}

fn named(cases: &Grid, samples: &Grid) -> Names {
    let mut named = Names { names: Vec::new(), texts: Vec::new() };
    for grid in [cases, samples] {
        for (name, values) in &grid.axes {
            named.names.push(name.clone());
            named.texts.push(matches!(values.first(), Some(Scalar::Text(_))));
        }
        for (name, law) in &grid.random {
            named.names.push(name.clone());
            named.texts.push(law.is_text());
        }
    }
    named
}
