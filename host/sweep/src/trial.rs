//! The first run of every rung, made ready before anything runs: what is wrong with a sweep is wrong there already.

use vinci_abi::Role;
use vinci_engine::registry::{FindError, Registry};
use vinci_run::{Prepared, role_at};
use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics, Severity};
use vinci_scene::{Segment, base_of};

use super::compile::names_plugin;
use super::level::{Law, Scalar};
use super::path::Task;
use super::plan::{Plan, Put};
use super::row::RunId;
use super::single::ready;

/// Facts that a trial found.
#[derive(Debug, Default)]
pub(super) struct TrialFacts {
    /// Experiment and scene of a run of every rung, JSON.
    pub(super) documents: Vec<String>,
    /// Plugins and the digests of their libraries.
    pub(super) digests: Vec<String>,
    /// Names of the plugins for people, by rung.
    pub(super) plugins: Vec<Vec<String>>,
    /// Warnings of the first runs.
    pub(super) warnings: Diagnostics,
}

/// Cases that are tried before a rung is refused because none of them can start.
const TRIED: u64 = 16;

/// Faults that may come from the values of one run and not concern the next.
const OF_VALUES: [Code; 10] = [
    Code::OutOfRange,
    Code::NonFinite,
    Code::Unphysical,
    Code::BadShape,
    Code::BadOption,
    Code::BadKeyframes,
    Code::Contradiction,
    Code::Overlap,
    Code::OpenJoint,
    Code::PluginFault,
];

pub(super) fn first_runs(plan: &Plan, registry: &Registry) -> Result<TrialFacts, Diagnostics> {
    let mut seen = TrialFacts { plugins: vec![Vec::new(); plan.models.len()], ..TrialFacts::default() };
    for (k, _) in plan.models.iter().enumerate().filter(|(_, m)| m.simulates || m.path.is_some()) {
        let prepared = first_ready(plan, k as u32, registry)?;
        if seen.documents.is_empty() {
            seen.warnings.append(prepared.warnings.clone());
        }
        let unwritten = |e: serde_json::Error| Diagnostics::from(Diagnostic::error(Code::Io, e.to_string()));
        seen.documents.push(serde_json::to_string(&prepared.loaded.resolved()).map_err(unwritten)?);
        let detectors = std::iter::once(&prepared.detector).chain(&prepared.others).map(|d| ("detector", d));
        let stepper = std::iter::once(("stepper", &prepared.stepper));
        let solvers = prepared.solvers.iter().map(|s| ("solver", s));
        let controllers = prepared.controllers.iter().map(|c| ("controller", c));
        for (role, one) in detectors.chain(stepper).chain(solvers).chain(controllers) {
            let manifest = &one.manifest;
            seen.digests.push(format!("{} {}", manifest.id, one.plugin.digest()));
            seen.plugins[k].push(format!("{role} {} {}", manifest.id, manifest.version));
        }
        seen.digests.extend(varied_plugins(plan, k, registry)?);
        seen.digests.extend(swapped_plugins(&prepared, registry));
    }
    Ok(seen)
}

/// Digests of the plugins that events swap in.
fn swapped_plugins(prepared: &Prepared, registry: &Registry) -> Vec<String> {
    let swaps = prepared.loaded.experiment.events.iter().filter_map(|event| event.swap.as_ref());
    let named = swaps.flat_map(|swap| {
        [(Role::Detector, &swap.detector), (Role::Stepper, &swap.stepper), (Role::Solver, &swap.solver)]
    });
    let name = |value: &serde_json::Value| {
        value.as_str().or_else(|| value.get("plugin")?.as_str()).map(str::to_owned)
    };
    let mut digests = Vec::new();
    for (role, value) in named {
        let more = ["fallback", "others"].into_iter().filter_map(|key| value.get(key)?.as_array()).flatten();
        for id in std::iter::once(value).chain(more).filter_map(name) {
            let base = prepared.loaded.path.parent().unwrap_or(std::path::Path::new(""));
            let found = registry.find(&id, role, base);
            digests.push(format!("{id} {}", found.map(|p| p.digest().to_string()).unwrap_or_default()));
        }
    }
    digests
}

/// Digests of the plugins that a text parameter names on a rung.
///
/// # Errors
/// Where one of them is a library that nobody but the sweep speaks for.
fn varied_plugins(plan: &Plan, rung: usize, registry: &Registry) -> Result<Vec<String>, Diagnostics> {
    let mut digests = Vec::new();
    for setting in plan.models[rung].settings.iter().filter(|s| leads_to_plugin(&s.path)) {
        let Put::Text(parameter, place) = &setting.put else { continue };
        let Some(role) = role_at(&setting.path) else { continue };
        for text in texts(plan, rung, *parameter) {
            // One that is not there makes rows that say so, or a finding of the first run.
            let digest = match registry.find(&text, role, &base_of(place)) {
                Err(error @ FindError::NotAllowed { .. }) => {
                    let refused = Diagnostic::error(Code::Plugin, error.to_string()).help(error.help());
                    return Err(refused.at(place.clone()).into());
                }
                found => found.map(|p| p.digest().to_string()).unwrap_or_default(),
            };
            digests.push(format!("{text} {digest}"));
        }
    }
    Ok(digests)
}

/// Returns true if a path leads to the name of a plugin, those of fallbacks, further detectors and controllers included.
fn leads_to_plugin(path: &vinci_scene::Path) -> bool {
    let is_name = match path.segments().last() {
        Some(Segment::Key(key)) => key == "plugin",
        Some(Segment::Index(_)) => true,
        None => false,
    };
    names_plugin(path) || role_at(path).is_some() && is_name
}

/// All values of a text parameter.
fn texts(plan: &Plan, rung: usize, parameter: usize) -> Vec<String> {
    let mut all: Vec<&[Scalar]> = Vec::new();
    for grid in [&plan.cases, &plan.models[rung].samples] {
        all.extend(grid.axes.iter().map(|(_, values)| values.as_slice()));
        all.extend(grid.random.iter().map(|(_, law)| match law {
            Law::Choice(of) => of.as_slice(),
            _ => &[],
        }));
    }
    all.get(parameter).map_or_else(Vec::new, |values| values.iter().map(Scalar::written).collect())
}

fn first_ready(plan: &Plan, rung: u32, registry: &Registry) -> Result<Prepared, Diagnostics> {
    let [from, to] = plan.shape.cases;
    let mut refused = None;
    for case in (from..to).take(TRIED as usize) {
        let id = RunId { case, sample: 0, rung };
        let values = plan.values(id);
        match ready(plan, id, &values, registry) {
            Ok((prepared, _)) => {
                let model = &plan.models[rung as usize];
                if let Some((path, place)) = &model.path {
                    let task = Task { path, place, model, numbers: &values.numbers };
                    task.check(&prepared.simulation.system)?;
                }
                return Ok(prepared);
            }
            Err(found) => {
                let errors = || found.iter().filter(|d| d.severity == Severity::Error);
                let lasting = errors().any(|d| !OF_VALUES.contains(&d.code));
                if lasting {
                    return Err(found);
                }
                refused.get_or_insert(found);
            }
        }
    }
    Err(refused.unwrap_or_default())
}
