//! Numbers: every front is assembled, partly factorised, and its remainder handed on.

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, Par};

use super::symbolic::{Front, Symbolic};

/// Pivots that are eliminated before the rest of the front is told.
const PANEL: usize = 24;

/// Factors of all fronts. Keeps its memory.
#[derive(Debug, Default)]
pub(super) struct Numeric {
    /// Factors, front by front: L and U of its pivots with L of its border below, by columns; then U of its border, by columns.
    value: Vec<f64>,
    /// Row that each pivot was exchanged with, within its front.
    swap: Vec<u32>,
    /// Remainders that wait for their parents, the youngest last.
    waiting: Vec<f64>,
    front: Vec<f64>,
    x: Vec<f64>,
    border: Vec<f64>,
}

impl Numeric {
    /// Factorises the matrix of these values; false where a front has no pivot.
    pub(super) fn factor(&mut self, symbolic: &Symbolic, value: &[f64]) -> bool {
        self.value.resize(symbolic.stored, 0.0);
        self.swap.resize(symbolic.unknown.len(), 0);
        self.waiting.clear();
        symbolic.fronts.iter().all(|front| {
            self.assemble(symbolic, front, value);
            let swap = &mut self.swap[front.pivots.clone()];
            let regular = eliminate(&mut self.front, front.size(), swap);
            self.store(front);
            regular
        })
    }

    /// Entries of the matrix, and remainders of the children, which are the youngest that wait.
    fn assemble(&mut self, symbolic: &Symbolic, front: &Front, value: &[f64]) {
        let size = front.size();
        self.front.clear();
        self.front.resize(size * size, 0.0);
        for &[k, at] in &symbolic.entry[front.entries.clone()] {
            self.front[at as usize] += value[k as usize];
        }
        for &child in front.children.iter().rev() {
            let target = &symbolic.target[symbolic.fronts[child as usize].border.clone()];
            let rest = self.waiting.len() - target.len() * target.len();
            let remainder = &self.waiting[rest..];
            for (column, &to) in remainder.chunks_exact(target.len()).zip(target) {
                let into = &mut self.front[to as usize * size..][..size];
                column.iter().zip(target).for_each(|(x, &row)| into[row as usize] += x);
            }
            self.waiting.truncate(rest);
        }
    }

    /// Factors to their place, the remainder to those that wait.
    fn store(&mut self, front: &Front) {
        let (size, n) = (front.size(), front.pivots.len());
        let (lower, upper) = self.value[front.at..][..n * (size + front.border.len())].split_at_mut(n * size);
        lower.copy_from_slice(&self.front[..n * size]);
        for (k, column) in self.front[n * size..].chunks_exact(size).enumerate() {
            upper[k * n..(k + 1) * n].copy_from_slice(&column[..n]);
            self.waiting.extend_from_slice(&column[n..]);
        }
    }

    /// x ← K⁻¹ x.
    pub(super) fn solve(&mut self, symbolic: &Symbolic, x: &mut [f64]) {
        self.x.clear();
        self.x.extend(symbolic.unknown.iter().map(|&i| x[i as usize]));
        for front in &symbolic.fronts {
            self.forward(front, &symbolic.border[front.border.clone()]);
        }
        for front in symbolic.fronts.iter().rev() {
            self.backward(front, &symbolic.border[front.border.clone()]);
        }
        symbolic.unknown.iter().zip(&self.x).for_each(|(&i, y)| x[i as usize] = *y);
    }

    /// L y = P x over a front.
    fn forward(&mut self, front: &Front, border: &[u32]) {
        let (size, n) = (front.size(), front.pivots.len());
        let x = &mut self.x[front.pivots.clone()];
        for (k, &with) in self.swap[front.pivots.clone()].iter().enumerate() {
            x.swap(k, with as usize);
        }
        self.border.clear();
        self.border.resize(border.len(), 0.0);
        for (k, column) in self.value[front.at..][..n * size].chunks_exact(size).enumerate() {
            let known = x[k];
            x[k + 1..].iter_mut().zip(&column[k + 1..n]).for_each(|(x, l)| *x -= l * known);
            self.border.iter_mut().zip(&column[n..]).for_each(|(x, l)| *x += l * known);
        }
        border.iter().zip(&self.border).for_each(|(&i, y)| self.x[i as usize] -= y);
    }

    /// U x = y over a front.
    fn backward(&mut self, front: &Front, border: &[u32]) {
        let (size, n) = (front.size(), front.pivots.len());
        self.border.clear();
        self.border.extend(border.iter().map(|&i| self.x[i as usize]));
        let x = &mut self.x[front.pivots.clone()];
        let (lower, upper) = self.value[front.at..][..n * (size + border.len())].split_at(n * size);
        for (column, known) in upper.chunks_exact(n).zip(&self.border) {
            x.iter_mut().zip(column).for_each(|(x, u)| *x -= u * known);
        }
        for (k, column) in lower.chunks_exact(size).enumerate().rev() {
            x[k] /= column[k];
            let known = x[k];
            x[..k].iter_mut().zip(column).for_each(|(x, u)| *x -= u * known);
        }
    }
}

/// LU of the first `swap.len()` columns of a matrix of `size` rows, by columns, and the remainder in the rest of it; pivots
/// are the largest of the rows that have a pivot. False where there is none.
fn eliminate(a: &mut [f64], size: usize, swap: &mut [u32]) -> bool {
    let n = swap.len();
    for first in (0..n).step_by(PANEL) {
        let end = (first + PANEL).min(n);
        for k in first..end {
            let column = &a[k * size..][..size];
            let pivot = (k..n).fold(k, |best, i| if column[i].abs() > column[best].abs() { i } else { best });
            if !(column[pivot].abs() > f64::MIN_POSITIVE && column[pivot].is_finite()) {
                return false;
            }
            swap[k] = pivot as u32;
            if pivot != k {
                a.chunks_exact_mut(size).for_each(|column| column.swap(k, pivot));
            }
            eliminate_one(a, size, k, end);
        }
        update(a, size, first, end);
    }
    true
}

/// Column k of L, and its update of the columns before `end`.
fn eliminate_one(a: &mut [f64], size: usize, k: usize, end: usize) {
    let (done, open) = a.split_at_mut((k + 1) * size);
    let column = &mut done[k * size..];
    let pivot = column[k];
    column[k + 1..].iter_mut().for_each(|x| *x /= pivot);
    for other in open.chunks_exact_mut(size).take(end - k - 1) {
        let known = other[k];
        other[k + 1..].iter_mut().zip(&column[k + 1..]).for_each(|(x, l)| *x -= l * known);
    }
}

/// Rows `first..end` of U beyond the panel, and the panel's update of everything below and right of it.
fn update(a: &mut [f64], size: usize, first: usize, end: usize) {
    if end == size {
        return;
    }
    let (panel, open) = a.split_at_mut(end * size);
    for other in open.chunks_exact_mut(size) {
        for k in first..end {
            let known = other[k];
            let column = &panel[k * size..];
            other[k + 1..end].iter_mut().zip(&column[k + 1..end]).for_each(|(x, l)| *x -= l * known);
        }
    }
    let whole = MatMut::from_column_major_slice_mut(a, size, size);
    let (_, upper, lower, rest) = whole.split_at_mut(end, end);
    let (lower, upper) = (lower.subcols(first, end - first), upper.subrows(first, end - first));
    matmul(rest, Accum::Add, lower, upper, -1.0, Par::Seq);
}
