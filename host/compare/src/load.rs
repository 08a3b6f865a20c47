//! From a comparison file, or an experiment and what is varied, to the runs.

use std::collections::BTreeMap;
use std::path::{Path as FilePath, PathBuf};

use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics, did_you_mean, list};
use vinci_scene::{
    Documents, Loaded, Node, Override, Subject, load_experiment, read_format, relative_to, typed_document,
};

use super::axes::{Axis, Choice, Combination, Exclusion, MOST, Outsider, combinations, count, path_of};
use super::measures::Reference;
use super::protocols::{Localised, Looks, Protocols, SameState};
use super::types::{COMPARISON_FORMAT, Comparison, IndeterminacyAsked, ReferenceAsked};

/// The runs of a comparison.
#[derive(Debug, Clone)]
pub struct ComparisonRuns {
    experiment: Experiment,
    /// Names of the axes, as columns of tables.
    pub axes: Vec<String>,
    /// The runs.
    pub combinations: Vec<Combination>,
    /// Reference for errors that the file names.
    pub reference: Option<Reference>,
    /// Measures that the file asks for beside errors.
    pub protocols: Protocols,
}

/// The experiment that all runs begin with.
#[derive(Debug, Clone)]
enum Experiment {
    File(PathBuf),
    Inline(Box<Documents>),
}

impl ComparisonRuns {
    /// Runs of an experiment and what is varied; `base` is changed in every run.
    ///
    /// # Errors
    /// Two runs of one name.
    pub fn of_axes(experiment: &FilePath, base: &[Override], axes: &[Axis]) -> Result<Self, Diagnostics> {
        Self::new(Experiment::File(experiment.to_owned()), (base, axes, &[]))
    }

    /// Runs of a comparison file; `changes` are made in every run after those of the file.
    ///
    /// # Errors
    /// What cannot be read; wrong keys, types and names; two runs of one name, or none at all.
    pub fn of_file(file: &FilePath, changes: &[Override]) -> Result<Self, Diagnostics> {
        let node = read_format(file, COMPARISON_FORMAT)?;
        let mut diagnostics = Diagnostics::new();
        let hint = "`vinci schema comparison` prints all keys".into();
        let subject = Subject { name: "the comparison".into(), hint };
        let Some(comparison) = typed_document::<Comparison>(&node, &subject, &mut diagnostics) else {
            return Err(diagnostics);
        };
        let mut base = assigned(node.get("set"), &mut diagnostics);
        base.extend_from_slice(changes);
        let axes = axes(&node, file, &mut diagnostics);
        let exclusions = exclusions(&node, &axes, &mut diagnostics);
        if diagnostics.has_errors() {
            return Err(diagnostics);
        }
        let experiment = match (comparison.experiment.as_str(), node.get("experiment")) {
            (None, Some(inline)) => Experiment::Inline(Box::new(Documents::inline(inline, file)?)),
            (name, _) => Experiment::File(relative_to(file, name.unwrap_or_default())),
        };
        let reference =
            comparison.reference.as_ref().map(|asked| reference(asked, &node, file)).transpose()?;
        let protocols = protocols(&comparison, &node)?;
        Ok(Self { reference, protocols, ..Self::new(experiment, (&base, &axes, &exclusions))? })
    }

    fn new(
        experiment: Experiment,
        (base, axes, exclusions): (&[Override], &[Axis], &[Exclusion]),
    ) -> Result<Self, Diagnostics> {
        let refused = |code, message: String, help: &str| Diagnostic::error(code, message).help(help).into();
        if axes.is_empty() {
            let help = "name `models`, or what a `matrix` varies";
            return Err(refused(Code::MissingKey, "nothing is varied".into(), help));
        }
        if count(axes).is_none() {
            let message = format!("a comparison has at most {MOST} combinations");
            return Err(refused(Code::OutOfRange, message, "a sweep takes more: `vinci sweep`"));
        }
        let combinations = combinations(base, axes, exclusions);
        if combinations.is_empty() {
            let message = "every combination is left out: there is nothing to compare";
            return Err(refused(Code::Contradiction, message.into(), "look at `exclude`"));
        }
        combinations.iter().try_for_each(refuse_folder)?;
        let names = axes.iter().map(|axis| axis.name.clone()).collect();
        let protocols = Protocols::default();
        Ok(Self { experiment, axes: names, combinations, reference: None, protocols })
    }

    /// The experiment of a run, checked.
    ///
    /// # Errors
    /// All findings when at least one of them is an error.
    pub fn load(&self, run: &Combination) -> Result<Loaded, Diagnostics> {
        match &self.experiment {
            Experiment::File(path) => load_experiment(path, &run.overrides),
            Experiment::Inline(documents) => documents.with(&run.overrides),
        }
    }
}

