//! Pattern of the Jacobian by rows, and where every entry stands: dense, or by blocks of bodies and trees.

use crate::elements::Elements;
use crate::entry_layout::EntryLayout;
use crate::hard::Hard;
use vinci_sdk::prelude::*;

/// Blocks of unknowns (bodies and trees, each with the impulses of rows whose last body it is), and which of them share an
/// element, a row or an entry of A. All rows of a block store all columns of its neighbours: what moves together is
/// eliminated together, the impulse of a joint with the body that makes it regular.
#[derive(Debug, Default)]
pub(crate) struct Pattern {
    /// True if it is that of the present step.
    known: bool,
    /// Block of every unknown, and its place there.
    block: Vec<u32>,
    index: Vec<u32>,
    /// Members of the blocks, velocities first, by starts and lists.
    start: Vec<u32>,
    member: Vec<u32>,
    /// Unknown behind the last velocity of every block.
    end: Vec<u32>,
    /// Neighbours of every block, itself among them, ascending, by starts and lists; and where their columns begin in a row.
    near: Vec<u32>,
    neighbour: Vec<u32>,
    offset: Vec<u32>,
    /// Where rows begin.
    row: Vec<u32>,
    pairs: Vec<[u32; 2]>,
    touched: Vec<u32>,
}

impl Pattern {
    /// Another step begins: its velocities are of these blocks.
    pub(crate) fn open(&mut self, blocks: impl Iterator<Item = u32>) {
        self.known = false;
        self.block.clear();
        self.block.extend(blocks);
    }

    /// The pattern of A, elements and rows, unless it is known.
    pub(crate) fn find(&mut self, a: Csr<'_>, elements: &Elements, hard: &Hard) {
        if std::mem::replace(&mut self.known, true) {
            return;
        }
        self.add_impulses(hard);
        self.list_members(a.n_rows());
        self.pairs.clear();
        self.pairs.extend((0..self.start.len() as u32 - 1).map(|b| [b, b]));
        let Self { block, pairs, touched, .. } = self;
        let mut couple = |columns: &mut dyn Iterator<Item = u32>| {
            touched.clear();
            columns.map(|i| block[i as usize]).for_each(|b| {
                if !touched.contains(&b) {
                    touched.push(b);
                }
            });
            for &b in &*touched {
                pairs.extend(touched.iter().filter(|&&c| c != b).map(|&c| [b, c]));
            }
        };
        for i in 0..a.n_rows() {
            a.row(i).0.iter().for_each(|&j| couple(&mut [i as u32, j].into_iter()));
        }
        elements.list.iter().for_each(|e| couple(&mut elements.columns(e).iter().copied()));
        (0..hard.len()).for_each(|j| couple(&mut hard.columns(j).iter().copied()));
        self.list_neighbours();
    }

    /// Every impulse to the last block that its row touches.
    fn add_impulses(&mut self, hard: &Hard) {
        for j in 0..hard.len() {
            let last = hard.columns(j).iter().map(|&i| self.block[i as usize]).max();
            self.block.push(last.unwrap_or(0));
        }
    }

    /// Members of all blocks; n unknowns are velocities.
    fn list_members(&mut self, n: usize) {
        let blocks = self.block.iter().max().map_or(0, |&b| b as usize + 1);
        [&mut self.start, &mut self.end, &mut self.index, &mut self.member].into_iter().for_each(Vec::clear);
        self.start.resize(blocks + 1, 0);
        self.end.resize(blocks, 0);
        for (i, &b) in self.block.iter().enumerate() {
            self.index.push(self.start[b as usize + 1]);
            self.start[b as usize + 1] += 1;
            if i < n {
                self.end[b as usize] = i as u32 + 1;
            }
        }
        (1..=blocks).for_each(|b| self.start[b] += self.start[b - 1]);
        self.member.resize(self.block.len(), 0);
        for (i, &b) in self.block.iter().enumerate() {
            self.member[(self.start[b as usize] + self.index[i]) as usize] = i as u32;
        }
    }

    fn list_neighbours(&mut self) {
        let blocks = self.start.len() - 1;
        self.pairs.sort_unstable();
        self.pairs.dedup();
        [&mut self.near, &mut self.neighbour, &mut self.offset, &mut self.row]
            .into_iter()
            .for_each(Vec::clear);
        self.near.resize(blocks + 1, 0);
        let (mut block, mut width) = (0, 0);
        for &[b, c] in &self.pairs {
            if b != block {
                (block, width) = (b, 0);
            }
            self.neighbour.push(c);
            self.offset.push(width);
            width += self.start[c as usize + 1] - self.start[c as usize];
            self.near[b as usize + 1] = self.neighbour.len() as u32;
        }
        self.row.push(0);
        for i in 0..self.block.len() {
            let width = self.neighbours(i).map(|c| self.members(c).len() as u32).sum::<u32>();
            self.row.push(self.row[i] + width);
        }
    }

    /// Neighbours of the block of unknown i.
    fn neighbours(&self, i: usize) -> impl Iterator<Item = u32> {
        let b = self.block[i] as usize;
        self.neighbour[self.near[b] as usize..self.near[b + 1] as usize].iter().copied()
    }

    fn members(&self, b: u32) -> &[u32] {
        &self.member[self.start[b as usize] as usize..self.start[b as usize + 1] as usize]
    }

    /// Number of entries.
    pub(crate) fn entries(&self) -> usize {
        self.row.last().map_or(0, |&e| e as usize)
    }

    /// Starts of the rows, then all columns, as numbers.
    pub(crate) fn write(&self, out: &mut [f64]) {
        let columns = (0..self.block.len())
            .flat_map(|i| self.neighbours(i).flat_map(|c| self.members(c).iter().copied()));
        let all = self.row.iter().copied().chain(columns);
        out.iter_mut().zip(all).for_each(|(to, x)| *to = f64::from(x));
    }
}

impl EntryLayout for Pattern {
    #[inline]
    fn at(&self, row: usize, column: usize) -> usize {
        let (b, c) = (self.block[row] as usize, self.block[column]);
        let near = self.near[b] as usize;
        let k = near + self.neighbour[near..self.near[b + 1] as usize].partition_point(|&d| d < c);
        (self.row[row] + self.offset[k] + self.index[column]) as usize
    }

    #[inline]
    fn end(&self, column: usize) -> usize {
        self.end[self.block[column] as usize] as usize
    }
}
