//! Coulomb problems with exact cones: closed forms, and one on which only honesty is asked for.

use vinci_abi::ForeignSolver;
use vinci_core::CsrBuf;
use vinci_core::problem::{Cone, ConeBlock, ConeBuf, MlcpBuf, NO_NORMAL, Problem, ProblemClass, Status};
use vinci_core::stage::Solver;

use super::bits::bits;
use super::classes::takes;
use crate::subject::{Stop, Subject, ensure};

const INF: f64 = f64::INFINITY;

/// A problem, and its one solution where it has one.
struct Case {
    name: &'static str,
    problem: ConeBuf,
    z: Option<Vec<f64>>,
}

/// Blocks as (normal or none, first tangent, tangents, μ or radius).
type Blocks<'a> = &'a [(Option<u32>, u32, u32, f64)];

fn case(name: &'static str, m: &[&[f64]], q: &[f64], blocks: Blocks<'_>, z: Option<&[f64]>) -> Case {
    let n = q.len();
    let all = (0..n).flat_map(|i| (0..n).map(move |j| (i, j, m[i][j])));
    let triplets: Vec<_> = all.filter(|t| t.2 != 0.0).collect();
    let matrix = CsrBuf::from_triplets(n, n, &triplets);
    let rows = MlcpBuf::from_parts(matrix, q.to_vec(), vec![-INF; n], vec![INF; n], 1e-8);
    let mut problem = ConeBuf { rows, ..ConeBuf::default() };
    for &(normal, tangent, dim, size) in blocks {
        problem.push_block(ConeBlock { normal: normal.unwrap_or(NO_NORMAL), tangent, dim, size });
    }
    Case { name, problem, z: z.map(<[f64]>::to_vec) }
}

/// A point of mass 2 on the floor, W = 1/2: u = r/2 + q.
fn point(name: &'static str, q: [f64; 3], mu: f64, z: [f64; 3]) -> Case {
    let w: [&[f64]; 3] = [&[0.5, 0.0, 0.0], &[0.0, 0.5, 0.0], &[0.0, 0.0, 0.5]];
    case(name, &w, &q, &[(Some(0), 1, 2, mu)], Some(&z))
}

/// Every mode of one block, in space, in the plane and on discs; two blocks; velocities kept; bounds beside blocks.
fn closed_forms() -> Vec<Case> {
    let half: [&[f64]; 2] = [&[0.5, 0.0], &[0.0, 0.5]];
    let planar = [(Some(0), 1, 1, 0.5)];
    let (mut all, with_velocity) = (bounded(), velocity_kept());
    all.extend([
        point("stick", [-1.0, 0.18, 0.24], 0.5, [2.0, -0.36, -0.48]),
        point("slip", [-1.0, 0.6, 0.8], 0.5, [2.0, -0.6, -0.8]),
        point("open", [0.5, 0.6, 0.8], 0.5, [0.0; 3]),
        point("touching", [0.0, 0.6, 0.8], 0.5, [0.0; 3]),
        point("without friction", [-1.0, 0.6, 0.8], 0.0, [2.0, 0.0, 0.0]),
        point("open without friction", [0.5, 0.6, 0.8], 0.0, [0.0; 3]),
        point("touching without friction", [0.0, 0.6, 0.8], 0.0, [0.0; 3]),
        case("planar without friction", &half, &[-1.0, 0.3], &[(Some(0), 1, 1, 0.0)], Some(&[2.0, 0.0])),
        case("planar stick", &half, &[-1.0, 0.3], &planar, Some(&[2.0, -0.6])),
        case("planar slip", &half, &[-1.0, 1.0], &planar, Some(&[2.0, -1.0])),
        case("planar slip back", &half, &[-1.0, -1.0], &planar, Some(&[2.0, 1.0])),
        case("disc at rest", &half, &[0.03, 0.04], &[(None, 0, 2, 0.2)], Some(&[-0.06, -0.08])),
        case("disc sliding", &half, &[0.3, 0.4], &[(None, 0, 2, 0.2)], Some(&[-0.12, -0.16])),
        case("disc of one tangent", &[&[0.5]], &[0.3], &[(None, 0, 1, 0.2)], Some(&[-0.2])),
        case("empty", &[], &[], &[], Some(&[])),
        tilted(),
        no_pull(),
        two_points(),
        with_velocity,
    ]);
    all
}

