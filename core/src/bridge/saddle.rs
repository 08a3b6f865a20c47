//! Which rows of a complementarity problem are unknowns of a convex program, and which are its multipliers.
//!
//! The optimality conditions of min ½ xᵀP x + cᵀx over G x + … have the matrix
//!
//! ```text
//!   ( P  −Gᵀ )     P, C symmetric positive semidefinite
//!   ( G   C  )
//! ```
//!
//! up to the order of rows. Every pair of entries (M_ij, M_ji) says which it is: equal ones keep i and j on one side, opposite
//! ones put them on two. Where all pairs agree, the sides are found by walking over the couplings; each connected part may
//! still be turned round, which exchanges the roles of primal and dual.

use super::Refusal;
use crate::problem::{Mlcp, Part};
use crate::sparse::{Csr, CsrBuf};

/// Entries of a pair that differ by less than this share of the larger are equal (or opposite).
const EQUAL: f64 = 1e-12;
/// Pairs below this share of the largest entry are rounding and bind nothing.
const NOTHING: f64 = 1e-15;
/// Pivots below this share of their block's largest diagonal entry count as zero.
const PIVOT: f64 = 1e-11;

/// Shifts of the diagonal that are tried where a block that may have errors is a little indefinite, relative to itself.
const SHIFTS: [f64; 5] = [1e-7, 1e-6, 1e-5, 1e-4, 1e-3];
/// Least error of the curvature that errors of entries may make: data are written with six digits.
const LEAST_ERROR: f64 = 1e-4;

const UNKNOWN: u8 = 0;

/// The sides, with the memory to find them.
#[derive(Debug, Clone, Default)]
pub(super) struct Saddle {
    transposed: CsrBuf,
    count: Vec<u32>,
    mirror: Vec<f64>,
    side: Vec<u8>,
    primal: Vec<bool>,
    queue: Vec<u32>,
    place: Vec<u32>,
    dense: Vec<f64>,
    largest: f64,
    slack: f64,
    /// Diagonal of M times the slack.
    slackened: Vec<f64>,
    /// Largest share of √(m_ii m_jj) by which a pair that was taken as symmetric differs; 0: all are.
    rough: f64,
    /// Shift added to the diagonal, relative to itself: with errors the symmetric part may be a little indefinite.
    shift: f64,
}

/// Symmetry of a pair of entries, which says what its rows are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Coupling {
    None,
    Symmetric,
    Antisymmetric,
    /// Symmetric up to the slack.
    Rough,
    Neither,
}

impl Saddle {
    /// Finds the sides. Rows marked in `dual` (as many as rows, or empty) are multipliers. Pairs of entries that differ by up to
    /// `slack` of √(m_ii m_jj) count as symmetric, as measured matrices are: [`Saddle::is_rough`].
    ///
    /// Errors: the first row that contradicts.
    pub(super) fn find(&mut self, p: &Mlcp<'_>, dual: &[bool], slack: f64) -> Result<(), Refusal> {
        self.transposed.transpose_of(&p.m, &mut self.count);
        self.measure(p, slack);
        self.check_mirrors(p)?;
        self.walk(p, dual)?;
        self.check_shifted(p)
    }

    /// P and C as they are, or, where entries may have errors, with the least of some shifts that makes up for them.
    fn check_shifted(&mut self, p: &Mlcp<'_>) -> Result<(), Refusal> {
        self.shift = 0.0;
        let plain = self.check_curvature(p);
        if plain.is_ok() || self.slack == 0.0 {
            return plain;
        }
        let most = (8.0 * self.rough).clamp(LEAST_ERROR, self.slack);
        for shift in SHIFTS.into_iter().filter(|s| *s < most).chain([most]) {
            self.shift = shift;
            if self.check_curvature(p).is_ok() {
                return Ok(());
            }
        }
        plain
    }

    fn measure(&mut self, p: &Mlcp<'_>, slack: f64) {
        self.largest = p.m.value.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        self.mirror.clear();
        self.mirror.resize(p.n(), 0.0);
        (self.rough, self.slack) = (0.0, slack);
        self.slackened.clear();
        self.slackened.extend((0..p.n()).map(|i| slack * p.m.entry(i, i).max(0.0)));
    }

    /// Returns true if P and C are not quite M's: what they differ by, [`Saddle::rest`], is left to the caller.
    pub(super) fn is_rough(&self) -> bool {
        self.rough > 0.0 || self.shift > 0.0
    }

    /// Returns true if row i is an unknown of the program.
    pub(super) fn is_primal(&self, i: usize) -> bool {
        self.primal[i]
    }

