//! `vinci solve`: one problem from a file.

use std::path::Path;
use std::time::Duration;

use serde_json::{Map, Value, json};
use vinci_core::problem::{Conic, Problem, Status};

use super::files::put_file;
use super::printing::{report, say, tell_asked};
use super::search::registry;
use super::solver_faults::{is_fault, misbehaved};
use super::solver_pool::SolverPool;
use crate::cli::{ErrorFormat, Global, SolveArgs, libraries_in};
use vinci_engine::pipeline::{Answer, Exactness, NoAnswer, Route};
use vinci_run::exit;
use vinci_run::problem_file::{Named, ProblemFileError, USUAL_TOLERANCE, read};
use vinci_run::time_limit::TimeLimit;
use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics};

pub(crate) fn run(global: &Global, args: &SolveArgs) -> Result<u8, Diagnostics> {
    let _limit = args.time_limit.map(|limit| limited(global, args, limit)).transpose()?;
    let problems =
        read(&args.problem, args.tolerance.unwrap_or(USUAL_TOLERANCE)).map_err(|e| unreadable(&e))?;
    let registry = registry(global, &args.search).allowing(&libraries_in(&args.solver));
    let mut pool = SolverPool::new(&registry, &args.solver, &options(&args.option)?)?;
    let mut solved = Solved::default();
    for named in &problems {
        let tolerance = args.tolerance.unwrap_or_else(|| named.problem.tolerance());
        if let Some(why) = solved.ask(named, tolerance, &mut pool, global)? {
            // The others of a collection are solved all the same, unless a plugin broke.
            if problems.len() == 1 || matches!(&why, NoAnswer::Stage(error) if is_fault(error)) {
                return Err(no_answer(&args.solver, why));
            }
            solved.results.push(json!({ "name": named.name, "status": null }));
            solved.diagnostics.append(no_answer(&args.solver, why));
        }
    }
    let Solved { diagnostics, results } = solved;
    if let Some(path) = &args.out {
        write(path, &args.problem, &results)?;
    }
    let code = if diagnostics.has_errors() { exit::SOLVER } else { exit::OK };
    tell_asked(global, ("solve", code), false, String::new, || json!({ "problems": results }))?;
    report(global, &diagnostics);
    Ok(code)
}

/// Answers to the problems of a file, and what is wrong with them.
#[derive(Default)]
struct Solved {
    results: Vec<Value>,
    diagnostics: Diagnostics,
}

impl Solved {
    /// Has a problem solved and tells the answer, or gives the reason why there is none.
    fn ask(
        &mut self,
        named: &Named,
        tolerance: f64,
        pool: &mut SolverPool<'_>,
        global: &Global,
    ) -> Result<Option<NoAnswer>, Diagnostics> {
        let (problem, mut answer) = (named.problem.view(tolerance), Answer::default());
        let done = match pool.solve(&problem, &mut answer) {
            Ok(done) => done,
            Err(why) => return Ok(Some(why)),
        };
        let residual = residual_of(&problem, &answer, &done.route);
        let bridge = done.route.sentence(pool.directions());
        let is_approximate = done.route.exactness() == Exactness::Approximate;
        // A residual that the largest number of the problem hides is told too.
        let in_units = || problem.residual_in_units(&answer.z, &answer.dual);
        let own = is_approximate.then(|| own_residual(&problem, &answer).max(in_units()));
        let mut told = result(&named.name, &problem, &answer, residual, (&done.id, &bridge));
        if let Some(own) = own {
            told["problem_residual"] = json!(own);
        }
        self.results.push(told);
        if global.error_format == ErrorFormat::Text {
            let route: Vec<String> = pool.chosen(&done).into_iter().chain(bridge).collect();
            say(&line(&named.name, &problem, &answer, residual, (done.seconds, &route, own)))?;
        }
        self.diagnostics.extend(unsolved(&named.name, &done.id, answer.status));
        Ok(None)
    }
}

