//! Disjoint sets of numbers (union–find); the smallest member stands for its set.

/// Sets over 0 … n − 1.
#[derive(Debug, Default)]
pub(crate) struct Sets {
    parent: Vec<u32>,
}

impl Sets {
    /// n sets of one member each.
    pub(crate) fn clear(&mut self, n: usize) {
        self.parent.clear();
        self.parent.extend(0..n as u32);
    }

    /// The smallest member of the set of j.
    pub(crate) fn root(&mut self, mut j: u32) -> u32 {
        let parent = &mut self.parent;
        while parent[j as usize] != j {
            parent[j as usize] = parent[parent[j as usize] as usize];
            j = parent[j as usize];
        }
        j
    }

    /// Makes the sets of a and b one.
    pub(crate) fn unite(&mut self, a: u32, b: u32) {
        let (a, b) = (self.root(a), self.root(b));
        self.parent[a.max(b) as usize] = a.min(b);
    }

    /// Makes all members of a list one set.
    pub(crate) fn unite_all(&mut self, list: &[u32]) {
        list.windows(2).for_each(|w| self.unite(w[0], w[1]));
    }
}
