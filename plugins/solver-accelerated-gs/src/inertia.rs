//! A = L Lᵀ block by block, and the velocities in the units in which A is the identity: v̂ = Lᵀ v.
//!
//! A block is a body, a tree, or whatever springs bind together: a connected part of A. In v̂ a row of velocities W reads
//! Ŵ = L⁻¹ W, an impulse p moves v̂ by Ŵ p and is felt by Ŵᵀ v̂: one panel serves both ways, whatever the inertia.

use vinci_linear::cholesky;
use vinci_sdk::core::problem::Cone;
use vinci_sdk::core::sets::DisjointSets;

/// Four lanes: the rows of one site (three at most) beside each other.
pub(crate) type Lanes = [f64; 4];

/// Stands for an unknown that is no velocity.
pub(crate) const NONE: u32 = u32::MAX;
/// Largest block: its factor is dense.
const LARGEST: usize = 2000;
/// Part of √(a_ii a_jj) by which a_ij and a_ji may differ: rounding of implicit springs.
const SYMMETRIC: f64 = 1e-9;

/// The factorised velocity rows; memory is kept between problems.
#[derive(Debug, Default)]
pub(crate) struct Inertia {
    /// Velocity number of every unknown, or [`NONE`].
    pub(crate) index: Vec<u32>,
    /// Unknown of every velocity; velocities of a block stand together.
    pub(crate) row: Vec<u32>,
    /// Block of every velocity.
    pub(crate) block: Vec<u32>,
    /// First velocity of every block, and the number of velocities.
    start: Vec<u32>,
    /// Where the factor of every block begins in `l`.
    at: Vec<u32>,
    /// L of every block, n × n by rows, the lower triangle.
    l: Vec<f64>,
    sets: DisjointSets,
    label: Vec<u32>,
    next: Vec<u32>,
}

impl Inertia {
    /// Reads and factorises the rows that are equations with an entry on their diagonal.
    ///
    /// Errors: A is not symmetric positive definite, or a block is larger than a dense factor should be.
    pub(crate) fn load(&mut self, p: &Cone<'_>, in_block: &[bool]) -> Result<(), &'static str> {
        self.find_blocks(p, in_block);
        self.order(p.n());
        self.at.clear();
        let mut size = 0;
        for range in self.start.windows(2) {
            let n = (range[1] - range[0]) as usize;
            if n > LARGEST {
                return Err("springs bind more velocities together than a dense factor should hold");
            }
            self.at.push(size as u32);
            size += n * n;
        }
        self.l.clear();
        self.l.resize(size, 0.0);
        self.fill(p);
        (0..self.at.len()).try_for_each(|b| self.factor(b))
    }

    /// Connected parts of A as sets of the unknowns that are velocities.
    fn find_blocks(&mut self, p: &Cone<'_>, in_block: &[bool]) {
        let m = p.rows.m;
        self.sets.reset_where(p.n(), |i| {
            let free = !in_block[i] && p.rows.is_free(i);
            free && m.entries(i).any(|(j, a)| j == i && a != 0.0)
        });
        for i in 0..p.n() {
            if !self.sets.has(i) {
                continue;
            }
            for (j, a) in m.entries(i) {
                if j != i && a != 0.0 && self.sets.has(j) {
                    self.sets.unite(i, j);
                }
            }
        }
    }

    /// Numbers the velocities block by block, blocks and their members in the order of the unknowns.
    fn order(&mut self, n: usize) {
        self.start.clear();
        self.label.clear();
        self.start.push(0);
        self.label.resize(n, NONE);
        for i in 0..n {
            if !self.sets.has(i) {
                continue;
            }
            let root = self.sets.root(i); // the smallest of its block: met first
            if root == i {
                self.label[i] = self.start.len() as u32 - 1;
                self.start.push(0);
            }
            self.label[i] = self.label[root];
            self.start[self.label[i] as usize + 1] += 1;
        }
        (1..self.start.len()).for_each(|b| self.start[b] += self.start[b - 1]);
        self.place();
    }

    fn place(&mut self) {
        let (n, count) = (self.label.len(), self.start.last().map_or(0, |&n| n as usize));
        self.index.clear();
        self.row.clear();
        self.block.clear();
        self.next.clear();
        self.index.resize(n, NONE);
        self.row.resize(count, 0);
        self.block.resize(count, 0);
        self.next.extend_from_slice(&self.start);
        for i in 0..n {
            if self.label[i] != NONE {
                let b = self.label[i];
                let k = self.next[b as usize];
                self.next[b as usize] += 1;
                self.index[i] = k;
                (self.row[k as usize], self.block[k as usize]) = (i as u32, b);
            }
        }
    }

    /// Velocities of block `b`.
    pub(crate) fn range(&self, b: usize) -> std::ops::Range<usize> {
        self.start[b] as usize..self.start[b + 1] as usize
    }

    /// A of every block into the place of its factor.
    fn fill(&mut self, p: &Cone<'_>) {
        for (k, &i) in self.row.iter().enumerate() {
            let b = self.block[k] as usize;
            let (first, n, at) = (self.start[b] as usize, self.range(b).len(), self.at[b] as usize);
            for (j, a) in p.rows.m.entries(i as usize) {
                if self.index[j] != NONE && a != 0.0 {
                    self.l[at + (k - first) * n + self.index[j] as usize - first] += a;
                }
            }
        }
    }

    /// Cholesky of block `b` in place.
    fn factor(&mut self, b: usize) -> Result<(), &'static str> {
        let n = self.range(b).len();
        let a = &mut self.l[self.at[b] as usize..][..n * n];
        for i in 0..n {
            for j in 0..i {
                let (upper, bound) = (a[j * n + i], SYMMETRIC * (a[j * n + j].abs() + a[i * n + i].abs()));
                if (a[i * n + j] - upper).abs() > bound {
                    return Err("A is not symmetric");
                }
            }
        }
        if cholesky(a, n) { Ok(()) } else { Err("A is not positive definite") }
    }

    /// L x = w in place, for the rows of block `b`, four right sides at once.
    pub(crate) fn forward(&self, b: usize, x: &mut [Lanes]) {
        let (n, at) = (x.len(), self.at[b] as usize);
        for i in 0..n {
            let (known, rest) = x.split_at_mut(i);
            let row = &self.l[at + i * n..=at + i * n + i];
            for (l, y) in row.iter().zip(known.iter()).filter(|(l, _)| **l != 0.0) {
                (0..4).for_each(|a| rest[0][a] -= l * y[a]);
            }
            (0..4).for_each(|a| rest[0][a] /= row[i]);
        }
    }

    /// v̂ = L⁻¹ b, in place.
    pub(crate) fn weigh(&self, x: &mut [f64]) {
        for b in 0..self.at.len() {
            let (range, at) = (self.range(b), self.at[b] as usize);
            let n = range.len();
            let x = &mut x[range];
            for i in 0..n {
                let row = &self.l[at + i * n..=at + i * n + i];
                x[i] = (x[i] - dot(&row[..i], &x[..i])) / row[i];
            }
        }
    }

    /// v = L⁻ᵀ v̂, in place.
    pub(crate) fn unweigh(&self, x: &mut [f64]) {
        for b in 0..self.at.len() {
            let (range, at) = (self.range(b), self.at[b] as usize);
            let n = range.len();
            let x = &mut x[range];
            for i in (0..n).rev() {
                let row = &self.l[at + i * n..=at + i * n + i];
                x[i] /= row[i];
                let last = x[i];
                x[..i].iter_mut().zip(row).for_each(|(x, l)| *x -= l * last);
            }
        }
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
