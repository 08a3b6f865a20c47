//! Tests of solvers. Judge is core: residual and certificate are recomputed, no claim is believed.

mod bits;
mod classes;
mod cones;
mod conic;
mod problems;
mod qpcc;

use vinci_abi::ForeignSolver;
use vinci_core::StageError;
use vinci_core::error::ErrorKind;
use vinci_core::problem::{Mlcp, Problem, ProblemClass, Root, Solution, Status, check_farkas};
use vinci_core::stage::{Oracle, Solver};

use crate::repeated::repeated;
use crate::subject::{Stop, Subject, ensure};
use crate::threads::threads;
use bits::bits;
use classes::takes;
use problems::{Case, Truth};

type Run = fn(&Subject) -> Result<String, Stop>;

pub(crate) const TESTS: &[(&str, Run)] = &[
    ("easy-problems", easy_problems),
    ("random-problems", random_problems),
    ("honest-status", honest_status),
    ("infeasible", infeasible),
    ("large", large),
    ("warm-start", warm_start),
    ("deterministic", deterministic),
    ("no-memory", no_memory),
    ("interleaved", interleaved),
    ("threads", on_threads),
    ("sizes", sizes),
    ("repeated-calls", repeated_calls),
    ("bad-problems", bad_problems),
    ("foreign-class", foreign_class),
    ("root", root),
    ("cone-problems", cones::problems),
    ("cone-honest-status", cones::honest),
    ("cone-deterministic", cones::deterministic),
    ("cone-bad-problems", cones::bad),
    ("conic-problems", conic::problems),
    ("conic-warm-start", conic::warm_start),
    ("conic-proofs", conic::proofs),
    ("conic-cones-or-refusal", conic::cones_or_refusal),
    ("conic-deterministic", conic::deterministic),
    ("conic-bad-problems", conic::bad),
    ("qpcc-problems", qpcc::problems),
    ("qpcc-proofs", qpcc::proofs),
    ("qpcc-node-limit", qpcc::node_limit),
    ("qpcc-quadratic-or-refusal", qpcc::quadratic_or_refusal),
    ("qpcc-deterministic", qpcc::deterministic),
    ("qpcc-bad-problems", qpcc::bad),
];

/// A solver for Mlcp problems.
fn solver(subject: &Subject) -> Result<ForeignSolver, Stop> {
    takes(subject, ProblemClass::Mlcp)?;
    Ok(subject.solver()?)
}

/// Solves a case and judges every claim; gives the status and z.
fn judge(solver: &mut ForeignSolver, case: &Case) -> Result<(Status, Vec<f64>), Stop> {
    let p = case.problem.view();
    let solution =
        solver.solve(&Problem::Mlcp(p)).map_err(|e| Stop::Failed(format!("{}: {e}", case.name)))?;
    check_claims(case, &p, &solution)?;
    Ok((solution.status, solution.z.to_vec()))
}

fn check_claims(case: &Case, p: &Mlcp<'_>, solution: &Solution<'_>) -> Result<(), Stop> {
    let name = &case.name;
    match solution.status {
        Status::Converged => {
            let residual = p.residual(solution.z).natural;
            ensure!(
                residual <= p.tolerance,
                "{name}: claims to have converged at residual {residual:e}, asked for {:e}",
                p.tolerance
            );
        }
        Status::Infeasible => {
            ensure!(
                case.truth == Truth::Infeasible,
                "{name}: claims that there is no solution, but there is one"
            );
            ensure!(!solution.certificate.is_empty(), "{name}: claims infeasibility without a certificate");
            let check = check_farkas(p, solution.certificate);
            ensure!(check.proves(), "{name}: the certificate proves nothing ({check:?})");
        }
        _ => {}
    }
    Ok(())
}

/// The one solution, found.
fn must_solve(solver: &mut ForeignSolver, case: &Case) -> Result<(), Stop> {
    let (status, z) = judge(solver, case)?;
    let Truth::Easy(expected) = &case.truth else { return Ok(()) };
    ensure!(status == Status::Converged, "{}: ended with {}", case.name, status.name());
    for (i, (found, expected)) in z.iter().zip(expected).enumerate() {
        let off = (found - expected).abs();
        ensure!(off <= 1e-5 * (1.0 + expected.abs()), "{}: z[{i}] is {found}, not {expected}", case.name);
    }
    Ok(())
}

fn easy_problems(subject: &Subject) -> Result<String, Stop> {
    let mut solver = solver(subject)?;
    let cases = problems::easy();
    for case in &cases {
        must_solve(&mut solver, case)?;
    }
    Ok(format!("{} solved", cases.len()))
}

