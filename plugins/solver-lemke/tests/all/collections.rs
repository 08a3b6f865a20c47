//! The problem collections: table, and what is reached as an assertion.

#![allow(clippy::print_stdout, reason = "the table is what this test is read for")]

use crate::support::*;
use std::time::Instant;
use vinci_sdk::prelude::*;
use vinci_solver_lemke::Config;
use vinci_test_problems::{Case, collection};

/// The pile of 500 contacts that the collection itself lists without a solution.
const OPEN: &str = "discs-nc500-mu0.5";

struct Tally {
    solved: [usize; 3],
    tried: usize,
    infeasible: usize,
    infeasible_tried: usize,
    lies: Vec<String>,
    missed: Vec<String>,
    times: Vec<f64>,
}

fn run(problems: &[Case], config: &Config) -> Tally {
    let mut t = Tally {
        solved: [0; 3],
        tried: 0,
        infeasible: 0,
        infeasible_tried: 0,
        lies: vec![],
        missed: vec![],
        times: vec![],
    };
    for c in problems.iter().filter(|c| c.name != OPEN) {
        let mut solver = lemke(config.clone());
        let start = Instant::now();
        let answer = solve_with(&mut solver, &c.problem.view());
        t.times.push(start.elapsed().as_secs_f64() * 1e3);
        let claims = answer.status == Status::Converged;
        if c.verdict.starts_with("infeasible") {
            t.infeasible_tried += 1;
            t.infeasible += usize::from(answer.status == Status::Infeasible);
        } else {
            t.tried += 1;
            for (k, level) in [1e-6, 1e-8, 1e-10].into_iter().enumerate() {
                t.solved[k] += usize::from(claims && answer.natural < level);
            }
        }
        if claims != (answer.natural <= 1e-10)
            || (answer.status == Status::Infeasible && c.verdict == "solved")
        {
            t.lies.push(c.name.clone());
        }
        if !claims && answer.status != Status::Infeasible && c.name != FAR {
            t.missed.push(format!("{} ({:?}: {})", c.name, answer.status, answer.note));
        }
    }
    t.times.sort_by(f64::total_cmp);
    t
}

fn report(file: &str, solvable: usize, infeasible: usize) {
    let problems = collection(file, 1e-10);
    for dense_limit in [Config::default().dense_limit, 0] {
        let t = run(&problems, &Config { dense_limit, ..Config::default() });
        println!(
            "{file}, dense up to {dense_limit}: < 1e-6 / 1e-8 / 1e-10: {:?} of {}, infeasible {} of {}, false {}, \
             median {:.3} ms, worst {:.1} ms",
            t.solved,
            t.tried,
            t.infeasible,
            t.infeasible_tried,
            t.lies.len(),
            t.times[t.times.len() / 2],
            t.times[t.times.len() - 1]
        );
        assert!(t.lies.is_empty(), "false verdicts: {:?}", t.lies);
        assert!(t.missed.is_empty(), "undecided: {:?}", t.missed);
        assert_eq!((t.solved, t.infeasible), ([solvable; 3], infeasible));
    }
}

/// Known to have no solution, but written as a Schur complement, with errors of more than a few last bits: no case of it can be told from
/// one with a solution far away, and nothing is claimed.
const FAR: &str = "peg-two-point-mu1-jam-lcp";

#[test]
fn contact_problems() {
    report("contact-lcp.json", 58, 3);
}

#[test]
fn the_open_pile() {
    let problems = collection("contact-lcp.json", 1e-10);
    let pile = problems.iter().find(|c| c.name == OPEN).expect("the collection has it");
    let answer = solve_with(&mut lemke(Config::default()), &pile.problem.view());
    println!(
        "{OPEN}: {:?}, residual {:.1e}, {} pivots; {}",
        answer.status, answer.natural, answer.iterations, answer.note
    );
    assert!(answer.status == Status::Converged && answer.natural <= 1e-10);
}

#[test]
fn siconos_problems() {
    report("siconos/lcp-mlcp.json", 36, 1);
}
