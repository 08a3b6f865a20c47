//! The directions of a working set, J (n × n), and the three ways in which they change.
//!
//! Every column of J is one of
//!
//! | slot | column j | meaning |
//! |---|---|---|
//! | row i of the working set | g_iᵀj = 1, g_kᵀj = 0 for the other rows k | moves one row and no other; jᵀPJ₂ = 0 |
//! | curved (J₂) | G_W j = 0, J₂ᵀPJ₂ = I | the free subspace, with curvature |
//! | flat | G_W j = 0, P j = 0 | free, and the objective does not see it |
//!
//! so that H = J₂J₂ᵀ and N* = J₁ are the operators of Goldfarb and Idnani, and y = J₁ᵀ(P x + c) at a stationary point.
//! With P ≻ 0 there are no flat columns; with P = 0 the rest is the inverse of a simplex basis.

use crate::curvature::Curvature;
use crate::vectors::{axpy, dot, larger};
use crate::working_set::Side;
use vinci_core::sparse::Csr;

/// Owner of a column of J.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Slot {
    Curved,
    Flat,
    Row(u32, Side),
}

/// No slot.
pub(crate) const NONE: u32 = u32::MAX;

/// J by rows of stride `ld`, and what its columns are.
#[derive(Debug, Clone, Default)]
pub(crate) struct Basis {
    pub(crate) n: usize,
    pub(crate) ld: usize,
    pub(crate) j: Vec<f64>,
    pub(crate) slot: Vec<Slot>,
    /// 1 at curved columns, else 0.
    pub(crate) curved: Vec<f64>,
    /// Slot of every row of G, or [`NONE`].
    pub(crate) slot_of: Vec<u32>,
    /// Largest entry that a curved column had when it came, to tell rounding from a direction.
    pub(crate) curved_size: f64,
    pub(crate) curved_count: usize,
    pub(crate) flat_count: usize,
}

impl Basis {
    /// The directions without any active row.
    pub(crate) fn install(&mut self, n: usize, m: usize, curvature: &Curvature) {
        self.n = n;
        self.ld = n.next_multiple_of(4);
        self.j.clear();
        self.j.resize(n * self.ld, 0.0);
        let (ld, j) = (self.ld, &mut self.j);
        let mut size: f64 = 0.0;
        curvature.directions(n, |row, column, value| {
            j[row * ld + column] = value;
            if column < curvature.rank {
                size = size.max(value.abs());
            }
        });
        self.curved_size = size;
        self.slot.clear();
        self.slot.extend((0..n).map(|q| if q < curvature.rank { Slot::Curved } else { Slot::Flat }));
        self.curved.clear();
        self.curved.extend((0..self.ld).map(|q| f64::from(u8::from(q < curvature.rank))));
        self.slot_of.clear();
        self.slot_of.resize(m, NONE);
        self.curved_count = curvature.rank;
        self.flat_count = n - curvature.rank;
    }

    /// Becomes a copy of `other` in the memory it has.
    pub(crate) fn copy_from(&mut self, other: &Self) {
        (self.n, self.ld, self.curved_size) = (other.n, other.ld, other.curved_size);
        (self.curved_count, self.flat_count) = (other.curved_count, other.flat_count);
        self.j.clone_from(&other.j);
        self.slot.clone_from(&other.slot);
        self.curved.clone_from(&other.curved);
        self.slot_of.clone_from(&other.slot_of);
    }

    /// a = Jᵀ g for row p of G.
    pub(crate) fn row_products(&self, g: Csr<'_>, p: usize, a: &mut [f64]) {
        a.fill(0.0);
        for (k, v) in g.entries(p) {
            axpy(v, self.row(k), a);
        }
    }

    /// a = Jᵀ v.
    pub(crate) fn products(&self, v: &[f64], a: &mut [f64]) {
        a.fill(0.0);
        for (k, &vk) in v.iter().enumerate().filter(|&(_, &vk)| vk != 0.0) {
            axpy(vk, self.row(k), a);
        }
    }

    /// z = J w; `list` is work.
    pub(crate) fn combine(&self, w: &[f64], z: &mut [f64], list: &mut Vec<u32>) {
        list.clear();
        list.extend((0..self.n as u32).filter(|&q| w[q as usize] != 0.0));
        if 4 * list.len() > self.n {
            for (k, zk) in z.iter_mut().enumerate() {
                *zk = dot(self.row(k), w);
            }
            return;
        }
        for (k, zk) in z.iter_mut().enumerate() {
            let row = self.row(k);
            *zk = list.iter().map(|&q| row[q as usize] * w[q as usize]).sum();
        }
    }