    /// The entries (j, value) of row i within its own side, symmetrised, or across, antisymmetrised.
    pub(super) fn entries(&mut self, p: &Mlcp<'_>, i: usize, within: bool, mut take: impl FnMut(usize, f64)) {
        self.scatter(i, true);
        for (j, a) in p.m.entries(i) {
            if (self.primal[i] == self.primal[j]) == within {
                let b = if within { self.mirror[j] } else { -self.mirror[j] };
                let shift = if i == j { self.shift * a } else { 0.0 };
                take(j, 0.5 * (a + b) + shift);
            }
        }
        self.scatter(i, false);
    }

    /// M with zeros where only the mirror image has an entry, so that patterns are symmetric.
    pub(super) fn pad(&mut self, m: &Csr<'_>, out: &mut CsrBuf) {
        let n = m.n_rows();
        self.transposed.transpose_of(m, &mut self.count);
        self.place.clear();
        self.place.resize(n, u32::MAX);
        out.clear(n);
        for i in 0..n {
            m.entries(i).for_each(|(j, v)| {
                self.place[j] = i as u32;
                out.push(j, v);
            });
            let missing = self.transposed.view().entries(i).map(|e| e.0);
            missing.filter(|&j| self.place[j] != i as u32).for_each(|j| out.push(j, 0.0));
            out.end_row();
        }
    }

    /// N = M minus what stands in P and C: the antisymmetric parts within a side, and the shift.
    pub(super) fn rest(&mut self, p: &Mlcp<'_>, out: &mut CsrBuf) {
        out.clear(p.n());
        for i in 0..p.n() {
            self.scatter(i, true);
            for (j, a) in p.m.entries(i) {
                let half = if i == j { -self.shift * a } else { 0.5 * (a - self.mirror[j]) };
                if self.primal[i] == self.primal[j] && half != 0.0 {
                    out.push(j, half);
                }
            }
            out.end_row();
            self.scatter(i, false);
        }
    }

    fn scatter(&mut self, i: usize, set: bool) {
        for (j, v) in self.transposed.view().entries(i) {
            self.mirror[j] = if set { v } else { 0.0 };
        }
    }

    fn coupling(&self, (i, j): (usize, usize), a: f64, b: f64) -> Coupling {
        let size = a.abs().max(b.abs());
        if size <= NOTHING * self.largest {
            Coupling::None
        } else if (a - b).abs() <= EQUAL * size {
            Coupling::Symmetric
        } else if (a + b).abs() <= EQUAL * size {
            Coupling::Antisymmetric
        } else if (a - b).abs() <= (self.slackened[i] * self.slackened[j]).sqrt() {
            Coupling::Rough
        } else {
            Coupling::Neither
        }
    }

    fn check_mirrors(&mut self, p: &Mlcp<'_>) -> Result<(), Refusal> {
        for row in 0..p.n() {
            self.scatter(row, true);
            for (column, value) in p.m.entries(row).filter(|e| e.1 != 0.0) {
                let mirror = self.mirror[column];
                match self.coupling((row, column), value, mirror) {
                    Coupling::Neither => {
                        return Err(Refusal::NoMirror { row, tag: p.tag[row], column, value, mirror });
                    }
                    Coupling::Rough => {
                        let scale = (self.slackened[row] * self.slackened[column]).sqrt() / self.slack;
                        self.rough = self.rough.max((value - mirror).abs() / scale);
                    }
                    _ => {}
                }
            }
            self.scatter(row, false);
        }
        Ok(())
    }

    /// Puts every row on a side, connected part by connected part.
    fn walk(&mut self, p: &Mlcp<'_>, dual: &[bool]) -> Result<(), Refusal> {
        self.side.clear();
        self.side.resize(p.n(), UNKNOWN);
        self.primal.clear();
        self.primal.resize(p.n(), true);
        for start in 0..p.n() {
            if self.side[start] != UNKNOWN {
                continue;
            }
            self.queue.clear();
            self.queue.push(start as u32);
            self.side[start] = 1;
            let mut at = 0;
            while at < self.queue.len() {
                self.visit(p, self.queue[at] as usize)?;
                at += 1;
            }
            self.orient(p, dual)?;
        }
        Ok(())
    }

    fn visit(&mut self, p: &Mlcp<'_>, i: usize) -> Result<(), Refusal> {
        self.scatter(i, true);
        for (j, a) in p.m.entries(i).filter(|&(j, _)| j != i) {
            let expected = match self.coupling((i, j), a, self.mirror[j]) {
                Coupling::Symmetric | Coupling::Rough => self.side[i],
                Coupling::Antisymmetric => 3 - self.side[i],
                _ => continue,
            };
            if self.side[j] == UNKNOWN {
                self.side[j] = expected;
                self.queue.push(j as u32);
            } else if self.side[j] != expected {
                let row = i.max(j);
                return Err(Refusal::BothSides { row, tag: p.tag[row] });
            }
        }
        self.scatter(i, false);
        Ok(())
    }

