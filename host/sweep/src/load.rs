//! From a sweep file to a plan.

use std::path::Path as FilePath;

use sha2::{Digest, Sha256};

use vinci_engine::registry::Registry;
use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics, did_you_mean, list};
use vinci_scene::{Documents, Node, Override, Path, Subject, read_document, relative_to, typed_document};

use super::compile::Compiler;
use super::laws::bad_name;
use super::level::{Grid, Scalar};
use super::pictures::{self, Known};
use super::plan::{Model, OutcomeFormulas, Plan};
use super::shape::{Column, PLAN_FORMAT, Shape, Step};
use super::trial;
use super::types::Sweep;
use vinci_scene::experiment::SWEEP_FORMAT;

/// Options of the command line besides the file.
#[derive(Debug, Clone)]
pub struct Ask {
    /// Changes to the experiment.
    pub overrides: Vec<Override>,
    /// This rung alone.
    pub only: Option<String>,
    /// Cases FROM..TO.
    pub cases: Option<[u64; 2]>,
    /// [i, n].
    pub shard: [u64; 2],
}

impl Default for Ask {
    fn default() -> Self {
        Self { overrides: Vec::new(), only: None, cases: None, shard: [1, 1] }
    }
}

/// Reads and checks a sweep, its experiment and the first run of every rung. Warnings come with the plan.
///
/// # Errors
/// All findings when at least one of them is an error.
pub fn load_sweep(
    file: &FilePath,
    ask: Ask,
    registry: &Registry,
) -> Result<(Plan, Diagnostics), Diagnostics> {
    let mut diagnostics = Diagnostics::new();
    let Some(node) = read_document(file, None, &mut diagnostics) else { return Err(diagnostics) };
    plan_of(&node, file, ask, registry, diagnostics)
}

/// The plan of a sweep that stands in `node`, read from `file` as far as paths and messages go.
///
/// # Errors
/// As of [`load_sweep`].
pub(super) fn plan_of(
    node: &Node,
    file: &FilePath,
    ask: Ask,
    registry: &Registry,
    mut diagnostics: Diagnostics,
) -> Result<(Plan, Diagnostics), Diagnostics> {
    let Some(sweep) = typed(node, &mut diagnostics) else { return Err(diagnostics) };
    let mut compiler = Compiler::new(&sweep, node);
    let cases = compiler.cases();
    let mut models = compiler.models(&cases);
    let asked = compiler.asked();
    compiler.warn_of_unused();
    diagnostics.append(compiler.diagnostics);
    if diagnostics.has_errors() {
        return Err(diagnostics);
    }
    let all_columns = columns(&cases, &models);
    check_measures(&asked, &all_columns)?;
    let known = Known::new(&all_columns, models.iter().map(|m| m.name.as_str()).collect(), &asked);
    pictures::check(&sweep.pictures, node, &known)?;
    if let Some(only) = &ask.only {
        models = chosen(only, models)?;
    }
    let documents = documents(file, node, &sweep)?;
    let shape = shape(&sweep, &ask, (&cases, &models), &asked, stem(file))?;
    check_size(&shape, node)?;
    let mut plan = Plan { sweep, shape, documents, overrides: ask.overrides, cases, models, asked };
    let seen = trial::first_runs(&plan, registry)?;
    plan.shape.hash = hash(&plan, node, &seen)?;
    plan.models.iter_mut().zip(seen.plugins).for_each(|(model, plugins)| model.plugins = plugins);
    diagnostics.append(seen.warnings);
    diagnostics.accept(|warnings| (plan, warnings))
}

/// Units of work of one directory at most: they are laid out in memory.
const MOST_UNITS: u64 = 20_000_000;

fn check_size(shape: &Shape, node: &Node) -> Result<(), Diagnostics> {
    if let Err(why) = shape.check() {
        let message = format!("the sweep cannot be planned: {why}");
        return Err(Diagnostic::error(Code::OutOfRange, message).at(node.place.part(0, 1)).into());
    }
    let units = shape.own_units_count();
    if units <= MOST_UNITS {
        return Ok(());
    }
    let message = format!("{units} cases or samples in one directory, more than {MOST_UNITS}");
    let help = "run parts: `--shard i/n`, or `--cases FROM..TO`";
    Err(Diagnostic::error(Code::OutOfRange, message).at(node.place.part(0, 1)).help(help).into())
}

/// Measures are columns of their own.
fn check_measures(asked: &OutcomeFormulas, parameters: &[Column]) -> Result<(), Diagnostics> {
    let mut diagnostics = Diagnostics::new();
    for (name, _, place) in &asked.measures {
        let wrong = if parameters.iter().any(|column| column.name == *name) {
            Some((format!("`{name}` is a parameter already"), "choose another name"))
        } else {
            bad_name(name)
        };
        if let Some((message, help)) = wrong {
            diagnostics.push(Diagnostic::error(Code::DuplicateName, message).at(place.clone()).help(help));
        }
    }
    diagnostics.accept(|_| ())
}

