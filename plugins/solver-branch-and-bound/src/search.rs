//! The search: propagate, bound, complete, branch; learn and go back.

use crate::blocks::{Blocks, NONE, Outcome};

use crate::nogoods::{Literal, NoGoods, Propagated};
use std::time::Instant;

/// Outcome of a completion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Completed {
    /// A better point.
    Improved,
    /// None; a no-good was learned.
    NoGood,
    /// A mode without a lowest value.
    Unbounded,
    /// Nothing certain.
    Unknown,
}

/// How far above the root's bound is looked first, relative to the size of the objective, by what that grows, and from where on all
/// is looked at.
const FIRST_STEP: f64 = 1e-4;
const STEPS: f64 = 4.0;
const LAST_STEP: f64 = 1e6;

/// Reason why the search ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ended {
    /// Nothing is left that could be better than the best point by more than the gap.
    Exhausted,
    /// The relaxation falls without end in a mode where all is decided.
    Unbounded,
    /// Node limit.
    Nodes,
    /// Time limit.
    Time,
}

/// Limits that may end a search before it is done, and the gap it may leave open.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Limits {
    pub(crate) nodes: u32,
    pub(crate) deadline: Option<Instant>,
    /// Gap allowed, relative to [`Incumbent::size`], absolute, and relative to |objective|; the largest counts.
    pub(crate) sized_gap: f64,
    pub(crate) absolute_gap: f64,
    pub(crate) relative_gap: f64,
    /// Gaps are measured by the objective's own terms, and what it can fall by.
    pub(crate) by_terms: bool,
    pub(crate) shorten: bool,
    pub(crate) probe: bool,
}

impl Limits {
    /// Largest allowed objective − bound, at an objective whose terms have this size.
    pub(crate) fn gap(&self, objective: f64, size: f64) -> f64 {
        (self.sized_gap * size).max(self.absolute_gap).max(self.relative_gap * objective.abs())
    }
}

/// The best lawful point met.
#[derive(Debug, Default)]
pub(crate) struct Incumbent {
    pub(crate) objective: f64,
    /// Size of its terms, core's `Qpcc::size_of_terms`, or the least that a gap is measured by.
    pub(crate) size: f64,
    pub(crate) x: Vec<f64>,
    pub(crate) y: Vec<f64>,
    /// Literal held per pair.
    pub(crate) modes: Vec<Literal>,
}

/// All that a search works with; memory is kept from problem to problem.
#[derive(Debug, Default)]
pub(crate) struct Search {
    pub(crate) limits: Limits,
    pub(crate) blocks: Blocks,
    pub(crate) nogoods: NoGoods,
    /// Row of every literal.
    pub(crate) row_of: Vec<u32>,
    /// Literal of every row, or none.
    pub(crate) literal_of: Vec<u32>,
    /// Guess of the modes, as literals.
    pub(crate) guess: Vec<Literal>,
    /// Literals held on trial by the completion, and those kept while a no-good is shortened.
    pub(crate) tentative: Vec<bool>,
    pub(crate) chosen: Vec<bool>,
    /// (a, b), in ascending order: of the modes that are searched, those with a have b.
    pub(crate) implied: Vec<(Literal, Literal)>,
    /// The literal that is looked at one decision ahead and what it implies, or nothing.
    pub(crate) probed: Vec<Literal>,
    pub(crate) best: Incumbent,
    /// The smaller of the next two: what bounds are compared with.
    pub(crate) cutoff: f64,
    /// Incumbent − gap.
    worth: f64,
    /// While the bound is low, points below this are looked for: most optima lie at the root's bound or little above.
    target: f64,
    step: f64,
    /// Bound of every block with an objective in the node's relaxation.
    pub(crate) value: Vec<f64>,
    pub(crate) outcome: Vec<Outcome>,
    /// A bound of the problem: of the relaxation under what holds without decisions, and of what was discarded. The smallest bound
    /// something was discarded with: −∞ for a mode that is uncertain.
    pub(crate) root_bound: f64,
    pub(crate) discarded: f64,
    /// A mode could not be certified: the bound stays at the root's.
    pub(crate) unresolved: bool,
    pub(crate) nodes: u32,
    pub(crate) programs: u32,
    /// Size of the objective where x vanishes.
    pub(crate) typical: f64,
    /// Least size that a gap is measured by.
    pub(crate) least_size: f64,
    /// Constant that the objective has in excess of that of the blocks, which may contain products of pairs.
    pub(crate) constant: f64,
    pub(crate) with_products: bool,
    /// No-goods learned.
    pub(crate) learned: usize,
    pub(crate) lits: Vec<Literal>,
    pub(crate) trial: Vec<Literal>,
    pub(crate) scores: Vec<(Literal, f64)>,
}

