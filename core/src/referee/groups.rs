//! Blocks that are joined, directly or through others.

/// Sets of blocks; each has a leader.
#[derive(Debug, Clone, Default)]
pub(super) struct Groups {
    /// Another block of the same set, or itself.
    next: Vec<usize>,
}

impl Groups {
    /// n blocks of which none is joined to another.
    pub(super) fn new(n: usize) -> Self {
        Self { next: (0..n).collect() }
    }

    /// n blocks again of which none is joined to another.
    pub(super) fn reset(&mut self, n: usize) {
        self.next.clear();
        self.next.extend(0..n);
    }

    /// The leader of the set of block b.
    pub(super) fn leader(&self, mut b: usize) -> usize {
        while self.next[b] != b {
            b = self.next[b];
        }
        b
    }

    /// The leader of the set of block b; makes the way there shorter.
    fn find(&mut self, mut b: usize) -> usize {
        while self.next[b] != b {
            self.next[b] = self.next[self.next[b]];
            b = self.next[b];
        }
        b
    }

    /// Joins the sets of a and b; the larger leader leads both.
    pub(super) fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.find(a), self.find(b));
        self.next[a.min(b)] = a.max(b);
    }

    /// Leads every block straight to its leader: after this [`Self::leader`] takes one step.
    pub(super) fn flatten(&mut self) {
        // Leaders are larger, so what stands behind b is flat already.
        (0..self.next.len()).rev().for_each(|b| self.next[b] = self.next[self.next[b]]);
    }

    /// Joins all of these blocks; the first of them, if there is one.
    pub(super) fn join_all(&mut self, mut blocks: impl Iterator<Item = usize>) -> Option<usize> {
        let first = blocks.next()?;
        let mut last = first;
        for b in blocks {
            if b != last {
                self.join(first, b);
                last = b;
            }
        }
        Some(first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_leads_what_it_is_joined_to() {
        let mut groups = Groups::new(5);
        groups.join(0, 2);
        groups.join(1, 3);
        groups.join(4, 0);
        assert_eq!([0, 1, 2, 3, 4].map(|b| groups.leader(b)), [4, 3, 4, 3, 4]);
        assert_eq!(groups.join_all([1, 3, 2].into_iter()), Some(1));
        assert_eq!(groups.leader(1), 4);
        let mut chain = Groups::new(100);
        (0..99).for_each(|b| chain.join(b, b + 1));
        chain.flatten();
        assert!(chain.next.iter().all(|leader| *leader == 99));
    }
}
