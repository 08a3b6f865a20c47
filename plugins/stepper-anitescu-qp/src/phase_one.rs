//! A strictly feasible velocity: one that moves every contact apart.
//!
//! Newton on t τ + ½ ρ |x − x_0|² − Σ log(s_i(x) + τ), τ added to every slack and every cone's first row, under the equations;
//! t grows until all slacks are positive without τ. Where τ stays positive although the duality gap (terms)/t is smaller,
//! no such velocity exists.

use nalgebra::{DMatrix, DVector};
use vinci_sdk::prelude::*;

use crate::barrier::{Barrier, BarrierScratch, Term};

/// Newton steps at most.
const STEPS: usize = 400;

/// Weight of the distance from the start against the barrier, in units of the start's slack.
const PULL: f64 = 1e-3;

/// A strictly feasible point that obeys the equations, nearest first: `x`, 0, or what Newton finds; none: false.
pub(crate) fn find(barrier: &Barrier<'_>, x: &mut [f64], speed: f64) -> bool {
    let mut s = Vec::new();
    for still in [false, true] {
        if still {
            x.fill(0.0);
        }
        obey(barrier, x);
        barrier.rates(x, &mut s);
        if barrier.is_inside(&s) {
            return true;
        }
    }
    separate(barrier, x, speed)
}

/// The nearest point that obeys the equations.
fn obey(barrier: &Barrier<'_>, x: &mut [f64]) {
    let (p, rows) = (&barrier.p, &barrier.terms.equations);
    if rows.is_empty() {
        return;
    }
    let e = equations(barrier, x.len());
    let off = DVector::from_fn(rows.len(), |k, _| p.lower[rows[k]] - p.s(rows[k], x));
    if let Ok(step) = e.svd(true, true).solve(&off, 1e-12) {
        x.iter_mut().zip(&step).for_each(|(x, d)| *x += d);
    }
}

fn equations(barrier: &Barrier<'_>, n: usize) -> DMatrix<f64> {
    let rows = &barrier.terms.equations;
    let mut e = DMatrix::zeros(rows.len(), n);
    for (k, &row) in rows.iter().enumerate() {
        barrier.p.rows.entries(row).for_each(|(j, value)| e[(k, j)] += value);
    }
    e
}

fn separate(barrier: &Barrier<'_>, x: &mut [f64], speed: f64) -> bool {
    let wide = Wide::new(barrier, x, speed);
    let n = x.len();
    let (mut at, mut work, mut s) = (x.to_vec(), BarrierScratch::default(), Vec::new());
    barrier.rates(x, &mut s);
    at.push(wide.least_tau(barrier, &s) + speed);
    let mut t = 1.0 / speed;
    let terms = barrier.terms.list.len() as f64;
    for _ in 0..STEPS {
        let program = wide.program(t);
        let lifted = Barrier { p: program.view(), terms: barrier.terms, kappa: 1.0 };
        let (moved, falls) = newton(&lifted, &mut at, &mut work);
        x.copy_from_slice(&at[..n]);
        barrier.rates(x, &mut s);
        if barrier.is_inside(&s) {
            return true;
        }
        if falls < 0.1 || !moved {
            if at[n] > 2.0 * terms / t {
                return false;
            }
            t *= 10.0;
            if t * speed > 1e14 {
                return false;
            }
        }
    }
    false
}

/// The program with τ as one more unknown.
struct Wide<'a> {
    buf: ConicBuf,
    start: Vec<f64>,
    pull: f64,
    p: Conic<'a>,
}

impl<'a> Wide<'a> {
    fn new(barrier: &Barrier<'a>, x: &[f64], speed: f64) -> Self {
        let (p, n) = (barrier.p, x.len());
        let mut own = vec![0.0; p.m()];
        for term in &barrier.terms.list {
            match *term {
                Term::Row { row, sign, .. } => own[row] = sign,
                Term::Cone { first, .. } => own[first] = 1.0,
            }
        }
        let mut buf = ConicBuf::copy_of(&p);
        let mut rows = CsrBuf::default();
        rows.clear(n + 1);
        for i in 0..p.m() {
            p.rows.entries(i).for_each(|(j, value)| rows.push(j, value));
            if own[i] != 0.0 {
                rows.push(n, own[i]);
            }
            rows.end_row();
        }
        buf.rows = rows;
        Self { buf, start: x.to_vec(), pull: PULL / (speed * speed), p }
    }