/// Ends the program when the time has passed: nothing of what it has not written yet is wanted then.
fn limited(global: &Global, args: &SolveArgs, limit: Duration) -> Result<TimeLimit, Diagnostics> {
    let (global, solver) = (global.clone(), args.solver.clone());
    let at_end = move || {
        let message = format!("{solver} was not done after {}", humantime::format_duration(limit));
        report(&global, &Diagnostic::error(Code::Run, message).help("raise --time-limit").into());
        exit::SOLVER
    };
    let no_thread = |e| Diagnostic::error(Code::Io, format!("cannot watch the time: {e}"));
    Ok(TimeLimit::new(limit, at_end).map_err(no_thread)?)
}

/// The finding about a problem that is not solved.
fn unsolved(name: &str, solver: &str, status: Status) -> Option<Diagnostic> {
    let message = format!("{name} was not solved: {solver} ended with {}", status.name());
    (status != Status::Converged).then(|| Diagnostic::error(Code::Run, message))
}

fn line(
    name: &str,
    problem: &Problem<'_>,
    answer: &Answer,
    residual: f64,
    (seconds, route, own): (f64, &[String], Option<f64>),
) -> String {
    let mut out = format!("{name}: {}", answer.status.name());
    if answer.status != answer.claimed {
        let why = answer.denied.map_or(String::new(), |d| format!(", {}", d.text()));
        out.push_str(&format!(" (claimed {}{why})", answer.claimed.name()));
    }
    if answer.by_cases {
        out.push_str(" (proved by cases)");
    }
    if answer.proved {
        match answer.to_rounding() {
            None => out.push_str(&format!(", proof checked ({})", size(problem))),
            Some(reach) => out.push_str(&format!(
                " to rounding: no solution with unknowns below {reach:.1e}, and no exact proof ({})",
                size(problem)
            )),
        }
        return out + &effort(answer, seconds, route);
    }
    let of = if qp(problem).is_some() { "the data's size" } else { "|q|∞" };
    if answer.status == Status::Converged && residual > problem.tolerance() {
        out.push_str(" to rounding of its terms");
    }
    out.push_str(&format!(", residual {residual:.2e} of {of} ({})", size(problem)));
    if let Some(own) = own {
        out.push_str(&format!(" of the approximation, {own:.2e} of the problem itself"));
    }
    let has_point = has_point(problem, answer);
    if let Some(qp) = qp(problem) {
        match has_point {
            true => out.push_str(&format!(", objective {:.9e}", qp.exact_objective(&answer.z))),
            false => out.push_str(", no lawful point found"),
        }
        if answer.bound.is_finite() {
            let whose = if answer.status == Status::Converged { "" } else { " by the solver's word" };
            out.push_str(&format!(", bound {:.9e}{whose}", answer.bound));
        }
        if let Some([objective, bound]) = answer.gap(problem).filter(|_| answer.status != Status::Converged) {
            out.push_str(&format!(", gap {:.1e}", objective - bound));
        }
    }
    if let (Problem::Qpcc(p), true) = (problem, has_point) {
        let mut modes = Vec::new();
        p.modes_of(&answer.z, &mut modes);
        let digits: String = modes.iter().map(u32::to_string).collect();
        out.push_str(&format!(", modes {digits}"));
    }
    out + &effort(answer, seconds, route)
}

/// The end of a line: time, the solver's words, the solver that was chosen and its bridges.
fn effort(answer: &Answer, seconds: f64, route: &[String]) -> String {
    let mut out = String::new();
    if answer.solves > 1 {
        out.push_str(&format!(", {} programs", answer.solves));
    }
    out.push_str(&format!(", {} iterations, {:.3} ms", answer.iterations, 1e3 * seconds));
    let note = (!answer.note.is_empty()).then_some(answer.note.as_str());
    for more in note.into_iter().chain(route.iter().map(String::as_str)) {
        out.push_str("; ");
        out.push_str(more);
    }
    out + "\n"
}

