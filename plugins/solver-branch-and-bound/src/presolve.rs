//! Presolve: rows that cannot vanish, and modes that are part of other modes.

use crate::blocks::NONE;
use crate::contacts::is_sum;
use crate::nogoods::{Literal, other};
use crate::search::Search;
use vinci_sdk::core::problem::NO_GROUP;
use vinci_sdk::prelude::*;

impl Search {
    /// No-goods of single rows: s_i = a x_j + g_i cannot be zero where bounds of x_j keep it positive.
    pub(crate) fn exclude_by_bounds(&mut self, p: &Conic<'_>, least: &mut Vec<f64>) {
        least.clear();
        least.resize(p.n(), f64::NEG_INFINITY);
        let single = |i: usize| match p.rows.row(i) {
            (&[j], &[a]) if a > 0.0 => Some((j as usize, a)),
            _ => None,
        };
        for i in (0..p.m()).filter(|&i| self.literal_of[i] == NONE) {
            if let Some((j, a)) = single(i) {
                least[j] = least[j].max((p.lower[i] - p.g[i]) / a);
            }
        }
        for a in 0..self.row_of.len() {
            let i = self.row_of[a] as usize;
            if single(i).is_some_and(|(j, v)| v * least[j] + p.g[i] > self.blocks.zero(i as u32)) {
                self.nogoods.add(&[a as Literal]);
            }
        }
    }

    /// Modes that need not be searched: contacts have few that matter (see `contacts`); of other groups, those that are part of
    /// others. If κ s_c = s_a + s_b with κ > 0 for rows of one block, then s_c = 0 implies s_a = 0 and
    /// s_b = 0, so that every point of a mode which turns c to zero and not a lies in the mode that turns both. The no-good
    /// {c, opposite of a} leaves that one out. Each such step turns one more row *of this block* to zero, and partners lie in
    /// other blocks: so the steps end, in a mode that is searched and contains the point. Groups have no pair in common, and
    /// what is said of one leaves the modes of the others as they are.
    pub(crate) fn exclude_dominated(&mut self, q: &Qpcc<'_>) {
        let group = |a: Literal| q.group[(a >> 1) as usize];
        let mut members = std::mem::take(&mut self.trial);
        members.clear();
        members.extend((0..self.row_of.len() as u32).filter(|&a| group(a) != NO_GROUP));
        members.sort_unstable_by_key(|&a| (group(a), a));
        for list in members.chunk_by(|&a, &b| group(a) == group(b)) {
            if list.len() <= MOST_ROWS && !self.exclude_modes_of_contact(&q.qp, list) {
                self.find_sums(&q.qp, list);
            }
        }
        self.trial = members;
        self.implied.sort_unstable();
        self.implied.dedup();
    }

    /// Rows of the first block whose partner lies in another.
    fn may_dominate(&self, a: Literal) -> bool {
        let block = |l: Literal| self.blocks.place[self.row_of[l as usize] as usize].0;
        self.blocks.all[0].has_objective && block(a) == 0 && block(other(a)) != 0
    }

    fn find_sums(&mut self, p: &Conic<'_>, literals: &[Literal]) {
        let row = |s: &Self, l: Literal| s.row_of[l as usize] as usize;
        let rows: Vec<Literal> = literals.iter().copied().filter(|&a| self.may_dominate(a)).collect();
        for (at, &a) in rows.iter().enumerate() {
            for &b in &rows[at + 1..] {
                for &c in rows.iter().filter(|&&c| c != a && c != b) {
                    if is_sum(p, row(self, c), &[row(self, a), row(self, b)]) {
                        self.exclude_both(c, other(a));
                        self.exclude_both(c, other(b));
                    }
                }
            }
        }
    }
}

/// Groups with more rows of pairs are not looked at.
const MOST_ROWS: usize = 80;
