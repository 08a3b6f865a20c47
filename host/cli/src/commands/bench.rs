//! `vinci bench solvers`: a table of what solvers reach on a collection of problems, judged by the host.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use vinci_core::error::ErrorKind;
use vinci_core::problem::{Problem, Status};

use super::bench_profile::{Times, picture};
use super::bench_steps;
use super::files::{io_error, put_file};
use super::printing::{report, tell_asked};
use super::refused::not_found;
use super::search::registry;
use super::solve::{no_answer, qp, residual_of, unreadable};
use super::solver_pool::SolverPool;
use crate::cli::{BenchArgs, BenchWhat, Global, libraries_in};
use vinci_engine::pipeline::{Answer, Exactness, NoAnswer};
use vinci_engine::ranking::AUTO;
use vinci_engine::registry::{IsolationLimits, Registry};
use vinci_run::problem_file::{Named, read};
use vinci_run::{ARCHIVE, exit};
use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics};

/// Residuals a success is counted at.
const THRESHOLDS: [f64; 3] = [1e-6, 1e-8, 1e-10];

/// Result of one solver on one problem.
struct Result {
    name: String,
    family: String,
    expected: String,
    /// The solver that answered: the one that was named, or the one that `auto` chose.
    solver: String,
    /// The bridges it was solved over.
    bridge: Option<String>,
    /// True if one of them is approximate; the residual is then that of the problem behind it.
    approximate: bool,
    /// Status that the solver claims.
    status: Status,
    /// True if the host believes it.
    believed: bool,
    objective: Option<f64>,
    bound: Option<f64>,
    /// Objective less the proven optimum, where the file has one and the solver claims one.
    worse: Option<f64>,
    /// True if that is more than the tolerance explains.
    is_worse: bool,
    iterations: u64,
    /// False if it took longer than it may.
    in_time: bool,
    /// Reason why no bridge led from there.
    refused: Option<String>,
    /// Fault of the solver, which was not asked again for this problem.
    fault: Option<String>,
    residual: f64,
    /// True if the host has checked a proof that there is no solution.
    proved: bool,
    /// Where that holds to rounding only: a solution would have an unknown above this.
    reach: Option<f64>,
    seconds: f64,
}

impl Result {
    fn refused(named: &Named, why: String) -> Self {
        Self {
            name: named.name.clone(),
            family: named.family.clone(),
            expected: verdict(named),
            solver: String::new(),
            bridge: None,
            approximate: false,
            status: Status::NumericalFailure,
            believed: true,
            objective: None,
            bound: None,
            worse: None,
            is_worse: false,
            iterations: 0,
            in_time: true,
            refused: Some(why),
            fault: None,
            residual: f64::INFINITY,
            proved: false,
            reach: None,
            seconds: 0.0,
        }
    }

    /// A problem that was not solved in the time that a solver may take.
    fn late(named: &Named, solver: &str, limit: Duration) -> Self {
        let (solver, seconds) = (solver.to_owned(), limit.as_secs_f64());
        Self { solver, refused: None, in_time: false, seconds, ..Self::refused(named, String::new()) }
    }

    /// A problem at which a solver broke the contract, or ended its process.
    fn faulty(named: &Named, solver: &str, fault: String) -> Self {
        let solver = solver.to_owned();
        Self { solver, refused: None, fault: Some(fault), ..Self::refused(named, String::new()) }
    }

    /// How it ended where it is no solution.
    fn end(&self) -> String {
        match self.in_time {
            _ if self.fault.is_some() => "met a fault of the solver".to_owned(),
            true => format!("ended with {}, residual {:.1e}", self.status.name(), self.residual),
            false => format!("had not ended after {} s", self.seconds),
        }
    }

    /// Claims a solution that is none within the tolerance, or one that is not the best; or claims
    /// infeasibility of a problem known to have a solution.
    fn is_false_success(&self) -> bool {
        let false_solution = self.status == Status::Converged && (!self.believed || self.is_worse);
        let false_proof = !self.approximate && self.status == Status::Infeasible && self.expected == "solved";
        false_solution || false_proof
    }

    /// The fault of the solver, or that of a claimed success that is none.
    fn finding(&self, solver: &str) -> Option<Diagnostic> {
        if let Some(fault) = &self.fault {
            return Some(Diagnostic::error(Code::PluginFault, fault.clone()));
        }
        let message = format!("{solver} makes a false claim about {} ({})", self.name, self.status.name());
        self.is_false_success().then(|| Diagnostic::error(Code::Run, message))
    }
}

