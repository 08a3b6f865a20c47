//! A search for choice in a program: other velocities of quasi-static bodies that solve it as well.
//!
//! They are v + d with d in velocities that cost nothing, E d = 0 in rows that press (of a cone that slides: s stays on its
//! ray), B d ≥ 0 in rows that are closed without pressing.

use nalgebra::{DMatrix, DVector};
use vinci_sdk::core::momentum::Momentum;
use vinci_sdk::core::rigid::Freedom;
use vinci_sdk::prelude::*;

use crate::rows::Program;

/// Multipliers and rates below this part of the largest count as zero.
const ZERO: f64 = 1e-7;

/// Eigenvalues of EᵀE below this part of the largest count as zero.
const RANK: f64 = 1e-14;

/// Body and direction of a choice at the solution (x, y), if there is one.
pub(crate) fn left(
    program: &Program,
    step: &StepView<'_>,
    momentum: &Momentum,
    freedom: &Freedom,
    (x, y): (&[f64], &[f64]),
) -> Option<(String, String)> {
    let p = program.conic.view();
    let costless: Vec<usize> = (0..p.n()).filter(|&i| p.p.entries(i).all(|(_, a)| a == 0.0)).collect();
    if costless.is_empty() || !freedom.refuses() {
        return None;
    }
    let rows = Rows { p, costless: &costless };
    let (equations, one_sided) = rows.sort(x, y);
    let null = null_space(&equations, costless.len());
    let first = null.first()?;
    let n = DMatrix::from_columns(&null);
    let seen = one_sided.iter().map(|b| n.transpose() * b);
    let seen: Vec<_> = seen.filter(|c| c.norm() > ZERO).map(|c| c.normalize().transpose()).collect();
    let d = if seen.is_empty() { first.clone() } else { &n * Freedom::nonzero(&DMatrix::from_rows(&seen))? };
    let mut full = vec![0.0; step.nv()];
    costless.iter().zip(&d).for_each(|(&i, x)| full[momentum.free[i] as usize] = x / d.amax());
    Some(freedom.describe(step, &full))
}

struct Rows<'a> {
    p: Conic<'a>,
    costless: &'a [usize],
}

impl Rows<'_> {
    fn row(&self, i: usize, scale: f64) -> DVector<f64> {
        let mut out = DVector::zeros(self.costless.len());
        for (j, value) in self.p.rows.entries(i) {
            if let Ok(place) = self.costless.binary_search(&j) {
                out[place] += scale * value;
            }
        }
        out
    }

    /// Equations, and rows that only let go.
    fn sort(&self, x: &[f64], y: &[f64]) -> (Vec<DVector<f64>>, Vec<DVector<f64>>) {
        let p = &self.p;
        let s: Vec<f64> = (0..p.m()).map(|i| p.s(i, x)).collect();
        let largest = |list: &[f64]| list.iter().fold(f64::MIN_POSITIVE, |m, x| m.max(x.abs()));
        let (y_zero, s_zero) = (ZERO * largest(y), ZERO * largest(&s).max(1e-3));
        let (mut equations, mut one_sided) = (Vec::new(), Vec::new());
        let mut in_cone = vec![false; p.m()];
        for cone in p.cones() {
            in_cone[cone.clone()].fill(true);
            self.sort_cone(cone, (&s, s_zero), (y, y_zero), &mut equations, &mut one_sided);
        }
        for i in (0..p.m()).filter(|&i| !in_cone[i]) {
            let (l, u) = (p.lower[i], p.upper[i]);
            if l == u || y[i].abs() > y_zero {
                equations.push(self.row(i, 1.0));
            } else if l.is_finite() && s[i] - l <= s_zero {
                one_sided.push(self.row(i, 1.0));
            } else if u.is_finite() && u - s[i] <= s_zero {
                one_sided.push(self.row(i, -1.0));
            }
        }
        (equations, one_sided)
    }

    fn sort_cone(
        &self,
        cone: std::ops::Range<usize>,
        (s, s_zero): (&[f64], f64),
        (y, y_zero): (&[f64], f64),
        equations: &mut Vec<DVector<f64>>,
        one_sided: &mut Vec<DVector<f64>>,
    ) {
        let (first, rest) = (cone.start, cone.start + 1..cone.end);
        let length = |list: &[f64]| list[rest.clone()].iter().map(|x| x * x).sum::<f64>().sqrt();
        if y[first] <= y_zero {
            if s[first] <= s_zero {
                one_sided.push(self.row(first, 1.0));
            }
            return;
        }
        if length(y) < y[first] - y_zero {
            cone.for_each(|i| equations.push(self.row(i, 1.0)));
            return;
        }
        // At the edge of friction: s = σ (1, −y_1/|y_1|), σ ≥ 0.
        let size = length(y);
        rest.for_each(|i| equations.push(self.row(i, 1.0) + self.row(first, y[i] / size)));
        if s[first] <= s_zero {
            one_sided.push(self.row(first, 1.0));
        }
    }
}

fn null_space(equations: &[DVector<f64>], n: usize) -> Vec<DVector<f64>> {
    let gram = equations.iter().fold(DMatrix::zeros(n, n), |g, e| g + e * e.transpose());
    let eigen = gram.symmetric_eigen();
    let cut = RANK * eigen.eigenvalues.amax().max(f64::MIN_POSITIVE) * n as f64;
    (0..n)
        .filter(|&k| eigen.eigenvalues[k] <= cut)
        .map(|k| eigen.eigenvectors.column(k).into_owned())
        .collect()
}
