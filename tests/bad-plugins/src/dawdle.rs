//! An honest solver that takes its time: all active sets in turn, after a sleep whose length nobody can foresee.

use std::time::{Duration, SystemTime};

use nalgebra::{DMatrix, DVector};
use vinci_sdk::prelude::*;

/// Bounded unknowns at most: all choices of which are at their bounds are tried.
const MOST: usize = 12;

/// Longest sleep, ms.
const LONGEST: u32 = 12;

/// Sleeps, then solves a small MLCP by enumeration. The answer depends on the problem alone.
pub(crate) fn dawdle(problem: &Problem<'_>) -> Option<Vec<f64>> {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let ms = (now.subsec_micros() ^ std::process::id()) % LONGEST;
    std::thread::sleep(Duration::from_millis(ms.into()));
    let Problem::Mlcp(p) = problem else { return None };
    let bounded: Vec<usize> = (0..p.n()).filter(|&i| bound(p, i).is_finite()).collect();
    if bounded.len() > MOST {
        return None;
    }
    let solves = |z: &Vec<f64>| p.residual(z).natural <= p.tolerance;
    (0..1_u32 << bounded.len()).filter_map(|set| of_set(p, &bounded, set)).find(solves)
}

/// The bound that an unknown may rest at.
fn bound(p: &Mlcp<'_>, i: usize) -> f64 {
    if p.lower[i].is_finite() { p.lower[i] } else { p.upper[i] }
}

/// The solution of w_i = 0, but for the bounded unknowns in the set (a bit each): those are at their bounds.
fn of_set(p: &Mlcp<'_>, bounded: &[usize], set: u32) -> Option<Vec<f64>> {
    let n = p.n();
    let (mut a, mut b) = (DMatrix::zeros(n, n), DVector::zeros(n));
    for i in 0..n {
        if bounded.iter().position(|&k| k == i).is_some_and(|at| (set >> at) & 1 == 1) {
            a[(i, i)] = 1.0;
            b[i] = bound(p, i);
            continue;
        }
        p.m.entries(i).for_each(|(j, value)| a[(i, j)] += value);
        b[i] = -p.q[i];
    }
    let z = a.lu().solve(&b)?;
    z.iter().all(|x| x.is_finite()).then(|| z.as_slice().to_vec())
}
