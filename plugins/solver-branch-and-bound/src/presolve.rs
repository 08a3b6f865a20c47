//! What is known before the search: rows that cannot vanish, and modes that are part of other modes.

use crate::blocks::NONE;
use crate::nogoods::{Literal, other};
use crate::search::Search;
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

    /// Modes that need not be searched. If κ s_c = s_a + s_b with κ > 0 for rows of one block, then s_c = 0 implies s_a = 0 and
    /// s_b = 0, so that every point of a mode which turns c to zero and not a lies in the mode that turns both. The no-good
    /// {c, opposite of a} leaves that one out. Each such step turns one more row *of this block* to zero, and partners lie in
    /// other blocks: so the steps end, in a mode that is searched and contains the point.
    ///
    /// With friction directions d and −d the slip rows obey 2 σ = ρ_d + ρ_−d: σ = 0 is sticking, all ρ vanish.
    pub(crate) fn exclude_dominated(&mut self, q: &Qpcc<'_>) {
        let group = |a: Literal| q.group[(a >> 1) as usize];
        let mut members = std::mem::take(&mut self.trial);
        members.clear();
        members.extend((0..self.row_of.len() as u32).filter(|&a| self.may_dominate(a)));
        members.sort_unstable_by_key(|&a| (group(a), a));
        for list in members.chunk_by(|&a, &b| group(a) == group(b)) {
            if list.len() <= MOST_ROWS && group(list[0]) != vinci_sdk::core::problem::NO_GROUP {
                self.find_sums(&q.qp, list);
            }
        }
        self.trial = members;
        self.implied.sort_unstable();
        self.implied.dedup();
        for k in 0..self.implied.len() {
            let (c, a) = self.implied[k];
            self.nogoods.add(&[c, other(a)]);
        }
    }

    /// Rows of the first block whose partner lies in another.
    fn may_dominate(&self, a: Literal) -> bool {
        let block = |l: Literal| self.blocks.place[self.row_of[l as usize] as usize].0;
        self.blocks.all[0].has_objective && block(a) == 0 && block(other(a)) != 0
    }

    fn find_sums(&mut self, p: &Conic<'_>, rows: &[Literal]) {
        for (at, &a) in rows.iter().enumerate() {
            for &b in &rows[at + 1..] {
                for &c in rows.iter().filter(|&&c| c != a && c != b) {
                    let row = |l: Literal| self.row_of[l as usize] as usize;
                    if is_sum(p, row(c), row(a), row(b)) {
                        self.implied.extend([(c, a), (c, b)]);
                    }
                }
            }
        }
    }
}

/// Contacts with more rows are not looked at.
const MOST_ROWS: usize = 40;
/// Rounding allowed in an entry of κ s_c − s_a − s_b, relative to the entries.
const SAME: f64 = 1e-14;

/// Whether κ s_c = s_a + s_b for some κ > 0; the smallest row comes first in every comparison, so that most end at once.
fn is_sum(p: &Conic<'_>, c: usize, a: usize, b: usize) -> bool {
    let Some((first, v)) = p.rows.entries(c).find(|&(_, v)| v != 0.0) else { return false };
    let at = |i: usize, j: usize| p.rows.entries(i).find(|&(k, _)| k == j).map_or(0.0, |(_, v)| v);
    let kappa = (at(a, first) + at(b, first)) / v;
    if !(kappa > 0.0) {
        return false;
    }
    let agrees = |x: f64, y: f64, z: f64| {
        (kappa * x - y - z).abs() <= SAME * (kappa * x).abs().max(y.abs()).max(z.abs())
    };
    agrees(p.g[c], p.g[a], p.g[b])
        && p.rows.entries(c).all(|(j, v)| agrees(v, at(a, j), at(b, j)))
        && p.rows.entries(a).all(|(j, v)| agrees(at(c, j), v, at(b, j)))
        && p.rows.entries(b).all(|(j, v)| agrees(at(c, j), at(a, j), v))
}
