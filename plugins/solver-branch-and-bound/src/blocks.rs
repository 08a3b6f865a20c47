//! The rows of a problem fall into blocks that share no unknown and no term of the objective. Pairs tie blocks together
//! (motion and forces of a quasi-static step), but a relaxation without pairs is one convex program per block.

use vinci_qp::{ActiveSet, QpError, Settings, Status};
use vinci_sdk::core::sets::DisjointSets;
use vinci_sdk::core::sparse::CsrBuf;
use vinci_sdk::prelude::*;

pub(crate) const NONE: u32 = u32::MAX;

/// Outcome of one block under some decisions.
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
    /// The program with a small curvature where the objective has none: its point is the one of least motion among nearly optimal ones.
    near: ActiveSet,
    has_near: bool,
    /// `near` was solved last, and `s` speaks of it.
    is_near: bool,
    near_zero: f64,
    lower: Vec<f64>,
    upper: Vec<f64>,
    held: Vec<bool>,
    zeros: Vec<f64>,
    /// Rows of pairs, and by how much these may miss their bounds.
    of_pair: Vec<bool>,
    slack: Vec<f64>,
    /// Part of `slack` in force.
    give: f64,
    /// Size that the residual of the program is relative to.
    size: f64,
    g: Vec<f64>,
    p: CsrBuf,
    p_near: CsrBuf,
    matrix: CsrBuf,
    c: Vec<f64>,
}

impl Block {
    fn load(
        &mut self,
        q: &Qpcc<'_>,
        local: &[u32],
        of_pair: &[bool],
        accuracy: Accuracy,
    ) -> Result<(), QpError> {
        let (n, rows, p) = (self.unknowns.len(), &self.rows, &q.qp);
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
        self.zeros.clear();
        self.zeros.resize(n, 0.0);
        self.held.clear();
        self.held.resize(self.rows.len(), false);
        self.of_pair.clear();
        self.of_pair.extend(self.rows.iter().map(|&i| of_pair[i as usize]));
        *self.qp.settings_mut() = settings(n + rows.len(), accuracy.residual);
        self.qp.set_up(self.p.view(), self.matrix.view())?;
        self.qp.set_cost(&self.c)?;
        self.set_up_near(q)?;
        let finite = self.lower.iter().chain(&self.upper).chain(&self.c).filter(|v| v.is_finite());
        self.size = finite.fold(0.0, |m: f64, v| m.max(v.abs()));
        self.size = if self.size > 0.0 { self.size } else { 1.0 };
        let size = |i: usize| {
            let terms = p.rows.entries(i).map(|(j, v)| v.abs() * p.x_scale[j]);
            terms.fold(p.g[i].abs(), f64::max).min(p.scale())
        };
        self.slack.clear();
        self.slack.extend(self.rows.iter().map(|&i| accuracy.slack * size(i as usize)));
        self.give(1.0)
    }

    fn set_up_near(&mut self, q: &Qpcc<'_>) -> Result<(), QpError> {
        let curvature = |j: usize| q.qp.p.entry(j, j) * q.qp.x_scale[j].powi(2);
        let (curved, sum) = self.unknowns.iter().fold((0, 0.0), |(n, sum), &j| match curvature(j as usize) {
            v if v > 0.0 => (n + 1, sum + v),
            _ => (n, sum),
        });
        self.is_near = false;
        self.has_near = curved > 0 && curved < self.unknowns.len();
        if !self.has_near {
            return Ok(());
        }
        let size = NEAR * sum / f64::from(curved as u32);
        self.p_near.clear(self.unknowns.len());
        for (at, &j) in self.unknowns.iter().enumerate() {
            self.p.view().entries(at).for_each(|(k, v)| self.p_near.push(k, v));
            if !(curvature(j as usize) > 0.0) {
                self.p_near.accumulate(at, size / q.qp.x_scale[j as usize].powi(2));
            }
            self.p_near.end_row();
        }
        *self.near.settings_mut() = settings(self.unknowns.len() + self.rows.len(), NEAR);
        self.near.set_up(self.p_near.view(), self.matrix.view())?;
        self.near.set_cost(&self.c)
    }

