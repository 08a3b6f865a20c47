//! Independent components: sets of unknowns, rows and pairs that no row, no term of the objective and no pair ties to the rest.
//! Each has a tree of its own: k tied pairs apart cost k small trees instead of one with 2^k leaves.

use crate::blocks::NONE;
use vinci_sdk::core::sets::DisjointSets;
use vinci_sdk::prelude::*;

/// A component, as a problem of its own, and the numbers of its unknowns, rows and pairs in the whole one.
#[derive(Debug, Default)]
pub(crate) struct Component {
    pub(crate) unknowns: Vec<u32>,
    pub(crate) rows: Vec<u32>,
    pub(crate) pairs: Vec<u32>,
    pub(crate) problem: QpccBuf,
}

/// The components of a problem, those with few pairs first; memory is kept from problem to problem.
#[derive(Debug, Default)]
pub(crate) struct Components {
    all: Vec<Component>,
    count: usize,
    sets: DisjointSets,
    /// Component of every unknown, and its number there.
    of: Vec<u32>,
    local: Vec<u32>,
    /// (pairs, smallest unknown) of every component.
    sizes: Vec<(u32, u32)>,
    row_of: Vec<u32>,
}

impl Components {
    /// Splits a problem. What has no pairs belongs to the first component. A problem that is one component is not copied.
    pub(crate) fn split(&mut self, q: &Qpcc<'_>) {
        self.count = 0;
        self.find(q);
        if self.sizes.len() < 2 {
            return;
        }
        self.number(q.qp.n());
        self.count = self.sizes.len();
        if self.all.len() < self.count {
            self.all.resize_with(self.count, Component::default);
        }
        self.distribute(q);
        for part in &mut self.all[..self.count] {
            part.load(q, &self.local, &self.row_of);
        }
    }

    /// The components; none when the problem is one.
    pub(crate) fn list(&self) -> &[Component] {
        &self.all[..self.count]
    }

    /// Unknowns that meet in a row, in P or in a pair are of one set; the sets with pairs in ascending order of their number.
    fn find(&mut self, q: &Qpcc<'_>) {
        let p = &q.qp;
        self.sets.reset(p.n());
        (0..p.m()).for_each(|i| self.sets.unite_all(p.rows.row(i).0));
        for i in 0..p.n() {
            p.p.row(i).0.iter().for_each(|&j| self.sets.unite(i, j as usize));
        }
        let first = |i: usize| p.rows.row(i).0.first().copied();
        for k in 0..q.n_pairs() {
            let (i, j) = q.pair(k);
            if let (Some(a), Some(b)) = (first(i), first(j)) {
                self.sets.unite(a as usize, b as usize);
            }
        }
        self.of.clear();
        self.of.resize(p.n(), 0);
        for k in 0..q.n_pairs() {
            let (i, j) = q.pair(k);
            if let Some(a) = first(i).or(first(j)) {
                self.of[self.sets.root(a as usize)] += 1;
            }
        }
        self.sizes.clear();
        self.sizes.extend((0..p.n() as u32).map(|j| (self.of[j as usize], j)).filter(|s| s.0 > 0));
        self.sizes.sort_unstable();
    }

    /// The component of every unknown.
    fn number(&mut self, n: usize) {
        self.of.fill(0);
        for (k, &(_, root)) in self.sizes.iter().enumerate() {
            self.of[root as usize] = k as u32;
        }
        for j in 0..n {
            self.of[j] = self.of[self.sets.root(j)];
        }
    }

    fn distribute(&mut self, q: &Qpcc<'_>) {
        let p = &q.qp;
        for part in &mut self.all[..self.count] {
            part.unknowns.clear();
            part.rows.clear();
            part.pairs.clear();
        }
        self.local.clear();
        for j in 0..p.n() {
            let unknowns = &mut self.all[self.of[j] as usize].unknowns;
            self.local.push(unknowns.len() as u32);
            unknowns.push(j as u32);
        }
        // A row without unknowns goes with its partner.
        let Self { of, row_of, all, .. } = self;
        row_of.clear();
        row_of.extend((0..p.m()).map(|i| p.rows.row(i).0.first().map_or(NONE, |&j| of[j as usize])));
        for k in 0..q.n_pairs() {
            let (i, j) = q.pair(k);
            let part = row_of[i].min(row_of[j]);
            let part = if part == NONE { 0 } else { part };
            (row_of[i], row_of[j]) = (part, part);
            all[part as usize].pairs.push(k as u32);
        }
        // From here on: the number of every row in its component.
        for (i, row) in row_of.iter_mut().enumerate() {
            let rows = &mut all[if *row == NONE { 0 } else { *row as usize }].rows;
            *row = rows.len() as u32;
            rows.push(i as u32);
        }
    }
}

impl Component {
    fn load(&mut self, q: &Qpcc<'_>, local: &[u32], row_of: &[u32]) {
        let (p, to) = (&q.qp, &mut self.problem);
        to.clear(self.unknowns.len(), p.tolerance);
        for &j in &self.unknowns {
            let j = j as usize;
            p.p.entries(j).for_each(|(k, v)| to.qp.p.push(local[k] as usize, v));
            to.qp.end_unknown(p.c[j], p.x_tag[j], p.x_scale[j]);
        }
        for &i in &self.rows {
            let i = i as usize;
            p.rows.entries(i).for_each(|(k, v)| to.qp.rows.push(local[k] as usize, v));
            to.qp.end_row(p.g[i], (p.lower[i], p.upper[i]), p.s_tag[i], p.s_scale[i]);
        }
        for &k in &self.pairs {
            let (i, j) = q.pair(k as usize);
            to.push_pair(row_of[i] as usize, row_of[j] as usize, q.group[k as usize]);
            if !q.modes.is_empty() {
                to.modes.push(q.modes[k as usize]);
            }
        }
    }

    /// Leaves of this component's proof ([k, (pair, side) × k, y (m)] each) as leaves of the whole problem with m rows.
    pub(crate) fn lift_leaves(&self, leaves: &[f64], m: usize, to: &mut Vec<f64>) {
        let mut rest = leaves;
        while let Some((&count, tail)) = rest.split_first() {
            let (fixed, tail) = tail.split_at(2 * count as usize);
            let (y, tail) = tail.split_at(self.rows.len());
            to.push(count);
            for f in fixed.chunks_exact(2) {
                to.extend([f64::from(self.pairs[f[0] as usize]), f[1]]);
            }
            let at = to.len();
            to.resize(at + m, 0.0);
            self.rows.iter().zip(y).for_each(|(&i, v)| to[at + i as usize] = *v);
            rest = tail;
        }
    }
}
