//! Contacts among the pairs, and the modes that need be searched of each.
//!
//! The pairs of a contact (φ ⟂ p), (ρ_k ⟂ f_k) for k = 1 … n_d and (σ ⟂ s) are known by two identities of their rows, whatever they
//! stand for: κ σ = ρ_d + ρ_−d for opposite directions, and κ p = s + Σ f_k. Of every lawful point the signs alone tell one mode that holds it:
//!
//! | point | canonical mode | modes |
//! |---|---|---|
//! | p = 0, hence all f_k = s = 0 | open: p, all f_k and s held | 1 |
//! | p > 0, σ = 0, hence all ρ_k = 0 | stuck: φ, σ and all ρ_k held | 1 |
//! | p > 0, σ > 0 | slipping: φ, s, and ρ_k or f_k per direction: some ρ_k, else p = 0; of d and −d one at most, else σ = 0 | the rest |
//!
//! With four directions these are 10 modes of 64. The no-goods below leave all others out, and lose no lawful point.

use crate::nogoods::{Literal, other};
use crate::search::Search;
use vinci_sdk::prelude::*;

/// Rounding allowed in an entry of a sum of rows, relative to the entries.
const SAME: f64 = 1e-14;

/// The literals of a contact, named for the rows that they hold at zero.
struct Contact {
    normal: Literal,
    cone: Literal,
    /// ρ_d and ρ_−d.
    opposite: Vec<(Literal, Literal)>,
}

impl Search {
    /// Finds the contact that the pairs `literals` (both sides of each) of one group are, and adds its no-goods; whether
    /// they are one.
    pub(crate) fn exclude_modes_of_contact(&mut self, p: &Conic<'_>, literals: &[Literal]) -> bool {
        let Some(contact) = self.find_contact(p, literals) else { return false };
        let Contact { normal, cone, opposite } = contact;
        let (gap, slip) = (other(normal), other(cone));
        self.exclude_both(normal, slip);
        let mut none_held = vec![gap, cone];
        for rho in opposite.iter().flat_map(|&(a, b)| [a, b]) {
            self.exclude_both(normal, rho);
            self.exclude_both(slip, other(rho));
            none_held.push(other(rho));
        }
        opposite.iter().for_each(|&(a, b)| self.nogoods.add(&[a, b, cone]));
        self.nogoods.add(&none_held);
        true
    }

    /// The no-good {a, b}: a implies the other side of b, and b the other side of a.
    pub(crate) fn exclude_both(&mut self, a: Literal, b: Literal) {
        self.nogoods.add(&[a, b]);
        self.implied.extend([(a, other(b)), (b, other(a))]);
    }

    fn find_contact(&self, p: &Conic<'_>, literals: &[Literal]) -> Option<Contact> {
        literals.iter().find_map(|&slip| {
            let opposite = self.opposite_rows(p, literals, slip)?;
            if literals.len() != 2 * (2 * opposite.len() + 2) {
                return None;
            }
            let cone = other(slip);
            let in_cone = |a: Literal| {
                a >> 1 == cone >> 1 || opposite.iter().any(|o| o.0 >> 1 == a >> 1 || o.1 >> 1 == a >> 1)
            };
            let is_normal = |&&a: &&Literal| !in_cone(a) && self.is_cone(p, a, cone, &opposite);
            literals.iter().find(is_normal).map(|&normal| Contact { normal, cone, opposite })
        })
    }

    /// If `slip` is a row of one unknown: the rows with this unknown, in twos that add up to a multiple of `slip`.
    fn opposite_rows(
        &self,
        p: &Conic<'_>,
        literals: &[Literal],
        slip: Literal,
    ) -> Option<Vec<(Literal, Literal)>> {
        let row = |a: Literal| self.row_of[a as usize] as usize;
        let &[unknown] = p.rows.row(row(slip)).0 else { return None };
        let holds = |a: Literal| a >> 1 != slip >> 1 && p.rows.row(row(a)).0.contains(&unknown);
        let mut left: Vec<Literal> = literals.iter().copied().filter(|&a| holds(a)).collect();
        let mut opposite = Vec::new();
        while let Some(a) = left.pop() {
            let at =
                left.iter().position(|&b| b >> 1 != a >> 1 && is_sum(p, row(slip), &[row(a), row(b)]))?;
            opposite.push((a, left.swap_remove(at)));
        }
        let mut pairs: Vec<_> = opposite.iter().flat_map(|o| [o.0 >> 1, o.1 >> 1]).collect();
        pairs.sort_unstable();
        (!pairs.is_empty() && pairs.windows(2).all(|w| w[0] != w[1])).then_some(opposite)
    }

    /// Returns true if κ s_a = s_cone + Σ f_k.
    fn is_cone(&self, p: &Conic<'_>, a: Literal, cone: Literal, opposite: &[(Literal, Literal)]) -> bool {
        let row = |a: Literal| self.row_of[a as usize] as usize;
        let forces = opposite.iter().flat_map(|o| [row(other(o.0)), row(other(o.1))]);
        let terms: Vec<usize> = std::iter::once(row(cone)).chain(forces).collect();
        is_sum(p, row(a), &terms)
    }
}

/// Returns true if κ s_c is the sum of the rows `terms`, for some κ > 0.
pub(crate) fn is_sum(p: &Conic<'_>, c: usize, terms: &[usize]) -> bool {
    let Some((first, v)) = p.rows.entries(c).find(|&(_, v)| v != 0.0) else { return false };
    let at = |i: usize, j: usize| p.rows.entries(i).find(|&(k, _)| k == j).map_or(0.0, |(_, v)| v);
    let kappa = terms.iter().map(|&i| at(i, first)).sum::<f64>() / v;
    if !(kappa > 0.0) {
        return false;
    }
    let agrees = |of: &dyn Fn(usize) -> f64| {
        let start = (-kappa * of(c), (kappa * of(c)).abs());
        let add = |(sum, size): (f64, f64), &i: &usize| (sum + of(i), f64::max(size, of(i).abs()));
        let (sum, size) = terms.iter().fold(start, add);
        sum.abs() <= SAME * size
    };
    let columns = terms.iter().chain(std::iter::once(&c)).flat_map(|&i| p.rows.row(i).0);
    agrees(&|i| p.g[i]) && columns.into_iter().all(|&j| agrees(&|i| at(i, j as usize)))
}
