//! M by columns, scaled; and the scaling itself.

use vinci_sdk::core::problem::Mlcp;

/// Powers of two r, c and s with M′ = R M C, q′ = s R q: z = C z′ / s, w = R⁻¹ w′ / s. Exact in floating point, and
/// complementarity is the same question for any positive R, C, s.
#[derive(Debug, Clone, Default)]
pub(crate) struct Scaling {
    pub(crate) row: Vec<f64>,
    pub(crate) col: Vec<f64>,
    pub(crate) s: f64,
    largest: Vec<f64>,
}

/// Sweeps of geometric equilibration.
const SWEEPS: usize = 3;

/// The power of two nearest to `x` from below (1 for what has none).
pub(crate) fn power_of_two(x: f64) -> f64 {
    if x.is_normal() && x > 0.0 { f64::from_bits(x.to_bits() & 0x7FF0_0000_0000_0000) } else { 1.0 }
}

impl Scaling {
    /// Starts from the typical sizes of rows and unknowns, then balances the largest entries of rows and columns
    /// (r_i c_j |M_ij| ≤ about 1), and brings |q′|∞ to about 1.
    pub(crate) fn find(&mut self, p: &Mlcp<'_>) {
        let n = p.n();
        self.row.clear();
        self.row.extend(p.w_scale.iter().map(|&w| 1.0 / power_of_two(w)));
        self.col.clear();
        self.col.extend(p.z_scale.iter().map(|&z| power_of_two(z)));
        for _ in 0..SWEEPS {
            self.largest.clear();
            self.largest.resize(n, 0.0);
            for i in 0..n {
                let mut row_largest = 0.0_f64;
                for (j, v) in p.m.entries(i) {
                    let v = (v * self.row[i] * self.col[j]).abs();
                    row_largest = row_largest.max(v);
                    self.largest[j] = self.largest[j].max(v);
                }
                self.row[i] /= power_of_two(row_largest.sqrt());
            }
            for (c, &largest) in self.col.iter_mut().zip(&self.largest) {
                *c /= power_of_two(largest.sqrt());
            }
        }
        let q_largest = p.q.iter().zip(&self.row).fold(0.0_f64, |m, (q, r)| m.max((q * r).abs()));
        self.s = 1.0 / power_of_two(q_largest);
    }
}

fn has_diagonal(p: &Mlcp<'_>, i: usize) -> bool {
    p.m.row(i).0.contains(&(i as u32))
}

/// M′ by columns with q′ and the bounds of z′.
#[derive(Debug, Clone, Default)]
pub(crate) struct Columns {
    pub(crate) n: usize,
    start: Vec<u32>,
    row: Vec<u32>,
    value: Vec<f64>,
    pub(crate) q: Vec<f64>,
    pub(crate) lower: Vec<f64>,
    pub(crate) upper: Vec<f64>,
    pub(crate) scaling: Scaling,
}

impl Columns {
    /// Scales and transposes the problem; `regularization` is added to the scaled diagonal.
    pub(crate) fn load(&mut self, p: &Mlcp<'_>, regularization: f64) {
        let n = p.n();
        self.n = n;
        self.scaling.find(p);
        let Scaling { row, col, s, .. } = &self.scaling;
        self.start.clear();
        self.start.resize(n + 2, 0);
        let regular = regularization != 0.0;
        p.m.column.iter().for_each(|&j| self.start[j as usize + 2] += 1);
        for i in (0..n).filter(|&i| regular && !has_diagonal(p, i)) {
            self.start[i + 2] += 1;
        }
        for j in 0..n {
            self.start[j + 2] += self.start[j + 1];
        }
        let nnz = self.start[n + 1] as usize;
        self.row.clear();
        self.row.resize(nnz, 0);
        self.value.clear();
        self.value.resize(nnz, 0.0);
        for i in 0..n {
            let added = (regular && !has_diagonal(p, i)).then_some((i, 0.0));
            for (j, v) in p.m.entries(i).chain(added) {
                let at = self.start[j + 1] as usize;
                self.start[j + 1] += 1;
                let diagonal = if i == j { regularization } else { 0.0 };
                (self.row[at], self.value[at]) = (i as u32, v * row[i] * col[j] + diagonal);
            }
        }
        self.q.clear();
        self.q.extend(p.q.iter().zip(row).map(|(q, r)| q * r * s));
        self.lower.clear();
        self.lower.extend(p.lower.iter().zip(col).map(|(l, c)| l / c * s));
        self.upper.clear();
        self.upper.extend(p.upper.iter().zip(col).map(|(u, c)| u / c * s));
    }

    /// The entries (row, value) of column j.
    #[inline]
    pub(crate) fn column(&self, j: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let range = self.start[j] as usize..self.start[j + 1] as usize;
        self.row[range.clone()].iter().zip(&self.value[range]).map(|(&i, &v)| (i as usize, v))
    }

    /// b += scale · (column j).
    #[inline]
    pub(crate) fn add_column(&self, j: usize, scale: f64, b: &mut [f64]) {
        self.column(j).for_each(|(i, v)| b[i] += scale * v);
    }

    /// Returns true if row i has no bounds.
    #[inline]
    pub(crate) fn is_free(&self, i: usize) -> bool {
        self.lower[i] == f64::NEG_INFINITY && self.upper[i] == f64::INFINITY
    }
}
