//! Equations of convex programs: stationarity, rows at their bounds, second-order cones.

use nalgebra::DMatrix;

use super::Conic;
use super::active::ActiveSet;
use super::active_laws::{Mode, Row, TIE, Ties, row_of};
use super::own_sizes::{OwnSizes, Size, part};

impl ActiveSet {
    pub(super) fn of_conic(p: &Conic<'_>, z: &[f64], ties: Ties) -> Self {
        let (x, y) = z.split_at(p.n());
        let mut new = Self { rows: vec![Row::Equation; p.n()], ..Self::default() };
        let largest = y.iter().fold(f64::MIN_POSITIVE, |m, y| m.max(y.abs()));
        let sizes = OwnSizes::of_program(p, z);
        let size_of = |i: usize| sizes.at(p.n() + i, p.tolerance, (largest, p.s_scale[i]));
        let in_cone = |i: usize| p.cones().any(|rows| rows.contains(&i));
        for i in 0..p.m() {
            let (row, tie) =
                if in_cone(i) { (Row::Block, false) } else { row_of_program(p, i, (x, y), size_of(i), ties) };
            new.rows.push(row);
            new.ties += usize::from(tie);
        }
        for rows in p.cones() {
            let (mode, tie) = mode_of_cone(p, rows.clone(), (x, y), size_of(rows.start), ties);
            new.blocks.push(mode);
            new.ties += usize::from(tie);
        }
        new
    }

    /// P x + c − Gᵀ y = 0, and for every row y_i = 0 or s_i at its bound; y ∘ s = 0 where a cone slips.
    pub(super) fn program_equations(&self, p: &Conic<'_>, z: &[f64], out: &mut Vec<f64>) {
        let (x, y) = z.split_at(p.n());
        p.stationarity(x, y, out);
        out.extend((0..p.m()).map(|i| match self.rows[p.n() + i] {
            Row::Lower => p.s(i, x) - p.lower[i],
            Row::Upper => p.s(i, x) - p.upper[i],
            _ => y[i],
        }));
        for (rows, mode) in p.cones().zip(&self.blocks) {
            let (first, s) = (rows.start, |i: usize| p.s(i, x));
            for i in rows.clone() {
                out[p.n() + i] = match mode {
                    Mode::Open | Mode::Smooth | Mode::Edge => y[i],
                    Mode::Stick => s(i),
                    Mode::Slip if i == first => rows.clone().map(|k| y[k] * s(k)).sum(),
                    Mode::Slip => y[first] * s(i) + s(first) * y[i],
                };
            }
        }
    }

    pub(super) fn program_matrix(&self, p: &Conic<'_>, z: &[f64], out: &mut DMatrix<f64>) {
        let n = p.n();
        for i in 0..n {
            p.p.entries(i).for_each(|(j, value)| out[(i, j)] += value);
        }
        for i in 0..p.m() {
            p.rows.entries(i).for_each(|(j, value)| out[(j, n + i)] -= value);
            match self.rows[n + i] {
                Row::Lower | Row::Upper => p.rows.entries(i).for_each(|(j, value)| out[(n + i, j)] += value),
                Row::Block => {}
                _ => out[(n + i, n + i)] = 1.0,
            }
        }
        for (rows, mode) in p.cones().zip(&self.blocks) {
            cone_matrix(p, rows, *mode, z, out);
        }
    }
}

/// The law of row i outside of cones, and whether two hold: y_i in the place of z and the distance of s_i to its bound in that of w.
fn row_of_program(
    p: &Conic<'_>,
    i: usize,
    (x, y): (&[f64], &[f64]),
    sizes: (Size, Size),
    ties: Ties,
) -> (Row, bool) {
    let (low, high) = (p.s(i, x) - p.lower[i], p.s(i, x) - p.upper[i]);
    let (w, bound) = if low.abs() <= high.abs() { (low, Row::Lower) } else { (high, Row::Upper) };
    let sides = match bound {
        _ if p.lower[i] == p.upper[i] => (f64::NEG_INFINITY, f64::INFINITY),
        Row::Lower => (0.0, f64::INFINITY),
        _ => (f64::NEG_INFINITY, 0.0),
    };
    let (row, tie) = row_of((y[i], w), sides, sizes, ties);
    (if row == Row::Equation { bound } else { Row::Held(0.0) }, tie)
}

fn mode_of_cone(
    p: &Conic<'_>,
    rows: std::ops::Range<usize>,
    (x, y): (&[f64], &[f64]),
    (y_size, s_size): (Size, Size),
    ties: Ties,
) -> (Mode, bool) {
    let first = rows.start;
    let norm = |f: &dyn Fn(usize) -> f64| rows.clone().skip(1).map(|i| f(i).powi(2)).sum::<f64>().sqrt();
    let s = |i: usize| p.s(i, x);
    let s_inside = part(s(first) - norm(&s), s_size);
    let y_inside = part(y[first] - norm(&|i| y[i]), y_size);
    let zero = (part(s(first), s_size) <= TIE, part(y[first], y_size) <= TIE);
    match zero {
        (true, true) => (if ties == Ties::Equations { Mode::Stick } else { Mode::Open }, true),
        (true, false) => (Mode::Stick, y_inside <= TIE),
        (false, true) => (Mode::Open, s_inside <= TIE),
        (false, false) => (Mode::Slip, false),
    }
}

/// Rows of ∂F/∂(x, y) of a cone.
fn cone_matrix(p: &Conic<'_>, rows: std::ops::Range<usize>, mode: Mode, z: &[f64], out: &mut DMatrix<f64>) {
    let (n, (x, y), first) = (p.n(), z.split_at(p.n()), rows.start);
    for i in rows.clone() {
        let mut add = |k: usize, by_s: f64, by_y: f64| {
            p.rows.entries(k).for_each(|(j, value)| out[(n + i, j)] += by_s * value);
            out[(n + i, n + k)] += by_y;
        };
        match mode {
            Mode::Open | Mode::Smooth | Mode::Edge => add(i, 0.0, 1.0),
            Mode::Stick => add(i, 1.0, 0.0),
            Mode::Slip if i == first => rows.clone().for_each(|k| add(k, y[k], p.s(k, x))),
            Mode::Slip => {
                add(i, y[first], p.s(first, x));
                add(first, y[i], p.s(i, x));
            }
        }
    }
}