/// Normal and tangent act on each other: W_nn = 1, W_nt = 1/4, sliding along t1, so that p_n (W_nn − μ W_nt) = 1.
fn tilted() -> Case {
    let w: [&[f64]; 3] = [&[1.0, 0.25, 0.0], &[0.25, 1.0, 0.0], &[0.0, 0.0, 1.0]];
    let p_n = 1.0 / (1.0 - 0.4 * 0.25);
    case("tilted", &w, &[-1.0, 2.0, 0.0], &[(Some(0), 1, 2, 0.4)], Some(&[p_n, -0.4 * p_n, 0.0]))
}

/// Two contacts without friction that lift each other, W_12 = 0.8: both pressed would be r = (5/3, −5/6), and nothing pulls.
fn no_pull() -> Case {
    let w: [&[f64]; 4] =
        [&[1.0, 0.0, 0.8, 0.0], &[0.0, 1.0, 0.0, 0.0], &[0.8, 0.0, 1.0, 0.0], &[0.0, 0.0, 0.0, 1.0]];
    let blocks = [(Some(0), 1, 1, 0.0), (Some(2), 3, 1, 0.0)];
    case("no pull without friction", &w, &[-1.0, 0.3, -0.5, 0.4], &blocks, Some(&[1.0, 0.0, 0.0, 0.0]))
}

/// Two unit masses on top of each other, the upper one sliding on the lower, which sticks to the floor; planar.
fn two_points() -> Case {
    // Upper contact (n, t), lower contact (n, t); u₂ = v₂ − v₁, u₁ = v₁; v₁ = r₁ − r₂, v₂ = r₂.
    let w: [&[f64]; 4] =
        [&[2.0, 0.0, -1.0, 0.0], &[0.0, 2.0, 0.0, -1.0], &[-1.0, 0.0, 1.0, 0.0], &[0.0, -1.0, 0.0, 1.0]];
    // Free motion: both fall at .1, the upper runs at 1. It presses with .1, slides with .03; the floor carries .2.
    let q = [0.0, 1.0, -0.1, 0.0];
    let blocks = [(Some(0), 1, 1, 0.3), (Some(2), 3, 1, 0.5)];
    case("two blocks", &w, &q, &blocks, Some(&[0.1, -0.03, 0.2, -0.03]))
}

/// The velocity of a mass of 2 as free rows: v_x, v_y, then n, t.
fn velocity_kept() -> Case {
    let m: [&[f64]; 4] =
        [&[2.0, 0.0, 0.0, -1.0], &[0.0, 2.0, -1.0, 0.0], &[0.0, 1.0, 0.0, 0.0], &[1.0, 0.0, 0.0, 0.0]];
    case("free rows", &m, &[-2.0, 2.0, 0.0, 0.0], &[(Some(2), 3, 1, 0.5)], Some(&[0.5, 0.0, 2.0, -1.0]))
}

/// A drive of at most .2 beside a disc of radius .3, both against a push of .8.
fn bounded() -> Vec<Case> {
    let m: [&[f64]; 3] = [&[1.0, 1.0, 0.0], &[1.0, 1.0, 0.0], &[0.0, 0.0, 1.0]];
    let mut case = case("bounds", &m, &[0.8, 0.8, 0.0], &[(None, 1, 2, 0.3)], Some(&[-0.2, -0.3, 0.0]));
    (case.problem.rows.lower[0], case.problem.rows.upper[0]) = (-0.2, 0.2);
    vec![case]
}

/// A mass between two plates that close: nothing solves it.
fn jammed() -> Case {
    let w: [&[f64]; 4] =
        [&[1.0, 0.0, -1.0, 0.0], &[0.0, 1.0, 0.0, 1.0], &[-1.0, 0.0, 1.0, 0.0], &[0.0, 1.0, 0.0, 1.0]];
    let blocks = [(Some(0), 1, 1, 0.5), (Some(2), 3, 1, 0.5)];
    case("jammed", &w, &[-1.0, 0.0, -1.0, 0.0], &blocks, None)
}

fn solver(subject: &Subject) -> Result<ForeignSolver, Stop> {
    takes(subject, ProblemClass::Cone)?;
    Ok(subject.solver()?)
}

