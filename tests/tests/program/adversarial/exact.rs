//! Solvability of a small complementarity problem, in exact rational arithmetic: numbers of f64 are rationals.
//!
//! The points with z ≥ 0 and w = M z + q ≥ 0 are a polyhedron without lines, and those with zᵀw = 0 are some of its faces; a face
//! that is not empty has a vertex. So the LCP has a solution if and only if one of the C(2n, n) intersections of n of the
//! planes z_i = 0, w_i = 0 is one. Free rows are eliminated before, rows with two bounds have a second pair for the upper one.

use num_rational::BigRational;
use num_traits::{Signed, Zero};
use vinci_core::problem::Mlcp;

pub(crate) type Q = BigRational;

/// The rational that a number is.
pub(crate) fn exact(x: f64) -> Q {
    Q::from_float(x).unwrap()
}

/// An LCP: rows [M | q].
struct Lcp {
    rows: Vec<Vec<Q>>,
}

/// True if there is a solution; nothing where the free rows depend on each other.
pub(crate) fn is_solvable(p: &Mlcp<'_>) -> Option<bool> {
    Some(reduce(p)?.is_solvable())
}

/// max |z − Π(z − w)| over the rows, with w of the rounded z in exact arithmetic, over |q|∞.
pub(crate) fn residual(p: &Mlcp<'_>, z: &[f64]) -> f64 {
    let size = exact(p.q_norm());
    let of = |i: usize| {
        let w = p.m.entries(i).fold(exact(p.q[i]), |sum, (j, v)| sum + exact(v) * exact(z[j]));
        let above = if p.lower[i].is_finite() { w.clone().min(exact(z[i]) - exact(p.lower[i])) } else { w };
        let value = if p.upper[i].is_finite() { above.max(exact(z[i]) - exact(p.upper[i])) } else { above };
        (value / &size).abs()
    };
    let worst = (0..p.n()).map(of).max().unwrap_or_else(Q::zero);
    num_traits::ToPrimitive::to_f64(&worst).unwrap()
}

/// The LCP over z − l (or u − z), free unknowns eliminated.
fn reduce(p: &Mlcp<'_>) -> Option<Lcp> {
    let n = p.n();
    let zero = Q::zero;
    let mut rows: Vec<Vec<Q>> = (0..n)
        .map(|i| {
            let mut row = vec![zero(); n + 1];
            p.m.entries(i).for_each(|(j, v)| row[j] += exact(v));
            row[n] = exact(p.q[i]);
            row
        })
        .collect();
    let bounded: Vec<usize> = (0..n).filter(|&i| !p.is_free(i)).collect();
    for &j in &bounded {
        let lower = p.lower[j].is_finite();
        let offset = exact(if lower { p.lower[j] } else { p.upper[j] });
        for row in &mut rows {
            let shift = &row[j] * &offset;
            row[n] += shift;
            if !lower {
                row[j] = -row[j].clone();
            }
        }
        if !lower {
            rows[j].iter_mut().for_each(|x| *x = -x.clone());
        }
    }
    for f in (0..n).filter(|&i| p.is_free(i)) {
        let free_row = (0..n).find(|&i| p.is_free(i) && i >= f && !rows[i][f].is_zero())?;
        rows.swap(f, free_row);
        let pivot = rows[f].clone();
        for i in (0..n).filter(|i| *i != f) {
            let factor = &rows[i][f] / &pivot[f];
            (0..=n).for_each(|j| {
                let part = &factor * &pivot[j];
                rows[i][j] -= part;
            });
        }
    }
    Some(with_upper_bounds(p, &rows, &bounded))
}

fn with_upper_bounds(p: &Mlcp<'_>, rows: &[Vec<Q>], bounded: &[usize]) -> Lcp {
    let boxed: Vec<usize> = (0..bounded.len())
        .filter(|&r| p.lower[bounded[r]].is_finite() && p.upper[bounded[r]].is_finite())
        .collect();
    let (m, size) = (bounded.len(), bounded.len() + boxed.len());
    let mut out = vec![vec![Q::zero(); size + 1]; size];
    for (r, &i) in bounded.iter().enumerate() {
        bounded.iter().enumerate().for_each(|(c, &j)| out[r][c] = rows[i][j].clone());
        out[r][size] = rows[i][p.n()].clone();
    }
    for (k, &r) in boxed.iter().enumerate() {
        out[r][m + k] = exact(1.0);
        out[m + k][r] = exact(-1.0);
        out[m + k][size] = exact(p.upper[bounded[r]]) - exact(p.lower[bounded[r]]);
    }
    Lcp { rows: out }
}

impl Lcp {
    fn is_solvable(&self) -> bool {
        let n = self.rows.len();
        (0..1_u32 << (2 * n))
            .filter(|mask| mask.count_ones() as usize == n)
            .any(|mask| self.is_solved_at(mask))
    }

    /// Returns true if the planes in `mask` (z_i = 0 in the lower n bits, w_i = 0 above) meet in a point that solves the problem.
    fn is_solved_at(&self, mask: u32) -> bool {
        let n = self.rows.len();
        let plane = |k: usize| {
            if k < n {
                (0..=n).map(|j| exact(f64::from(u8::from(j == k)))).collect()
            } else {
                self.rows[k - n].clone()
            }
        };
        let planes: Vec<Vec<Q>> = (0..2 * n).filter(|k| mask >> k & 1 == 1).map(plane).collect();
        let Some(z) = meet(planes) else { return false };
        z.iter().zip(&self.rows).all(|(z_i, row)| {
            let w = row[..n].iter().zip(&z).fold(row[n].clone(), |sum, (m, z)| sum + m * z);
            !z_i.is_negative() && !w.is_negative() && (z_i.is_zero() || w.is_zero())
        })
    }
}

/// The one point where a·z + b vanishes for all rows [a | b].
pub(crate) fn meet(mut rows: Vec<Vec<Q>>) -> Option<Vec<Q>> {
    let n = rows.len();
    for c in 0..n {
        let pivot = (c..n).find(|&r| !rows[r][c].is_zero())?;
        rows.swap(c, pivot);
        for r in (0..n).filter(|r| *r != c) {
            if rows[r][c].is_zero() {
                continue;
            }
            let factor = &rows[r][c] / &rows[c][c];
            for j in c..=n {
                let part = &factor * &rows[c][j];
                rows[r][j] -= part;
            }
        }
    }
    Some((0..n).map(|r| -&rows[r][n] / &rows[r][r]).collect())
}
