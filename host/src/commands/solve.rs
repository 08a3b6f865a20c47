//! `vinci solve`: one problem from a file.

use std::path::Path;
use std::time::Instant;

use serde_json::{Map, Value, json};
use vinci_abi::{ForeignSolver, Role};
use vinci_core::error::ErrorKind;
use vinci_core::model::{Space, SystemView};
use vinci_core::problem::{ConeBlock, Problem, Status};
use vinci_core::stage::Solver;

use super::{io_error, say};
use crate::cli::SolveArgs;
use crate::diagnostics::{Code, Diagnostic, Diagnostics};
use crate::exit;
use crate::pipeline::{Bridges, audit};
use crate::problem_file::{ProblemFileError, read};
use crate::registry::Registry;
use crate::run::classes;

pub(crate) fn run(args: &SolveArgs) -> Result<u8, Diagnostics> {
    let problems = read(&args.problem, args.tolerance).map_err(|e| unreadable(&e))?;
    let registry = Registry::new(&args.search.plugin_dir);
    let (mut solver, takes) = create(&registry, &args.solver, &options(&args.option)?)?;
    let (mut code, mut results, mut bridges, mut z) = (exit::OK, Vec::new(), Bridges::default(), Vec::new());
    for named in &problems {
        let problem = named.problem.view(args.tolerance);
        let given = bridges.give(&problem, takes).map_err(|m| no_way(&args.solver, &m))?;
        let start = Instant::now();
        let solution = solver.solve(&given.problem).map_err(|e| misbehaved(&args.solver, &e))?;
        let seconds = start.elapsed().as_secs_f64();
        let (status, _) = audit(&given.problem, &solution);
        let residual = residual_of(&given.problem, solution.z);
        given.take_back(&problem, solution.z, &mut z);
        let bridge = given.sentence();
        let denied = if status == solution.status {
            String::new()
        } else {
            format!(" (claimed {})", solution.status.name())
        };
        say(&format!(
            "{}: {}{denied}, residual {:.2e} of |q|∞ ({} unknowns, {} free), {} iterations, {:.3} ms{}{}{}\n",
            named.name,
            status.name(),
            residual,
            problem.len(),
            n_free(&problem),
            solution.iterations,
            1e3 * seconds,
            if solution.note.is_empty() { "" } else { "; " },
            solution.note,
            bridge.as_deref().map_or_else(String::new, |b| format!("; {b}"))
        ));
        if status != Status::Converged {
            code = exit::SOLVER;
        }
        results.push(json!({
            "name": named.name, "status": status.name(), "residual": residual, "iterations": solution.iterations,
            "z": z, "certificate": solution.certificate, "bridge": bridge,
        }));
    }
    if let Some(path) = &args.out {
        write(path, &results)?;
    }
    Ok(code)
}

fn write(path: &Path, results: &[Value]) -> Result<(), Diagnostics> {
    let text = match results {
        [one] => format!("{one:#}\n"),
        many => format!("{:#}\n", Value::Array(many.to_vec())),
    };
    std::fs::write(path, text).map_err(|e| io_error("cannot write", path, &e))
}

/// `key=value` flags as the options object; a value that is not JSON is a string.
fn options(flags: &[String]) -> Result<String, Diagnostics> {
    let mut map = Map::new();
    for flag in flags {
        let Some((key, value)) = flag.split_once('=') else {
            let message = format!("`--option {flag}` gives no value");
            return Err(Diagnostic::error(Code::BadOption, message).help("write --option key=value").into());
        };
        let value = serde_json::from_str(value).unwrap_or_else(|_| Value::String(value.to_string()));
        map.insert(key.to_string(), value);
    }
    Ok(Value::Object(map).to_string())
}

/// A solver without a system around it, and the set of classes it takes.
pub(super) fn create(
    registry: &Registry,
    name: &str,
    options: &str,
) -> Result<(ForeignSolver, u32), Diagnostics> {
    let plugin = registry.find(name, Role::Solver, Path::new("")).map_err(|e| {
        Diagnostic::error(Code::Plugin, e.to_string()).help("`vinci plugin list` shows all plugins")
    })?;
    let nothing = SystemView {
        space: Space::Planar,
        body_names: &[],
        is_static: &[],
        shapes: &[],
        ignored_pairs: &[],
        nv: 0,
        nq: 0,
        accepted: 0,
        driven: &[],
    };
    let takes = plugin.manifest(Role::Solver).map_or(0, classes);
    let solver = plugin.create_solver(options, &nothing).map_err(|e| misbehaved(name, &e))?;
    Ok((solver, takes))
}

/// The problem does not reach the solver.
pub(super) fn no_way(name: &str, message: &str) -> Diagnostics {
    Diagnostic::error(Code::Contradiction, format!("{name} cannot be given the problem: {message}"))
        .help("`vinci plugin list` shows the classes that solvers take")
        .into()
}

/// Natural residual of z, relative to |q|∞; infinite for classes that have none.
pub(super) fn residual_of(problem: &Problem<'_>, z: &[f64]) -> f64 {
    match problem {
        Problem::Mlcp(p) => p.residual(z).natural,
        Problem::Cone(p) => p.residual(z).natural,
        _ => f64::INFINITY,
    }
}

/// Rows that are equations: without bounds, in no block.
fn n_free(problem: &Problem<'_>) -> usize {
    match problem {
        Problem::Mlcp(p) => p.n_free(),
        Problem::Cone(p) => {
            let ruled = |b: ConeBlock| b.dim as usize + usize::from(!b.is_disc());
            p.rows.n_free() - p.blocks.iter().map(ruled).sum::<usize>()
        }
        _ => 0,
    }
}

/// A refusal is about the options or the problem; anything else is the plugin's fault.
pub(super) fn misbehaved(name: &str, error: &vinci_core::StageError) -> Diagnostics {
    match error.kind {
        ErrorKind::Panicked | ErrorKind::Fault => {
            Diagnostic::error(Code::PluginFault, error.message.clone()).into()
        }
        _ => Diagnostic::error(Code::BadOption, format!("{name} refuses: {}", error.message)).into(),
    }
}

pub(super) fn unreadable(error: &ProblemFileError) -> Diagnostics {
    let code = match error {
        ProblemFileError::Io { error, .. } if error.kind() == std::io::ErrorKind::NotFound => {
            Code::NoSuchFile
        }
        ProblemFileError::Io { .. } => Code::UnreadableFile,
        _ => Code::Syntax,
    };
    Diagnostic::error(code, error.to_string()).into()
}