    /// Lets rows of pairs miss their bounds by this part of the slack.
    fn give(&mut self, part: f64) -> Result<(), QpError> {
        self.give = part;
        (0..self.rows.len()).try_for_each(|at| self.set_bounds(at))
    }

    fn set_bounds(&mut self, at: usize) -> Result<(), QpError> {
        let (zero, slack) = (-self.g[at], self.give * self.slack[at]);
        let (lower, upper) = match (self.of_pair[at], self.held[at]) {
            (false, _) => (self.lower[at], self.upper[at]),
            (true, false) => (zero - slack, f64::INFINITY),
            (true, true) => (zero - slack, zero + slack),
        };
        if self.has_near {
            self.near.set_bound(at, lower, upper)?;
        }
        self.qp.set_bound(at, lower, upper)
    }

    /// s of a local row in the last solution.
    #[inline]
    pub(crate) fn s(&self, row: usize) -> f64 {
        (if self.is_near { self.near.s() } else { self.qp.s() })[row] + self.g[row]
    }

    /// Σ |c_i x_i| and ½ Σ |x_i (P x)_i| of the last solution.
    pub(crate) fn sizes(&self) -> (f64, f64) {
        let (x, p) = (self.qp.x(), self.p.view());
        let terms = (0..x.len()).map(|i| ((self.c[i] * x[i]).abs(), (0.5 * x[i] * p.row_dot(i, x)).abs()));
        terms.fold((0.0, 0.0), |(l, c), t| (l + t.0, c + t.1))
    }

    /// Solves with exactly the rows held for which `hold` says so.
    pub(crate) fn solve(&mut self, hold: impl Fn(u32) -> bool, cutoff: f64) -> Outcome {
        self.is_near = false;
        if !self.hold(hold) {
            return Outcome::Unknown;
        }
        if self.has_objective {
            self.qp.set_start_point(&self.zeros);
        }
        let mut status = self.qp.solve(cutoff);
        if matches!(status, Status::Numerical | Status::IterationLimit)
            || (status == Status::Cutoff && !(self.qp.bound() >= cutoff))
        {
            self.qp.start_cold();
            status = self.qp.solve(f64::INFINITY);
        }
        match status {
            Status::Optimal => Outcome::Optimal(self.qp.bound()),
            Status::Infeasible => Outcome::Infeasible,
            Status::Cutoff => Outcome::Above(self.qp.bound()),
            Status::Unbounded => Outcome::Unbounded,
            Status::Numerical => self.nearly_optimal(),
            Status::IterationLimit => Outcome::Unknown,
        }
    }

    /// Moves [`Block::s`] to the point of least motion with these rows held, if the objective leaves any motion free and
    /// there is one; whether it did.
    pub(crate) fn solve_near(&mut self, hold: impl Fn(u32) -> bool) -> bool {
        self.is_near = self.has_near && self.hold(hold) && self.near.solve(f64::INFINITY) == Status::Optimal;
        let size = self.near.x().iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        self.near_zero = 1e-5 * size;
        self.is_near
    }

    fn hold(&mut self, hold: impl Fn(u32) -> bool) -> bool {
        (0..self.rows.len()).all(|at| {
            let now = hold(self.rows[at]);
            let changed = std::mem::replace(&mut self.held[at], now) != now;
            !changed || self.set_bounds(at).is_ok()
        })
    }

