//! From the node's relaxation to a lawful point, or to a reason why there is none with these rows at zero.
//!
//! Blocks are gone through in order. Where a pair has its rows in two blocks, a positive row of the earlier block makes the
//! other row an equation on trial; where both lie in one block, the smaller row becomes one. If a block has no point then, its
//! Farkas vector is a no-good like any other: some of the rows on trial must not be zero, hence their partners must.

use crate::blocks::{NONE, Outcome};
use crate::nogoods::{Literal, other};
use crate::search::{Completed, Search};

impl Search {
    /// Tries to complete the node's relaxation, whose blocks with an objective have just been solved.
    pub(crate) fn complete(&mut self) -> Completed {
        self.tentative.fill(false);
        self.complete_from(true)
    }

    /// Tries the guess of the modes; pairs without one are completed as at a node.
    pub(crate) fn complete_guess(&mut self) -> Completed {
        self.tentative.fill(false);
        for k in 0..self.guess.len() {
            let a = self.guess[k];
            if a != Literal::MAX && self.nogoods.is_free(a) {
                self.tentative[a as usize] = true;
            }
        }
        self.complete_from(false)
    }

    /// Completes what is decided and on trial. `relaxed`: the blocks with an objective stand solved for what is decided.
    fn complete_from(&mut self, relaxed: bool) -> Completed {
        if let Some(stopped) = self.walk(relaxed) {
            return self.judge(stopped);
        }
        if self.total() >= self.cutoff {
            self.exclude(self.last_with_objective());
            return Completed::NoGood;
        }
        self.hold_every_pair();
        if let Some(stopped) = self.solve_held() {
            return self.judge(stopped);
        }
        if self.total() >= self.cutoff {
            self.exclude(self.last_with_objective());
            return Completed::NoGood;
        }
        if self.accept() { Completed::Improved } else { Completed::Unknown }
    }

    /// A block without a point under what is decided and a completion of it, if the walk meets one.
    pub(crate) fn infeasible_block(&mut self) -> Option<usize> {
        self.tentative.fill(false);
        let infeasible = |s: &(usize, Outcome)| s.1 == Outcome::Infeasible;
        let stopped = self.walk(false).filter(infeasible).or_else(|| {
            self.hold_every_pair();
            self.solve_held()
        });
        stopped.filter(infeasible).map(|s| s.0)
    }

    /// Through the blocks in order; one without an optimum, if any. A block that falls without end says nothing as long as
    /// another may have no point: all are gone through, and one that excludes counts before one that leaves open.
    fn walk(&mut self, relaxed: bool) -> Option<(usize, Outcome)> {
        let mut open = None;
        for b in 0..self.blocks.count {
            let solved = relaxed && self.blocks.all[b].has_objective;
            let mut outcome = self.outcome[b];
            if !solved || self.has_trial(b) {
                outcome = self.solve_block(b, true);
            } else if self.nodes > 1 {
                self.solve_near(b);
            }
            if matches!(outcome, Outcome::Optimal(_)) && self.round_inside(b) {
                outcome = self.solve_block(b, true);
            }
            if excludes(outcome) {
                return Some((b, outcome));
            }
            open = less_certain(open, (b, outcome));
            self.hold_partners(b);
        }
        open
    }

    /// Solves with all rows on trial held; a block without an optimum, if any, chosen as by [`Search::walk`].
    fn solve_held(&mut self) -> Option<(usize, Outcome)> {
        let mut open = None;
        for b in 0..self.blocks.count {
            let outcome = self.solve_block(b, true);
            if excludes(outcome) {
                return Some((b, outcome));
            }
            open = less_certain(open, (b, outcome));
        }
        open
    }

    /// Solves the best point's mode without slack, every equation as exactly as its own terms are; whether all blocks have an optimum
    /// then. Ends the search: no-goods are forgotten.
    pub(crate) fn solve_exactly(&mut self) -> bool {
        self.solve_mode(0.0) && self.blocks.refine_equations()
    }

    /// Solves the best point's mode with this part of the slack; whether all blocks have an optimum then. Ends the search.
    pub(crate) fn solve_mode(&mut self, slack: f64) -> bool {
        self.nogoods.clear(self.best.modes.len());
        self.tentative.fill(false);
        for k in 0..self.best.modes.len() {
            let a = self.best.modes[k];
            self.tentative[a as usize] = true;
        }
        self.cutoff = f64::INFINITY;
        self.blocks.give(slack) && self.solve_held().is_none()
    }

    fn judge(&mut self, (b, outcome): (usize, Outcome)) -> Completed {
        if excludes(outcome) {
            self.exclude(b);
            return Completed::NoGood;
        }
        self.uncertain(outcome)
    }

    /// With all pairs decided and a point in every block, a block that falls without end is the problem's answer.
    fn uncertain(&self, outcome: Outcome) -> Completed {
        let free = (0..self.row_of.len() / 2).any(|k| self.nogoods.side(k) == 0);
        if outcome == Outcome::Unbounded && !free { Completed::Unbounded } else { Completed::Unknown }
    }

