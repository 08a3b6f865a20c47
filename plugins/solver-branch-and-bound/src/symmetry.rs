//! Symmetric ties: pairs whose two sides, or which among each other, may change places without changing the problem. Of modes that
//! are images of each other one is searched.
//!
//! Looked at are pairs of rows of one unknown each, s_i = α x_a + γ and s_j = β x_b + δ, whose unknowns stand in no other row of a
//! pair; a = b is a choice between two values. An exchange of such unknowns leaves the rows of all other pairs as they are, and exchanges of different pairs have none in common:
//!
//! - *sides*: with α = β and γ = δ the exchange of x_a and x_b may map the problem onto itself. Every lawful point has an image with
//!   s_i = 0 in all of these pairs: {s_j held} is a no-good;
//! - *pairs*: of pairs with the same α, β, γ, δ in a row, each exchanged with the next, every lawful point has an image whose sides are
//!   sorted: {k holds its second side, the next one its first} is a no-good.

use crate::nogoods::Literal;
use crate::search::Search;
use std::cmp::Ordering;
use vinci_sdk::core::sparse::CsrBuf;
use vinci_sdk::prelude::*;

/// A pair of rows of one unknown each.
#[derive(Debug, Clone, Copy)]
struct Simple {
    pair: u32,
    unknown: [u32; 2],
    /// α, γ, c_a and β, δ, c_b.
    numbers: [[f64; 3]; 2],
}

/// A row or a column of P as the exchange sees it: what it is, its entries, g or c, and bounds.
#[derive(Debug, PartialEq)]
struct Signature {
    role: u32,
    numbers: [f64; 3],
    entries: Vec<(u32, f64)>,
}

impl Search {
    /// Adds the no-goods of symmetric pairs.
    pub(crate) fn exclude_images(&mut self, q: &Qpcc<'_>) {
        // Not the pairs of which modes are left out for another reason: both together might leave out all images.
        let bound =
            |k: usize| self.implied.iter().any(|i| (i.0 >> 1) as usize == k || (i.1 >> 1) as usize == k);
        let count = pair_rows_of_unknowns(q);
        let mut simple: Vec<Simple> = (0..q.n_pairs()).filter_map(|k| simple(q, k)).collect();
        let rows_of_own = |s: &Simple| 1 + u32::from(s.unknown[0] == s.unknown[1]);
        let alone = |s: &Simple| s.unknown.iter().all(|&j| count[j as usize] == rows_of_own(s));
        simple.retain(|s| !bound(s.pair as usize) && alone(s));
        if simple.is_empty() {
            return;
        }
        let mut columns = CsrBuf::default();
        columns.transpose_of(&q.qp.rows, &mut Vec::new());
        let same_sides = |s: &Simple| {
            let [a, b] = s.unknown;
            s.numbers[0] == s.numbers[1] && is_image(q, &columns, &[(a, b)], &|k, _| 2 * k + 2)
        };
        simple.retain(|s| {
            let turned = same_sides(s);
            if turned {
                self.nogoods.add(&[2 * s.pair as Literal + 1]);
            }
            !turned
        });
        simple.sort_by(|x, y| by_numbers(x, y).then(x.pair.cmp(&y.pair)));
        for w in simple.windows(2).filter(|w| w[0].numbers == w[1].numbers) {
            let swaps = [0, 1].map(|side| (w[0].unknown[side], w[1].unknown[side]));
            let first = w[0].pair.min(w[1].pair);
            let role =
                |k: u32, side: u32| 2 * (if k == w[0].pair || k == w[1].pair { first } else { k }) + 2 + side;
            if is_image(q, &columns, &swaps, &role) {
                self.nogoods.add(&[2 * w[0].pair as Literal + 1, 2 * w[1].pair as Literal]);
            }
        }
    }
}