/// Solves a case and judges every claim; gives the status and z.
fn judge(solver: &mut ForeignSolver, case: &Case) -> Result<(Status, Vec<f64>), Stop> {
    let (p, name) = (case.problem.view(), case.name);
    let solution = solver.solve(&Problem::Cone(p)).map_err(|e| Stop::Failed(format!("{name}: {e}")))?;
    if solution.status == Status::Converged {
        let (residual, tolerance) = (p.residual(solution.z).natural, p.rows.tolerance);
        ensure!(
            residual <= tolerance,
            "{name}: claims to have converged at residual {residual:e}, asked for {tolerance:e}"
        );
        ensure!(name != "jammed", "{name}: claims a solution where there is none");
    }
    Ok((solution.status, solution.z.to_vec()))
}

fn must_solve(solver: &mut ForeignSolver, case: &Case) -> Result<(), Stop> {
    let (status, z) = judge(solver, case)?;
    ensure!(status == Status::Converged, "{}: ended with {}", case.name, status.name());
    for (i, (found, expected)) in z.iter().zip(case.z.iter().flatten()).enumerate() {
        let off = (found - expected).abs();
        ensure!(off <= 1e-6, "{}: z[{i}] is {found}, not {expected}", case.name);
    }
    Ok(())
}

/// Closed forms, from nothing and from guesses good and bad.
pub(super) fn problems(subject: &Subject) -> Result<String, Stop> {
    let mut solver = solver(subject)?;
    let cases = closed_forms();
    for mut case in cases {
        must_solve(&mut solver, &case)?;
        let n = case.problem.rows.q.len();
        let truth = case.z.clone().unwrap_or_default();
        for guess in [truth, vec![1e3; n], vec![-1e3; n]] {
            case.problem.rows.guess = guess;
            must_solve(&mut solver, &case)?;
        }
    }
    Ok(format!("{} solved, each from four starts", closed_forms().len()))
}

/// Where there is no solution none is claimed, and no proof is: core knows none for this class.
pub(super) fn honest(subject: &Subject) -> Result<String, Stop> {
    let (status, z) = judge(&mut solver(subject)?, &jammed())?;
    let without_proof = !matches!(status, Status::Converged | Status::Infeasible);
    ensure!(without_proof, "jammed: claims {}", status.name());
    ensure!(z.len() == 4, "jammed: {} numbers for 4 unknowns", z.len());
    Ok(format!("jammed: {}", status.name()))
}

/// Determinism: one answer to the bit from every instance, whatever it solved before.
pub(super) fn deterministic(subject: &Subject) -> Result<String, Stop> {
    takes(subject, ProblemClass::Cone)?;
    if !subject.manifest.deterministic {
        return Err(Stop::Skipped("the manifest says that it is not".into()));
    }
    let mut cases = closed_forms();
    cases.push(jammed());
    let mut one = solver(subject)?;
    for case in &cases {
        let (_, alone) = judge(&mut solver(subject)?, case)?;
        let (_, after_others) = judge(&mut one, case)?;
        ensure!(bits(&alone) == bits(&after_others), "{}: other bits from a used instance", case.name);
    }
    Ok(String::new())
}

/// Blocks that contradict themselves: an error, or a status that is no success; never a panic, never a success.
pub(super) fn bad(subject: &Subject) -> Result<String, Stop> {
    let mut solver = solver(subject)?;
    let good = &closed_forms()[1].problem;
    let with = |index: &'static [u32], size: &'static [f64]| {
        let mut cone = good.view();
        (cone.blocks.index, cone.blocks.size) = (index, size);
        cone
    };
    let nan = [f64::NAN, 1.0, 1.0];
    let mut not_finite: Cone<'_> = good.view();
    not_finite.rows.q = &nan;
    let all = [
        ("a negative μ", with(&[0, 1, 2], &[-0.5])),
        ("μ not a number", with(&[0, 1, 2], &[f64::NAN])),
        ("a row that is not there", with(&[0, 2, 2], &[0.5])),
        ("three tangents", with(&[0, 1, 3], &[0.5])),
        ("a row in two blocks", with(&[0, 1, 1, 1, 2, 1], &[0.5, 0.5])),
        ("an index too few", with(&[0, 1], &[0.5])),
        ("q with NaN", not_finite),
    ];
    for (what, problem) in all {
        match solver.solve(&Problem::Cone(problem)) {
            Ok(solution) => ensure!(solution.status != Status::Converged, "{what}: claims to have converged"),
            Err(error) => ensure!(!error.kind.is_fault(), "{what}: {error}"),
        }
    }
    must_solve(&mut solver, &closed_forms()[1])?;
    Ok(String::new())
}
