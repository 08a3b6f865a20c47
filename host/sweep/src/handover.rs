//! Plans that are handed over: one file that holds a sweep with its experiment and scene, the digests of its plugins and of the program,
//! and which runs there are. Every engine that can start a program can run its shards.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use vinci_engine::registry::{Lock, LockEntry, LockOrigin, Registry};
use vinci_run::sealed::FileSum;
use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics};
use vinci_scene::{Node, Value, document_of, read_document};

use super::load::{Ask, load_sweep, plan_of};
use super::plan::Plan;
use super::shape::Shape;

/// Format of plans that are handed over.
const FORMAT: &str = "vinci/planned-sweep@1";

/// The program that a plan was made by.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Program {
    version: String,
    sha256: String,
}

impl Program {
    /// The one that runs.
    fn own() -> Result<Self, Diagnostics> {
        let digest = std::env::current_exe().and_then(|path| FileSum::of(&path));
        let digest = digest.map_err(|e| {
            Diagnostics::from(Diagnostic::error(Code::Io, format!("cannot read this program: {e}")))
        })?;
        Ok(Self { version: env!("CARGO_PKG_VERSION").into(), sha256: digest.sha256 })
    }

    fn told(&self) -> String {
        format!("vinci {} ({})", self.version, self.sha256.get(..12).unwrap_or(&self.sha256))
    }
}

/// Facts in a plan beside the sweep.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Facts {
    format: String,
    program: Program,
    /// Runs, at most where some are pruned.
    runs: u64,
    /// Units of work: shards are made of them.
    units: u64,
    /// The file that the sweep was read from: what it names by a relative path lies beside it.
    file: PathBuf,
    /// The rung that is run alone.
    only: Option<String>,
    /// Cases FROM..TO.
    cases: Option<[u64; 2]>,
    /// Which runs there are, with the hash of the plan.
    shape: Shape,
    /// The plugins by digest.
    plugins: Vec<LockEntry>,
}

/// The whole file, as it is written.
#[derive(Serialize)]
struct Written<'a> {
    #[serde(flatten)]
    facts: &'a Facts,
    sweep: &'a Node,
}

/// A sweep that was planned.
#[derive(Debug, Clone)]
pub struct Planned {
    path: PathBuf,
    facts: Facts,
    sweep: Node,
}

fn refused(code: Code, message: String, help: &str) -> Diagnostics {
    Diagnostic::error(code, message).help(help).into()
}

/// Reads and checks a sweep and gives the text of its plan, JSON, and what it plans. The registry has a cache, and no plugin was looked for
/// in it before.
///
/// # Errors
/// All findings of the sweep; a sweep that varies which file holds the scene.
pub fn plan_sweep(
    file: &Path,
    ask: Ask,
    registry: &Registry,
) -> Result<(String, Shape, Diagnostics), Diagnostics> {
    let (only, cases) = (ask.only.clone(), ask.cases);
    let (plan, warnings) = load_sweep(file, ask, registry)?;
    refuse_scenes(&plan)?;
    let mut diagnostics = Diagnostics::new();
    let Some(node) = read_document(file, None, &mut diagnostics) else { return Err(diagnostics) };
    let sweep = contained(node, plan.documents.contained(&plan.overrides)?);
    let io =
        |e: &dyn std::fmt::Display| refused(Code::Io, format!("cannot plan {}: {e}", file.display()), "");
    let plugins = Lock::of(&registry.remembered()).map_err(|e| io(&e))?.plugins;
    let facts = Facts {
        format: FORMAT.into(),
        program: Program::own()?,
        runs: plan.shape.runs(),
        units: plan.shape.units(),
        file: std::path::absolute(file).map_err(|e| io(&e))?,
        only,
        cases,
        shape: plan.shape,
        plugins,
    };
    // What is handed over is what counts: it is read as a worker reads it.
    let mut planned = Planned { path: file.to_owned(), facts, sweep };
    planned.facts.shape = planned.read_sweep(registry)?.0.shape;
    let written = Written { facts: &planned.facts, sweep: &planned.sweep };
    let text = serde_json::to_string_pretty(&written).map_err(|e| io(&e))? + "\n";
    Ok((text, planned.facts.shape, warnings))
}

/// A scene that is named by a path cannot be handed over where only some runs have it.
fn refuse_scenes(plan: &Plan) -> Result<(), Diagnostics> {
    let mut settings = plan.models.iter().flat_map(|model| &model.settings);
    let Some(setting) = settings.find(|setting| setting.path.to_string() == "scene") else { return Ok(()) };
    let message = "a sweep that sets which file holds the scene cannot be planned".to_owned();
    let help = "make a sweep for every scene, or run it where its files are: `vinci sweep FILE --shard i/n`";
    Err(Diagnostic::error(Code::Contradiction, message).at(setting.path_place.clone()).help(help).into())
}

