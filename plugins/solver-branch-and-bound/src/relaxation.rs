//! Lower bounds, and the no-goods that they leave behind.
//!
//! The relaxation of a node is the program without pairs, in which the decided rows are equations. Its dual bound
//! Σ (y_i > 0 ? y_i l_i : y_i u_i) − ½ xᵀP x needs the equation of a decided row only where y_i < 0: for y_i ≥ 0 the
//! inequality s_i ≥ 0, which all lawful points obey, yields the same. The decided rows with y_i < 0 are therefore a no-good that
//! holds in the whole tree (of no lawful point below the cutoff do all of them vanish), and so are those of a Farkas vector.

use crate::blocks::Outcome;
use crate::nogoods::{Literal, other};
use crate::search::Search;

impl Search {
    /// Bounds the node from below; false when that excludes it, which has then been learned.
    pub(crate) fn relax(&mut self) -> bool {
        let Some(total) = self.relax_blocks() else { return false };
        if self.nogoods.depth() == 0 {
            // What was discarded before, or set aside as uncertain, is no part of this relaxation.
            let bound = if self.discarded < total { self.discarded } else { total };
            self.root_bound = self.root_bound.max(bound);
            self.update_cutoff();
        }
        if total >= self.cutoff {
            self.exclude(self.last_with_objective());
            return false;
        }
        true
    }

    /// The sum of the bounds of the blocks with an objective, or nothing after a single block excluded the node.
    pub(crate) fn relax_blocks(&mut self) -> Option<f64> {
        let mut total = 0.0;
        for b in 0..self.blocks.count {
            if !self.blocks.all[b].has_objective {
                break;
            }
            match self.solve_block(b, false) {
                Outcome::Optimal(v) => total += v,
                Outcome::Infeasible | Outcome::Above(_) => {
                    self.exclude(b);
                    return None;
                }
                Outcome::Unbounded | Outcome::Unknown => total = f64::NEG_INFINITY,
            }
        }
        Some(total)
    }

    pub(crate) fn last_with_objective(&self) -> usize {
        self.blocks.all[..self.blocks.count].iter().rposition(|b| b.has_objective).unwrap_or(0)
    }

    /// Solves block b with the decided rows held, with what is probed, and with those on trial if `tentative`.
    pub(crate) fn solve_block(&mut self, b: usize, tentative: bool) -> Outcome {
        let Self { blocks, nogoods, literal_of, tentative: trial, probed, .. } = self;
        let alone = blocks.count == 1 || !blocks.all[1].has_objective;
        let block = &mut blocks.all[b];
        let cutoff = if alone && block.has_objective { self.cutoff } else { f64::INFINITY };
        let outcome = block.solve(
            |row| {
                let a = literal_of[row as usize];
                a != crate::blocks::NONE
                    && (nogoods.holds(a) || (tentative && trial[a as usize]) || probed.contains(&a))
            },
            cutoff,
        );
        self.programs += 1;
        self.outcome[b] = outcome;
        self.value[b] = match outcome {
            Outcome::Optimal(v) | Outcome::Above(v) => v,
            Outcome::Infeasible => f64::INFINITY,
            Outcome::Unbounded | Outcome::Unknown => f64::NEG_INFINITY,
        };
        outcome
    }

    /// Moves block b, whose relaxation is solved, to the point of least motion.
    pub(crate) fn solve_near(&mut self, b: usize) {
        let Self { blocks, nogoods, literal_of, .. } = self;
        let moved = blocks.all[b].solve_near(|row| {
            let a = literal_of[row as usize];
            a != crate::blocks::NONE && nogoods.holds(a)
        });
        self.programs += u32::from(moved);
    }

    /// Learns the no-good of the last outcome of block b: infeasible, or at or above the cutoff together with the other blocks.
    pub(crate) fn exclude(&mut self, b: usize) {
        let infeasible = self.outcome[b] == Outcome::Infeasible;
        let mut lits = std::mem::take(&mut self.lits);
        lits.clear();
        let others: f64 = if infeasible { f64::NEG_INFINITY } else { self.add_others(b, &mut lits) };
        let from = lits.len();
        self.add_needed(b, &mut lits);
        let least = if infeasible { f64::INFINITY } else { self.cutoff - others };
        let mut bound = if infeasible { f64::INFINITY } else { self.value[b] };
        if self.limits.shorten {
            self.sort_for_deletion(&mut lits[from..]);
            bound = self.shorten(b, &mut lits, from, least, bound);
        }
        let bound = bound + if infeasible { 0.0 } else { others };
        self.discarded = self.discarded.min(bound);
        self.fold_probed(&mut lits);
        self.drop_dominated(&mut lits);
        self.nogoods.add_below(&lits, bound);
        self.lits = lits;
    }