/// Results of a run go to a directory of its name: it lies in that of the comparison, and is none of the comparison's own files.
fn refuse_folder(run: &Combination) -> Result<(), Diagnostics> {
    let folder = run.folder();
    let is_own = ["compare.", "comparison.", "comparison-"].iter().any(|own| folder.starts_with(own));
    if !(["", ".", ".."].contains(&folder.as_str()) || folder.starts_with(".vinci") || is_own) {
        return Ok(());
    }
    let message =
        format!("a run cannot be called `{folder}`: its results would not lie in a directory of their own");
    let help = "a name is not `.` or `..`, and does not begin with `.vinci`, `compare.`, `comparison.` or `comparison-`";
    Err(Diagnostic::error(Code::UnknownValue, message).help(help).into())
}

/// Values of axes as their texts.
fn texts(values: &BTreeMap<String, serde_json::Value>) -> BTreeMap<String, String> {
    let text = |value: &serde_json::Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    values.iter().map(|(name, value)| (name.clone(), text(value))).collect()
}

/// Times at which forces are looked at, where a file says nothing.
const LOOKS: u64 = 10;

/// Measures beside errors that a file asks for.
fn protocols(comparison: &Comparison, node: &Node) -> Result<Protocols, Diagnostics> {
    let same_state = comparison.same_state.as_ref().map(|asked| {
        let lead = asked.lead.as_ref().map(texts);
        SameState { lead, every: asked.every }
    });
    let localised =
        comparison.localised.as_ref().map(|asked| Localised { window: asked.window, restart: asked.restart });
    let looks = |asked: &IndeterminacyAsked| match (asked.times, &asked.at) {
        (Some(_), Some(_)) => {
            let place = node.get("indeterminacy").map(|n| n.place.part(0, 1));
            let message = "`indeterminacy` has `times` or `at`, not both";
            Err(Diagnostics::from(Diagnostic::error(Code::Contradiction, message).at(place)))
        }
        (_, Some(at)) => Ok(Looks::At(at.clone())),
        (times, None) => Ok(Looks::Count(times.unwrap_or(LOOKS))),
    };
    let indeterminacy = comparison.indeterminacy.as_ref().map(looks).transpose()?;
    Ok(Protocols { same_state, localised, indeterminacy })
}

/// Reference of errors as a file gives it.
fn reference(asked: &ReferenceAsked, node: &Node, file: &FilePath) -> Result<Reference, Diagnostics> {
    let mut all = [
        asked.finest.filter(|finest| *finest).map(|_| Reference::Finest),
        asked.run.as_ref().map(|values| Reference::Run(texts(values))),
        asked.formula.clone().map(Reference::Formula),
        asked.file.as_ref().map(|name| Reference::File(relative_to(file, name))),
    ]
    .into_iter()
    .flatten();
    match (all.next(), all.next()) {
        (Some(one), None) => Ok(one),
        _ => {
            let place = node.get("reference").map(|n| n.place.part(0, 1));
            let message = "`reference` is exactly one of `finest`, `run`, `formula` and `file`";
            Err(Diagnostic::error(Code::Contradiction, message).at(place).into())
        }
    }
}

/// The values that an object gives by paths.
fn assigned(set: Option<&Node>, diagnostics: &mut Diagnostics) -> Vec<Override> {
    let mut list = Vec::new();
    for entry in set.map(Node::entries).unwrap_or_default() {
        match path_of(&entry.key) {
            Some(path) => {
                list.push(Override::written(path, entry.key_place.clone(), entry.node.clone()));
            }
            None => diagnostics.push(no_path(&entry.key, entry.key_place.clone())),
        }
    }
    list
}

fn no_path(text: &str, place: vinci_scene::diagnostics::TextSpan) -> Diagnostic {
    let help =
        "write paths as of `--set`: time.step, stepper.options.motion, scene.materials.default.friction";
    Diagnostic::error(Code::BadSet, format!("`{text}` is not a path")).at(place).help(help)
}

/// The models, if there are any, and the matrix.
fn axes(node: &Node, file: &FilePath, diagnostics: &mut Diagnostics) -> Vec<Axis> {
    let models = node.get("models").map(Node::elements).unwrap_or_default();
    let mut axes = Vec::new();
    if !models.is_empty() {
        let choices = models.iter().map(|model| of_model(model, file, diagnostics)).collect();
        axes.push(Axis { name: "model".to_owned(), choices });
        named_once("model", models.iter().filter_map(|m| m.get("name")), diagnostics);
    }
    let matrix = node.get("matrix").map(Node::elements).unwrap_or_default();
    axes.extend(matrix.iter().filter_map(|varied| of_matrix(varied, diagnostics)));
    named_once("axis", matrix.iter().filter_map(|m| m.get("vary")), diagnostics);
    axes
}

/// Two things of one name are told apart by nobody.
fn named_once<'n>(what: &str, names: impl Iterator<Item = &'n Node>, diagnostics: &mut Diagnostics) {
    let mut known: Vec<&str> = Vec::new();
    for node in names {
        let name = node.as_str().unwrap_or_default();
        if known.contains(&name) {
            let message = format!("there are two entries for the {what} `{name}`");
            diagnostics.push(Diagnostic::error(Code::DuplicateName, message).at(node.place.clone()));
        }
        known.push(name);
    }
}