    /// Returns true if the pair of a literal is neither decided nor on trial.
    fn is_open(&self, a: Literal) -> bool {
        self.nogoods.is_free(a) && !self.tentative[a as usize] && !self.tentative[other(a) as usize]
    }

    fn has_trial(&self, b: usize) -> bool {
        self.blocks.all[b].rows.iter().any(|&row| {
            let a = self.literal_of[row as usize];
            a != NONE && self.tentative[a as usize]
        })
    }

    /// Puts the smaller row of every open pair inside block b on trial; whether there was any that is not zero by itself.
    fn round_inside(&mut self, b: usize) -> bool {
        let mut any = false;
        for at in 0..self.blocks.all[b].rows.len() {
            let row = self.blocks.all[b].rows[at];
            let a = self.literal_of[row as usize];
            if a == NONE || a & 1 == 1 || !self.is_open(a) {
                continue;
            }
            let partner = self.row_of[other(a) as usize];
            if self.blocks.place[partner as usize].0 as usize != b {
                continue;
            }
            let (s, t) = (self.blocks.all[b].s(at), self.blocks.s(partner));
            let (row_zero, partner_zero) = (self.blocks.zero(row), self.blocks.zero(partner));
            let both = s <= row_zero && t <= partner_zero;
            let guessed = both && self.guess.get((a >> 1) as usize) == Some(&other(a));
            let zero = if s > t || guessed { other(a) } else { a };
            self.tentative[zero as usize] = true;
            any |= if zero == a { s > row_zero } else { t > partner_zero };
        }
        any
    }

    /// Puts the partners of the positive rows of block b on trial, where they lie in later blocks.
    fn hold_partners(&mut self, b: usize) {
        for at in 0..self.blocks.all[b].rows.len() {
            let a = self.literal_of[self.blocks.all[b].rows[at] as usize];
            if a == NONE
                || !self.is_open(a)
                || self.blocks.all[b].s(at) <= self.blocks.zero(self.blocks.all[b].rows[at])
            {
                continue;
            }
            let partner = self.row_of[other(a) as usize];
            if self.blocks.place[partner as usize].0 as usize > b {
                self.tentative[other(a) as usize] = true;
            }
        }
    }

    /// Pairs that are still open have a zero row in their earlier block: it is held.
    fn hold_every_pair(&mut self) {
        for a in (0..self.row_of.len() as u32).step_by(2) {
            let b = other(a);
            if self.is_open(a) {
                let place = |l: Literal| self.blocks.place[self.row_of[l as usize] as usize].0;
                self.tentative[if place(a) <= place(b) { a } else { b } as usize] = true;
            }
        }
    }

    /// Sum of the bounds of the blocks with an objective.
    pub(crate) fn total(&self) -> f64 {
        (0..self.blocks.count).filter(|&b| self.blocks.all[b].has_objective).map(|b| self.value[b]).sum()
    }

    /// Takes over the completed point; false when it is no better than the best one. (Its bound may lie below the cutoff and its
    /// objective not, where rounding is large.)
    fn accept(&mut self) -> bool {
        let objective = self.blocks.all[..self.blocks.count].iter().map(|b| b.qp.objective()).sum();
        if objective >= self.best.objective {
            return false;
        }
        let n = self.blocks.all[..self.blocks.count].iter().map(|b| b.unknowns.len()).sum();
        self.best.objective = objective;
        self.best.size = (self.best.objective + self.constant).abs().max(self.least_size);
        if !self.with_products {
            let sizes = self.blocks.all[..self.blocks.count].iter().map(|b| b.sizes());
            let (linear, curved) = sizes.fold((0.0, 0.0), |(l, c), s| (l + s.0, c + s.1));
            self.best.size = self.best.size.max(linear).max(curved);
        }
        self.blocks.gather(&mut self.best.x, &mut self.best.y, n);
        self.best.modes.clear();
        for a in (0..self.row_of.len() as u32).step_by(2) {
            let first = self.nogoods.holds(a) || (self.nogoods.is_free(a) && self.tentative[a as usize]);
            self.best.modes.push(if first { a } else { other(a) });
        }
        self.update_cutoff();
        true
    }
}

/// Returns true if a block's outcome rules out what is decided and on trial.
fn excludes(outcome: Outcome) -> bool {
    matches!(outcome, Outcome::Infeasible | Outcome::Above(_))
}

/// The least certain of blocks that exclude nothing: one that could not be certified before one that falls without end before none.
fn less_certain(open: Option<(usize, Outcome)>, next: (usize, Outcome)) -> Option<(usize, Outcome)> {
    match next.1 {
        Outcome::Unbounded => open.or(Some(next)),
        Outcome::Unknown => Some(next),
        _ => open,
    }
}
