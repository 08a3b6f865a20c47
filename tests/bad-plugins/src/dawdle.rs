//! An honest solver that takes its time: rounds over active sets, after a sleep whose length nobody can foresee.

use std::time::{Duration, SystemTime};

use nalgebra::{DMatrix, DVector};
use vinci_sdk::prelude::*;

/// Rounds at most.
const ROUNDS: usize = 50;

/// Longest sleep, ms.
const LONGEST: u32 = 12;

/// Sleeps, then solves an MLCP where rounds over active sets do. The answer depends on the problem alone.
pub(crate) fn dawdle(problem: &Problem<'_>) -> Option<Vec<f64>> {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let ms = (now.subsec_micros() ^ std::process::id()) % LONGEST;
    std::thread::sleep(Duration::from_millis(ms.into()));
    let Problem::Mlcp(p) = problem else { return None };
    let mut z = if p.guess.is_empty() { vec![0.0; p.n()] } else { p.guess.to_vec() };
    for _ in 0..ROUNDS {
        if p.residual(&z).natural <= p.tolerance {
            return Some(z);
        }
        z = round(p, &z)?;
    }
    None
}

/// A solution of the equations that hold where z is: w_i = 0 between the bounds, z_i at a bound elsewhere.
fn round(p: &Mlcp<'_>, z: &[f64]) -> Option<Vec<f64>> {
    let n = p.n();
    let (mut a, mut b) = (DMatrix::identity(n, n), DVector::zeros(n));
    for i in 0..n {
        let aim = z[i] - p.m.row_dot(i, z) - p.q[i];
        if aim <= p.lower[i] || aim >= p.upper[i] {
            b[i] = aim.clamp(p.lower[i], p.upper[i]);
            continue;
        }
        a[(i, i)] = 0.0;
        p.m.entries(i).for_each(|(j, value)| a[(i, j)] += value);
        b[i] = -p.q[i];
    }
    let z = a.lu().solve(&b)?;
    z.iter().all(|x| x.is_finite()).then(|| z.as_slice().to_vec())
}