impl Search {
    /// Forgets the last problem.
    pub(crate) fn reset(&mut self, pairs: &[u32], rows: usize) {
        self.row_of.clear();
        self.row_of.extend_from_slice(pairs);
        self.literal_of.clear();
        self.literal_of.resize(rows, NONE);
        for (a, &row) in pairs.iter().enumerate() {
            self.literal_of[row as usize] = a as u32;
        }
        self.nogoods.clear(pairs.len() / 2);
        for marks in [&mut self.tentative, &mut self.chosen] {
            marks.clear();
            marks.resize(pairs.len(), false);
        }
        self.implied.clear();
        self.probed.clear();
        self.guess.clear();
        self.best.objective = f64::INFINITY;
        (self.cutoff, self.worth, self.target) = (f64::INFINITY, f64::INFINITY, f64::INFINITY);
        self.root_bound = f64::NEG_INFINITY;
        self.discarded = f64::INFINITY;
        self.unresolved = false;
        (self.nodes, self.programs) = (0, 0);
        self.value.clear();
        self.value.resize(self.blocks.count, f64::NEG_INFINITY);
        self.outcome.clear();
        self.outcome.resize(self.blocks.count, Outcome::Unknown);
    }

    /// Branch and bound.
    pub(crate) fn run(&mut self) -> Ended {
        let guessed = self.best.objective < f64::INFINITY;
        loop {
            if let Propagated::Contradiction(k) = self.nogoods.propagate() {
                if !self.nogoods.resolve(k) && !self.raise_target() {
                    return Ended::Exhausted;
                }
                continue;
            }
            if self.nodes >= self.limits.nodes {
                return Ended::Nodes;
            }
            if self.is_late() {
                return Ended::Time;
            }
            self.nodes += 1;
            if !self.relax() {
                continue;
            }
            if self.nodes == 1 && !self.relax_cold() {
                continue;
            }
            let completed = self.complete();
            // A guess that led to a point is mostly the best one: what is left is its proof.
            if self.nodes == 1 && !guessed {
                self.set_target(FIRST_STEP);
            }
            match completed {
                Completed::Improved => {}
                Completed::NoGood => self.branch_on_last(),
                Completed::Unbounded => return Ended::Unbounded,
                Completed::Unknown => self.branch_anywhere(),
            }
        }
    }

    /// The relaxation once more from rest. Where it has many solutions, those near x = 0 complete more often (contacts stick)
    /// than those at the vertices where a guess of the modes leaves the working set.
    fn relax_cold(&mut self) -> bool {
        self.blocks.all[..self.blocks.count].iter_mut().for_each(|b| b.qp.start_cold());
        self.relax()
    }

    pub(crate) fn is_late(&self) -> bool {
        self.limits.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// The smallest objective that is still worth finding, incumbent − gap, and the target of the present search.
    pub(crate) fn update_cutoff(&mut self) {
        let f = self.best.objective;
        if f < f64::INFINITY {
            let gap = self.limits.gap(f + self.constant, self.best.size);
            self.worth = self.worth.min(f - gap);
        }
        self.cutoff = self.worth.min(self.target);
    }

    /// Looks for points below the root's bound + `step` sizes of the objective only.
    fn set_target(&mut self, step: f64) {
        let size = self.typical.max((self.root_bound + self.constant).abs());
        self.step = step;
        self.target = if step < LAST_STEP && self.root_bound > f64::NEG_INFINITY {
            self.root_bound + step * size
        } else {
            f64::INFINITY
        };
        self.update_cutoff();
    }

    /// Nothing lies below the target: it is raised, and what is known only below the old one is forgotten. False when there is
    /// nothing left to look for.
    fn raise_target(&mut self) -> bool {
        if self.target >= self.worth || self.discarded == f64::INFINITY {
            return false;
        }
        self.root_bound = self.root_bound.max(self.discarded.min(self.best.objective));
        self.set_target(STEPS * self.step);
        self.discarded = self.nogoods.restart(self.cutoff);
        true
    }

    /// Bound that is proved when the search ends.
    pub(crate) fn bound(&self, ended: Ended) -> f64 {
        match ended {
            Ended::Exhausted if !self.unresolved => self.discarded.min(self.best.objective),
            _ => self.root_bound.min(self.best.objective),
        }
    }
}
