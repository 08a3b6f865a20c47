//! Lemke's method on a dense condensed tableau, for small problems.
//!
//! Rows are basic variables, columns are the q̄ column and the n + 1 nonbasic variables:
//!
//! x_B = q̄ + T x_N,  initially w = q + M z + d z₀
//!
//! A pivot exchanges the variable of a row with the variable of a column in place (n² multiplications, no basis inverse
//! beside it). Because B⁻¹ stands in the columns of the nonbasic starting variables, the lexicographic rule costs nothing
//! but the comparison of tied rows (Cottle, Pang & Stone 1992, section 4.9).

use crate::lexico::lexicographic_min;

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// z₀ left: the basis is complementary and feasible.
    Solved,
    /// The column of this nonbasic variable has no blocking row: a secondary ray.
    Ray(usize),
    /// The pivot limit came first.
    Limit,
    /// No acceptable pivot where one must exist: rounding has taken over.
    Broken,
}

/// Numbers a run is ruled by.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rules {
    /// Most pivots.
    pub(crate) max_pivots: u32,
    /// Pivots between two rebuilds from the original matrix.
    pub(crate) refactor_every: u32,
}

/// A coefficient below this share of its column's largest one does not block.
const PIVOT_SHARE: f64 = 1e-11;
/// Basic values this far apart (q is scaled to 1) count as tied.
const TIE: f64 = 1e-12;
/// A start is feasible if nothing lies below this.
const FEASIBLE: f64 = -1e-13;

/// The tableau of an n × n LCP. Variables: z_j is j, w_i is n + i, z₀ is 2n.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tableau {
    n: usize,
    stride: usize,
    /// [q | M | d] by rows.
    original: Vec<f64>,
    /// [q̄ | T] by rows, n × (n + 2).
    t: Vec<f64>,
    row_var: Vec<u32>,
    col_var: Vec<u32>,
    /// Row of a basic variable, or !column of a nonbasic one.
    place: Vec<i32>,
    /// Variables whose columns carry the perturbation ε, ε², …: the basic ones at the start.
    carrier: Vec<u32>,
    /// Membership of every variable in the basis to be reached.
    target: Vec<bool>,
    tied: Vec<u32>,
    pub(crate) pivots: u32,
    pub(crate) rebuilds: u32,
}

impl Tableau {
    /// Makes room for an LCP of size n and returns (rows of the original [q | M | d], stride).
    pub(crate) fn open(&mut self, n: usize) -> (&mut [f64], usize) {
        self.n = n;
        self.stride = n + 2;
        self.original.resize(n * self.stride, 0.0);
        (&mut self.original, self.stride)
    }

    /// The original [q | M | d] by rows, and its stride.
    pub(crate) fn equations(&self) -> (&[f64], usize) {
        (&self.original, self.stride)
    }

    /// Back to the slack basis w = q + M z + d z₀.
    pub(crate) fn reset(&mut self) {
        let n = self.n;
        self.t.clear();
        self.t.extend_from_slice(&self.original);
        self.row_var.clear();
        self.row_var.extend((n..2 * n).map(|v| v as u32));
        self.col_var.clear();
        self.col_var.extend((0..n).map(|v| v as u32));
        self.col_var.push(2 * n as u32);
        self.place.clear();
        self.place.extend((0..n).map(|c| !(c as i32)));
        self.place.extend(0..n as i32);
        self.place.push(!(n as i32));
    }

    #[inline]
    fn complement(&self, var: u32) -> u32 {
        let n = self.n as u32;
        if var < n { var + n } else { var - n }
    }

