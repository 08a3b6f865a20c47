//! The problem in balanced units ([`Congruence`]): M̄ = C M C, q̄ = C q / s, z = s C z̄, with one factor per block so that cones
//! stay cones. Radii of discs and bounds are divided like the unknowns they bound. A proximal term ε (z − c) may be added to w.

use vinci_linear::Congruence;
use vinci_sdk::core::problem::{Cone, ConeBlock};
use vinci_sdk::core::{Csr, CsrBuf};

/// Law of the rows of a unit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Law {
    /// w = 0.
    Free,
    /// l ≤ z ≤ u ⟂ w.
    Bounds,
    /// Coulomb's law with this μ; rows n, t1 (, t2).
    Coulomb(f64),
    /// Friction of at most this radius; rows t1 (, t2).
    Disc(f64),
}

/// Rows that one law binds together.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Unit {
    pub(crate) law: Law,
    pub(crate) rows: [u32; 3],
    /// Number of rows, 1 to 3.
    pub(crate) k: usize,
}

impl Unit {
    pub(crate) fn rows(&self) -> impl Iterator<Item = usize> + use<> {
        self.rows.into_iter().take(self.k).map(|i| i as usize)
    }

    fn of_block(b: &ConeBlock, size: f64) -> Self {
        let t = b.tangent;
        let (law, rows) = if b.is_disc() {
            (Law::Disc(size), [t, t + b.dim - 1, 0])
        } else {
            (Law::Coulomb(size), [b.normal, t, t + b.dim - 1])
        };
        Self { law, rows, k: b.dim as usize + usize::from(!b.is_disc()) }
    }
}

/// The balanced problem; memory is kept between problems.
#[derive(Debug, Default)]
pub(crate) struct Scaled {
    pub(crate) m: CsrBuf,
    pub(crate) q: Vec<f64>,
    pub(crate) lower: Vec<f64>,
    pub(crate) upper: Vec<f64>,
    /// All units: single rows in their order, then blocks in theirs.
    pub(crate) units: Vec<Unit>,
    /// Marks of block rows, as core makes them.
    pub(crate) in_block: Vec<bool>,
    congruence: Congruence,
    /// Proximal weight ε and centre; 0: the problem itself.
    pub(crate) epsilon: f64,
    pub(crate) centre: Vec<f64>,
}

/// Rounds of balancing.
const ROUNDS: u32 = 6;

impl Scaled {
    /// Reads a problem.
    pub(crate) fn load(&mut self, p: &Cone<'_>) {
        let n = p.n();
        p.mark_block_rows(&mut self.in_block);
        self.congruence.balance(p.rows.m, ROUNDS, |largest| share(p, largest));
        self.m.clear(n);
        for i in 0..n {
            for (j, v) in p.rows.m.entries(i) {
                self.m.push(j, v * self.congruence.factor(i) * self.congruence.factor(j));
            }
            self.m.end_row();
        }
        self.congruence.scale(p.rows.q, &mut self.q);
        self.lower.clear();
        self.upper.clear();
        for i in 0..n {
            let (lower, upper) = (self.inward(i, p.rows.lower[i]), self.inward(i, p.rows.upper[i]));
            self.lower.push(lower);
            self.upper.push(upper);
        }
        self.list_units(p);
        self.epsilon = 0.0;
        self.centre.clear();
        self.centre.resize(n, 0.0);
    }

    fn list_units(&mut self, p: &Cone<'_>) {
        self.units.clear();
        for i in (0..p.n()).filter(|&i| !self.in_block[i]) {
            let law = if p.rows.is_free(i) { Law::Free } else { Law::Bounds };
            self.units.push(Unit { law, rows: [i as u32, 0, 0], k: 1 });
        }
        for b in p.blocks.iter() {
            let size = if b.is_disc() { self.inward(b.tangent as usize, b.size) } else { b.size };
            self.units.push(Unit::of_block(&b, size));
        }
    }

    /// Number of unknowns.
    pub(crate) fn n(&self) -> usize {
        self.q.len()
    }

    pub(crate) fn m(&self) -> Csr<'_> {
        self.m.view()
    }

    /// Unknown `i` of the given problem in balanced units.
    pub(crate) fn inward(&self, i: usize, z: f64) -> f64 {
        self.congruence.inward(i, z)
    }

    /// z = s C z̄.
    pub(crate) fn outward(&self, balanced: &[f64], z: &mut [f64]) {
        self.congruence.outward(balanced, z);
    }

    /// w = M̄ z + q̄ + ε (z − c).
    pub(crate) fn w(&self, z: &[f64], w: &mut [f64]) {
        let m = self.m.view();
        for (i, wi) in w.iter_mut().enumerate() {
            *wi = m.row_dot(i, z) + self.q[i];
        }
        if self.epsilon > 0.0 {
            for i in 0..z.len() {
                w[i] += self.epsilon * (z[i] - self.centre[i]);
            }
        }
    }
}

/// Makes the largest entries of the rows of a block equal.
fn share(p: &Cone<'_>, largest: &mut [f64]) {
    for b in p.blocks.iter() {
        let unit = Unit::of_block(&b, 0.0);
        let shared = unit.rows().fold(0.0_f64, |m, i| m.max(largest[i]));
        unit.rows().for_each(|i| largest[i] = shared);
    }
}
