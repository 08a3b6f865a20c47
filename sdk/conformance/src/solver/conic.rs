//! Convex programs: closed forms, proofs, bad data. Solvers without "second-order-cones" must refuse cones by an error.

use vinci_abi::ForeignSolver;
use vinci_core::CsrBuf;
use vinci_core::error::ErrorKind;
use vinci_core::problem::{
    Conic, ConicBuf, Problem, ProblemClass, Status, check_conic_infeasible, check_conic_unbounded,
};
use vinci_core::stage::Solver;

use super::bits::bits;
use super::classes::takes;
use crate::random::Random;
use crate::subject::{Stop, Subject, ensure};

const INF: f64 = f64::INFINITY;
/// Capability of solvers that take cones.
const CONES: &str = "second-order-cones";

/// Known truth of a program.
enum Truth {
    /// The one x, and the one y where it is one.
    Solved(Vec<f64>, Option<Vec<f64>>),
    /// The smallest objective; x is not alone.
    Objective(f64),
    Infeasible,
    Unbounded,
}

struct Case {
    name: String,
    problem: ConicBuf,
    truth: Truth,
}

/// Rows (coefficients, constant, lower, upper).
type Rows<'a> = &'a [(&'a [f64], f64, f64, f64)];

/// A program with diagonal P; cones as (first row, rows).
fn case(name: &str, p: &[f64], c: &[f64], rows: Rows<'_>, cones: &[(u32, u32)], truth: Truth) -> Case {
    let n = c.len();
    let diagonal: Vec<_> = (0..n).filter(|&i| p[i] != 0.0).map(|i| (i, i, p[i])).collect();
    let entries = rows.iter().enumerate().flat_map(|(i, r)| (0..n).map(move |j| (i, j, r.0[j])));
    let entries: Vec<_> = entries.filter(|t| t.2 != 0.0).collect();
    let mut problem = ConicBuf::from_parts(
        CsrBuf::from_triplets(n, n, &diagonal),
        c.to_vec(),
        CsrBuf::from_triplets(rows.len(), n, &entries),
        rows.iter().map(|r| r.1).collect(),
        (rows.iter().map(|r| r.2).collect(), rows.iter().map(|r| r.3).collect()),
    );
    problem.cones = cones.iter().flat_map(|&(first, dim)| [first, dim]).collect();
    Case { name: name.into(), problem, truth }
}

fn known(x: &[f64], y: &[f64]) -> Truth {
    Truth::Solved(x.to_vec(), Some(y.to_vec()))
}

/// Bounds of every kind, no rows, no unknowns, singular and empty P, bad scales.
fn linear_rows() -> Vec<Case> {
    let mut all = vec![
        case("empty", &[], &[], &[], &[], known(&[], &[])),
        case("without rows", &[2.0, 4.0], &[-2.0, 4.0], &[], &[], known(&[1.0, -1.0], &[])),
        case("rows without unknowns", &[], &[], &[(&[], 1.0, 0.0, 2.0)], &[], known(&[], &[0.0])),
        // The nearest point to (−1, 2) with x_0 ≥ 1.
        case(
            "half-space",
            &[1.0; 2],
            &[1.0, -2.0],
            &[(&[1.0, 0.0], 0.0, 1.0, INF)],
            &[],
            known(&[1.0, 2.0], &[2.0]),
        ),
        case(
            "half-space beyond",
            &[1.0; 2],
            &[-3.0, -2.0],
            &[(&[1.0, 0.0], 0.0, 1.0, INF)],
            &[],
            known(&[3.0, 2.0], &[0.0]),
        ),
        case("weakly touched", &[1.0], &[-1.0], &[(&[1.0], 0.0, 1.0, INF)], &[], known(&[1.0], &[0.0])),
        case("upper bound", &[1.0], &[-3.0], &[(&[1.0], 0.5, -INF, 2.5)], &[], known(&[2.0], &[-1.0])),
        case("row without bounds", &[1.0], &[-3.0], &[(&[1.0], 0.0, -INF, INF)], &[], known(&[3.0], &[0.0])),
        case(
            "equation",
            &[1.0; 2],
            &[0.0; 2],
            &[(&[1.0, 1.0], 0.0, 2.0, 2.0)],
            &[],
            known(&[1.0, 1.0], &[1.0]),
        ),
        case("box, above", &[1.0], &[-5.0], &[(&[1.0], 0.0, -1.0, 1.0)], &[], known(&[1.0], &[-4.0])),
        case("box, below", &[1.0], &[5.0], &[(&[1.0], 0.0, -1.0, 1.0)], &[], known(&[-1.0], &[4.0])),
        case("box, between", &[1.0], &[0.5], &[(&[1.0], 0.0, -1.0, 1.0)], &[], known(&[-0.5], &[0.0])),
        // A mass of 2 kg that hangs (s = v ≥ 0) while gravity gives it −0.981 N s a step.
        case("hanging block", &[2.0], &[0.1962], &[(&[1.0], 0.0, 0.0, INF)], &[], known(&[0.0], &[0.1962])),
        case(
            "linear",
            &[0.0; 2],
            &[1.0, 2.0],
            &[(&[1.0, 1.0], 0.0, 1.0, INF), (&[1.0, 0.0], 0.0, 0.0, INF), (&[0.0, 1.0], 0.0, 0.0, INF)],
            &[],
            known(&[1.0, 0.0], &[1.0, 0.0, 1.0]),
        ),
        // P sees x_0 − nothing of x_1, which the row holds.
        case(
            "singular P",
            &[1.0, 0.0],
            &[-1.0, 1.0],
            &[(&[0.0, 1.0], 0.0, -2.0, INF)],
            &[],
            known(&[1.0, -2.0], &[1.0]),
        ),
        case(
            "free direction",
            &[1.0, 0.0],
            &[-1.0, 0.0],
            &[(&[1.0, 1.0], 0.0, 0.0, INF)],
            &[],
            Truth::Objective(-0.5),
        ),
        case(
            "the same row twice",
            &[1.0],
            &[1.0],
            &[(&[1.0], 0.0, 0.0, INF), (&[1.0], 0.0, 0.0, INF)],
            &[],
            Truth::Solved(vec![0.0], None),
        ),
        case(
            "scales 1e-4 to 1e4",
            &[1e-4, 1e4],
            &[-1e-2, 1e2],
            &[(&[1e2, 0.0], 0.0, -INF, 1e3), (&[0.0, 1e-2], 0.0, 1e-5, INF)],
            &[],
            Truth::Solved(vec![10.0, 1e-3], None),
        ),
    ];
    all.push(sliding_block_pyramid());
    all
}

/// Unit mass sliding at 2 m/s on a floor with μ = ½, h = 0.01 s, as Anitescu's program with two edges: v_n ± μ v_t ≥ 0 gives
/// v = (v_x, μ v_x), v_x (1 + μ²) = 2 − μ g h; the normal impulse is far above the weight's.
fn sliding_block_pyramid() -> Case {
    let (mu, fall) = (0.5, 0.0981);
    let v = (2.0 - mu * fall) / (1.0 + mu * mu);
    let rows: Rows<'_> = &[(&[mu, 1.0], 0.0, 0.0, INF), (&[-mu, 1.0], 0.0, 0.0, INF)];
    case("sliding block", &[1.0; 2], &[-2.0, fall], rows, &[], known(&[v, mu * v], &[0.0, mu * v + fall]))
}

/// Nearest points of the cone inside, outside, at the tip; the sliding block with an exact cone.
fn cones() -> Vec<Case> {
    let free = |row: &'static [f64]| (row, 0.0, -INF, INF);
    let eye: [(&[f64], f64, f64, f64); 3] =
        [free(&[1.0, 0.0, 0.0]), free(&[0.0, 1.0, 0.0]), free(&[0.0, 0.0, 1.0])];
    let whole: &[(u32, u32)] = &[(0, 3)];
    let project = |name: &str, a: [f64; 3], x: [f64; 3]| {
        let y: Vec<f64> = x.iter().zip(a).map(|(x, a)| x - a).collect();
        case(name, &[1.0; 3], &a.map(|a| -a), &eye, whole, known(&x, &y))
    };
    let (mu, fall) = (0.5, 0.0981);
    let v = (2.0 - mu * fall) / (1.0 + mu * mu);
    let p_n = mu * v + fall;
    // (v_n/μ, v_x, v_y) in the cone; y = (μ p_n, p_x, p_y).
    let floor: Rows<'_> = &[
        (&[0.0, 0.0, 2.0], 0.0, -INF, INF),
        (&[1.0, 0.0, 0.0], 0.0, -INF, INF),
        (&[0.0, 1.0, 0.0], 0.0, -INF, INF),
    ];
    vec![
        project("inside the cone", [2.0, 0.6, 0.8], [2.0, 0.6, 0.8]),
        project("beside the cone", [0.0, 3.0, 4.0], [2.5, 1.5, 2.0]),
        project("behind the tip", [-2.0, 0.6, 0.8], [0.0, 0.0, 0.0]),
        case(
            "sliding block on a cone",
            &[1.0; 3],
            &[-2.0, 0.0, fall],
            floor,
            whole,
            known(&[v, 0.0, mu * v], &[mu * p_n, -mu * p_n, 0.0]),
        ),
        // Rows before, between and behind: x_0 ≤ 1 cuts the projection (4, 3, 4) → (1, .6, .8).
        case(
            "cone between rows",
            &[1.0; 3],
            &[-4.0, -3.0, -4.0],
            &[(&[1.0, 0.0, 0.0], 0.0, -INF, 1.0), eye[0], eye[1], eye[2], (&[0.0, 0.0, 1.0], 0.0, -9.0, 9.0)],
            &[(1, 3)],
            Truth::Solved(vec![1.0, 0.6, 0.8], None),
        ),
    ]
}

/// No lawful x, or no lowest value: the proof is asked for where the manifest promises one.
fn hopeless(with_cones: bool) -> Vec<Case> {
    let mut all = vec![
        case(
            "two walls",
            &[1.0],
            &[0.0],
            &[(&[1.0], 0.0, 2.0, INF), (&[-1.0], 0.0, -1.0, INF)],
            &[],
            Truth::Infeasible,
        ),
        case(
            "two equations",
            &[1.0; 2],
            &[0.0; 2],
            &[(&[1.0, 1.0], 0.0, 1.0, 1.0), (&[2.0, 2.0], 0.0, 3.0, 3.0)],
            &[],
            Truth::Infeasible,
        ),
        case("a row of zeros", &[1.0], &[0.0], &[(&[0.0], 0.0, 1.0, INF)], &[], Truth::Infeasible),
        case("a wall without unknowns", &[], &[], &[(&[], 0.0, 1.0, INF)], &[], Truth::Infeasible),
        case("falling", &[0.0, 1.0], &[1.0, 0.0], &[(&[0.0, 1.0], 0.0, 0.0, INF)], &[], Truth::Unbounded),
        case(
            "falling along a wall",
            &[0.0; 2],
            &[0.0, -1.0],
            &[(&[1.0, -1.0], 0.0, 0.0, INF)],
            &[],
            Truth::Unbounded,
        ),
    ];
    if with_cones {
        let rows: Rows<'_> = &[(&[0.0], 1.0, -INF, INF), (&[1.0], 0.0, -INF, INF), (&[1.0], 0.0, 2.0, INF)];
        all.push(case("a wall outside a cone", &[1.0], &[0.0], rows, &[(0, 2)], Truth::Infeasible));
        let rows: Rows<'_> = &[(&[2.0, 0.0], 0.0, -INF, INF), (&[0.0, 1.0], 0.0, -INF, INF)];
        all.push(case("falling within a cone", &[0.0; 2], &[-1.0, 0.3], rows, &[(0, 2)], Truth::Unbounded));
    }
    all
}

/// Strictly convex programs around a chosen solution.
fn random(seed: u64) -> Vec<Case> {
    let mut random = Random::new(seed);
    (0..20).map(|k| random_case(k, &mut random)).collect()
}

fn random_case(k: usize, random: &mut Random) -> Case {
    let (n, m) = (1 + random.below(8), random.below(12));
    let p: Vec<f64> = (0..n).map(|_| random.between(0.5, 2.0)).collect();
    let x: Vec<f64> = (0..n).map(|_| random.between(-2.0, 2.0)).collect();
    let mut c: Vec<f64> = x.iter().zip(&p).map(|(x, p)| -p * x).collect();
    let mut all: Vec<(Vec<f64>, f64, f64, f64)> = Vec::new();
    for _ in 0..m {
        let row: Vec<f64> = (0..n).map(|_| random.between(-1.0, 1.0)).collect();
        let g = random.between(-1.0, 1.0);
        let s = g + row.iter().zip(&x).map(|(a, x)| a * x).sum::<f64>();
        let (lower, upper, y) = match random.below(4) {
            0 => (s, INF, random.between(0.1, 2.0)),
            1 => (-INF, s, random.between(-2.0, -0.1)),
            2 => (s - 0.5, s + 0.5, 0.0),
            _ => (s - random.between(0.1, 1.0), INF, 0.0),
        };
        c.iter_mut().zip(&row).for_each(|(c, a)| *c += a * y);
        all.push((row, g, lower, upper));
    }
    let rows: Vec<(&[f64], f64, f64, f64)> = all.iter().map(|r| (r.0.as_slice(), r.1, r.2, r.3)).collect();
    case(&format!("random {k}"), &p, &c, &rows, &[], Truth::Solved(x, None))
}

fn takes_cones(subject: &Subject) -> bool {
    subject.manifest.has_capability(CONES)
}

fn solver(subject: &Subject) -> Result<ForeignSolver, Stop> {
    takes(subject, ProblemClass::Conic)?;
    Ok(subject.solver()?)
}

/// Everything that this solver must solve.
fn solvable(subject: &Subject) -> Vec<Case> {
    let mut all = linear_rows();
    all.extend(random(subject.seed));
    if takes_cones(subject) {
        all.extend(cones());
    }
    all
}

/// An answer: status, x and y.
struct Answer {
    status: Status,
    x: Vec<f64>,
    y: Vec<f64>,
}

/// Solves a case and judges every claim.
fn judge(solver: &mut ForeignSolver, case: &Case) -> Result<Answer, Stop> {
    let (p, name) = (case.problem.view(), &case.name);
    let s = solver.solve(&Problem::Conic(p)).map_err(|e| Stop::Failed(format!("{name}: {e}")))?;
    match s.status {
        Status::Converged => {
            let residual = p.residual(s.z, s.dual);
            ensure!(
                residual.natural <= p.tolerance,
                "{name}: claims to have converged at residual {:e}, asked for {:e}",
                residual.natural,
                p.tolerance
            );
        }
        Status::Infeasible => {
            let check = check_conic_infeasible(&p, s.certificate);
            ensure!(check.proves(), "{name}: the certificate of infeasibility proves nothing ({check:?})");
        }
        Status::Unbounded => {
            let check = check_conic_unbounded(&p, s.certificate);
            ensure!(check.proves(), "{name}: the direction of descent proves nothing ({check:?})");
        }
        _ => {}
    }
    Ok(Answer { status: s.status, x: s.z.to_vec(), y: s.dual.to_vec() })
}

fn near(name: &str, what: &str, found: &[f64], expected: &[f64]) -> Result<(), Stop> {
    for (i, (found, expected)) in found.iter().zip(expected).enumerate() {
        let off = (found - expected).abs();
        ensure!(off <= 1e-5 * (1.0 + expected.abs()), "{name}: {what}[{i}] is {found}, not {expected}");
    }
    Ok(())
}

fn must_solve(solver: &mut ForeignSolver, case: &Case) -> Result<(), Stop> {
    let (answer, name) = (judge(solver, case)?, &case.name);
    ensure!(answer.status == Status::Converged, "{name}: ended with {}", answer.status.name());
    match &case.truth {
        Truth::Solved(x, y) => {
            near(name, "x", &answer.x, x)?;
            near(name, "y", &answer.y, y.as_deref().unwrap_or_default())
        }
        Truth::Objective(best) => {
            let value = case.problem.view().objective(&answer.x);
            ensure!((value - best).abs() <= 1e-6, "{name}: the objective is {value}, not {best}");
            Ok(())
        }
        Truth::Infeasible | Truth::Unbounded => Ok(()),
    }
}

/// Closed forms and random programs.
pub(super) fn problems(subject: &Subject) -> Result<String, Stop> {
    let mut solver = solver(subject)?;
    let cases = solvable(subject);
    for case in &cases {
        must_solve(&mut solver, case)?;
    }
    Ok(format!("{} solved", cases.len()))
}

/// Warm starts: one answer from guesses good and bad.
pub(super) fn warm_start(subject: &Subject) -> Result<String, Stop> {
    let mut solver = solver(subject)?;
    for mut case in solvable(subject) {
        let answer = judge(&mut solver, &case)?;
        let moved = |v: &[f64], by: f64| v.iter().map(|x| x + by).collect::<Vec<_>>();
        for by in [0.0, 1e-3, 1e3, -1e3] {
            case.problem.guess = moved(&answer.x, by);
            case.problem.dual_guess = moved(&answer.y, by);
            must_solve(&mut solver, &case)?;
        }
    }
    Ok(String::new())
}

/// No success where there is no solution; a proof where the manifest promises proofs.
pub(super) fn proofs(subject: &Subject) -> Result<String, Stop> {
    let mut solver = solver(subject)?;
    let promised = subject.manifest.has_capability("certificate");
    let mut seen = Vec::new();
    for case in hopeless(takes_cones(subject)) {
        let (status, name) = (judge(&mut solver, &case)?.status, &case.name);
        let right = match case.truth {
            Truth::Infeasible => Status::Infeasible,
            _ => Status::Unbounded,
        };
        ensure!(status != Status::Converged, "{name}: claims a solution where there is none");
        ensure!(!promised || status == right, "{name}: ended with {}, not {}", status.name(), right.name());
        seen.push(format!("{name}: {}", status.name()));
    }
    Ok(seen.join(", "))
}

/// Cones are solved or refused, nothing else.
pub(super) fn cones_or_refusal(subject: &Subject) -> Result<String, Stop> {
    let mut solver = solver(subject)?;
    if takes_cones(subject) {
        return Ok("cones are taken".into());
    }
    let cones = cones();
    match solver.solve(&Problem::Conic(cones[0].problem.view())) {
        Err(error) if error.kind == ErrorKind::Unsupported => Ok(error.message),
        Err(error) => Err(error.into()),
        Ok(_) => Err(Stop::Failed(format!("takes cones although its manifest does not name \"{CONES}\""))),
    }
}

/// Determinism: one answer to the bit from every instance, whatever it solved before.
pub(super) fn deterministic(subject: &Subject) -> Result<String, Stop> {
    takes(subject, ProblemClass::Conic)?;
    if !subject.manifest.deterministic {
        return Err(Stop::Skipped("the manifest says that it is not".into()));
    }
    let mut cases = solvable(subject);
    cases.extend(hopeless(takes_cones(subject)));
    let mut one = solver(subject)?;
    for case in &cases {
        let alone = judge(&mut solver(subject)?, case)?;
        // The same pattern with other numbers before it: what is kept of a pattern must not show.
        let tripled: Vec<f64> = case.problem.view().p.value.iter().map(|v| 3.0 * v).collect();
        let mut other = case.problem.view();
        other.p.value = &tripled;
        one.solve(&Problem::Conic(other)).map_err(|e| Stop::Failed(format!("{}: {e}", case.name)))?;
        let after_others = judge(&mut one, case)?;
        let same = bits(&alone.x) == bits(&after_others.x) && bits(&alone.y) == bits(&after_others.y);
        ensure!(same, "{}: other bits from a used instance", case.name);
    }
    Ok(format!("{} programs", cases.len()))
}

/// Programs that contradict themselves: an error, or a status that is no success; never a panic, never a success.
pub(super) fn bad(subject: &Subject) -> Result<String, Stop> {
    let mut solver = solver(subject)?;
    let good = &linear_rows()[3];
    let view = || good.problem.view();
    let mut column = view();
    column.rows.column = &[9];
    let bad = [
        ("c with NaN", Conic { c: &[f64::NAN, 1.0], ..view() }),
        ("too few lower bounds", Conic { lower: &[], ..view() }),
        ("bounds the wrong way round", Conic { lower: &[1.0], upper: &[0.0], ..view() }),
        ("a guess too short", Conic { guess: &[1.0], ..view() }),
        ("a dual guess too long", Conic { dual_guess: &[1.0, 1.0], ..view() }),
        ("a cone over rows that are not there", Conic { cones: &[0, 3], ..view() }),
        ("half a cone", Conic { cones: &[0], ..view() }),
        ("a column that is not there", column),
        ("no P", Conic { p: Default::default(), ..view() }),
    ];
    for (what, problem) in bad {
        match solver.solve(&Problem::Conic(problem)) {
            Ok(solution) => ensure!(solution.status != Status::Converged, "{what}: claims to have converged"),
            Err(error) => ensure!(!error.kind.is_fault(), "{what}: {error}"),
        }
    }
    must_solve(&mut solver, good)?;
    Ok(String::new())
}
