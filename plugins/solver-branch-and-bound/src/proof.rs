//! The proof that no mode has a point: a tree over the pairs with a Farkas vector at every leaf, as core checks it.
//!
//! The search itself jumps and leaves out dominated modes. So the tree is grown afresh: at every node the
//! blocks are solved with the node's sides as equations, and with the rows put on trial by a completion. A Farkas vector that
//! needs decided sides only closes the node; otherwise the node divides over the first undecided pair that it needs.

use crate::blocks::Outcome;
use crate::nogoods::{Literal, NoGoods, other, pair};
use crate::reasons::Reasons;
use crate::search::Search;
use vinci_sdk::core::problem::{Qpcc, proves_no_mode};

/// Leaves after which the proof is given up, and the deepest that core's check reads.
const MOST_LEAVES: usize = 20_000;
const DEEPEST: usize = 120;

/// Writes the leaves of the proof; false when none was found.
pub(crate) fn tree(search: &mut Search, q: &Qpcc<'_>, leaves: &mut Vec<f64>) -> bool {
    let single = single_literals(&search.nogoods);
    let known = Reasons::new(2 * q.n_pairs());
    let mut grower = Grower { search, q, leaves, path: Vec::new(), known, count: 0 };
    if !grower.search.blocks.give(0.0) {
        return false;
    }
    single.into_iter().for_each(|a| grower.learn_single(a));
    let grown = grower.grow();
    grown && proves_no_mode(q, leaves)
}

/// Rows that the search found not to vanish: bounds of impulses under a squeeze are among them.
fn single_literals(nogoods: &NoGoods) -> Vec<Literal> {
    (0..nogoods.len()).filter_map(|k| <[Literal; 1]>::try_from(nogoods.get(k)).ok()).map(|[a]| a).collect()
}

struct Grower<'a, 'q> {
    search: &'a mut Search,
    q: &'a Qpcc<'q>,
    leaves: &'a mut Vec<f64>,
    path: Vec<Literal>,
    known: Reasons,
    count: usize,
}

impl Grower<'_, '_> {
    fn grow(&mut self) -> bool {
        let Some(at) = self.reason() else { return false };
        let open = self.known.needed(at).iter().copied().find(|a| !self.path.contains(a));
        let Some(a) = open else { return self.leaf(at) };
        // The side that the reason excludes first: it is one step nearer to a leaf.
        [a, other(a)].into_iter().all(|side| {
            self.path.push(side);
            self.known.decide(side);
            let grown = self.path.len() <= DEEPEST && self.grow();
            self.known.undo(side);
            self.path.pop();
            grown
        })
    }

    /// A Farkas vector none of whose rows is decided against, with as few undecided ones as known.
    fn reason(&mut self) -> Option<usize> {
        self.known.nearest().or_else(|| self.new_reason())
    }

    fn leaf(&mut self, at: usize) -> bool {
        self.count += 1;
        self.leaves.push(self.path.len() as f64);
        for &a in &self.path {
            self.leaves.extend([pair(a) as f64, f64::from(1 + (a & 1))]);
        }
        self.leaves.extend_from_slice(self.known.vector(at));
        self.count <= MOST_LEAVES && !self.search.is_late()
    }

    /// The Farkas vector of a completion of this node.
    fn new_reason(&mut self) -> Option<usize> {
        self.stand_at_path();
        let b = self.search.infeasible_block()?;
        Some(self.remember(b))
    }

    /// The Farkas vector of literal a alone, if its block has one: nodes are closed by it before others are looked at.
    fn learn_single(&mut self, a: Literal) {
        self.path.push(a);
        self.stand_at_path();
        self.path.pop();
        let b = self.search.blocks.place[self.search.row_of[a as usize] as usize].0 as usize;
        if self.search.solve_block(b, false) == Outcome::Infeasible {
            self.remember(b);
        }
    }

    fn stand_at_path(&mut self) {
        let s = &mut *self.search;
        s.nogoods = NoGoods::default();
        s.nogoods.clear(s.row_of.len() / 2);
        s.implied.clear();
        s.cutoff = f64::INFINITY;
        self.path.iter().for_each(|&a| s.nogoods.decide(a));
        s.tentative.fill(false);
    }

    /// Keeps the Farkas vector of block b and the rows that it needs at zero.
    fn remember(&mut self, b: usize) -> usize {
        let s = &mut *self.search;
        let mut lits = Vec::new();
        s.blocks.all[b].needed(Outcome::Infeasible, |row| lits.push(s.literal_of[row as usize]));
        let mut y = vec![0.0; self.q.qp.m()];
        let block = &s.blocks.all[b];
        block.rows.iter().zip(block.qp.certificate()).for_each(|(&i, v)| y[i as usize] = *v);
        self.known.push(lits, y, &self.path)
    }
}
