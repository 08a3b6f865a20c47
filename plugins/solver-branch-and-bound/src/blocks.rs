//! The rows of a problem fall into blocks that share no unknown and no term of the objective. Pairs tie blocks together
//! (motion and forces of a quasi-static step), but a relaxation without pairs is one convex program per block.

use vinci_qp::{ActiveSet, QpError, Settings, Status};
use vinci_sdk::core::sparse::CsrBuf;
use vinci_sdk::prelude::*;

pub(crate) const NONE: u32 = u32::MAX;

/// What is known about one block under some decisions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Outcome {
    /// Solved; a lower bound of the optimum that is sharp up to the solver's tolerance.
    Optimal(f64),
    /// No point obeys the rows.
    Infeasible,
    /// The optimum is at least this, and that is at or above the cutoff.
    Above(f64),
    /// Without a lowest value, as far as this block knows.
    Unbounded,
    /// Not certified: nothing may be concluded.
    Unknown,
}

/// One block: unknowns and rows by their numbers in the problem, and its program. A *held* row is an equation s_i = 0.
#[derive(Debug, Default)]
pub(crate) struct Block {
    pub(crate) unknowns: Vec<u32>,
    pub(crate) rows: Vec<u32>,
    pub(crate) has_objective: bool,
    pub(crate) qp: ActiveSet,
    lower: Vec<f64>,
    upper: Vec<f64>,
    held: Vec<bool>,
    g: Vec<f64>,
    p: CsrBuf,
    matrix: CsrBuf,
    c: Vec<f64>,
}

impl Block {
    fn load(&mut self, p: &Conic<'_>, local: &[u32], tolerance: f64) -> Result<(), QpError> {
        let (n, rows) = (self.unknowns.len(), &self.rows);
        self.p.clear(n);
        for &i in &self.unknowns {
            p.p.entries(i as usize).for_each(|(j, v)| self.p.push(local[j] as usize, v));
            self.p.end_row();
        }
        self.matrix.clear(n);
        for &i in rows {
            p.rows.entries(i as usize).for_each(|(j, v)| self.matrix.push(local[j] as usize, v));
            self.matrix.end_row();
        }
        let take = |to: &mut Vec<f64>, from: &dyn Fn(usize) -> f64| {
            to.clear();
            to.extend(rows.iter().map(|&i| from(i as usize)));
        };
        take(&mut self.g, &|i| p.g[i]);
        take(&mut self.lower, &|i| p.lower[i] - p.g[i]);
        take(&mut self.upper, &|i| p.upper[i] - p.g[i]);
        self.c.clear();
        self.c.extend(self.unknowns.iter().map(|&j| p.c[j as usize]));
        self.held.clear();
        self.held.resize(self.rows.len(), false);
        *self.qp.settings_mut() = Settings { tolerance, ..Settings::default() };
        self.qp.set_up(self.p.view(), self.matrix.view())?;
        self.qp.set_cost(&self.c)?;
        self.qp.set_bounds(&self.lower, &self.upper)
    }

    /// s of a local row in the last solution.
    #[inline]
    pub(crate) fn s(&self, row: usize) -> f64 {
        self.qp.s()[row] + self.g[row]
    }

    /// Solves with exactly the rows held for which `hold` says so.
    pub(crate) fn solve(&mut self, hold: impl Fn(u32) -> bool, cutoff: f64) -> Outcome {
        for (at, &row) in self.rows.iter().enumerate() {
            let now = hold(row);
            if std::mem::replace(&mut self.held[at], now) != now {
                let zero = -self.g[at];
                let bounds = if now { (zero, zero) } else { (self.lower[at], self.upper[at]) };
                if self.qp.set_bound(at, bounds.0, bounds.1).is_err() {
                    return Outcome::Unknown;
                }
            }
        }
        match self.qp.solve(cutoff) {
            Status::Optimal => Outcome::Optimal(self.qp.bound()),
            Status::Infeasible => Outcome::Infeasible,
            Status::Cutoff => Outcome::Above(self.qp.bound()),
            Status::Unbounded => Outcome::Unbounded,
            Status::IterationLimit | Status::Numerical => Outcome::Unknown,
        }
    }

    /// Calls back with the held rows that the last outcome rests on. Its bound is
    /// Σ (y_i > 0 ? y_i l_i : y_i u_i) − ½ xᵀP x: a row s_i ≥ 0 with y_i ≥ 0 counts for as much when it is not held.
    pub(crate) fn needed(&self, outcome: Outcome, mut take: impl FnMut(u32)) {
        let y = if outcome == Outcome::Infeasible { self.qp.certificate() } else { self.qp.y() };
        for ((&row, &held), &y) in self.rows.iter().zip(&self.held).zip(y) {
            if held && y < 0.0 {
                take(row);
            }
        }
    }
}