fn random_problems(subject: &Subject) -> Result<String, Stop> {
    let mut solver = solver(subject)?;
    let cases = problems::random_dominant(subject.seed);
    for case in &cases {
        must_solve(&mut solver, case)?;
    }
    Ok(format!("{} solved", cases.len()))
}

fn honest_status(subject: &Subject) -> Result<String, Stop> {
    let mut solver = solver(subject)?;
    let (mut solved, mut other) = (0, Vec::new());
    for case in problems::hard() {
        match judge(&mut solver, &case)?.0 {
            Status::Converged => solved += 1,
            status => other.push(format!("{}: {}", case.name, status.name())),
        }
    }
    Ok(format!("{solved} solved; {}", other.join(", ")))
}

fn infeasible(subject: &Subject) -> Result<String, Stop> {
    let mut solver = solver(subject)?;
    let mut seen = Vec::new();
    for case in problems::hard().into_iter().filter(|c| c.truth == Truth::Infeasible) {
        let (status, _) = judge(&mut solver, &case)?;
        ensure!(status != Status::Converged, "{}: claims a solution where there is none", case.name);
        seen.push(format!("{}: {}", case.name, status.name()));
    }
    Ok(seen.join(", "))
}

fn large(subject: &Subject) -> Result<String, Stop> {
    let mut solver = solver(subject)?;
    let (status, _) = judge(&mut solver, &problems::chain(400))?;
    Ok(format!("400 unknowns: {}", status.name()))
}

fn warm_start(subject: &Subject) -> Result<String, Stop> {
    let mut solver = solver(subject)?;
    for mut case in problems::random_dominant(subject.seed) {
        let Truth::Easy(z) = &case.truth else { continue };
        // The solution itself, something near it, something far off, something outside the bounds.
        let guesses =
            [z.clone(), z.iter().map(|x| x + 1e-3).collect(), vec![1e3; z.len()], vec![-1e3; z.len()]];
        for guess in guesses {
            case.problem.guess = guess;
            must_solve(&mut solver, &case)?;
        }
    }
    Ok(String::new())
}

fn deterministic(subject: &Subject) -> Result<String, Stop> {
    if !subject.manifest.deterministic {
        return Err(Stop::Skipped("the manifest says that it is not".into()));
    }
    for case in problems::random_dominant(subject.seed).iter().chain(&problems::hard()) {
        let (_, first) = judge(&mut solver(subject)?, case)?;
        for _ in 0..9 {
            let (_, again) = judge(&mut solver(subject)?, case)?;
            ensure!(bits(&first) == bits(&again), "{}: another instance gives other bits", case.name);
        }
    }
    Ok("10 instances".into())
}

fn no_memory(subject: &Subject) -> Result<String, Stop> {
    if !subject.manifest.deterministic {
        return Err(Stop::Skipped("the manifest says that it is not deterministic".into()));
    }
    let cases: Vec<Case> =
        problems::hard().into_iter().chain(problems::random_dominant(subject.seed)).collect();
    let alone: Result<Vec<_>, Stop> =
        cases.iter().map(|case| Ok(judge(&mut solver(subject)?, case)?.1)).collect();
    let mut one = solver(subject)?;
    for (case, alone) in cases.iter().zip(alone?) {
        let (_, z) = judge(&mut one, case)?;
        ensure!(
            bits(&z) == bits(&alone),
            "{}: the answer depends on problems solved before (the guess is the only warm start)",
            case.name
        );
    }
    Ok(String::new())
}

fn interleaved(subject: &Subject) -> Result<String, Stop> {
    let (mut a, mut b) = (solver(subject)?, solver(subject)?);
    let cases = problems::random_dominant(subject.seed);
    for pair in cases.chunks_exact(2) {
        let (p, q) = (pair[0].problem.view(), pair[1].problem.view());
        // What a solver returned stays valid until its own next call, whatever others do.
        let from_a = a.solve(&Problem::Mlcp(p))?;
        let from_b = b.solve(&Problem::Mlcp(q))?;
        check_claims(&pair[0], &p, &from_a)?;
        check_claims(&pair[1], &q, &from_b)?;
        let statuses = [from_a.status, from_b.status];
        ensure!(statuses == [Status::Converged; 2], "two instances disturb each other");
    }
    Ok(String::new())
}

/// The answers to all small problems, as bits.
fn on_threads(subject: &Subject) -> Result<String, Stop> {
    takes(subject, ProblemClass::Mlcp)?;
    threads(subject, |subject| {
        let mut solver = solver(subject)?;
        let mut all = Vec::new();
        for case in problems::hard().iter().chain(&problems::random_dominant(subject.seed)) {
            all.extend(bits(&judge(&mut solver, case)?.1));
        }
        Ok(all)
    })
}