    /// Where the terms of a sum are huge, a residual that is rounding may miss the absolute tolerance: what the bound loses by it is in
    /// the bound. If the residual is no rounding, nothing is concluded.
    fn nearly_optimal(&self) -> Outcome {
        let (x, p) = (self.qp.x(), self.p.view());
        let terms = (0..x.len()).map(|i| p.entries(i).map(|(j, v)| (v * x[j]).abs()).sum());
        let largest = x.iter().chain(self.qp.y()).map(|v| v.abs()).chain(terms).fold(0.0, f64::max);
        if self.qp.residual() * self.size <= ROUNDING * largest {
            Outcome::Optimal(self.qp.bound())
        } else {
            Outcome::Unknown
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

/// Curvature that is added for the point of least motion, relative to that of the objective, and that point's residual.
const NEAR: f64 = 1e-7;
/// Most pivots of a program: so many, and so many for every unknown and row. From where another one ended it takes a few; one that takes
/// more goes in circles by what rounding calls progress.
const PIVOTS: (u32, u32) = (200, 20);
/// Residuals below this part of the largest number of x, y and the terms of P x are rounding.
const ROUNDING: f64 = 1e-13;

/// Settings of a program of so many unknowns and rows.
fn settings(size: usize, tolerance: f64) -> Settings {
    Settings { tolerance, max_pivots: PIVOTS.0 + PIVOTS.1 * size as u32 }
}

/// How sharp the programs are solved.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Accuracy {
    /// Largest residual of an optimum.
    pub(crate) residual: f64,
    /// By how much rows of pairs may miss their bounds, relative to the largest of |g_i| and |G_ij| X_j, with X the typical
    /// sizes of unknowns: noise in the data must not make a mode empty.
    pub(crate) slack: f64,
}

/// All blocks, those with an objective first.
#[derive(Debug, Default)]
pub(crate) struct Blocks {
    pub(crate) all: Vec<Block>,
    /// Blocks in use; memory of others is kept.
    pub(crate) count: usize,
    /// Block and place in it of every row.
    pub(crate) place: Vec<(u32, u32)>,
    of_pair: Vec<bool>,
    sets: DisjointSets,
    local: Vec<u32>,
    block_of: Vec<u32>,
}

impl Blocks {
    /// Splits a problem and loads the program of every block.
    pub(crate) fn load(&mut self, q: &Qpcc<'_>, accuracy: Accuracy) -> Result<(), QpError> {
        self.find_components(&q.qp);
        self.number_blocks(&q.qp);
        q.mark_pair_rows(&mut self.of_pair);
        for b in 0..self.count {
            self.all[b].load(q, &self.local, &self.of_pair, accuracy)?;
        }
        Ok(())
    }

    /// Lets rows of pairs miss their bounds by this part of the slack from now on, in all blocks; 0 makes them exact.
    pub(crate) fn give(&mut self, part: f64) -> bool {
        self.all[..self.count].iter_mut().all(|b| b.give(part).is_ok())
    }

    /// Refines the optima of all blocks, equation by equation; whether they are still that.
    pub(crate) fn refine_equations(&mut self) -> bool {
        self.all[..self.count].iter_mut().all(|b| b.qp.refine_equations())
    }

    /// Below this a row is zero: twice its slack.
    #[inline]
    pub(crate) fn zero(&self, row: u32) -> f64 {
        let (b, at) = self.place[row as usize];
        let block = &self.all[b as usize];
        2.0 * block.slack[at as usize] + if block.is_near { block.near_zero } else { 0.0 }
    }

    /// Unknowns that meet in a row or in P are of one block.
    fn find_components(&mut self, p: &Conic<'_>) {
        self.sets.reset(p.n());
        (0..p.m()).for_each(|i| self.sets.unite_all(p.rows.row(i).0));
        for i in 0..p.n() {
            p.p.row(i).0.iter().for_each(|&j| self.sets.unite(i, j as usize));
        }
    }

    /// Blocks with an objective come first, each kind in the order of its first unknown. Rows without unknowns go to the first.
    fn number_blocks(&mut self, p: &Conic<'_>) {
        let n = p.n();
        self.block_of.clear();
        self.block_of.resize(n, NONE);
        for j in 0..n {
            if p.c[j] != 0.0 || p.p.row(j).1.iter().any(|&v| v != 0.0) {
                let r = self.sets.root(j);
                self.block_of[r] = 0;
            }
        }
        let with_objective: usize = self.block_of.iter().filter(|&&b| b == 0).count();
        let (mut first, mut second) = (0, with_objective as u32);
        for j in 0..n {
            if self.sets.root(j) == j {
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
            let b = self.block_of[self.sets.root(j)];
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
