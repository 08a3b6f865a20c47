//! Programs with pairs whose objective couples stiff and soft unknowns, decided in exact arithmetic.
//!
//! ½ K (a x_0 + b x_1)² + ½ x_0² + ½ x_1² + c_0 x_0 + c_1 x_1 with 0 ≤ x_1 − 1 ⟂ −x_0 ≥ 0 has two modes of one unknown each. One mode
//! costs ½ K, the other may follow the soft direction and costs about 1: a bound that rounding makes false tells the dear one.

use num_traits::{One, ToPrimitive, Zero};
use vinci_core::CsrBuf;
use vinci_core::problem::{ConicBuf, NO_GROUP, QpccBuf, Status};
use vinci_engine::pipeline::{Answer, Bridges, Stored};
use vinci_test_problems::INF;

use super::super::classes::{Entry, entries};
use super::exact::{Q, exact};

/// K, a, b, c.
type Numbers = (i64, i64, i64, [i64; 2]);

fn q(value: i64) -> Q {
    exact(value as f64)
}

/// min ½ p z² + r z with z ≤ 0 (`sign` −1) or z ≥ 1 (`sign` 1).
fn least(p: &Q, r: &Q, sign: i64) -> Q {
    let free = -r / p;
    let z = match sign {
        1 => free.max(Q::one()),
        _ => free.min(Q::zero()),
    };
    p * &z * &z / q(2) + r * z
}

/// The least objective, of both modes.
fn optimum((k, a, b, c): Numbers) -> f64 {
    let (p0, p1) = (q(k) * q(a * a) + q(1), q(k) * q(b * b) + q(1));
    let first = least(&p0, &(q(k) * q(a * b) + q(c[0])), -1) + &p1 / q(2) + q(c[1]);
    let second = least(&p1, &q(c[1]), 1);
    first.min(second).to_f64().unwrap()
}

fn program((k, a, b, c): Numbers) -> Stored {
    let p = |i: i64, j: i64| (k * i * j) as f64;
    let p = [(0, 0, p(a, a) + 1.0), (0, 1, p(a, b)), (1, 0, p(a, b)), (1, 1, p(b, b) + 1.0)];
    let rows = [(0, 1, 1.0), (1, 0, -1.0)];
    let (p, rows) = (CsrBuf::from_triplets(2, 2, &p), CsrBuf::from_triplets(2, 2, &rows));
    let bounds = (vec![0.0; 2], vec![INF; 2]);
    let qp = ConicBuf::from_parts(p, c.map(|c| c as f64).to_vec(), rows, vec![-1.0, 0.0], bounds);
    let mut problem = QpccBuf { qp, ..QpccBuf::default() };
    problem.push_pair(0, 1, NO_GROUP);
    Stored::Qpcc(problem)
}

/// What is wrong with an answer, whose least objective is `best` to so much as numbers can tell; else whether it is called solved.
fn told(stored: &Stored, (best, rounding): (f64, f64), entry: &mut Entry) -> Result<bool, String> {
    let (mut bridges, mut answer) = (Bridges::default().faithful(), Answer::default());
    let problem = stored.view(super::TOLERANCE);
    let asked = bridges.solve(&problem, entry.takes, entry.solver.as_mut(), &mut answer);
    asked.map_err(|e| format!("stopped: {e:?}"))?;
    answer.audit_in_units(&problem);
    let Stored::Qpcc(p) = stored else { return Err("no program with pairs".into()) };
    let (objective, above) = (p.view().qp.objective(&answer.z), 1e-5 * best.abs().max(1.0) + rounding);
    match answer.status {
        Status::Converged if objective - best > above => {
            Err(format!("{objective} told as the best, {best} is"))
        }
        _ if answer.bound - best > above => Err(format!("the bound {} is above {best}", answer.bound)),
        Status::Infeasible | Status::Unbounded => Err(format!("called {}", answer.status.name())),
        status => Ok(status == Status::Converged),
    }
}

fn branch_and_bound(entries: &mut [Entry]) -> &mut Entry {
    entries.iter_mut().find(|e| e.id.contains("branch-and-bound")).unwrap()
}

#[test]
fn no_mode_that_is_not_the_best_is_told_as_the_best() {
    let mut entries = entries();
    let entry = branch_and_bound(&mut entries);
    let (mut wrong, mut refused, mut asked) = (Vec::new(), Vec::new(), 0);
    for k in (3..=9).map(|e| 10_i64.pow(e)) {
        for (a, b) in [(1, 1), (1, 2), (1, 3), (2, -1), (1, -2), (3, 1), (2, 3), (3, -2)] {
            for c in [[0, 0], [0, -2], [1, 0], [-1, 3], [2, 2]] {
                asked += 1;
                // P x is rounded to 1e-16 K |x|: so much of the objective no number can tell.
                let best = (optimum((k, a, b, c)), 1e-15 * k as f64);
                match told(&program((k, a, b, c)), best, entry) {
                    Ok(true) => {}
                    Ok(false) => refused.push((k, a, b, c)),
                    Err(why) => wrong.push(format!("K {k:.0e}, a {a}, b {b}, c {c:?}: {why}")),
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {asked} are wrong:\n{}", wrong.len(), wrong.join("\n"));
    let soft = refused.iter().filter(|r| r.0 <= 1_000_000).count();
    assert!(soft == 0 && 20 * refused.len() <= asked, "{} refused: {refused:?}", refused.len());
}

/// A x_0 − b x_1 with x_0 ≥ 0, −5 ≤ x_1 ≤ 1e6, x_0 + k x_1 ≤ 1e6 and 0 ≤ x_1 ⟂ −x_0 ≥ 0.
fn dear(a: f64, b: f64, k: f64) -> Stored {
    let rows = [(0, 0, 1.0), (1, 1, 1.0), (2, 0, 1.0), (2, 1, k), (3, 1, 1.0), (4, 0, -1.0)];
    let bounds = (vec![0.0, -5.0, -INF, 0.0, 0.0], vec![INF, 1e6, 1e6, INF, INF]);
    let (p, rows) = (CsrBuf::from_triplets(2, 2, &[]), CsrBuf::from_triplets(5, 2, &rows));
    let qp = ConicBuf::from_parts(p, vec![a, -b], rows, vec![0.0; 5], bounds);
    let mut problem = QpccBuf { qp, ..QpccBuf::default() };
    problem.push_pair(3, 4, NO_GROUP);
    Stored::Qpcc(problem)
}

/// An unknown that stays at 0 and would cost 1e11 made a gain of 1 rounding: the mode without it was the best, and its bound too.
#[test]
fn a_dear_unknown_hides_no_gain_of_another() {
    let mut entries = entries();
    let entry = branch_and_bound(&mut entries);
    let (mut wrong, mut refused, mut asked) = (Vec::new(), Vec::new(), 0);
    for a in (0..=14).map(|e| 10_f64.powi(e)) {
        for b in [1.0, 5.0] {
            for k in [1.0, 2.0, 1e3, 1e5] {
                asked += 1;
                match told(&dear(a, b, k), (-b * 1e6 / k, 0.0), entry) {
                    Ok(true) => {}
                    Ok(false) => refused.push((a, b, k)),
                    Err(why) => wrong.push(format!("A {a:e}, b {b}, k {k}: {why}")),
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {asked} are wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert!(refused.iter().all(|r| r.0 * r.2 >= 1e13), "{refused:?}");
}