pub(crate) fn run(global: &Global, args: &BenchArgs) -> std::result::Result<u8, Diagnostics> {
    let (files, solver, tolerance, time_limit, json, profile, search) = match &args.what {
        BenchWhat::Solvers { files, solver, tolerance, time_limit, json, profile, search } => {
            (files, solver, tolerance, *time_limit, json, profile, search)
        }
        BenchWhat::Steps(steps) => return bench_steps::run(global, steps),
    };
    let mut problems = Vec::new();
    for file in files {
        let file = if file.is_dir() { &file.join(ARCHIVE) } else { file };
        problems.extend(read(file, *tolerance).map_err(|e| unreadable(&e))?);
    }
    let named: Vec<_> = solver.iter().flat_map(|name| libraries_in(name)).collect();
    let registry = registry(global, search).allowing(&named);
    let guarding = time_limit.map(|limit| guarding(&registry, limit)).transpose()?;
    let mut all = Vec::new();
    for name in solver {
        let mut pool = SolverPool::new(&registry, name, "{}")?;
        let mut guard = guarding.as_ref().map(|r| Guard::new(r, name)).transpose()?;
        let mut results = Vec::new();
        for named in &problems {
            let late = guard.as_mut().map_or(Ok(None), |guard| guard.late(name, named, *tolerance))?;
            if let Some(late) = late {
                results.push(late);
                continue;
            }
            let result = one(&mut pool, name, named, *tolerance)?;
            // Its process may have ended, and an instance that was at fault is not asked again.
            if result.fault.is_some() {
                pool = SolverPool::new(&registry, name, "{}")?;
            }
            results.push(result);
        }
        all.push((name.clone(), results));
    }
    let nobody = || all.iter().flat_map(|(name, r)| r.iter().map(move |r| (name, r.refused.as_ref())));
    if let (Some((name, Some(why))), true) = (nobody().next(), nobody().all(|(_, why)| why.is_some())) {
        return Err(no_answer(name, NoAnswer::NoRoute(why.clone())));
    }
    let diagnostics: Diagnostics =
        all.iter().flat_map(|(name, r)| r.iter().filter_map(|r| r.finding(name))).collect();
    if let Some(path) = profile {
        // A solver that was given no problem has no curve.
        let asked = all.iter().filter(|(_, results)| results.iter().any(|r| r.refused.is_none()));
        let text = picture(&asked.map(times_of).collect::<Vec<_>>());
        let text = text.map_err(|e| io_error("cannot draw", path, &std::io::Error::other(e)))?;
        put_file(path, text.as_bytes(), files.iter().map(PathBuf::as_path))?;
    }
    let code = code_of(&all, &diagnostics);
    tell_asked(global, ("bench solvers", code), *json, || as_table(&all), || as_json(&all, *tolerance))?;
    report(global, &diagnostics);
    Ok(code)
}

/// Family and expected outcome in brackets; nothing of a problem that a run recorded, of which neither is known.
fn known(words: [&str; 2]) -> String {
    let known: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
    if known.is_empty() { String::new() } else { format!(" ({})", known.join(", ")) }
}

/// A fault counts for more than a false claim.
fn code_of(all: &[(String, Vec<Result>)], diagnostics: &Diagnostics) -> u8 {
    match all.iter().flat_map(|(_, results)| results).any(|result| result.fault.is_some()) {
        true => exit::PLUGIN_FAULT,
        false if diagnostics.has_errors() => exit::NOT_ACCEPTED,
        false => exit::OK,
    }
}

/// Times of what a solver solved; a wrong answer is none.
fn times_of((name, results): &(String, Vec<Result>)) -> Times {
    let is_solved = |r: &Result| r.status == Status::Converged || r.proved;
    let time =
        |r: &Result| (r.refused.is_none() && is_solved(r) && !r.is_false_success()).then_some(r.seconds);
    Times { solver: name.clone(), seconds: results.iter().map(time).collect() }
}

/// A solver in a process of its own, which can be ended: it shows whether a problem is solved in time.
struct Guard<'a> {
    registry: &'a Registry,
    limit: Duration,
    pool: SolverPool<'a>,
}

/// The registry of solvers that are ended after some time, and that time.
fn guarding(registry: &Registry, limit: Duration) -> std::result::Result<(Registry, Duration), Diagnostics> {
    let limits = IsolationLimits { deadline: limit, ..IsolationLimits::default() };
    let registry = registry.isolated(limits).map_err(|e| not_found(&e.to_string()))?;
    Ok((registry, limit))
}

impl<'a> Guard<'a> {
    fn new(
        (registry, limit): &'a (Registry, Duration),
        name: &'a str,
    ) -> std::result::Result<Self, Diagnostics> {
        Ok(Self { registry, limit: *limit, pool: SolverPool::new(registry, name, "{}")? })
    }

