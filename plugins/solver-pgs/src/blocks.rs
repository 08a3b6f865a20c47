//! Which bounded rows are solved together, and their local matrices.
//!
//! A row whose effective diagonal D_ii = M_ii − M_iF A⁻¹ M_Fi vanishes cannot be solved for its own unknown: the friction
//! rows (ρ_f, s) of a contact are such a pair of rows. So rows are grouped: by their tags, all parts of one contact (or
//! support); and, tagged or not, every row of vanishing diagonal with the rows it is coupled to directly.

use vinci_sdk::core::problem::{Mlcp, Part};
use vinci_sdk::core::sets::DisjointSets;

use crate::free::Free;

/// Most rows of a block; larger groups are left as single rows.
pub(crate) const LARGEST: usize = 64;
/// A diagonal below this share of what it was summed from counts as zero.
const ZERO: f64 = 1e-12;

/// The partition of the bounded rows, with D of every block (k × k by rows).
#[derive(Debug, Default)]
pub(crate) struct Blocks {
    start: Vec<usize>,
    row: Vec<usize>,
    matrix_start: Vec<usize>,
    matrix: Vec<f64>,
    sets: DisjointSets,
    size: Vec<usize>,
    count: Vec<usize>,
    column: Vec<f64>,
    zero: Vec<bool>,
    tags: Vec<(u32, u8, usize)>,
}

impl Blocks {
    /// Groups the bounded rows of `p` and forms their matrices.
    pub(crate) fn build(&mut self, p: &Mlcp<'_>, free: &Free) {
        let n = p.n();
        self.column.clear();
        self.column.resize(n, 0.0);
        self.find_zero_diagonals(p, free);
        self.sets.reset_where(n, |i| !p.is_free(i));
        self.size.clear();
        self.size.resize(n, 1);
        self.unite_by_tags(p);
        self.unite_by_coupling(p);
        self.list(n);
        self.form_matrices(p, free);
    }

    /// Number of blocks.
    pub(crate) fn len(&self) -> usize {
        self.start.len() - 1
    }

    /// Rows of block `b`.
    pub(crate) fn rows(&self, b: usize) -> &[usize] {
        &self.row[self.start[b]..self.start[b + 1]]
    }

    /// D of block `b`, k × k by rows.
    pub(crate) fn matrix(&self, b: usize) -> &[f64] {
        &self.matrix[self.matrix_start[b]..self.matrix_start[b + 1]]
    }

    fn find_zero_diagonals(&mut self, p: &Mlcp<'_>, free: &Free) {
        self.zero.clear();
        for i in 0..p.n() {
            if p.is_free(i) {
                self.zero.push(false);
                continue;
            }
            free.response(i).for_each(|(f, u)| self.column[f] = u);
            let (mut sum, mut size) = (0.0, 0.0_f64);
            for (j, v) in p.m.entries(i) {
                let part = if j == i { v } else { v * self.column[j] };
                sum += part;
                size = size.max(part.abs());
            }
            free.response(i).for_each(|(f, _)| self.column[f] = 0.0);
            self.zero.push(sum.abs() <= ZERO * size);
        }
    }

    fn unite_by_tags(&mut self, p: &Mlcp<'_>) {
        self.tags.clear();
        for i in 0..p.n() {
            let family = match p.tag[i].part {
                Part::Normal | Part::Friction | Part::Slip => 0,
                Part::Support | Part::SupportSlip => 1,
                _ => continue,
            };
            if self.may_join(p, i) {
                self.tags.push((p.tag[i].subject, family, i));
            }
        }
        self.tags.sort_unstable();
        for k in 1..self.tags.len() {
            let ((s, f, i), (t, g, j)) = (self.tags[k - 1], self.tags[k]);
            if (s, f) == (t, g) {
                self.unite(i, j);
            }
        }
    }

    fn unite_by_coupling(&mut self, p: &Mlcp<'_>) {
        for i in 0..p.n() {
            for (j, v) in p.m.entries(i) {
                let coupled = j != i && v != 0.0 && (self.zero[i] || self.zero[j]);
                if coupled && self.may_join(p, i) && self.may_join(p, j) {
                    self.unite(i, j);
                }
            }
        }
    }

    /// Blocks are standard LCPs: only rows 0 ≤ z < ∞ take part.
    fn may_join(&self, p: &Mlcp<'_>, i: usize) -> bool {
        self.sets.has(i) && p.lower[i] == 0.0 && p.upper[i] == f64::INFINITY
    }

    fn unite(&mut self, i: usize, j: usize) {
        let (a, b) = (self.sets.root(i), self.sets.root(j));
        if a != b && self.size[a] + self.size[b] <= LARGEST {
            self.sets.unite(a, b);
            self.size[a.min(b)] += self.size[a.max(b)];
        }
    }

    fn list(&mut self, n: usize) {
        self.count.clear();
        self.count.resize(n, 0);
        self.start.clear();
        self.start.push(0);
        let mut at = 0;
        for i in 0..n {
            if self.sets.has(i) && self.sets.root(i) == i {
                self.count[i] = at;
                at += self.size[i];
                self.start.push(at);
            }
        }
        self.row.clear();
        self.row.resize(at, 0);
        for i in 0..n {
            if self.sets.has(i) {
                let top = self.sets.root(i);
                self.row[self.count[top]] = i;
                self.count[top] += 1;
            }
        }
    }

    fn form_matrices(&mut self, p: &Mlcp<'_>, free: &Free) {
        self.matrix_start.clear();
        self.matrix_start.push(0);
        self.matrix.clear();
        for b in 0..self.len() {
            let (start, end) = (self.start[b], self.start[b + 1]);
            let (k, first) = (end - start, self.matrix.len());
            self.matrix.resize(first + k * k, 0.0);
            for c in 0..k {
                let j = self.row[start + c];
                free.response(j).for_each(|(f, u)| self.column[f] = u);
                self.column[j] = 1.0;
                for r in 0..k {
                    self.matrix[first + r * k + c] = p.m.row_dot(self.row[start + r], &self.column);
                }
                free.response(j).for_each(|(f, _)| self.column[f] = 0.0);
                self.column[j] = 0.0;
            }
            self.matrix_start.push(self.matrix.len());
        }
    }
}
