//! Which pair is decided next.

use crate::blocks::Outcome;
use crate::nogoods::{Literal, other, pair};
use crate::search::Search;

impl Search {
    /// The no-good just learned from a completion asks that one of its undecided literals turns. With two or more of them:
    /// looks what turning each would cost, learns from those that cost too much, or else turns the dearest.
    pub(crate) fn branch_on_last(&mut self) {
        let nogood = self.nogoods.get(self.nogoods.len() - 1);
        let mut scores = std::mem::take(&mut self.scores);
        scores.clear();
        scores.extend(nogood.iter().filter(|&&a| self.nogoods.is_free(a)).map(|&a| (other(a), 0.0)));
        if scores.len() >= 2 {
            let learned = self.limits.probe && self.probe(&mut scores);
            if !learned {
                let best = self.choose(&scores);
                self.nogoods.decide(best);
            }
        }
        self.scores = scores;
    }

    /// Bounds of the nodes one decision on, with all that it implies; whether any of these was excluded and learned from.
    fn probe(&mut self, scores: &mut [(Literal, f64)]) -> bool {
        let mut learned = false;
        for (a, score) in scores {
            self.probed.clear();
            self.probed.push(*a);
            let from = self.implied.partition_point(|i| i.0 < *a);
            self.probed.extend(self.implied[from..].iter().take_while(|i| i.0 == *a).map(|i| i.1));
            learned |= self.bound_probed(*a, score);
        }
        self.probed.clear();
        learned
    }

    /// Bounds the node with literal a and what it implies; whether that is excluded.
    fn bound_probed(&mut self, a: Literal, score: &mut f64) -> bool {
        let b = self.blocks.place[self.row_of[a as usize] as usize].0 as usize;
        if self.blocks.all[b].has_objective {
            let total = self.relax_blocks();
            if total.is_some_and(|total| total >= self.cutoff) {
                self.exclude(self.last_with_objective());
                return true;
            }
            *score = total.unwrap_or(*score);
            total.is_none()
        } else {
            let infeasible = self.solve_block(b, false) == Outcome::Infeasible;
            if infeasible {
                self.exclude(b);
            }
            infeasible
        }
    }

    /// The literal with the largest bound; before there is a lawful point, one that the guess agrees with, if any.
    fn choose(&self, scores: &[(Literal, f64)]) -> Literal {
        let guessed = |a: Literal| {
            self.best.objective == f64::INFINITY && self.guess.get(pair(a)).is_some_and(|&g| g == a)
        };
        let better = |x: &(Literal, f64), y: &(Literal, f64)| match (guessed(x.0), guessed(y.0)) {
            (true, false) => true,
            (false, true) => false,
            _ => x.1 > y.1,
        };
        scores.iter().skip(1).fold(scores[0], |best, s| if better(s, &best) { *s } else { best }).0
    }

    /// After a program that could not be certified: decides the first open pair. A mode in which all is decided counts with
    /// its bound, which may be less than the cutoff; without one it is
    /// set aside as unresolved, and the bound then stays at what is known of the root.
    pub(crate) fn branch_anywhere(&mut self) {
        let open = (0..self.row_of.len() / 2).find(|&k| self.nogoods.side(k) == 0);
        if let Some(k) = open {
            let first = 2 * k as Literal;
            let a = self.guess.get(k).copied().unwrap_or(first);
            self.nogoods.decide(if a == Literal::MAX { first } else { a });
            return;
        }
        let bound = self.total();
        self.unresolved |= !(bound > f64::NEG_INFINITY);
        self.discarded = self.discarded.min(bound);
        let mut lits = std::mem::take(&mut self.lits);
        self.nogoods.decisions(&mut lits);
        self.nogoods.add_below(&lits, bound);
        self.lits = lits;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blocks::Block;
    use crate::search::Ended;

    /// A mode that no program could certify: the best point met is not called proved, whatever was discarded besides.
    #[test]
    fn an_uncertain_mode_keeps_the_bound_at_the_root() {
        let mut s = Search::default();
        s.blocks.all.push(Block::default());
        s.blocks.all[0].has_objective = true;
        s.blocks.count = 1;
        s.reset(&[0, 1], 2);
        (s.root_bound, s.best.objective, s.discarded) = (-3.0, 1.0, 1.0);
        s.branch_anywhere();
        assert!(!s.unresolved && s.nogoods.side(0) == 1, "an open pair is decided first");
        assert_eq!(s.bound(Ended::Exhausted), 1.0);
        s.branch_anywhere();
        assert_eq!((s.unresolved, s.nogoods.get(0)), (true, &[0][..]));
        assert_eq!(s.bound(Ended::Exhausted), -3.0);
    }
}