/// Parts of a model that go to one place of the experiment each.
const PARTS: [&str; 4] = ["detector", "stepper", "solver", "step"];

fn of_model(model: &Node, file: &FilePath, diagnostics: &mut Diagnostics) -> Choice {
    let part = |key: &&str| {
        let entry = model.entry(key)?;
        model.get(key)?;
        Some(Override::written(path_of(key)?, entry.key_place.clone(), entry.node.clone()))
    };
    let mut overrides: Vec<Override> = PARTS.iter().filter_map(part).collect();
    overrides.extend(assigned(model.get("set"), diagnostics));
    let text = model.get("name").and_then(Node::as_str).unwrap_or_default().to_owned();
    Choice { text, overrides, motion: outsider(model, file, diagnostics) }
}

/// The motion that a model is, if it is one.
fn outsider(model: &Node, file: &FilePath, diagnostics: &mut Diagnostics) -> Option<Outsider> {
    let path = |key: &str| Some(relative_to(file, model.get(key)?.as_str()?));
    let (trajectory, contacts) = (path("trajectory"), path("contacts"));
    let plugin = ["stepper", "solver"].into_iter().find(|key| model.get(key).is_some());
    let wrong = match (&trajectory, &contacts, plugin) {
        (None, Some(_), _) => Some("`contacts` belongs to a `trajectory`".to_owned()),
        (Some(_), _, Some(key)) => Some(format!("a model is a `trajectory` or has a `{key}`, not both")),
        _ => None,
    };
    if let Some(message) = wrong {
        diagnostics.push(Diagnostic::error(Code::Contradiction, message).at(model.place.part(0, 1)));
    }
    Some(Outsider { trajectory: trajectory?, contacts })
}

fn of_matrix(varied: &Node, diagnostics: &mut Diagnostics) -> Option<Axis> {
    let name = varied.get("vary")?;
    let text = name.as_str()?;
    let Some(path) = path_of(text) else {
        diagnostics.push(no_path(text, name.place.clone()));
        return None;
    };
    let choice = |value: &Node| Choice {
        text: value_text(value),
        overrides: vec![Override::written(path.clone(), name.place.clone(), value.clone())],
        motion: None,
    };
    let choices: Vec<Choice> = varied.get("values")?.elements().iter().map(choice).collect();
    if let Some(twice) =
        choices.iter().enumerate().find(|(k, c)| choices[..*k].iter().any(|o| o.text == c.text))
    {
        let message = format!("`{}` stands twice among the values of `{text}`", twice.1.text);
        diagnostics.push(Diagnostic::error(Code::DuplicateName, message).at(name.place.clone()));
    }
    Some(Axis { name: text.to_owned(), choices })
}

/// A value as tables have it.
fn value_text(value: &Node) -> String {
    value.as_str().map_or_else(|| value.to_json().to_string(), str::to_owned)
}

fn exclusions(node: &Node, axes: &[Axis], diagnostics: &mut Diagnostics) -> Vec<Exclusion> {
    let list = node.get("exclude").map(Node::elements).unwrap_or_default();
    list.iter().map(|one| exclusion(one, axes, diagnostics)).collect()
}

fn exclusion(node: &Node, axes: &[Axis], diagnostics: &mut Diagnostics) -> Exclusion {
    let mut parts = Vec::new();
    for entry in node.entries() {
        let Some(at) = axes.iter().position(|axis| axis.name == entry.key) else {
            let names = axes.iter().map(|axis| axis.name.as_str());
            diagnostics.push(unknown(("axis", &entry.key), names, entry.key_place.clone()));
            continue;
        };
        let several = matches!(entry.node.value, vinci_scene::Value::Array(_));
        let values = if several { entry.node.elements() } else { std::slice::from_ref(&entry.node) };
        let texts: Vec<String> = values.iter().map(value_text).collect();
        for (value, text) in values.iter().zip(&texts) {
            let known = || axes[at].choices.iter().map(|choice| choice.text.as_str());
            if !known().any(|choice| choice == text) {
                diagnostics.push(unknown(
                    (&format!("value of `{}`", entry.key), text),
                    known(),
                    value.place.clone(),
                ));
            }
        }
        parts.push((at, texts));
    }
    if parts.is_empty() && !diagnostics.has_errors() {
        let message = "an entry of `exclude` without a key leaves everything out";
        diagnostics.push(Diagnostic::error(Code::MissingKey, message).at(node.place.clone()));
    }
    Exclusion(parts)
}

fn unknown<'n>(
    (what, name): (&str, &str),
    known: impl Iterator<Item = &'n str> + Clone,
    place: vinci_scene::diagnostics::TextSpan,
) -> Diagnostic {
    let meant = did_you_mean(name, known.clone()).map_or_else(String::new, |m| m + " ");
    let known = list(known);
    let help =
        if known.is_empty() { format!("{meant}there is none") } else { format!("{meant}there are {known}") };
    Diagnostic::error(Code::UnknownName, format!("there is no {what} `{name}`")).at(place).help(help)
}