/// From nothing to what no dense matrix holds. Who does not solve the large one must say so.
fn sizes(subject: &Subject) -> Result<String, Stop> {
    let mut seen = Vec::new();
    for n in [0, 1, 10_000] {
        let (status, _) = judge(&mut solver(subject)?, &problems::chain(n))?;
        seen.push(format!("{n}: {}", status.name()));
    }
    Ok(seen.join(", "))
}

fn repeated_calls(subject: &Subject) -> Result<String, Stop> {
    let mut solver = solver(subject)?;
    let case = &problems::easy()[7];
    repeated(|| Ok(bits(&judge(&mut solver, case)?.1)))
}

/// Problems that contradict themselves: an error, or a status that is no success; never a panic, never a success.
fn bad_problems(subject: &Subject) -> Result<String, Stop> {
    let mut solver = solver(subject)?;
    let good = &problems::easy()[6].problem;
    let nan = [f64::NAN, 1.0];
    let mut column = good.view();
    column.m.column = &[0, 9, 0, 1];
    let bad = [
        ("q with NaN", Mlcp { q: &nan, ..good.view() }),
        ("too few lower bounds", Mlcp { lower: &good.lower[..1], ..good.view() }),
        ("too few upper bounds", Mlcp { upper: &[], ..good.view() }),
        ("a guess too short", Mlcp { guess: &good.q[..1], ..good.view() }),
        ("bounds the wrong way round", Mlcp { lower: &[1.0, 1.0], upper: &[0.0, 0.0], ..good.view() }),
        ("a column that is not there", column),
        ("no matrix", Mlcp { m: Default::default(), ..good.view() }),
    ];
    for (what, problem) in bad {
        match solver.solve(&Problem::Mlcp(problem)) {
            Ok(solution) => ensure!(solution.status != Status::Converged, "{what}: claims to have converged"),
            Err(error) => ensure!(!error.kind.is_fault(), "{what}: {error}"),
        }
    }
    must_solve(&mut solver, &problems::easy()[6])?;
    Ok(String::new())
}

/// r(v) = (v₀² + v₁ − 3, v₀ − v₁ + 1), solved by v = (1, 2).
struct Circle;

impl Oracle for Circle {
    fn call(&self, what: u32, input: &[f64], output: &mut [f64]) -> Result<(), StageError> {
        match what {
            Root::RESIDUAL => {
                output[0] = input[0] * input[0] + input[1] - 3.0;
                output[1] = input[0] - input[1] + 1.0;
            }
            Root::JACOBIAN => output.copy_from_slice(&[2.0 * input[0], 1.0, 1.0, -1.0]),
            Root::LIMIT => output[0] = 1.0,
            other => return Err(StageError::unsupported(format!("there is no function {other}"))),
        }
        Ok(())
    }
}

fn foreign_class(subject: &Subject) -> Result<String, Stop> {
    let easy = problems::easy();
    let problem = match (
        subject.manifest.has_class(ProblemClass::Root),
        subject.manifest.has_class(ProblemClass::Mlcp),
    ) {
        (false, _) => {
            Problem::Root(Root { start: &[3.0, 3.0], oracle: &Circle, scale: &[], tolerance: 1e-10 })
        }
        (true, false) => Problem::Mlcp(easy[1].problem.view()),
        (true, true) => return Err(Stop::Skipped("takes all classes that this contract carries".into())),
    };
    match subject.solver()?.solve(&problem) {
        Err(error) if error.kind == ErrorKind::Unsupported => Ok(error.message),
        Err(error) => Err(error.into()),
        Ok(_) => Err(Stop::Failed(format!(
            "takes a {} problem its manifest does not name",
            problem.class().name()
        ))),
    }
}

fn root(subject: &Subject) -> Result<String, Stop> {
    takes(subject, ProblemClass::Root)?;
    let mut solver = subject.solver()?;
    let problem = Problem::Root(Root { start: &[3.0, 3.0], oracle: &Circle, scale: &[], tolerance: 1e-10 });
    let solution = solver.solve(&problem)?;
    ensure!(solution.status == Status::Converged, "ended with {}", solution.status.name());
    let off = (solution.z[0] - 1.0).abs().max((solution.z[1] - 2.0).abs());
    ensure!(off < 1e-9, "found {:?}, not (1, 2)", solution.z);
    Ok(format!("{} iterations", solution.iterations))
}
