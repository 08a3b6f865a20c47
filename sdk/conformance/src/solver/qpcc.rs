//! Programs with complementarity pairs: known optima, ties, cases without a lawful point, the node limit. Solvers that
//! name "linear-objective-only" must refuse a quadratic objective by an error.

use vinci_abi::ForeignSolver;
use vinci_core::CsrBuf;
use vinci_core::error::ErrorKind;
use vinci_core::problem::{ConicBuf, NO_GROUP, Problem, ProblemClass, Qpcc, QpccBuf, Status, proves_no_mode};
use vinci_core::stage::Solver;

use super::bits::bits;
use super::classes::takes;
use crate::subject::{Instance, Stop, Subject, ensure};

const INF: f64 = f64::INFINITY;
/// Capability of solvers that take P = 0 only.
const LINEAR: &str = "linear-objective-only";

/// A program and its smallest objective; None: no x is lawful.
struct Case {
    name: String,
    problem: QpccBuf,
    best: Option<f64>,
}

/// Rows as entries (column, value), constant, lower, upper.
type Row = (Vec<(usize, f64)>, f64, f64, f64);

/// A row that may belong to a pair.
fn side(entries: &[(usize, f64)], constant: f64) -> Row {
    (entries.to_vec(), constant, 0.0, INF)
}

fn case(name: &str, p: &[f64], c: &[f64], rows: &[Row], pairs: &[(usize, usize)], best: Option<f64>) -> Case {
    let n = c.len();
    let diagonal: Vec<_> = (0..n).filter(|&i| p[i] != 0.0).map(|i| (i, i, p[i])).collect();
    let entries = rows.iter().enumerate().flat_map(|(i, r)| r.0.iter().map(move |&(j, v)| (i, j, v)));
    let qp = ConicBuf::from_parts(
        CsrBuf::from_triplets(n, n, &diagonal),
        c.to_vec(),
        CsrBuf::from_triplets(rows.len(), n, &entries.collect::<Vec<_>>()),
        rows.iter().map(|r| r.1).collect(),
        (rows.iter().map(|r| r.2).collect(), rows.iter().map(|r| r.3).collect()),
    );
    let mut problem = QpccBuf { qp, ..QpccBuf::default() };
    pairs.iter().for_each(|&(i, j)| problem.push_pair(i, j, NO_GROUP));
    Case { name: name.into(), problem, best }
}

/// Pairs (x_2k, x_2k+1) with ceilings; the cost falls by `gain` of either.
fn ceilings(name: &str, gain: &[f64], ceiling: &[f64]) -> Case {
    let n = gain.len();
    let mut rows: Vec<Row> = (0..n).map(|j| side(&[(j, 1.0)], 0.0)).collect();
    rows.extend((0..n).map(|j| (vec![(j, 1.0)], 0.0, -INF, ceiling[j])));
    let c: Vec<f64> = gain.iter().map(|g| -g).collect();
    let pairs: Vec<_> = (0..n / 2).map(|k| (2 * k, 2 * k + 1)).collect();
    let value = |j: usize| gain[j] * ceiling[j];
    let best = (0..n / 2).map(|k| -value(2 * k).max(value(2 * k + 1))).sum();
    case(name, &vec![0.0; n], &c, &rows, &pairs, Some(best))
}

/// Linear objectives, bounded unknowns.
fn linear() -> Vec<Case> {
    let hill = |k: usize| 1.0 + ((7 * k + 3) % 11) as f64 / 4.0;
    let (gain, ceiling): (Vec<f64>, Vec<f64>) = (0..16).map(|j| (hill(j), hill(j + 5))).unzip();
    vec![
        ceilings("one pair", &[1.0, 2.0], &[3.0, 2.0]),
        ceilings("a tie", &[1.0, 1.0], &[2.0, 2.0]),
        ceilings("eight pairs", &gain, &ceiling),
        // x + y ≥ 1 cuts the mode that both objectives and bounds prefer; (1, 0) costs 1, (0, 1) costs 2.
        case(
            "the cheap corner is cut",
            &[0.0; 2],
            &[1.0, 2.0],
            &[
                side(&[(0, 1.0)], 0.0),
                side(&[(1, 1.0)], 0.0),
                (vec![(0, 1.0), (1, 1.0)], 0.0, 1.0, INF),
                (vec![(0, 1.0)], 0.0, -INF, 5.0),
                (vec![(1, 1.0)], 0.0, -INF, 5.0),
            ],
            &[(0, 1)],
            Some(1.0),
        ),
        case("no pairs", &[0.0], &[1.0], &[(vec![(0, 1.0)], 0.0, -2.0, 3.0)], &[], Some(-2.0)),
    ]
}