/// All blocks, those with an objective first.
#[derive(Debug, Default)]
pub(crate) struct Blocks {
    pub(crate) all: Vec<Block>,
    /// Blocks in use; memory of others is kept.
    pub(crate) count: usize,
    /// Block and place in it of every row.
    pub(crate) place: Vec<(u32, u32)>,
    parent: Vec<u32>,
    local: Vec<u32>,
    block_of: Vec<u32>,
}

impl Blocks {
    /// Splits a problem and loads the program of every block.
    pub(crate) fn load(&mut self, p: &Conic<'_>, tolerance: f64) -> Result<(), QpError> {
        self.find_components(p);
        self.number_blocks(p);
        for b in 0..self.count {
            self.all[b].load(p, &self.local, tolerance)?;
        }
        Ok(())
    }

    /// Union-find over the unknowns that meet in a row or in P.
    fn find_components(&mut self, p: &Conic<'_>) {
        self.parent.clear();
        self.parent.extend(0..p.n() as u32);
        let lists = (0..p.m()).map(|i| p.rows.row(i).0).chain((0..p.n()).map(|i| p.p.row(i).0));
        for (at, list) in lists.enumerate() {
            let first = if at < p.m() { list.first().copied() } else { Some((at - p.m()) as u32) };
            for &j in list {
                let (a, b) = (root(&mut self.parent, first.unwrap_or(j)), root(&mut self.parent, j));
                self.parent[a.max(b) as usize] = a.min(b);
            }
        }
    }

    /// Blocks with an objective come first, each kind in the order of its first unknown. Rows without unknowns go to the first.
    fn number_blocks(&mut self, p: &Conic<'_>) {
        let n = p.n();
        self.block_of.clear();
        self.block_of.resize(n, NONE);
        for j in 0..n {
            if p.c[j] != 0.0 || p.p.row(j).1.iter().any(|&v| v != 0.0) {
                let r = root(&mut self.parent, j as u32);
                self.block_of[r as usize] = 0;
            }
        }
        let with_objective: usize = self.block_of.iter().filter(|&&b| b == 0).count();
        let (mut first, mut second) = (0, with_objective as u32);
        for j in 0..n {
            if root(&mut self.parent, j as u32) == j as u32 {
                let next = if self.block_of[j] == 0 { &mut first } else { &mut second };
                self.block_of[j] = *next;
                *next += 1;
            }
        }
        self.count = (second as usize).max(1);
        if self.all.len() < self.count {
            self.all.resize_with(self.count, Block::default);
        }
        for (b, block) in self.all.iter_mut().enumerate() {
            block.unknowns.clear();
            block.rows.clear();
            block.has_objective = b < with_objective;
        }
        self.local.clear();
        for j in 0..n {
            let b = self.block_of[root(&mut self.parent, j as u32) as usize];
            self.block_of[j] = b;
            let unknowns = &mut self.all[b as usize].unknowns;
            self.local.push(unknowns.len() as u32);
            unknowns.push(j as u32);
        }
        self.place.clear();
        for i in 0..p.m() {
            let b = p.rows.row(i).0.first().map_or(0, |&j| self.block_of[j as usize]);
            let rows = &mut self.all[b as usize].rows;
            self.place.push((b, rows.len() as u32));
            rows.push(i as u32);
        }
    }

    /// s of a row in the last solution of its block.
    #[inline]
    pub(crate) fn s(&self, row: u32) -> f64 {
        let (b, at) = self.place[row as usize];
        self.all[b as usize].s(at as usize)
    }

    /// Unknowns and multipliers of the last solutions in the order of the problem.
    pub(crate) fn gather(&self, x: &mut Vec<f64>, y: &mut Vec<f64>, n: usize) {
        x.clear();
        x.resize(n, 0.0);
        y.clear();
        y.resize(self.place.len(), 0.0);
        for block in &self.all[..self.count] {
            block.unknowns.iter().zip(block.qp.x()).for_each(|(&j, v)| x[j as usize] = *v);
            block.rows.iter().zip(block.qp.y()).for_each(|(&i, v)| y[i as usize] = *v);
        }
    }
}

fn root(parent: &mut [u32], mut j: u32) -> u32 {
    while parent[j as usize] != j {
        parent[j as usize] = parent[parent[j as usize] as usize];
        j = parent[j as usize];
    }
    j
}