    /// The result of a problem that is not solved in time, or at which the solver is at fault; none of others.
    fn late(
        &mut self,
        name: &'a str,
        named: &Named,
        tolerance: f64,
    ) -> std::result::Result<Option<Result>, Diagnostics> {
        let begun = Instant::now();
        let result = one(&mut self.pool, name, named, tolerance)?;
        if result.fault.is_none() {
            return Ok(None);
        }
        // Its process has ended.
        self.pool = SolverPool::new(self.registry, name, "{}")?;
        let is_late = begun.elapsed() >= self.limit;
        Ok(Some(if is_late { Result::late(named, name, self.limit) } else { result }))
    }
}

fn one(
    pool: &mut SolverPool<'_>,
    name: &str,
    named: &Named,
    tolerance: f64,
) -> std::result::Result<Result, Diagnostics> {
    let problem = named.problem.view(tolerance);
    let mut answer = Answer::default();
    let done = match pool.solve(&problem, &mut answer) {
        Ok(done) => done,
        // What a solver is not given, or refuses, is a row of the table: the others are compared all the same.
        Err(NoAnswer::NoRoute(why)) => return Ok(Result::refused(named, why)),
        Err(NoAnswer::Stage(e)) if e.kind == ErrorKind::Unsupported => {
            return Ok(Result::refused(named, e.message));
        }
        Err(NoAnswer::Stage(e)) if e.kind.is_fault() => return Ok(Result::faulty(named, name, e.message)),
        Err(why) => return Err(no_answer(name, why)),
    };
    let objective = qp(&problem).map(|p| p.exact_objective(&answer.z));
    let claimed = objective.filter(|_| answer.claimed == Status::Converged);
    let worse = claimed.zip(named.optimum).map(|(f, best)| f - best);
    let is_worse = match (&problem, claimed, named.optimum) {
        (Problem::Qpcc(p), Some(f), Some(best)) => !(f - best <= p.gap_allowed(&answer.z)),
        _ => false,
    };
    Ok(Result {
        name: named.name.clone(),
        family: named.family.clone(),
        expected: verdict(named),
        solver: done.id,
        bridge: done.route.sentence(pool.directions()),
        approximate: done.route.exactness() == Exactness::Approximate,
        status: answer.claimed,
        believed: answer.status == answer.claimed,
        objective,
        bound: (!answer.bound.is_nan()).then_some(answer.bound),
        worse,
        is_worse,
        iterations: answer.iterations,
        in_time: true,
        refused: None,
        fault: None,
        residual: residual_of(&problem, &answer, &done.route),
        proved: answer.status == Status::Infeasible && answer.proved,
        reach: answer.to_rounding(),
        seconds: done.seconds,
    })
}

/// The first word of what is known.
fn verdict(named: &Named) -> String {
    named.verdict.split(' ').next().unwrap_or_default().to_string()
}

fn as_table(all: &[(String, Vec<Result>)]) -> String {
    let mut out = format!(
        "{:<28} {:>6} {:>8} {:>8} {:>8} {:>11} {:>8} {:>8} {:>8} {:>7} {:>11} {:>11} {:>18} {:>11}\n",
        "solver",
        "tried",
        "<1e-6",
        "<1e-8",
        "<1e-10",
        "infeasible",
        "claimed",
        "proved",
        "rounded",
        "false",
        "median ms",
        "worst ms",
        "worse than optimal",
        "iterations"
    );
    for (name, results) in all {
        let given = || results.iter().filter(|r| r.refused.is_none());
        let solvable: Vec<_> = given().filter(|r| r.expected != "infeasible").collect();
        let below =
            |t: f64| solvable.iter().filter(|r| r.status == Status::Converged && r.residual <= t).count();
        let impossible: Vec<_> = given().filter(|r| r.expected == "infeasible").collect();
        let recognised = impossible.iter().filter(|r| r.proved).count();
        let claimed = results.iter().filter(|r| r.status == Status::Infeasible).count();
        let proved = results.iter().filter(|r| r.proved && r.reach.is_none()).count();
        let rounded = results.iter().filter(|r| r.proved && r.reach.is_some()).count();
        let wrong = results.iter().filter(|r| r.is_false_success()).count();
        let (median, worst) = times(results);
        let worse = results.iter().filter(|r| r.is_worse).count();
        let iterations = given().map(|r| r.iterations).sum::<u64>() as f64 / given().count().max(1) as f64;
        out.push_str(&format!(
            "{name:<28} {:>6} {:>8} {:>8} {:>8} {:>11} {claimed:>8} {proved:>8} {rounded:>8} {wrong:>7} {median:>11.3} {worst:>11.3} {worse:>18} {iterations:>11.1}\n",
            solvable.len(),
            below(THRESHOLDS[0]),
            below(THRESHOLDS[1]),
            below(THRESHOLDS[2]),
            format!("{recognised}/{}", impossible.len()),
        ));
    }
    out.push_str(&missed(all));
    out
}

