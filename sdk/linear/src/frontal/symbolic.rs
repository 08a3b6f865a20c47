//! Fronts of a pattern: which unknowns each one eliminates, which it touches, and where everything goes.

use super::blocks::Blocks;

/// One front: a dense matrix over its pivots and its border.
#[derive(Debug, Clone, Default)]
pub(super) struct Front {
    /// Places of its pivots.
    pub(super) pivots: std::ops::Range<usize>,
    /// Its part of [`Symbolic::border`] and [`Symbolic::target`].
    pub(super) border: std::ops::Range<usize>,
    /// Its part of [`Symbolic::entry`].
    pub(super) entries: std::ops::Range<usize>,
    /// Fronts whose remainders it takes: the last so many before it.
    pub(super) children: Vec<u32>,
    /// Where its factors begin.
    pub(super) at: usize,
}

impl Front {
    /// Rows of the dense matrix.
    pub(super) fn size(&self) -> usize {
        self.pivots.len() + self.border.len()
    }
}

/// The fronts in order of elimination.
#[derive(Debug, Default)]
pub(super) struct Symbolic {
    /// Unknown at every place.
    pub(super) unknown: Vec<u32>,
    pub(super) fronts: Vec<Front>,
    /// Places of the borders of all fronts, ascending within one.
    pub(super) border: Vec<u32>,
    /// Row of the parent's matrix for every border place.
    pub(super) target: Vec<u32>,
    /// (stored entry of the matrix, place in the front's matrix by columns), front by front.
    pub(super) entry: Vec<[u32; 2]>,
    /// Numbers stored for L and U.
    pub(super) stored: usize,
    /// Rows of the largest front.
    pub(super) largest: usize,
}

impl Symbolic {
    /// The fronts of a pattern by rows in these blocks; None where a front is too large.
    pub(super) fn new(row_start: &[u32], column: &[u32], blocks: &Blocks) -> Option<Self> {
        let mut out = Self::default();
        let start = out.place_unknowns(blocks);
        let front_of = out.make_fronts(blocks, &start);
        if out.largest > usize::from(u16::MAX) {
            return None;
        }
        out.link(&front_of);
        out.place_entries(row_start, column, &front_of);
        Some(out)
    }

    /// First place of every block in order of elimination.
    fn place_unknowns(&mut self, blocks: &Blocks) -> Vec<u32> {
        let mut start = vec![0];
        for &b in &blocks.order {
            let members = blocks.start[b as usize] as usize..blocks.start[b as usize + 1] as usize;
            self.unknown.extend_from_slice(&blocks.unknown[members]);
            start.push(self.unknown.len() as u32);
        }
        start
    }

    /// Blocks that touch the same ones later, but for themselves, share a front. Returns the front of every place.
    fn make_fronts(&mut self, blocks: &Blocks, start: &[u32]) -> Vec<u32> {
        let mut front_of = Vec::with_capacity(self.unknown.len());
        let mut first = 0;
        for (k, later) in blocks.later.iter().enumerate() {
            let next = blocks.later.get(k + 1);
            let joins =
                later.first() == Some(&(k as u32 + 1)) && next.is_some_and(|n| n.len() + 1 == later.len());
            if joins {
                continue;
            }
            let (border, pivots) = (self.border.len(), start[first] as usize..start[k + 1] as usize);
            later.iter().for_each(|&b| self.border.extend(start[b as usize]..start[b as usize + 1]));
            front_of.resize(pivots.end, self.fronts.len() as u32);
            let front =
                Front { pivots, border: border..self.border.len(), at: self.stored, ..Front::default() };
            self.stored += front.pivots.len() * (front.size() + front.border.len());
            self.largest = self.largest.max(front.size());
            self.fronts.push(front);
            first = k + 1;
        }
        front_of
    }

    /// Row or column of a place in the matrix of front `f`.
    fn local(&self, f: usize, place: u32) -> usize {
        let front = &self.fronts[f];
        if (place as usize) < front.pivots.end {
            return place as usize - front.pivots.start;
        }
        let border = &self.border[front.border.clone()];
        front.pivots.len() + border.partition_point(|&b| b < place)
    }

    /// Remainders to parents.
    fn link(&mut self, front_of: &[u32]) {
        self.target = vec![0; self.border.len()];
        for f in 0..self.fronts.len() {
            let range = self.fronts[f].border.clone();
            let Some(&parent) = self.border[range.clone()].first() else { continue };
            let parent = front_of[parent as usize] as usize;
            for k in range {
                self.target[k] = self.local(parent, self.border[k]) as u32;
            }
            self.fronts[parent].children.push(f as u32);
        }
    }

    /// Every stored entry belongs to the front that eliminates the first of its two places.
    fn place_entries(&mut self, row_start: &[u32], column: &[u32], front_of: &[u32]) {
        let mut place = vec![0; self.unknown.len()];
        self.unknown.iter().enumerate().for_each(|(k, &i)| place[i as usize] = k as u32);
        let mut start = vec![0; self.fronts.len() + 1];
        let rows = || (0..place.len()).flat_map(|i| (row_start[i]..row_start[i + 1]).map(move |k| (i, k)));
        let front =
            |i: usize, k: u32| front_of[place[i].min(place[column[k as usize] as usize]) as usize] as usize;
        rows().for_each(|(i, k)| start[front(i, k) + 1] += 1);
        (1..start.len()).for_each(|f| start[f] += start[f - 1]);
        self.entry = vec![[0; 2]; column.len()];
        for (f, range) in start.windows(2).enumerate() {
            self.fronts[f].entries = range[0]..range[1];
        }
        for (i, k) in rows() {
            let f = front(i, k);
            let (row, col) = (self.local(f, place[i]), self.local(f, place[column[k as usize] as usize]));
            self.entry[start[f]] = [k, (col * self.fronts[f].size() + row) as u32];
            start[f] += 1;
        }
    }
}