fn result(
    name: &str,
    problem: &Problem<'_>,
    answer: &Answer,
    residual: f64,
    (solver, route): (&str, &Option<String>),
) -> Value {
    let mut out = json!({
        "name": name, "solver": solver, "status": answer.status.name(), "residual": residual, "iterations": answer.iterations,
        "z": answer.z, "certificate": answer.certificate, "bridge": route,
    });
    if answer.status == Status::Converged && residual > problem.tolerance() {
        out["to_rounding"] = json!(true);
    }
    if answer.proved {
        let reach = answer.to_rounding();
        out["proof"] = json!(if reach.is_some() { "to-rounding" } else { "exact" });
        out["reach"] = json!(reach);
        return out;
    }
    let has_point = has_point(problem, answer);
    if let Some(qp) = qp(problem) {
        out["dual"] = json!(answer.dual);
        out["objective"] = json!(has_point.then(|| qp.exact_objective(&answer.z)));
        out["bound"] = json!(answer.bound);
    }
    if let (Problem::Qpcc(p), true) = (problem, has_point) {
        let mut modes = Vec::new();
        p.modes_of(&answer.z, &mut modes);
        out["modes"] = json!(modes);
    }
    out
}

/// Returns true unless a search for the best of many modes ended without any lawful point.
fn has_point(problem: &Problem<'_>, answer: &Answer) -> bool {
    match problem {
        Problem::Qpcc(p) => answer.status == Status::Converged || p.is_point(&answer.z),
        _ => true,
    }
}

/// The objective and rows of a program.
pub(super) fn qp<'a>(problem: &Problem<'a>) -> Option<Conic<'a>> {
    match problem {
        Problem::Conic(p) => Some(*p),
        Problem::Qpcc(p) => Some(p.qp),
        _ => None,
    }
}

/// How large a problem is, in words.
fn size(problem: &Problem<'_>) -> String {
    match problem {
        Problem::Conic(p) => format!("{} unknowns, {} rows, {} cones", p.n(), p.m(), p.cones.len() / 2),
        Problem::Qpcc(p) => format!("{} unknowns, {} rows, {} pairs", p.qp.n(), p.qp.m(), p.n_pairs()),
        _ => format!("{} unknowns, {} free", problem.len(), n_free(problem)),
    }
}

fn write(path: &Path, problem: &Path, results: &[Value]) -> Result<(), Diagnostics> {
    let text = match results {
        [one] => format!("{one:#}\n"),
        many => format!("{:#}\n", Value::Array(many.to_vec())),
    };
    put_file(path, text.as_bytes(), [problem])
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

/// The problem does not reach the solver, or the solver refuses or misbehaves.
pub(super) fn no_answer(name: &str, why: NoAnswer) -> Diagnostics {
    match why {
        NoAnswer::NoRoute(message) => {
            Diagnostic::error(Code::Contradiction, format!("{name} cannot be given the problem: {message}"))
                .help("`vinci plugin list` shows the classes that solvers take")
                .into()
        }
        NoAnswer::Stage(error) => misbehaved(name, &error),
    }
}

/// Residual of an answer, solution or not, relative to the problem's size: of the problem itself, or of what stood behind
/// the first approximate bridge.
pub(super) fn residual_of(problem: &Problem<'_>, answer: &Answer, route: &Route) -> f64 {
    if route.exactness() == Exactness::Approximate || answer.residual.is_finite() {
        return answer.residual;
    }
    own_residual(problem, answer)
}

/// Residual of an answer by the problem itself, whatever stood between it and the solver.
fn own_residual(problem: &Problem<'_>, answer: &Answer) -> f64 {
    match problem {
        Problem::Mlcp(p) => p.residual(&answer.z).natural,
        Problem::Cone(p) => p.residual(&answer.z).natural,
        Problem::Conic(p) => p.residual(&answer.z, &answer.dual).natural,
        Problem::Qpcc(p) => p.residual(&answer.z, &answer.dual).natural,
        _ => f64::INFINITY,
    }
}

/// Rows that are equations: without bounds, in no block.
fn n_free(problem: &Problem<'_>) -> usize {
    match problem {
        Problem::Mlcp(p) => p.n_free(),
        Problem::Cone(p) => {
            let mut in_block = Vec::new();
            p.mark_block_rows(&mut in_block);
            (0..p.rows.n()).filter(|&i| p.rows.is_free(i) && !in_block[i]).count()
        }
        _ => 0,
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