/// Which runs there are; the hash follows when the first ones were looked at.
fn shape(
    sweep: &Sweep,
    ask: &Ask,
    (cases, models): (&Grid, &[Model]),
    asked: &OutcomeFormulas,
    file: String,
) -> Result<Shape, Diagnostics> {
    let runs = |rung: &str| models.iter().any(|m| m.name == rung);
    let step = |m: &Model| Step { name: m.name.clone(), samples: m.samples.points() * m.samples.count };
    Ok(Shape {
        format: PLAN_FORMAT.into(),
        name: sweep.name.clone().unwrap_or(file),
        hash: String::new(),
        cases: range_within(ask.cases, cases.points() * cases.count)?,
        rungs: models.iter().map(step).collect(),
        prune: sweep.prune,
        parameters: columns(cases, models),
        measures: asked.measures.iter().map(|(name, ..)| name.clone()).collect(),
        // Those of rungs that are not run would show nothing.
        pictures: sweep.pictures.iter().filter(|p| p.rung().is_none_or(runs)).cloned().collect(),
        shard: ask.shard,
        range: None,
    })
}

/// The documents under `experiment`.
fn documents(file: &FilePath, node: &Node, sweep: &Sweep) -> Result<Documents, Diagnostics> {
    match (sweep.experiment.as_str(), node.get("experiment")) {
        (None, Some(inline)) => Documents::inline(inline, file),
        (name, _) => Documents::read(&relative_to(file, name.unwrap_or_default())),
    }
}

/// The typed sweep, if its keys and types are right.
fn typed(node: &Node, diagnostics: &mut Diagnostics) -> Option<Sweep> {
    let format = node.get("format").and_then(Node::as_str);
    if format != Some(SWEEP_FORMAT) {
        let message = format!("`format` must be \"{SWEEP_FORMAT}\"");
        let place = node.get("format").map_or(node.place.part(0, 1), |n| n.place.clone());
        let help = "this program reads version 1 of the formats";
        diagnostics.push(Diagnostic::error(Code::WrongFormat, message).at(place).help(help));
        return None;
    }
    let subject = Subject { name: "the sweep".into(), hint: "`vinci schema sweep` prints all keys".into() };
    typed_document(node, &subject, diagnostics)
}

fn chosen(only: &str, models: Vec<Model>) -> Result<Vec<Model>, Diagnostics> {
    let names: Vec<String> = models.iter().map(|m| m.name.clone()).collect();
    let chosen: Vec<Model> = models.into_iter().filter(|m| m.name == only).collect();
    if !chosen.is_empty() {
        return Ok(chosen);
    }
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let meant = did_you_mean(only, names.iter().copied()).map_or_else(String::new, |m| m + " ");
    let help = format!("{meant}the ladder has {}", list(names.iter().copied()));
    Err(Diagnostic::error(Code::UnknownName, format!("there is no rung `{only}`")).help(help).into())
}

fn range_within(range: Option<[u64; 2]>, all: u64) -> Result<[u64; 2], Diagnostics> {
    match range {
        None => Ok([0, all]),
        Some([from, to]) if from < to && to <= all => Ok([from, to]),
        Some([from, to]) => {
            let message = format!("there are no cases {from}..{to}");
            let help = format!("cases are 0..{all}, the last not included");
            Err(Diagnostic::error(Code::OutOfRange, message).help(help).into())
        }
    }
}

/// Columns of parameters: those of cases, of samples, and what rungs add, each once.
fn columns(cases: &Grid, models: &[Model]) -> Vec<Column> {
    let mut columns: Vec<Column> = Vec::new();
    for grid in std::iter::once(cases).chain(models.iter().map(|m| &m.samples)) {
        let axes = grid.axes.iter().map(|(name, v)| (name, matches!(v.first(), Some(Scalar::Text(_)))));
        for (name, text) in axes.chain(grid.random.iter().map(|(name, law)| (name, law.is_text()))) {
            if columns.iter().all(|c| c.name != *name) {
                columns.push(Column { name: name.clone(), text });
            }
        }
    }
    columns
}

/// Everything rows depend on.
fn hash(plan: &Plan, node: &Node, seen: &trial::TrialFacts) -> Result<String, Diagnostics> {
    let mut hash = Sha256::new();
    let mut node = node.clone();
    // What stands under `experiment` may be a name or the thing itself: it is in the documents of the first runs.
    ["pictures", "name", "description", "experiment"]
        .iter()
        .for_each(|key| node.remove(&Path::root().join(*key)));
    let unwritten = |e: serde_json::Error| Diagnostics::from(Diagnostic::error(Code::Io, e.to_string()));
    let mut parts =
        vec![env!("CARGO_PKG_VERSION").to_owned(), serde_json::to_string(&node).map_err(unwritten)?];
    parts.push(format!("{:?} {:?}", plan.shape.cases, plan.shape.rungs));
    parts.extend(seen.documents.iter().chain(&seen.digests).cloned());
    for part in parts {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part.as_bytes());
    }
    Ok(hash.finalize().iter().map(|b| format!("{b:02x}")).collect())
}

fn stem(file: &FilePath) -> String {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    name.split('.').next().unwrap_or_default().to_owned()
}