    /// Column q of J.
    pub(crate) fn column(&self, q: usize, to: &mut [f64]) {
        for (k, t) in to.iter_mut().enumerate() {
            *t = self.j[k * self.ld + q];
        }
    }

    /// Σ_k |j_k| sizes_k of column q.
    pub(crate) fn size_along(&self, q: usize, sizes: &[f64]) -> f64 {
        sizes.iter().enumerate().map(|(k, size)| (self.j[k * self.ld + q] * size).abs()).sum()
    }

    #[inline]
    fn row(&self, k: usize) -> &[f64] {
        &self.j[k * self.ld..(k + 1) * self.ld]
    }

    pub(crate) fn set(&mut self, q: usize, slot: Slot) {
        match self.slot[q] {
            Slot::Curved => self.curved_count -= 1,
            Slot::Flat => self.flat_count -= 1,
            Slot::Row(i, _) => self.slot_of[i as usize] = NONE,
        }
        match slot {
            Slot::Curved => self.curved_count += 1,
            Slot::Flat => self.flat_count += 1,
            Slot::Row(i, _) => self.slot_of[i as usize] = q as u32,
        }
        self.curved[q] = f64::from(u8::from(slot == Slot::Curved));
        self.slot[q] = slot;
    }

    /// A row with a = Jᵀg takes the place of column q, which must be flat or have P j = 0, and a_q ≠ 0:
    /// j_q ← j_q/a_q, j_k ← j_k − a_k j_q.
    pub(crate) fn exchange(&mut self, q: usize, a: &[f64], slot: Slot) {
        let inverse = 1.0 / a[q];
        for row in self.j.chunks_exact_mut(self.ld) {
            let f = row[q] * inverse;
            if f != 0.0 {
                axpy(-f, a, row);
                row[q] = f;
            }
        }
        self.set(q, slot);
    }

    /// A row with a = Jᵀg, a₂ ≠ 0, takes one of the curved directions: its column is z/gᵀz with z = J₂a₂; the others of
    /// J₂ are reflected into the null space of g, and j_k ← j_k − a_k z/gᵀz for the rest. `reflect` and `rest`: work.
    pub(crate) fn add(&mut self, a: &[f64], z: &[f64], slot: Slot, reflect: &mut [f64], rest: &mut [f64]) {
        let (mut q, mut square) = (0, 0.0);
        for k in 0..self.ld {
            let w = if self.curved[k] != 0.0 { a[k] } else { 0.0 };
            reflect[k] = w;
            // Flat columns do not see the row (what they show is rounding) and must stay flat.
            rest[k] = if matches!(self.slot.get(k), Some(Slot::Row(..))) { a[k] } else { 0.0 };
            square += w * w;
            if w.abs() > reflect[q].abs() {
                q = k;
            }
        }
        let sign = if a[q] < 0.0 { -1.0 } else { 1.0 };
        let root = sign * square.sqrt();
        reflect[q] += root;
        let beta = 1.0 / (square + root * a[q]);
        let alone = self.curved_count == 1;
        for (row, &zk) in self.j.chunks_exact_mut(self.ld).zip(z) {
            let f = zk / square;
            let h = beta * (zk + root * row[q]);
            if alone || h == 0.0 {
                axpy(-f, rest, row);
            } else {
                for ((r, a), b) in row.iter_mut().zip(&*reflect).zip(&*rest) {
                    *r -= h * a + f * b;
                }
            }
            row[q] = f;
        }
        self.set(q, slot);
    }

    /// The row of slot q leaves and frees a curved direction: `b` = JᵀPj_q, σ = b_q > 0; j_q ← j_q/√σ and
    /// j_k ← j_k − j_q (j_qᵀPj_k)/σ.
    pub(crate) fn free(&mut self, q: usize, b: &mut [f64]) {
        let sigma = b[q];
        let root = sigma.sqrt();
        b[q] = 0.0;
        let mut size: f64 = 0.0;
        for row in self.j.chunks_exact_mut(self.ld) {
            let jk = row[q];
            if jk != 0.0 {
                axpy(-jk / sigma, b, row);
                row[q] = jk / root;
                size = larger(size, row[q].abs());
            }
        }
        self.curved_size = self.curved_size.max(size);
        self.set(q, Slot::Curved);
    }
}