/// The sweep with its experiment inside.
fn contained(mut sweep: Node, experiment: Node) -> Node {
    if let Value::Object(entries) = &mut sweep.value {
        let own = entries.iter_mut().find(|entry| entry.key == "experiment");
        own.into_iter().for_each(|entry| entry.node = experiment.clone());
    }
    sweep
}

impl Planned {
    /// The plan in a file; nothing where the file does not say that it holds one.
    ///
    /// # Errors
    /// A plan that is damaged.
    pub fn find(path: &Path) -> Result<Option<Self>, Diagnostics> {
        match vinci_scene::files::format_of(path) {
            Some(format) if format == FORMAT => Self::read(path).map(Some),
            _ => Ok(None),
        }
    }

    /// Reads a plan.
    ///
    /// # Errors
    /// A file that cannot be read, or holds no plan.
    pub fn read(path: &Path) -> Result<Self, Diagnostics> {
        let mut diagnostics = Diagnostics::new();
        let Some(mut node) = read_document(path, None, &mut diagnostics) else { return Err(diagnostics) };
        let no_plan = |why: &dyn std::fmt::Display| {
            let message = format!("{} is no plan of a sweep: {why}", path.display());
            refused(Code::WrongFormat, message, "`vinci sweep plan FILE --out PLAN` writes one")
        };
        if node.get("format").and_then(Node::as_str) != Some(FORMAT) {
            return Err(no_plan(&format!("its `format` is not \"{FORMAT}\"")));
        }
        let sweep = node.get("sweep").cloned().ok_or_else(|| no_plan(&"it holds no `sweep`"))?;
        node.remove(&vinci_scene::Path::root().join("sweep"));
        let facts: Facts = serde_json::from_value(node.to_json()).map_err(|e| no_plan(&e))?;
        facts.shape.check().map_err(|why| no_plan(&why))?;
        Ok(Self { path: path.to_owned(), facts, sweep })
    }

    /// Which runs there are.
    pub fn shape(&self) -> &Shape {
        &self.facts.shape
    }

    /// Checks that this program made the plan.
    ///
    /// # Errors
    /// Another program, or another version, made it.
    pub fn check_program(&self) -> Result<(), Diagnostics> {
        let (own, planned) = (Program::own()?, &self.facts.program);
        if own == *planned {
            return Ok(());
        }
        let (path, planned, own) = (self.path.display(), planned.told(), own.told());
        let message = format!("{path} was planned by {planned}, and this is {own}");
        let help = "run it with the program that planned it, or plan it anew with `vinci sweep plan`";
        Err(refused(Code::Plugin, message, help))
    }

    /// The plan of a shard, [i, n]; plugins are those that were planned with, whatever the registry finds.
    ///
    /// # Errors
    /// Plugins that are not those of the plan; a file that it names (a robot's model, a mesh), or the plan itself, that was changed.
    pub fn plan(&self, shard: [u64; 2], registry: &Registry) -> Result<(Plan, Diagnostics), Diagnostics> {
        let (plan, warnings) = self.read_sweep(registry)?;
        if plan.shape != self.facts.shape {
            let message = format!("{} does not plan what it was written for", self.path.display());
            let help = "the plan, or a file that it names (a robot's model, a mesh), was changed: plan it anew with `vinci sweep plan`";
            return Err(refused(Code::Contradiction, message, help));
        }
        let shape = plan.shape.part(shard);
        Ok((Plan { shape, ..plan }, warnings))
    }

    /// A registry that loads the plugins of the plan and no others.
    #[must_use]
    pub fn locked(&self, registry: &Registry) -> Registry {
        registry.locked_by(Lock {
            format: vinci_engine::registry::LOCK_FORMAT.into(),
            plugins: self.facts.plugins.clone(),
            path: self.path.clone(),
            origin: LockOrigin::Plan,
        })
    }

    /// The plan of the sweep inside. Its text stands for the file that it was read from: relative paths lead where they led.
    fn read_sweep(&self, registry: &Registry) -> Result<(Plan, Diagnostics), Diagnostics> {
        let mut diagnostics = Diagnostics::new();
        let text = serde_json::to_string_pretty(&self.sweep)
            .map_err(|e| refused(Code::Io, format!("cannot read {}: {e}", self.path.display()), ""))?;
        let file = &self.facts.file;
        let Some(node) = document_of(&text, &file.to_string_lossy(), &mut diagnostics) else {
            return Err(diagnostics);
        };
        let ask = Ask { only: self.facts.only.clone(), cases: self.facts.cases, ..Ask::default() };
        plan_of(&node, file, ask, registry, diagnostics)
    }
}
