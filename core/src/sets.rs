//! Disjoint sets of numbers (union-find); the smallest member of a set is its root.

/// A number that belongs to no set.
const NONE: u32 = u32::MAX;

/// Disjoint sets of some of the numbers 0 … n − 1. Keeps its memory.
#[derive(Debug, Clone, Default)]
pub struct DisjointSets {
    /// A smaller member of the same set, or the number itself; [`NONE`] for numbers that belong to no set.
    parent: Vec<u32>,
}

impl DisjointSets {
    /// Makes a set of its own of every number below n.
    pub fn reset(&mut self, n: usize) {
        self.reset_where(n, |_| true);
    }

    /// Makes a set of its own of every number below n that is a member; the others belong to none.
    pub fn reset_where(&mut self, n: usize, is_member: impl Fn(usize) -> bool) {
        self.parent.clear();
        self.parent.extend((0..n).map(|i| if is_member(i) { i as u32 } else { NONE }));
    }

    /// Returns true if the number i belongs to a set.
    #[inline]
    pub fn has(&self, i: usize) -> bool {
        self.parent[i] != NONE
    }

    /// Smallest member of the set of i, a member. Makes the way there shorter.
    pub fn root(&mut self, mut i: usize) -> usize {
        while self.parent[i] as usize != i {
            self.parent[i] = self.parent[self.parent[i] as usize];
            i = self.parent[i] as usize;
        }
        i
    }

    /// Joins the sets of two members.
    pub fn unite(&mut self, i: usize, j: usize) {
        let (a, b) = (self.root(i), self.root(j));
        self.parent[a.max(b)] = a.min(b) as u32;
    }

    /// Joins the sets of all members of a list.
    pub fn unite_all(&mut self, list: &[u32]) {
        list.windows(2).for_each(|pair| self.unite(pair[0] as usize, pair[1] as usize));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_member_is_the_root_whatever_the_order_of_unions() {
        let mut sets = DisjointSets::default();
        sets.reset_where(8, |i| i != 3);
        for (i, j) in [(7, 5), (5, 2), (6, 4), (2, 7)] {
            sets.unite(i, j);
        }
        assert!(!sets.has(3) && sets.has(7));
        assert_eq!([0, 1, 2, 4, 5, 6, 7].map(|i| sets.root(i)), [0, 1, 2, 4, 2, 4, 2]);
        sets.unite(6, 5);
        assert_eq!([2, 4, 5, 6, 7].map(|i| sets.root(i)), [2; 5]);
        sets.reset(100);
        (0..99).rev().for_each(|i| sets.unite(i, i + 1));
        assert!((0..100).all(|i| sets.root(i) == 0));
    }
}