    /// Held rows that the bounds of the blocks with an objective other than b rest on, and the sum of these bounds.
    fn add_others(&self, b: usize, lits: &mut Vec<Literal>) -> f64 {
        let mut sum = 0.0;
        for k in (0..self.blocks.count).filter(|&k| k != b && self.blocks.all[k].has_objective) {
            sum += self.value[k];
            self.add_needed(k, lits);
        }
        sum
    }

    fn add_needed(&self, b: usize, lits: &mut Vec<Literal>) {
        self.blocks.all[b].needed(self.outcome[b], |row| lits.push(self.literal_of[row as usize]));
    }

    /// Undecided literals first, those first whose other side is nearest to zero; then decided ones, the latest first.
    fn sort_for_deletion(&self, lits: &mut [Literal]) {
        let key = |a: Literal| {
            if self.nogoods.is_free(a) {
                (0_u32, self.blocks.s(self.row_of[other(a) as usize]))
            } else {
                (1, -f64::from(self.nogoods.level(a)))
            }
        };
        lits.sort_unstable_by(|&a, &b| {
            let (x, y) = (key(a), key(b));
            x.0.cmp(&y.0).then(x.1.total_cmp(&y.1)).then(a.cmp(&b))
        });
    }

    /// Leaves out of `lits[from..]`, all of block b, what can be left out while the block's bound stays at least `least`; where
    /// that is infinite, while it stays infeasible (then only undecided literals are tried: fewer of them branch less, fewer
    /// decided ones have not paid). Returns the bound that the rest proves.
    fn shorten(&mut self, b: usize, lits: &mut Vec<Literal>, from: usize, least: f64, mut bound: f64) -> f64 {
        let mut at = from;
        while at < lits.len() {
            if least == f64::INFINITY && !self.nogoods.is_free(lits[at]) {
                at += 1;
                continue;
            }
            for (k, &a) in lits.iter().enumerate().skip(from) {
                self.chosen[a as usize] = k != at;
            }
            let Self { blocks, literal_of, chosen, .. } = self;
            let outcome = blocks.all[b].solve(
                |row| {
                    let a = literal_of[row as usize];
                    a != crate::blocks::NONE && chosen[a as usize]
                },
                least,
            );
            self.programs += 1;
            lits[from..].iter().for_each(|&a| self.chosen[a as usize] = false);
            let proved = match outcome {
                Outcome::Infeasible => f64::INFINITY,
                Outcome::Optimal(v) | Outcome::Above(v) => v,
                Outcome::Unbounded | Outcome::Unknown => f64::NEG_INFINITY,
            };
            if proved < least {
                at += 1;
                continue;
            }
            bound = proved;
            let needed = &mut self.trial;
            needed.clear();
            self.blocks.all[b].needed(outcome, |row| needed.push(self.literal_of[row as usize]));
            let (mut k, mut kept_before) = (0, 0);
            let fixed = &mut *lits;
            fixed.retain(|a| {
                let keep = k < from || needed.contains(a);
                kept_before += usize::from(keep && k < at);
                k += 1;
                keep
            });
            at = kept_before;
        }
        bound
    }

    /// Leaves out what the rest implies: with a, also b where a implies b (no mode that is searched has a without b).
    fn drop_dominated(&mut self, lits: &mut Vec<Literal>) {
        for &(a, b) in &self.implied {
            if lits.contains(&b) && lits.contains(&a) {
                lits.retain(|&l| l != b);
            }
        }
    }

    /// While a literal is probed, two or more of what it implies are one decision: the literal itself.
    fn fold_probed(&mut self, lits: &mut Vec<Literal>) {
        let Some((&a, implied)) = self.probed.split_first() else { return };
        let undecided = |l: &Literal| implied.contains(l) && self.nogoods.is_free(*l);
        if lits.contains(&a) || lits.iter().filter(|l| undecided(l)).count() > 1 {
            lits.retain(|l| *l != a && !undecided(l));
            lits.push(a);
        }
    }
}