    /// Objective t τ + ½ ρ |x − x_0|².
    fn program(&self, t: f64) -> ConicBuf {
        let n = self.start.len();
        let diagonal: Vec<_> = (0..n).map(|i| (i, i, self.pull)).collect();
        let mut out = self.buf.clone();
        out.p = CsrBuf::from_triplets(n + 1, n + 1, &diagonal);
        out.c = self.start.iter().map(|x| -self.pull * x).collect();
        out.c.push(t);
        out
    }

    /// Least τ that makes all slacks nonnegative at s.
    fn least_tau(&self, barrier: &Barrier<'_>, s: &[f64]) -> f64 {
        let lack = |term: &Term| match *term {
            Term::Row { row, sign, bound } => -sign * (s[row] - bound),
            Term::Cone { first, dim } => {
                s[first + 1..first + dim].iter().map(|x| x * x).sum::<f64>().sqrt() - s[first]
            }
        };
        debug_assert_eq!(self.p.m(), s.len());
        barrier.terms.list.iter().map(lack).fold(0.0, f64::max)
    }
}

/// One damped Newton step under the equations: whether it moved, and the decrement.
fn newton(barrier: &Barrier<'_>, x: &mut [f64], work: &mut BarrierScratch) -> (bool, f64) {
    let (n, m) = (x.len(), barrier.terms.equations.len());
    let (mut s, mut y, mut r) = (Vec::new(), Vec::new(), Vec::new());
    barrier.rates(x, &mut s);
    barrier.multipliers(&s, &mut y);
    barrier.slope(x, &y, &mut r);
    let mut k = DMatrix::zeros(n + m, n + m);
    k.view_mut((0, 0), (n, n)).copy_from(&barrier.hessian(&s));
    let e = equations(barrier, n);
    k.view_mut((n, 0), (m, n)).copy_from(&e);
    k.view_mut((0, n), (n, m)).copy_from(&e.transpose());
    let right = DVector::from_fn(n + m, |i, _| if i < n { -r[i] } else { 0.0 });
    let Some(step) = k.full_piv_lu().solve(&right) else { return (false, f64::INFINITY) };
    let dx: Vec<f64> = step.iter().take(n).copied().collect();
    let falling: f64 = -r.iter().zip(&dx).map(|(r, d)| r * d).sum::<f64>();
    let alpha = barrier.limit(x, &dx, &r, work);
    x.iter_mut().zip(&dx).for_each(|(x, d)| *x += alpha * d);
    (alpha > 1e-12, falling.max(0.0).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::barrier::Terms;

    fn found(rows: &[(usize, usize, f64)], lower: &[f64], cones: Vec<u32>) -> Option<Vec<f64>> {
        let m = lower.len();
        let g = CsrBuf::from_triplets(m, 2, rows);
        let bounds = (lower.to_vec(), vec![f64::INFINITY; m]);
        let mut buf =
            ConicBuf::from_parts(CsrBuf::from_triplets(2, 2, &[]), vec![0.0; 2], g, vec![0.0; m], bounds);
        buf.cones = cones;
        let mut terms = Terms::default();
        terms.read(&buf.view());
        let barrier = Barrier { p: buf.view(), terms: &terms, kappa: 1.0 };
        let (mut x, mut s) = (vec![0.0; 2], Vec::new());
        let found = find(&barrier, &mut x, 1.0);
        barrier.rates(&x, &mut s);
        assert_eq!(found, barrier.is_inside(&s) && found, "what was found lies inside");
        found.then_some(x)
    }

    #[test]
    fn wedges_and_cones_are_entered_and_jams_are_seen() {
        // x ≥ 0 and y ≥ x; a wedge of 0.01 rad; x ≥ 1e-3 and −x ≥ −1e-3 ± 1e-4.
        assert!(found(&[(0, 0, 1.0), (1, 0, -1.0), (1, 1, 1.0)], &[0.0, 0.0], vec![]).is_some());
        assert!(
            found(&[(0, 0, 1.0), (0, 1, -0.01), (1, 0, -1.0), (1, 1, 0.02)], &[0.0, 0.0], vec![]).is_some()
        );
        assert!(found(&[(0, 0, 1.0), (1, 0, -1.0)], &[1e-3, -1.1e-3], vec![]).is_some());
        assert!(found(&[(0, 0, 1.0), (1, 0, -1.0)], &[1.1e-3, -1e-3], vec![]).is_none());
        assert!(found(&[(0, 0, 1.0), (1, 0, -1.0)], &[0.0, 0.0], vec![]).is_none());
        let none = f64::NEG_INFINITY;
        assert!(found(&[(0, 0, 1.0), (1, 1, 0.5)], &[none, none], vec![0, 2]).is_some());
    }
}
