//! Proofs sought for themselves, where the interior point gave neither a solution nor a ray: small programs that always have
//! a solution.
//!
//! - Unboundedness: min cᵀd over P d = 0, G d in the recession cone, |d_j| ≤ D_j (the balanced unit of x_j).
//! - Infeasibility: min yᵀg − Σ y⁺l + Σ y⁻u over Gᵀy = 0, y = y⁺ − y⁻ on rows, y_k ∈ SOC, all of it within the balanced
//!   unit E_i of its row; y⁺ only where there is a lower bound, y⁻ only where there is an upper one.
//!
//! A negative minimum is a proof.
//!
//! - A point: min ½ Σ (x_j/D_j)² over the rows and cones as they are. This one has a solution where the program has a point.

use vinci_core::CsrBuf;
use vinci_core::problem::{Conic, ConicBuf, RowTag};

const INF: f64 = f64::INFINITY;

fn row(to: &mut ConicBuf, entries: impl Iterator<Item = (usize, f64)>, bounds: (f64, f64)) {
    entries.for_each(|(j, v)| to.rows.push(j, v));
    to.end_row(0.0, bounds, RowTag::default(), 1.0);
}

fn unknown(to: &mut ConicBuf, cost: f64) {
    to.end_unknown(cost, RowTag::default(), 1.0);
}

/// The program whose negative minimum is a direction of descent without end; `unit` are the D_j.
pub fn direction(p: &Conic<'_>, unit: &[f64]) -> ConicBuf {
    let mut out = ConicBuf::default();
    out.clear(p.n(), p.tolerance);
    p.c.iter().for_each(|&c| unknown(&mut out, c));
    (0..p.n()).for_each(|i| row(&mut out, p.p.entries(i), (0.0, 0.0)));
    let shift = p.n() as u32;
    for i in 0..p.m() {
        let lower = if p.lower[i].is_finite() { 0.0 } else { -INF };
        let upper = if p.upper[i].is_finite() { 0.0 } else { INF };
        row(&mut out, p.rows.entries(i), (lower, upper));
    }
    out.cones.extend(p.cones().flat_map(|cone| [cone.start as u32 + shift, cone.len() as u32]));
    for (j, &d) in unit.iter().enumerate() {
        row(&mut out, std::iter::once((j, 1.0)), (-d, d));
    }
    out
}

/// The program whose solution is the point nearest to x = 0 in units D_j, `unit`.
pub fn nearest(p: &Conic<'_>, unit: &[f64]) -> ConicBuf {
    let mut out = ConicBuf::default();
    out.clear(p.n(), p.tolerance);
    for (j, d) in unit.iter().enumerate() {
        out.p.push(j, 1.0 / (d * d));
        unknown(&mut out, 0.0);
    }
    for i in 0..p.m() {
        p.rows.entries(i).for_each(|(j, v)| out.rows.push(j, v));
        out.end_row(p.g[i], (p.lower[i], p.upper[i]), RowTag::default(), 1.0);
    }
    out.cones.extend_from_slice(p.cones);
    out
}

/// The program whose negative minimum is a Farkas vector, and the (row, sign) of its unknowns; `unit` are the E_i.
pub fn farkas(p: &Conic<'_>, unit: &[f64]) -> (ConicBuf, Vec<(usize, f64)>) {
    let mut of: Vec<(usize, f64)> = Vec::new();
    let mut in_cone = vec![false; p.m()];
    p.cones().for_each(|cone| in_cone[cone].fill(true));
    for i in 0..p.m() {
        if in_cone[i] || p.lower[i].is_finite() {
            of.push((i, 1.0));
        }
        if p.upper[i].is_finite() {
            of.push((i, -1.0));
        }
    }
    let mut out = ConicBuf::default();
    out.clear(of.len(), p.tolerance);
    for &(i, sign) in &of {
        let bound = if in_cone[i] {
            0.0
        } else if sign > 0.0 {
            p.lower[i]
        } else {
            p.upper[i]
        };
        unknown(&mut out, sign * (p.g[i] - bound));
    }
    let mut transposed = CsrBuf::default();
    let mut of_row = vec![[None; 2]; p.m()];
    for (k, &(i, sign)) in of.iter().enumerate() {
        of_row[i][usize::from(sign < 0.0)] = Some((k, sign));
    }
    transposed.transpose_of(&p.rows, &mut Vec::new());
    for j in 0..p.n() {
        let both = |(i, g): (usize, f64)| of_row[i].into_iter().flatten().map(move |(k, s)| (k, s * g));
        row(&mut out, transposed.view().entries(j).flat_map(both), (0.0, 0.0));
    }
    for (k, &(i, _)) in of.iter().enumerate() {
        let low = if in_cone[i] { -unit[i] } else { 0.0 };
        row(&mut out, std::iter::once((k, 1.0)), (low, unit[i]));
    }
    for cone in p.cones() {
        let dim = cone.len();
        for i in cone {
            let k = of_row[i][0].map_or(0, |e| e.0);
            row(&mut out, std::iter::once((k, 1.0)), (-INF, INF));
        }
        out.close_cone(dim);
    }
    (out, of)
}

/// For a program without unknowns that is not lawful: the normal of the first wall that s = g lies behind, into y.
pub fn point_outside(p: &Conic<'_>, y: &mut [f64]) {
    for cone in p.cones() {
        let rest = p.g[cone.start + 1..cone.end].iter().map(|g| g * g).sum::<f64>().sqrt();
        if rest > p.g[cone.start] {
            y[cone.start] = 1.0;
            (cone.start + 1..cone.end).filter(|_| rest > 0.0).for_each(|i| y[i] = -p.g[i] / rest);
            return;
        }
    }
    if let Some(i) = (0..p.m()).find(|&i| p.g[i] < p.lower[i] || p.g[i] > p.upper[i]) {
        y[i] = if p.g[i] < p.lower[i] { 1.0 } else { -1.0 };
    }
}