    /// Exchanges the variable of row r with the variable of column c.
    fn exchange(&mut self, r: usize, c: usize) {
        let (stride, c1) = (self.stride, c + 1);
        let (before, rest) = self.t.split_at_mut(r * stride);
        let (pivot_row, after) = rest.split_at_mut(stride);
        let inverse = 1.0 / pivot_row[c1];
        pivot_row.iter_mut().for_each(|v| *v *= -inverse);
        pivot_row[c1] = inverse;
        for row in before.chunks_exact_mut(stride).chain(after.chunks_exact_mut(stride)) {
            let factor = row[c1];
            if factor != 0.0 {
                row[c1] = 0.0;
                row.iter_mut().zip(pivot_row.iter()).for_each(|(v, p)| *v += factor * p);
            }
        }
        let (leaving, entering) = (self.row_var[r], self.col_var[c]);
        (self.row_var[r], self.col_var[c]) = (entering, leaving);
        self.place[entering as usize] = r as i32;
        self.place[leaving as usize] = !(c as i32);
        self.pivots += 1;
    }

    /// Makes exactly the z marked in `active` basic; false (slack basis) if their block of M is singular.
    pub(crate) fn make_basic(&mut self, active: &[bool]) -> bool {
        let n = self.n;
        self.target.clear();
        self.target.extend((0..2 * n).map(|v| if v < n { active[v] } else { !active[v - n] }));
        self.target.push(false);
        let reached = self.reach();
        if !reached {
            self.reset();
        }
        reached
    }

    /// Rebuilds T for the present basis from the original matrix; false if that basis has become singular.
    fn rebuild(&mut self) -> bool {
        self.rebuilds += 1;
        let pivots = self.pivots;
        self.target.clear();
        self.target.extend(self.place.iter().map(|&p| p >= 0));
        let reached = self.reach();
        self.pivots = pivots;
        reached
    }

    /// Pivots from the slack basis to the basis `target`, column by column with the largest pivot of each. A column whose
    /// pivot is small waits until the others are done.
    fn reach(&mut self) -> bool {
        self.reset();
        let mut acceptable = 1e-3;
        loop {
            let (mut waiting, mut progress) = (false, false);
            for c in 0..=self.n {
                if !self.target[self.col_var[c] as usize] {
                    continue;
                }
                let (r, size) = self.largest_leaving(c);
                if size > acceptable {
                    self.exchange(r, c);
                    progress = true;
                } else {
                    waiting = true;
                }
            }
            if !waiting {
                return true;
            }
            if !progress {
                if acceptable == PIVOT_SHARE {
                    return false;
                }
                acceptable = PIVOT_SHARE;
            }
        }
    }

    /// The row not in `target` with the largest entry in column c.
    fn largest_leaving(&self, c: usize) -> (usize, f64) {
        let (mut row, mut largest) = (0, 0.0);
        for r in 0..self.n {
            let v = self.t[r * self.stride + c + 1].abs();
            if v > largest && !self.target[self.row_var[r] as usize] {
                (row, largest) = (r, v);
            }
        }
        (row, largest)
    }

    /// Runs Lemke's method from the present complementary basis.
    pub(crate) fn lemke(&mut self, rules: Rules) -> End {
        self.carrier.clear();
        self.carrier.extend_from_slice(&self.row_var);
        let limit = self.pivots.saturating_add(rules.max_pivots);
        let mut next_rebuild = self.pivots + rules.refactor_every;
        let Some(r) = self.most_violated() else { return End::Solved };
        let mut leaving = self.row_var[r];
        self.cover();
        self.exchange(r, !self.place[2 * self.n] as usize);
        loop {
            let entering = self.complement(leaving);
            if self.pivots >= limit {
                return End::Limit;
            }
            if self.pivots >= next_rebuild {
                next_rebuild = self.pivots + rules.refactor_every;
                if !self.rebuild() {
                    return End::Broken;
                }
            }
            let c = !self.place[entering as usize] as usize;
            let Some(r) = self.blocking_row(c) else { return End::Ray(entering as usize) };
            leaving = self.row_var[r];
            self.exchange(r, c);
            if leaving as usize == 2 * self.n {
                return End::Solved;
            }
        }
    }

