//! Programs whose unknowns, rows and costs are written in units from 1e-12 to 1e12, with known answers.

use vinci_core::CsrBuf;
use vinci_core::problem::{ConicBuf, Status};
use vinci_engine::pipeline::{Answer, Bridges, NoAnswer, Stored};
use vinci_test_problems::{INF, Numbers};

use super::super::classes::{Entry, entries};

/// Unknowns and rows of the programs.
const SIZE: (usize, usize) = (4, 7);

#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    Solvable,
    Infeasible,
    Unbounded,
}

struct Program {
    problem: Stored,
    kind: Kind,
    /// Its solution in its units.
    x: Vec<f64>,
}

/// A dense matrix of numbers between −1 and 1.
fn matrix(numbers: &mut Numbers, (rows, columns): (usize, usize)) -> Vec<Vec<f64>> {
    (0..rows).map(|_| (0..columns).map(|_| numbers.between(-1.0, 1.0)).collect()).collect()
}

fn times(a: &[Vec<f64>], x: &[f64]) -> Vec<f64> {
    a.iter().map(|row| row.iter().zip(x).map(|(a, x)| a * x).sum()).collect()
}

fn transposed(a: &[Vec<f64>]) -> Vec<Vec<f64>> {
    (0..a[0].len()).map(|j| a.iter().map(|row| row[j]).collect()).collect()
}

/// min ½ xᵀ(BᵀB)x + cᵀx, G x ≥ l, made around a solution with some rows at their bounds; then without one, or without a lowest
/// value (a direction that costs nothing and leaves every row); units 10^±span.
fn program(numbers: &mut Numbers, kind: Kind, span: f64) -> Program {
    let (n, m) = SIZE;
    let (mut b, mut g) = (matrix(numbers, (n, n)), matrix(numbers, (m, n)));
    let x: Vec<f64> = (0..n).map(|_| numbers.between(-1.0, 1.0)).collect();
    if kind == Kind::Unbounded {
        b.iter_mut().for_each(|row| row[0] = 0.0);
        g.iter_mut().for_each(|row| row[0] = row[0].abs());
    }
    let y: Vec<f64> = (0..m).map(|_| numbers.between(-1.0, 1.0).max(0.0)).collect();
    let gap = |y: f64, far: f64| if y > 0.0 { 0.0 } else { far.abs() };
    let mut l: Vec<f64> =
        times(&g, &x).iter().zip(&y).map(|(s, y)| s - gap(*y, numbers.between(-1.0, 1.0))).collect();
    let p: Vec<Vec<f64>> = transposed(&b).iter().map(|column| times(&transposed(&b), column)).collect();
    let mut c: Vec<f64> = times(&transposed(&g), &y).iter().zip(times(&p, &x)).map(|(a, b)| a - b).collect();
    match kind {
        Kind::Unbounded => c[0] = -1.0,
        Kind::Infeasible => {
            g[m - 1] = g[m - 2].iter().map(|g| -g).collect();
            l[m - 1] = 0.5 - l[m - 2];
        }
        Kind::Solvable => {}
    }
    let mut units =
        |n: usize| (0..n).map(|_| 10.0_f64.powf(span * numbers.between(-1.0, 1.0))).collect::<Vec<_>>();
    let (d, e) = (units(n), units(m));
    let entry = |a: &[Vec<f64>], left: &[f64], i: usize, j: usize| (i, j, left[i] * a[i][j] * d[j]);
    let all = |rows: usize| (0..rows).flat_map(move |i| (0..n).map(move |j| (i, j)));
    let p: Vec<_> = all(n).map(|(i, j)| entry(&p, &d, i, j)).collect();
    let g: Vec<_> = all(m).map(|(i, j)| entry(&g, &e, i, j)).collect();
    let scaled = |v: &[f64], units: &[f64]| v.iter().zip(units).map(|(v, u)| v * u).collect::<Vec<_>>();
    let bounds = (scaled(&l, &e), vec![INF; m]);
    let (p, g) = (CsrBuf::from_triplets(n, n, &p), CsrBuf::from_triplets(m, n, &g));
    let mut problem = ConicBuf::from_parts(p, scaled(&c, &d), g, vec![0.0; m], bounds);
    problem.tolerance = super::TOLERANCE;
    Program { problem: Stored::Conic(problem), kind, x: x.iter().zip(&d).map(|(x, d)| x / d).collect() }
}

/// What became of a program.
#[derive(Debug, PartialEq)]
enum End {
    Right,
    Refused,
    Wrong(String),
}

fn end(program: &Program, entry: &mut Entry) -> Option<End> {
    let (mut bridges, mut answer) = (Bridges::default().faithful(), Answer::default());
    let problem = program.problem.view(super::TOLERANCE);
    match bridges.solve(&problem, entry.takes, entry.solver.as_mut(), &mut answer) {
        Ok(_) => {}
        Err(NoAnswer::NoRoute(_)) => return None,
        Err(NoAnswer::Stage(error)) => return Some(End::Wrong(format!("stopped: {error}"))),
    }
    answer.audit_in_units(&problem);
    let far = || answer.z.iter().zip(&program.x).map(|(z, x)| ((z - x) / x).abs()).fold(0.0, f64::max);
    Some(match (answer.status, program.kind) {
        (Status::Converged, Kind::Solvable) if far() < 1e-3 => End::Right,
        (Status::Infeasible, Kind::Infeasible) | (Status::Unbounded, Kind::Unbounded) => End::Right,
        (Status::Converged, Kind::Solvable) => End::Wrong(format!("called solved, {:.1e} off", far())),
        (status @ (Status::Converged | Status::Infeasible | Status::Unbounded), _) => {
            End::Wrong(format!("called {}", status.name()))
        }
        _ => End::Refused,
    })
}

/// One large number in the data was the size by which every row and every unknown was measured: programs in mixed units were
/// "solved" far from their solution, and proofs lost their entries.
#[test]
fn units_change_no_word() {
    let (mut entries, mut numbers) = (entries(), Numbers(18));
    let (mut wrong, mut refused, mut asked) = (Vec::new(), Vec::new(), 0);
    for span in [0.0, 3.0, 6.0, 12.0] {
        for kind in [Kind::Solvable, Kind::Infeasible, Kind::Unbounded] {
            for k in 0..8 {
                let program = program(&mut numbers, kind, span);
                for entry in &mut entries {
                    let Some(end) = end(&program, entry) else { continue };
                    let name = format!("{} of {kind:?} {k} in units 1e±{span}", entry.id);
                    asked += 1;
                    match end {
                        End::Right => {}
                        End::Refused => refused.push(name),
                        End::Wrong(why) => wrong.push(format!("{name}: {why}")),
                    }
                }
            }
        }
    }
    assert!(asked >= 2 * 96, "two solvers at least take programs: {asked}");
    assert!(wrong.is_empty(), "{} wrong words:\n{}", wrong.len(), wrong.join("\n"));
    let of = |id: &str| refused.iter().filter(|name| name.contains(id)).collect::<Vec<_>>();
    assert!(of("active-set").is_empty() && of("clarabel").len() <= 2, "{refused:#?}");
}