/// Quadratic objectives.
fn quadratic() -> Vec<Case> {
    let corner = [side(&[(0, 1.0)], 0.0), side(&[(1, 1.0)], 0.0)];
    vec![
        case("corner", &[1.0; 2], &[-2.0, -1.0], &corner, &[(0, 1)], Some(-2.0)),
        case("a quadratic tie", &[1.0; 2], &[-1.0, -1.0], &corner, &[(0, 1)], Some(-0.5)),
        case("already lawful", &[1.0; 2], &[-1.0, 2.0], &corner, &[(0, 1)], Some(-0.5)),
        gripper(),
    ]
}

/// A finger that ends just at a part's face: pressed, the part rises with it; not pressed, it rests on the table. Unknowns:
/// finger across and up, the part's rise, p_n, p_f up and down, the table's force, the slip speed. Both ends cost −1.
fn gripper() -> Case {
    let rows = [
        (vec![(6, 1.0), (4, 1.0), (5, -1.0)], -1.0, 0.0, 0.0),
        side(&[(0, -1.0)], 1.0),
        side(&[(3, 1.0)], 0.0),
        side(&[(2, 1.0)], 0.0),
        side(&[(6, 1.0)], 0.0),
        side(&[(7, 1.0), (2, 1.0), (1, -1.0)], 0.0),
        side(&[(4, 1.0)], 0.0),
        side(&[(7, 1.0), (2, -1.0), (1, 1.0)], 0.0),
        side(&[(5, 1.0)], 0.0),
        side(&[(3, 0.5), (4, -1.0), (5, -1.0)], 0.0),
        side(&[(7, 1.0)], 0.0),
    ];
    let (mut p, mut c) = ([0.0; 8], [0.0; 8]);
    p[..2].fill(1.0);
    c[..2].fill(-1.0);
    case("gripper step", &p, &c, &rows, &[(1, 2), (3, 4), (5, 6), (7, 8), (9, 10)], Some(-1.0))
}

/// No lawful point, one by the rows alone, two by cases.
fn hopeless() -> Vec<Case> {
    let switch = |j: usize| [side(&[(j, 1.0)], 0.0), side(&[(j, -1.0)], 1.0)];
    let between = |low: f64, high: f64, entries: &[(usize, f64)]| (entries.to_vec(), 0.0, low, high);
    let [a, b] = switch(0);
    let [c, d] = switch(1);
    vec![
        case(
            "no room at all",
            &[0.0],
            &[0.0],
            &[side(&[(0, 1.0)], 0.0), side(&[(0, 1.0)], -1.0), between(-INF, 0.5, &[(0, 1.0)])],
            &[(0, 1)],
            None,
        ),
        case(
            "neither end",
            &[0.0],
            &[1.0],
            &[a.clone(), b.clone(), between(0.25, 0.75, &[(0, 1.0)])],
            &[(0, 1)],
            None,
        ),
        case(
            "no corner of the square",
            &[0.0; 2],
            &[1.0, 1.0],
            &[a, b, c, d, between(0.4, 0.6, &[(0, 1.0), (1, 1.0)])],
            &[(0, 1), (2, 3)],
            None,
        ),
    ]
}

fn solver(subject: &Subject) -> Result<ForeignSolver, Stop> {
    takes(subject, ProblemClass::Qpcc)?;
    Ok(subject.solver()?)
}

fn solvable(subject: &Subject) -> Vec<Case> {
    let mut all = linear();
    if !subject.manifest.has_capability(LINEAR) {
        all.extend(quadratic());
    }
    all
}

/// Solves a case and judges every claim; gives status, x and y.
fn judge(solver: &mut ForeignSolver, case: &Case) -> Result<(Status, Vec<f64>, Vec<f64>), Stop> {
    let (p, name) = (case.problem.view(), &case.name);
    let s = solver.solve(&Problem::Qpcc(p)).map_err(|e| Stop::Failed(format!("{name}: {e}")))?;
    match s.status {
        Status::Converged => {
            let (status, residual) = p.audited_status(s.status, s.z, s.dual, s.bound);
            let gap = p.qp.objective(s.z) - s.bound;
            ensure!(
                status == Status::Converged,
                "{name}: claims to have converged at residual {:e}, {gap:e} above its bound",
                residual.natural
            );
        }
        Status::Infeasible => {
            ensure!(proves_no_mode(&p, s.certificate), "{name}: the tree of proofs proves nothing");
        }
        _ => {}
    }
    if let Some(best) = case.best.filter(|_| s.bound.is_finite()) {
        let excess = s.bound - best;
        ensure!(excess <= 1e-6, "{name}: the bound {} lies above the optimum {best}", s.bound);
    }
    Ok((s.status, s.z.to_vec(), s.dual.to_vec()))
}

fn must_solve(solver: &mut ForeignSolver, case: &Case) -> Result<(), Stop> {
    let ((status, x, _), name) = (judge(solver, case)?, &case.name);
    ensure!(status == Status::Converged, "{name}: ended with {}", status.name());
    let value = case.problem.view().qp.objective(&x);
    let best = case.best.unwrap_or(f64::NAN);
    ensure!((value - best).abs() <= 1e-6, "{name}: the objective is {value}, the smallest is {best}");
    Ok(())
}