/// Lists every problem that a solver did not solve, with its status, and the solvers whose problems were not those of the file.
fn missed(all: &[(String, Vec<Result>)]) -> String {
    let mut out = String::new();
    for (solver, results) in all {
        let bridged: Vec<_> = results.iter().filter_map(|r| r.bridge.as_ref()).collect();
        if let Some(sentence) = bridged.first() {
            out.push_str(&format!("{solver}: {} problems given as {sentence}\n", bridged.len()));
        }
        if solver == AUTO && results.iter().any(|r| r.refused.is_none()) {
            out.push_str(&format!("{solver}: answered by {}\n", answered_by(results)));
        }
        for (why, names) in not_given(results) {
            out.push_str(&format!("{solver}: {} not given: {why}\n", counted(&names)));
        }
        let tried = || results.iter().filter(|r| r.refused.is_none());
        for r in tried().filter(|r| r.expected != "infeasible" && r.status != Status::Converged) {
            out.push_str(&format!("{solver}: {}{} {}\n", r.name, known([&r.family, &r.expected]), r.end()));
        }
        for r in tried().filter(|r| r.expected == "infeasible" && !r.proved) {
            let how = match r.status {
                Status::Infeasible => "was claimed Infeasible without a proof that holds".to_owned(),
                _ => r.end(),
            };
            out.push_str(&format!("{solver}: {} is infeasible, {how}\n", r.name));
        }
    }
    out
}

/// Solvers that answered, each with its number of problems.
fn answered_by(results: &[Result]) -> String {
    let mut counts = BTreeMap::new();
    results.iter().filter(|r| r.refused.is_none()).for_each(|r| *counts.entry(&r.solver).or_insert(0) += 1);
    counts.iter().map(|(id, count)| format!("{id} ({count})")).collect::<Vec<_>>().join(", ")
}

/// Problems that a solver was not given, by reason, in the order of the file.
fn not_given(results: &[Result]) -> Vec<(&str, Vec<&str>)> {
    let mut out: Vec<(&str, Vec<&str>)> = Vec::new();
    for (why, name) in results.iter().filter_map(|r| Some((r.refused.as_deref()?, r.name.as_str()))) {
        match out.iter_mut().find(|(known, _)| *known == why) {
            Some((_, names)) => names.push(name),
            None => out.push((why, vec![name])),
        }
    }
    out
}

/// The only name with its verb, or the number of problems with the first of them.
fn counted(names: &[&str]) -> String {
    match names {
        [name] => format!("{name} was"),
        names => format!("{} problems ({} first) were", names.len(), names.first().unwrap_or(&"")),
    }
}

fn times(results: &[Result]) -> (f64, f64) {
    let mut ms: Vec<f64> = results.iter().filter(|r| r.refused.is_none()).map(|r| 1e3 * r.seconds).collect();
    ms.sort_by(f64::total_cmp);
    (ms.get(ms.len() / 2).copied().unwrap_or(0.0), ms.last().copied().unwrap_or(0.0))
}

fn as_json(all: &[(String, Vec<Result>)], tolerance: f64) -> Value {
    let solvers: Vec<_> = all
        .iter()
        .map(|(name, results)| {
            let rows: Vec<_> = results
                .iter()
                .map(|r| {
                    json!({ "name": r.name, "solver": r.solver, "family": r.family, "expected": r.expected, "status": r.status.name(),
                        "bridge": r.bridge, "refused": r.refused, "objective": r.objective, "bound": r.bound, "worse_than_optimal": r.worse,
                        "iterations": r.iterations, "in_time": r.in_time, "fault": r.fault, "residual": if r.residual.is_finite() { json!(r.residual) } else { json!(null) },
                        "proven": r.proved && r.reach.is_none(), "proven_to_rounding": r.proved && r.reach.is_some(), "reach": r.reach, "false_success": r.is_false_success(), "seconds": r.seconds })
                })
                .collect();
            json!({ "solver": name, "results": rows })
        })
        .collect();
    json!({ "tolerance": tolerance, "solvers": solvers })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// They stood as "(, )" behind problems of runs.
    #[test]
    fn what_nobody_knows_of_a_problem_has_no_brackets() {
        assert_eq!([known(["", ""]), known(["chain", "solved"])], ["", " (chain, solved)"]);
    }
}
