//! The balanced problem as min ½ xᵀP x + qᵀx, A x + t = b, t in {0}, ℝ₊ and second-order cones, in compressed columns.
//!
//! Every row of A is σ times a row of G, counted from one of its bounds: t = σ (s − bound), so A = −σ G,
//! b = σ (g − bound), and P x + q + Aᵀz = 0 says that the row's y is the sum of its σ z:
//!
//! | row of the problem | rows of A |
//! |---|---|
//! | l = u | one in {0}, σ = 1 |
//! | l ≤ s | one in ℝ₊, σ = 1, bound l |
//! | s ≤ u | one in ℝ₊, σ = −1, bound u |
//! | l ≤ s ≤ u | both |
//! | cone | its rows, σ = 1, bound 0 |

use vinci_linear::conic::Balanced;
use vinci_sdk::core::problem::Conic;
use vinci_sdk::prelude::*;

/// A matrix by compressed columns, rows of a column in ascending order.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Columns {
    pub(crate) start: Vec<usize>,
    pub(crate) row: Vec<usize>,
    pub(crate) value: Vec<f64>,
}

/// Row of the problem, σ, and the bound it is counted from.
#[derive(Debug, Clone, Copy)]
struct Side {
    row: u32,
    sign: f64,
    bound: f64,
}

/// The standard form, with its memory.
#[derive(Debug, Default)]
pub(crate) struct Standard {
    /// Upper triangle of P.
    pub(crate) p: Columns,
    pub(crate) a: Columns,
    pub(crate) b: Vec<f64>,
    /// Number of rows in {0}, then in ℝ₊, then the dimensions of the second-order cones.
    pub(crate) equations: usize,
    pub(crate) inequalities: usize,
    pub(crate) cones: Vec<usize>,
    sides: Vec<Side>,
    in_cone: Vec<bool>,
    sorted: Vec<(u32, f64)>,
    next: Vec<usize>,
}

impl Standard {
    /// Writes the standard form of the balanced problem; `p` gives the cones.
    pub(crate) fn build(&mut self, p: &Conic<'_>, scaled: &Balanced) {
        self.list_sides(p, scaled);
        self.write_p(scaled.p.view());
        self.write_a(scaled.g.view());
        let b = self.sides.iter().map(|s| s.sign * (scaled.offset[s.row as usize] - s.bound));
        self.b.clear();
        self.b.extend(b);
    }

    fn list_sides(&mut self, p: &Conic<'_>, scaled: &Balanced) {
        self.in_cone.clear();
        self.in_cone.resize(p.m(), false);
        p.cones().for_each(|cone| self.in_cone[cone].fill(true));
        self.sides.clear();
        let outside = |i: &usize| !self.in_cone[*i];
        let side = |row: usize, sign: f64, bound: f64| Side { row: row as u32, sign, bound };
        for i in (0..p.m()).filter(outside).filter(|&i| p.lower[i] == p.upper[i]) {
            self.sides.push(side(i, 1.0, scaled.lower[i]));
        }
        self.equations = self.sides.len();
        for i in (0..p.m()).filter(outside).filter(|&i| p.lower[i] != p.upper[i]) {
            if p.lower[i].is_finite() {
                self.sides.push(side(i, 1.0, scaled.lower[i]));
            }
            if p.upper[i].is_finite() {
                self.sides.push(side(i, -1.0, scaled.upper[i]));
            }
        }
        self.inequalities = self.sides.len() - self.equations;
        self.cones.clear();
        for cone in p.cones() {
            self.cones.push(cone.len());
            self.sides.extend(cone.map(|i| side(i, 1.0, 0.0)));
        }
    }

    /// Row j of the symmetric P up to the diagonal is column j of its upper triangle.
    fn write_p(&mut self, p: Csr<'_>) {
        self.p.start.clear();
        self.p.start.push(0);
        self.p.row.clear();
        self.p.value.clear();
        for j in 0..p.n_rows() {
            let (columns, values) = p.row(j);
            self.sorted.clear();
            let upper = columns.iter().copied().zip(values.iter().copied()).filter(|e| e.0 as usize <= j);
            self.sorted.extend(upper);
            self.sorted.sort_unstable_by_key(|e| e.0);
            self.p.row.extend(self.sorted.iter().map(|e| e.0 as usize));
            self.p.value.extend(self.sorted.iter().map(|e| e.1));
            self.p.start.push(self.p.row.len());
        }
    }

    /// A = −σ G by columns.
    fn write_a(&mut self, g: Csr<'_>) {
        self.next.clear();
        self.next.resize(g.n_cols + 1, 0);
        for side in &self.sides {
            g.row(side.row as usize).0.iter().for_each(|&c| self.next[c as usize + 1] += 1);
        }
        for c in 0..g.n_cols {
            self.next[c + 1] += self.next[c];
        }
        let entries = self.next[g.n_cols];
        self.a.start.clone_from(&self.next);
        self.a.row.clear();
        self.a.row.resize(entries, 0);
        self.a.value.clear();
        self.a.value.resize(entries, 0.0);
        for (k, side) in self.sides.iter().enumerate() {
            for (c, v) in g.entries(side.row as usize) {
                let at = self.next[c];
                self.next[c] += 1;
                self.a.row[at] = k;
                self.a.value[at] = -side.sign * v;
            }
        }
    }

    /// y of the rows of the balanced problem: the sum of σ z.
    pub(crate) fn duals(&self, z: &[f64], y: &mut [f64]) {
        y.fill(0.0);
        for (side, z) in self.sides.iter().zip(z) {
            y[side.row as usize] += side.sign * z;
        }
    }
}