    /// Decides which side of the part in the queue is primal: not the one of rows that must be dual; else that of velocities;
    /// else the only one; else the one with more equations.
    fn orient(&mut self, p: &Mlcp<'_>, dual: &[bool]) -> Result<(), Refusal> {
        let members = &self.queue;
        let of = |i: &u32| self.side[*i as usize];
        let must = |i: &&u32| dual.get(**i as usize).copied().unwrap_or(false);
        let velocity = |i: &&u32| p.tag[**i as usize].part == Part::Velocity;
        let equations =
            |side: u8| members.iter().filter(|i| of(i) == side && p.is_free(**i as usize)).count();
        let primal = if let Some(first) = members.iter().find(must) {
            if let Some(&other) = members.iter().filter(must).find(|i| of(i) != of(first)) {
                let row = other as usize;
                return Err(Refusal::BothSides { row, tag: p.tag[row] });
            }
            3 - of(first)
        } else if let Some(first) = members.iter().find(velocity) {
            of(first)
        } else if members.iter().all(|i| of(i) == 1) || equations(1) >= equations(2) {
            1
        } else {
            2
        };
        for &i in &self.queue {
            self.primal[i as usize] = self.side[i as usize] == primal;
        }
        Ok(())
    }

    /// P and C, connected block by connected block.
    fn check_curvature(&mut self, p: &Mlcp<'_>) -> Result<(), Refusal> {
        self.place.clear();
        self.place.resize(p.n(), u32::MAX);
        for start in 0..p.n() {
            if self.place[start] != u32::MAX {
                continue;
            }
            self.gather_block(p, start);
            if !is_semidefinite(&mut self.dense, self.queue.len()) {
                return Err(Refusal::Indefinite { row: start, tag: p.tag[start] });
            }
        }
        Ok(())
    }

    /// The block around `start` as a dense matrix of the rows in the queue.
    fn gather_block(&mut self, p: &Mlcp<'_>, start: usize) {
        self.queue.clear();
        self.queue.push(start as u32);
        self.place[start] = 0;
        let mut at = 0;
        while at < self.queue.len() {
            let i = self.queue[at] as usize;
            for (j, a) in p.m.entries(i) {
                if a != 0.0 && self.primal[i] == self.primal[j] && self.place[j] == u32::MAX {
                    self.place[j] = self.queue.len() as u32;
                    self.queue.push(j as u32);
                }
            }
            at += 1;
        }
        let k = self.queue.len();
        self.dense.clear();
        self.dense.resize(k * k, 0.0);
        let shift = self.shift;
        for (r, &i) in self.queue.iter().enumerate() {
            let i = i as usize;
            for (j, a) in p.m.entries(i).filter(|&(j, _)| self.primal[i] == self.primal[j]) {
                let c = self.place[j] as usize;
                if a != 0.0 && c < k && self.queue[c] as usize == j {
                    let half = if i == j { 0.5 * a * (1.0 + shift) } else { 0.5 * a };
                    self.dense[r * k + c] += half;
                    self.dense[c * k + r] += half;
                }
            }
        }
    }
}

/// Returns true if a symmetric k × k matrix is positive semidefinite, by elimination with the largest diagonal entry first; the matrix
/// is overwritten.
fn is_semidefinite(a: &mut [f64], k: usize) -> bool {
    let zero = PIVOT * (0..k).fold(0.0_f64, |m, i| m.max(a[i * k + i].abs()));
    for step in 0..k {
        let pivot = (step..k).fold(step, |best, i| if a[i * k + i] > a[best * k + best] { i } else { best });
        let d = a[pivot * k + pivot];
        if d <= zero {
            // Nothing may be left: neither curvature downwards nor couplings without any.
            return (step..k)
                .all(|i| a[i * k + i] >= -zero && (step..i).all(|j| a[i * k + j].abs() <= 1e2 * zero));
        }
        swap(a, k, step, pivot);
        for i in step + 1..k {
            let factor = a[i * k + step] / d;
            for j in step + 1..=i {
                let value = a[i * k + j] - factor * a[j * k + step];
                a[i * k + j] = value;
                a[j * k + i] = value;
            }
        }
    }
    true
}

fn swap(a: &mut [f64], k: usize, i: usize, j: usize) {
    if i != j {
        (0..k).for_each(|c| a.swap(i * k + c, j * k + c));
        (0..k).for_each(|r| a.swap(r * k + i, r * k + j));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn semidefinite_is_told_from_indefinite() {
        assert!(is_semidefinite(&mut [2.0, 1.0, 1.0, 0.5], 2), "rank one");
        assert!(is_semidefinite(&mut [0.0; 4], 2));
        assert!(!is_semidefinite(&mut [0.0, 1.0, 1.0, 0.0], 2), "curvature of both signs");
        assert!(!is_semidefinite(&mut [1.0, 0.0, 0.0, -1e-6], 2));
        assert!(!is_semidefinite(&mut [1.0, 2.0, 0.0, 2.0, 1.0, 0.0, 0.0, 0.0, 5.0], 3));
        assert!(is_semidefinite(&mut [], 0));
    }
}