/// Rows of pairs that every unknown stands in.
fn pair_rows_of_unknowns(q: &Qpcc<'_>) -> Vec<u32> {
    let mut count = vec![0; q.qp.n()];
    for &i in q.pairs {
        q.qp.rows.row(i as usize).0.iter().for_each(|&j| count[j as usize] += 1);
    }
    count
}

fn by_numbers(x: &Simple, y: &Simple) -> Ordering {
    let flat = |s: &Simple| s.numbers.concat();
    let pairs = flat(x).into_iter().zip(flat(y));
    pairs.map(|(a, b)| a.total_cmp(&b)).find(|o| o.is_ne()).unwrap_or(Ordering::Equal)
}

fn simple(q: &Qpcc<'_>, k: usize) -> Option<Simple> {
    let (i, j) = q.pair(k);
    let of = |i: usize| match q.qp.rows.row(i) {
        (&[a], &[v]) => Some((a, [v, q.qp.g[i], q.qp.c[a as usize]])),
        _ => None,
    };
    let ((a, x), (b, y)) = (of(i)?, of(j)?);
    Some(Simple { pair: k as u32, unknown: [a, b], numbers: [x, y] })
}

/// Returns true if the exchange of unknowns maps objective and rows onto themselves. `role` gives rows of pairs (pair, side) a number > 0 that
/// a row and its image have in common.
fn is_image(q: &Qpcc<'_>, columns: &CsrBuf, swaps: &[(u32, u32)], role: &dyn Fn(u32, u32) -> u32) -> bool {
    let image = |j: u32| match swaps.iter().find(|s| s.0 == j || s.1 == j) {
        Some(&(a, b)) => a + b - j,
        None => j,
    };
    let same = |j: u32| j;
    let touched = || swaps.iter().flat_map(|s| [s.0, s.1]);
    let (p, g) = (&q.qp.p, &q.qp.rows);
    // P: row image(j) is the image of row j.
    let curved = touched().all(|j| {
        let (mut x, mut y) = (entries(*p, j, &image), entries(*p, image(j), &same));
        x.retain(|e| e.1 != 0.0);
        y.retain(|e| e.1 != 0.0);
        q.qp.c[j as usize] == q.qp.c[image(j) as usize] && x == y
    });
    let mut rows: Vec<u32> = touched().flat_map(|j| columns.view().row(j as usize).0.to_vec()).collect();
    rows.sort_unstable();
    rows.dedup();
    let seen = |map: &dyn Fn(u32) -> u32| {
        let mut list: Vec<Signature> = rows
            .iter()
            .map(|&i| Signature {
                role: role_of(q, i, role),
                numbers: [q.qp.g[i as usize], q.qp.lower[i as usize], q.qp.upper[i as usize]],
                entries: entries(*g, i, map),
            })
            .collect();
        list.sort_by(order);
        list
    };
    curved && seen(&image) == seen(&same)
}

fn role_of(q: &Qpcc<'_>, i: u32, role: &dyn Fn(u32, u32) -> u32) -> u32 {
    match q.pairs.iter().position(|&row| row == i) {
        Some(at) => role((at / 2) as u32, (at % 2) as u32),
        None => 0,
    }
}

/// The entries of a row with its unknowns mapped, in their order.
fn entries(m: vinci_sdk::core::Csr<'_>, i: u32, map: &dyn Fn(u32) -> u32) -> Vec<(u32, f64)> {
    let mut list: Vec<_> = m.entries(i as usize).map(|(j, v)| (map(j as u32), v)).collect();
    list.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
    list
}

fn order(x: &Signature, y: &Signature) -> Ordering {
    let numbers = x.numbers.iter().zip(&y.numbers).map(|(a, b)| a.total_cmp(b));
    let entries = x.entries.iter().zip(&y.entries).map(|(a, b)| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let lengths = x.role.cmp(&y.role).then(x.entries.len().cmp(&y.entries.len()));
    numbers.chain(entries).fold(lengths, Ordering::then)
}