/// Known optima, from no guess and from every guess of the first pairs, right or wrong.
pub(super) fn problems(subject: &Subject) -> Result<String, Stop> {
    let mut solver = solver(subject)?;
    let cases = solvable(subject);
    let count = cases.len();
    for mut case in cases {
        must_solve(&mut solver, &case)?;
        for mode in [1, 2] {
            case.problem.modes = vec![mode; case.problem.group.len()];
            must_solve(&mut solver, &case)?;
        }
    }
    Ok(format!("{count} solved, each from three guesses"))
}

/// No success without a lawful point; a tree of proofs where the manifest promises certificates.
pub(super) fn proofs(subject: &Subject) -> Result<String, Stop> {
    let mut solver = solver(subject)?;
    let promised = subject.manifest.has_capability("certificate");
    let mut seen = Vec::new();
    for case in hopeless() {
        let (status, name) = (judge(&mut solver, &case)?.0, &case.name);
        ensure!(status != Status::Converged, "{name}: claims a solution where there is none");
        ensure!(!promised || status == Status::Infeasible, "{name}: ended with {}", status.name());
        seen.push(format!("{name}: {}", status.name()));
    }
    Ok(seen.join(", "))
}

/// With `max_nodes` 1 nothing is claimed that one node does not prove: the limit is reported, the bound is one.
pub(super) fn node_limit(subject: &Subject) -> Result<String, Stop> {
    takes(subject, ProblemClass::Qpcc)?;
    if subject.manifest.options["properties"].get("max_nodes").is_none() {
        return Err(Stop::Skipped("has no option max_nodes".into()));
    }
    let Instance::Solver(mut solver) = subject.instance(r#"{"max_nodes": 1}"#)? else {
        return Err(Stop::Failed("a solver's instance is none".into()));
    };
    let mut limited = 0;
    for case in solvable(subject) {
        let (status, _, _) = judge(&mut solver, &case)?;
        limited += usize::from(status == Status::NodeLimit);
        let known = matches!(status, Status::NodeLimit | Status::Converged);
        ensure!(known, "{}: ended with {}", case.name, status.name());
    }
    Ok(format!("{limited} limited"))
}

/// A quadratic objective is solved or refused, nothing else.
pub(super) fn quadratic_or_refusal(subject: &Subject) -> Result<String, Stop> {
    let mut solver = solver(subject)?;
    if !subject.manifest.has_capability(LINEAR) {
        return Ok("quadratic objectives are taken".into());
    }
    match solver.solve(&Problem::Qpcc(quadratic()[0].problem.view())) {
        Err(error) if error.kind == ErrorKind::Unsupported => Ok(error.message),
        Err(error) => Err(error.into()),
        Ok(_) => {
            Err(Stop::Failed(format!("takes a quadratic objective although its manifest names \"{LINEAR}\"")))
        }
    }
}

/// Determinism: one answer to the bit from every instance, whatever it solved before.
pub(super) fn deterministic(subject: &Subject) -> Result<String, Stop> {
    takes(subject, ProblemClass::Qpcc)?;
    if !subject.manifest.deterministic {
        return Err(Stop::Skipped("the manifest says that it is not".into()));
    }
    let mut one = solver(subject)?;
    for case in solvable(subject).iter().chain(&hopeless()) {
        let (_, x, y) = judge(&mut solver(subject)?, case)?;
        let (_, x_after, y_after) = judge(&mut one, case)?;
        let same = bits(&x) == bits(&x_after) && bits(&y) == bits(&y_after);
        ensure!(same, "{}: other bits from a used instance", case.name);
    }
    Ok(String::new())
}

/// Pairs that contradict the rows: an error, or a status that is no success; never a panic, never a success.
pub(super) fn bad(subject: &Subject) -> Result<String, Stop> {
    let mut solver = solver(subject)?;
    let good = &linear()[0];
    let view = || good.problem.view();
    let bounds = [-1.0, 0.0, -INF, -INF];
    let mut bounded = view();
    bounded.qp.lower = &bounds;
    let bad = [
        ("a row in two pairs", Qpcc { pairs: &[0, 1, 1, 2], group: &[NO_GROUP; 2], ..view() }),
        ("a row that is not there", Qpcc { pairs: &[0, 9], ..view() }),
        ("half a pair", Qpcc { pairs: &[0], ..view() }),
        ("no groups", Qpcc { group: &[], ..view() }),
        ("a third side", Qpcc { modes: &[3], ..view() }),
        ("a pair with another bound", bounded),
    ];
    for (what, problem) in bad {
        match solver.solve(&Problem::Qpcc(problem)) {
            Ok(solution) => ensure!(solution.status != Status::Converged, "{what}: claims to have converged"),
            Err(error) => ensure!(!error.kind.is_fault(), "{what}: {error}"),
        }
    }
    must_solve(&mut solver, good)?;
    Ok(String::new())
}
