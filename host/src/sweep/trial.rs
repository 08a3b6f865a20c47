//! The first run of every rung, made ready before anything runs: what is wrong with a sweep is wrong there already.

use vinci_abi::Role;

use crate::diagnostics::{Code, Diagnostic, Diagnostics, Severity};
use crate::registry::Registry;
use crate::run::Prepared;
use crate::scene::Segment;

use super::compile::names_plugin;
use super::level::{Law, Scalar};
use super::path::Task;
use super::plan::{Plan, Put};
use super::row::RunId;
use super::single::ready;

/// What was seen.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// Experiment and scene of a run of every rung, JSON.
    pub(super) documents: Vec<String>,
    /// Plugins and the digests of their libraries.
    pub(super) digests: Vec<String>,
    /// The same in words, by rung.
    pub(super) plugins: Vec<Vec<String>>,
    /// Warnings of the first runs.
    pub(super) warnings: Diagnostics,
}

/// Cases that are tried before a rung is refused because none of them can start.
const TRIED: u64 = 16;

/// Faults that may come from the values of one run and not concern the next.
const OF_VALUES: [Code; 9] = [
    Code::OutOfRange,
    Code::NonFinite,
    Code::Unphysical,
    Code::BadShape,
    Code::BadOption,
    Code::BadKeyframes,
    Code::Contradiction,
    Code::Overlap,
    Code::OpenJoint,
];

pub(super) fn first_runs(plan: &Plan, registry: &Registry) -> Result<Seen, Diagnostics> {
    let mut seen = Seen { plugins: vec![Vec::new(); plan.models.len()], ..Seen::default() };
    for (k, _) in plan.models.iter().enumerate().filter(|(_, m)| m.simulates || m.path.is_some()) {
        let prepared = first_ready(plan, k as u32, registry)?;
        if seen.documents.is_empty() {
            seen.warnings.append(prepared.warnings.clone());
        }
        let unwritten = |e: serde_json::Error| Diagnostics::from(Diagnostic::error(Code::Io, e.to_string()));
        seen.documents.push(serde_json::to_string(&prepared.loaded.resolved()).map_err(unwritten)?);
        let roles = ["detector", "stepper"].into_iter().chain(std::iter::repeat("solver"));
        let used = [&prepared.detector, &prepared.stepper].into_iter().chain(&prepared.solvers);
        for (role, one) in roles.zip(used) {
            let manifest = &one.manifest;
            seen.digests.push(format!("{} {}", manifest.id, one.plugin.digest()));
            seen.plugins[k].push(format!("{role} {} {}", manifest.id, manifest.version));
        }
        seen.digests.extend(varied_plugins(plan, k, registry));
    }
    Ok(seen)
}

/// Digests of the plugins that a text parameter names on a rung.
fn varied_plugins(plan: &Plan, rung: usize, registry: &Registry) -> Vec<String> {
    let mut digests = Vec::new();
    for setting in plan.models[rung].settings.iter().filter(|s| names_plugin(&s.path)) {
        let Put::Text(parameter, _) = &setting.put else { continue };
        let role = match setting.path.segments().first() {
            Some(Segment::Key(key)) if key == "detector" => Role::Detector,
            Some(Segment::Key(key)) if key == "stepper" => Role::Stepper,
            _ => Role::Solver,
        };
        for text in texts(plan, rung, *parameter) {
            // One that is not there makes rows that say so, or a finding of the first run.
            let found = registry.find(&text, role, std::path::Path::new(""));
            let digest = found.map(|p| p.digest().to_string()).unwrap_or_default();
            digests.push(format!("{text} {digest}"));
        }
    }
    digests
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
                if let Some((way, place)) = &model.path {
                    let task = Task { way, place, model, numbers: &values.numbers };
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
