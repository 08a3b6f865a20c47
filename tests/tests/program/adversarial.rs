//! 228 small problems made to deceive: nearly singular, degenerate, of numbers from 1e-12 to 1e12, without solutions. No solver may
//! say a word that is not so, neither to the host nor by its own count, and every solve ends.
//!
//! Complementarity problems are decided by an oracle in exact rational arithmetic ([`exact`]); programs and cones are made around
//! a solution, or around the contradiction that they have.

mod exact;
mod instances;
mod optimum;
mod pairs;
mod stiff;
mod units;

use vinci_core::problem::{Problem, Status};
use vinci_engine::pipeline::{Answer, Bridges, NoAnswer, Stored};

use super::classes::{Entry, entries};
use instances::{Instance, Truth};

const TOLERANCE: f64 = 1e-8;

/// What is wrong with what a solver said of an instance.
fn wrong_word(instance: &Instance, entry: &mut Entry) -> Option<String> {
    let (mut bridges, mut answer) = (Bridges::default().faithful(), Answer::default());
    let problem = instance.problem.view(TOLERANCE);
    match bridges.solve(&problem, entry.takes, entry.solver.as_mut(), &mut answer) {
        Ok(_) => {}
        Err(NoAnswer::NoRoute(_)) => return None,
        Err(NoAnswer::Stage(error)) => return Some(format!("stopped: {error}")),
    }
    let claims = |word| answer.claimed == word || answer.status == word;
    let hopeless = claims(Status::Infeasible) || claims(Status::Unbounded);
    match instance.truth {
        Truth::Solvable if hopeless => Some(format!("called {} with a solution", answer.claimed.name())),
        Truth::Contradiction if answer.status == Status::Unbounded => Some("falls from no point".into()),
        Truth::Falling if claims(Status::Infeasible) => Some("called infeasible with a point".into()),
        Truth::Contradiction | Truth::Falling
            if answer.status == Status::Converged && !is_solved(&problem, &answer.z) =>
        {
            Some("called solved without a solution".into())
        }
        // A bridge may ask for more than the problem does: what is denied behind it and holds here is no wrong word.
        _ if answer.claimed == Status::Converged && answer.residual > TOLERANCE => {
            Some(format!("called solved at a residual of {:.1e}", answer.residual))
        }
        _ if answer.status == Status::Converged && !is_solved(&problem, &answer.z) => {
            Some("is not solved in exact arithmetic".into())
        }
        _ => None,
    }
}

/// Returns true if z meets the tolerance in exact arithmetic, up to what rounding of the largest terms makes; programs are audited by core.
fn is_solved(problem: &Problem<'_>, z: &[f64]) -> bool {
    let Problem::Mlcp(p) = problem else { return true };
    let terms = |i: usize| p.m.entries(i).map(|(j, v)| (v * z[j]).abs()).sum::<f64>() + p.q[i].abs();
    let rounding = 4.0 * f64::EPSILON * (0..p.n()).map(terms).fold(0.0, f64::max) / p.q_norm();
    exact::residual(p, z) <= TOLERANCE + rounding
}

#[test]
fn no_wrong_word() {
    let instances = instances::all();
    assert_eq!(instances.len(), 228);
    let (mut entries, mut wrong) = (entries(), Vec::new());
    assert!(entries.len() >= 4, "the stock solvers are built");
    for instance in &instances {
        instance.problem.check().unwrap_or_else(|m| panic!("{}: {m}", instance.name));
        for entry in &mut entries {
            if let Some(why) = wrong_word(instance, entry) {
                wrong.push(format!("{} of {}: {why}", entry.id, instance.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong words:\n{}", wrong.len(), wrong.join("\n"));
}

/// Exact numbers have the solution (1/ε, 1/ε), or (1, 1): solvers said "infeasible, proof checked". A proof that holds to rounding only
/// says so, and its reach is below the solution's.
#[test]
fn a_proof_that_holds_to_rounding_only_is_told_as_that() {
    let eps = f64::EPSILON;
    let mut told = 0;
    for (q, size) in [(-1.0, 1.0 / eps), (-eps, 1.0)] {
        let problem = instances::lcp(&[&[1.0 + eps, -1.0], &[-1.0, 1.0 + eps]], &[q, q]);
        let problem = problem.view(TOLERANCE);
        for entry in &mut entries() {
            let (mut bridges, mut answer) = (Bridges::default().faithful(), Answer::default());
            let asked = bridges.solve(&problem, entry.takes, entry.solver.as_mut(), &mut answer);
            if asked.is_ok() && answer.proved {
                let reach = answer.to_rounding();
                assert!(reach.is_some_and(|reach| reach <= 1.001 * size), "{} {q}: {reach:?}", entry.id);
                told += 1;
            }
        }
    }
    assert!(told > 0, "nobody claims it");
}

/// The oracle knows both answers, and what it calls solvable a point shows.
#[test]
fn the_oracle_tells_jams_from_solutions_far_away() {
    let solvable = |rows: &[&[f64]], q: &[f64]| {
        let Stored::Mlcp(p) = instances::lcp(rows, q) else { panic!("an LCP") };
        exact::is_solvable(&p.view())
    };
    let near = |delta: f64| solvable(&[&[1.0 + delta, -1.0], &[-1.0, 1.0 + delta]], &[-1.0, -1.0]);
    assert_eq!(near(0.0), Some(false));
    assert_eq!(near(1e-10), Some(true));
    assert_eq!(near(f64::EPSILON), Some(true));
    assert_eq!(solvable(&[&[0.0, 1.0], &[-1.0, 0.0]], &[-1.0, 1.0]), Some(true));
    assert_eq!(solvable(&[&[-1.0]], &[-1.0]), Some(false));
}