    /// Sets the covering vector to 1 in the rows of the present basis, so that a large z₀ makes each of them feasible.
    /// In the original rows w = q + M z + d z₀ that is d = Σ of the basis' columns: [w_i basic] − Σ_{z_j basic} M_ij.
    fn cover(&mut self) {
        let (n, stride) = (self.n, self.stride);
        let c = !self.place[2 * n] as usize + 1;
        for i in 0..n {
            self.t[i * stride + c] = 1.0;
            let row = &self.original[i * stride + 1..i * stride + 1 + n];
            let basic_sum: f64 = row.iter().zip(&self.place).filter(|&(_, &p)| p >= 0).map(|(m, _)| m).sum();
            let own = if self.place[n + i] >= 0 { 1.0 } else { 0.0 };
            self.original[i * stride + n + 1] = own - basic_sum;
        }
    }

    /// The row with the smallest q̄_i, lexicographically; nothing if q̄ ≥ 0.
    fn most_violated(&self) -> Option<usize> {
        let least = (0..self.n).map(|r| self.t[r * self.stride]).fold(f64::INFINITY, f64::min);
        if least >= FEASIBLE {
            return None;
        }
        // Row i starts with the perturbation +ε^(i+1), so the lexicographically smallest of tied rows is the last.
        (0..self.n).rev().find(|&r| self.t[r * self.stride] <= least + TIE)
    }

    /// Lexicographic ratio test in column c: the row that stops the growth of its variable; z₀ wins ties.
    fn blocking_row(&mut self, c: usize) -> Option<usize> {
        let (stride, c1) = (self.stride, c + 1);
        let largest = (0..self.n).fold(0.0_f64, |m, r| m.max(self.t[r * stride + c1].abs()));
        let threshold = PIVOT_SHARE * largest.max(1.0);
        let mut theta = f64::INFINITY;
        for r in 0..self.n {
            let a = -self.t[r * stride + c1];
            if a > threshold {
                theta = theta.min(self.t[r * stride].max(0.0) / a);
            }
        }
        if theta == f64::INFINITY {
            return None;
        }
        self.tied.clear();
        let mut widest = 0.0_f64;
        for r in 0..self.n {
            let a = -self.t[r * stride + c1];
            if a > threshold && self.t[r * stride] - theta * a <= TIE * (1.0 + self.t[r * stride].abs()) {
                if self.row_var[r] as usize == 2 * self.n {
                    return Some(r);
                }
                widest = widest.max(a);
                self.tied.push(r as u32);
            }
        }
        if self.tied.len() == 1 {
            return Some(self.tied[0] as usize);
        }
        // A tie may not be broken in favour of a pivot that is all rounding.
        self.tied.retain(|&r| -self.t[r as usize * stride + c1] >= 1e-7 * widest);
        let (t, place, tied) = (&self.t, &self.place, &mut self.tied);
        Some(lexicographic_min(
            tied,
            &self.carrier,
            |r, var| perturbation(t, stride, place, r, var),
            |r| -t[r * stride + c1],
        ))
    }

    /// Value of z_j (0 when nonbasic).
    #[inline]
    pub(crate) fn z(&self, j: usize) -> f64 {
        let place = self.place[j];
        if place >= 0 { self.t[place as usize * self.stride] } else { 0.0 }
    }

    /// Component j of the secondary ray that belongs to the entering variable.
    pub(crate) fn ray(&self, entering: usize, j: usize) -> f64 {
        let place = self.place[j];
        let column = !self.place[entering] as usize;
        match place {
            _ if j == entering => 1.0,
            r if r >= 0 => self.t[r as usize * self.stride + column + 1],
            _ => 0.0,
        }
    }
}

/// Component of row r of the perturbation carried by a starting variable: a unit entry while it is basic, else minus its
/// column (the variable stands for x + ε, so x = 0 means −ε).
fn perturbation(t: &[f64], stride: usize, place: &[i32], r: usize, var: u32) -> f64 {
    match place[var as usize] {
        row if row >= 0 => f64::from(u8::from(row as usize == r)),
        column => -t[r * stride + !column as usize + 1],
    }
}

#[cfg(test)]
mod tests;
