//! The slowest solver there is, and the surest: tries which bound every unknown stands at.

use nalgebra::{DMatrix, DVector};
use vinci_core::problem::{Mlcp, Root};

/// Largest problem it takes.
pub(crate) const LARGEST: usize = 24;

/// Relative residual that counts as solved.
const SOLVED: f64 = 1e-11;

/// A solution of the problem, if there is one: the first in the order of the choices.
pub(crate) fn solve(p: &Mlcp<'_>) -> Option<Vec<f64>> {
    let m = p.m.to_dense();
    let mut choice = vec![BoundSide::Inside; p.n()];
    for (i, place) in choice.iter_mut().enumerate() {
        *place = first(p, i);
    }
    loop {
        if let Some(z) = attempt(p, &m, &choice) {
            return Some(z);
        }
        // The next combination, as on an odometer.
        let i = (0..p.n()).find(|&i| {
            choice[i] = next(p, i, choice[i]);
            choice[i] != first(p, i)
        })?;
        debug_assert!(i < p.n());
    }
}

/// A root, by Newton's method as the problem limits it, to rounding.
pub(crate) fn root(p: &Root<'_>) -> Option<Vec<f64>> {
    let n = p.start.len();
    if n == 0 {
        return Some(Vec::new());
    }
    let (mut v, mut r, mut j) = (p.start.to_vec(), vec![0.0; n], vec![0.0; n * n]);
    for _ in 0..200 {
        p.oracle.call(Root::RESIDUAL, &v, &mut r).ok()?;
        p.oracle.call(Root::JACOBIAN, &v, &mut j).ok()?;
        let change = DMatrix::from_row_slice(n, n, &j).lu().solve(&-DVector::from_column_slice(&r))?;
        let update: Vec<f64> = v.iter().chain(change.iter()).copied().collect();
        let mut alpha = [0.0];
        p.oracle.call(Root::LIMIT, &update, &mut alpha).ok()?;
        v.iter_mut().zip(change.iter()).for_each(|(v, d)| *v += alpha[0] * d);
        let size = v.iter().fold(1e-6_f64, |m, v| m.max(v.abs()));
        // Where rows are small beside what is carried on with, the residual is not yet at rounding when the changes are.
        let settled = change.iter().all(|d| d.abs() <= SOLVED * size);
        if settled && p.residual(&v) <= p.tolerance.max(SOLVED) {
            return Some(v);
        }
    }
    None
}

/// Where an unknown stands.
#[derive(Clone, Copy, PartialEq)]
enum BoundSide {
    Lower,
    Inside,
    Upper,
}

fn first(p: &Mlcp<'_>, i: usize) -> BoundSide {
    if p.lower[i].is_finite() { BoundSide::Lower } else { BoundSide::Inside }
}

fn next(p: &Mlcp<'_>, i: usize, place: BoundSide) -> BoundSide {
    match place {
        BoundSide::Lower => BoundSide::Inside,
        BoundSide::Inside if p.upper[i].is_finite() => BoundSide::Upper,
        BoundSide::Inside | BoundSide::Upper => first(p, i),
    }
}

/// w = 0 for all unknowns inside, with the others at their bounds; z if that solves the problem.
fn attempt(p: &Mlcp<'_>, m: &DMatrix<f64>, choice: &[BoundSide]) -> Option<Vec<f64>> {
    let mut z: Vec<f64> = (0..p.n())
        .map(|i| match choice[i] {
            BoundSide::Lower => p.lower[i],
            BoundSide::Upper => p.upper[i],
            BoundSide::Inside => 0.0,
        })
        .collect();
    let inside: Vec<usize> = (0..p.n()).filter(|&i| choice[i] == BoundSide::Inside).collect();
    if inside.is_empty() {
        return (p.residual(&z).natural <= SOLVED).then_some(z);
    }
    let right = DVector::from_fn(inside.len(), |r, _| -(p.m.row_dot(inside[r], &z) + p.q[inside[r]]));
    let block = DMatrix::from_fn(inside.len(), inside.len(), |r, c| m[(inside[r], inside[c])]);
    let solved = block.full_piv_lu().solve(&right)?;
    for (r, &i) in inside.iter().enumerate() {
        z[i] = solved[r].clamp(p.lower[i], p.upper[i]);
    }
    (p.residual(&z).natural <= SOLVED).then_some(z)
}

#[cfg(test)]
mod tests {
    use super::*;
    use vinci_core::CsrBuf;
    use vinci_core::problem::MlcpBuf;

    fn solved(m: &[(usize, usize, f64)], q: &[f64], lower: f64, upper: f64) -> Option<Vec<f64>> {
        let n = q.len();
        let m = CsrBuf::from_triplets(n, n, m);
        solve(&MlcpBuf::from_parts(m, q.to_vec(), vec![lower; n], vec![upper; n], 1e-9).view())
    }

    #[test]
    fn lcps_boxes_and_equations() {
        let inf = f64::INFINITY;
        let m = [(0, 0, 2.0), (0, 1, 1.0), (1, 0, 1.0), (1, 1, 2.0)];
        assert_eq!(solved(&m, &[-4.0, 1.0], 0.0, inf), Some(vec![2.0, 0.0]));
        assert_eq!(solved(&[(0, 0, 1.0)], &[-3.0], -1.0, 1.0), Some(vec![1.0]));
        assert_eq!(solved(&[(0, 0, 4.0)], &[-2.0], -inf, inf), Some(vec![0.5]));
        assert_eq!(solved(&[], &[-1.0], 0.0, inf), None);
        assert_eq!(solved(&[], &[], 0.0, inf), Some(vec![]));
    }
}
