//! `vinci solve`: one problem from a file.

use std::path::Path;
use std::time::Instant;

use serde_json::{Map, Value, json};
use vinci_abi::{ForeignSolver, Role};
use vinci_core::error::ErrorKind;
use vinci_core::model::{Space, SystemView};
use vinci_core::problem::{Problem, Status};
use vinci_core::stage::Solver;

use super::{io_error, say};
use crate::cli::SolveArgs;
use crate::diagnostics::{Code, Diagnostic, Diagnostics};
use crate::exit;
use crate::pipeline::audit;
use crate::problem_file::{ProblemFileError, read};
use crate::registry::Registry;

pub(crate) fn run(args: &SolveArgs) -> Result<u8, Diagnostics> {
    let problems = read(&args.problem, args.tolerance).map_err(|e| unreadable(&e))?;
    let registry = Registry::new(&args.search.plugin_dir);
    let mut solver = create(&registry, &args.solver, &options(&args.option)?)?;
    let (mut code, mut results) = (exit::OK, Vec::new());
    for named in &problems {
        let mut problem = named.problem.view();
        problem.tolerance = args.tolerance;
        let wrapped = Problem::Mlcp(problem);
        let start = Instant::now();
        let solution = solver.solve(&wrapped).map_err(|e| misbehaved(&args.solver, &e))?;
        let seconds = start.elapsed().as_secs_f64();
        let (status, _) = audit(&wrapped, &solution);
        let residual = problem.residual(solution.z);
        let denied = if status == solution.status {
            String::new()
        } else {
            format!(" (claimed {})", solution.status.name())
        };
        say(&format!(
            "{}: {}{denied}, residual {:.2e} of |q|∞ ({} unknowns, {} free), {} iterations, {:.3} ms{}{}\n",
            named.name,
            status.name(),
            residual.natural,
            problem.n(),
            problem.n_free(),
            solution.iterations,
            1e3 * seconds,
            if solution.note.is_empty() { "" } else { "; " },
            solution.note
        ));
        if status != Status::Converged {
            code = exit::SOLVER;
        }
        results.push(json!({
            "name": named.name, "status": status.name(), "residual": residual.natural, "iterations": solution.iterations,
            "z": solution.z, "certificate": solution.certificate,
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

/// A solver without a system around it.
pub(super) fn create(registry: &Registry, name: &str, options: &str) -> Result<ForeignSolver, Diagnostics> {
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
    };
    plugin.create_solver(options, &nothing).map_err(|e| misbehaved(name, &e))
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
