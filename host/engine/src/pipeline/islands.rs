//! Islands of a problem: sets of unknowns that nothing connects. Bodies and trees are connected by contacts and joints; what is
//! fixed has no unknowns, and connects nothing.
//!
//! Each island is a problem of its own, and is solved on its own: with its own size of residuals, its own part of the guess and
//! its own way through the fallbacks. Put together, the answers solve the whole problem, as M has no entry between two islands.
//! What no contact touches (bodies in flight) is one island together.

use vinci_core::problem::{Cone, ConeBlock, ConeBuf, Mlcp, MlcpBuf, NO_NORMAL, Problem};
use vinci_core::sets::DisjointSets;

/// Part of what the tolerance allows in one row of the whole problem below which an island is not solved more exactly.
const FINEST: f64 = 1e-3;

/// The islands of one problem after the other, with their memory. Islands are numbered by their first rows.
#[derive(Debug, Default)]
pub(super) struct Islands {
    /// Island of every row, and its place there.
    island: Vec<u32>,
    place: Vec<u32>,
    /// Rows of all islands, one after the other, and where each begins; the same for blocks of cones.
    row: Vec<u32>,
    row_start: Vec<u32>,
    block: Vec<u32>,
    block_start: Vec<u32>,
    sets: DisjointSets,
    /// Rows with bounds or a block in every island, and all its rows, by its root.
    touched: Vec<u32>,
    size: Vec<u32>,
}

/// An island as a problem of its own, which owns its arrays: it can go to another thread.
#[derive(Debug, Default)]
pub(super) struct IslandProblem {
    cone: ConeBuf,
    /// True in the class `Cone`.
    is_cone: bool,
}

impl IslandProblem {
    /// The problem.
    pub(super) fn view(&self) -> Problem<'_> {
        if self.is_cone { Problem::Cone(self.cone.view()) } else { Problem::Mlcp(self.cone.rows.view()) }
    }

    /// Number of unknowns.
    pub(super) fn len(&self) -> usize {
        self.cone.rows.q.len()
    }
}

impl Islands {
    /// Finds the islands of a problem, and returns how many there are; none for classes that are not divided.
    pub(super) fn find(&mut self, problem: &Problem<'_>) -> usize {
        let cone = match problem {
            Problem::Mlcp(rows) => Cone { rows: *rows, ..Cone::default() },
            Problem::Cone(cone) => *cone,
            _ => return 0,
        };
        self.connect(&cone);
        self.join_what_nothing_touches(&cone);
        self.number(&cone);
        self.row_start.len() - 1
    }

    /// Connects rows with their columns, and those of a block with each other.
    fn connect(&mut self, cone: &Cone<'_>) {
        let n = cone.n();
        self.sets.reset(n);
        for i in 0..n {
            for &j in cone.rows.m.row(i).0 {
                self.sets.unite(i, j as usize);
            }
        }
        for block in cone.blocks.iter() {
            rows_of(&block).for_each(|i| self.sets.unite(block.tangent as usize, i as usize));
        }
    }

    /// Equations that no bound and no block depends on are one island, with rows that stand alone.
    fn join_what_nothing_touches(&mut self, cone: &Cone<'_>) {
        let n = cone.n();
        let Self { sets, touched, size, .. } = self;
        let mut bounded: Vec<bool> = (0..n).map(|i| !cone.rows.is_free(i)).collect();
        cone.blocks.iter().for_each(|block| rows_of(&block).for_each(|i| bounded[i as usize] = true));
        for list in [&mut *touched, &mut *size] {
            list.clear();
            list.resize(n, 0);
        }
        for i in 0..n {
            let root = sets.root(i);
            touched[root] += u32::from(bounded[i]);
            size[root] += 1;
        }
        let joins = |&i: &usize| size[i] == 1 || (size[i] > 1 && touched[i] == 0);
        let mut first = None;
        for i in (0..n).filter(joins) {
            sets.unite(*first.get_or_insert(i), i);
        }
    }

    /// Numbers islands, and lists their rows and blocks.
    fn number(&mut self, cone: &Cone<'_>) {
        let n = cone.n();
        let mut count = 0;
        self.island.clear();
        self.island.resize(n, 0);
        for i in 0..n {
            // Roots are the first rows of their islands.
            let root = self.sets.root(i);
            if root == i {
                self.island[i] = count;
                count += 1;
            }
            self.island[i] = self.island[root];
        }
        sort_by_island(count, self.island.iter().copied(), &mut self.row, &mut self.row_start);
        let of = (0..cone.blocks.len()).map(|b| self.island[cone.blocks.get(b).tangent as usize]);
        sort_by_island(count, of, &mut self.block, &mut self.block_start);
        self.place.clear();
        self.place.resize(n, 0);
        for k in 0..count as usize {
            let rows = self.row_start[k]..self.row_start[k + 1];
            (0..).zip(rows).for_each(|(at, r)| self.place[self.row[r as usize] as usize] = at);
        }
    }

    /// Rows of island k in the whole problem.
    pub(super) fn rows(&self, k: usize) -> &[u32] {
        &self.row[self.row_start[k] as usize..self.row_start[k + 1] as usize]
    }

    /// Writes island k of the problem given to [`Islands::find`], as a problem of its own.
    pub(super) fn write(&self, problem: &Problem<'_>, k: usize, part: &mut IslandProblem) {
        let (whole, blocks) = match problem {
            Problem::Mlcp(rows) => (rows, None),
            Problem::Cone(cone) => (&cone.rows, Some(cone)),
            // Classes that are not divided: see [`Islands::find`].
            _ => return,
        };
        self.write_rows(whole, k, &mut part.cone.rows);
        part.is_cone = blocks.is_some();
        let sizes = match blocks {
            None => (whole.q_norm(), part.cone.rows.view().q_norm()),
            Some(cone) => {
                self.write_blocks(cone, k, &mut part.cone);
                (cone.scale(), part.cone.view().scale())
            }
        };
        part.cone.rows.tolerance = own_tolerance(whole.tolerance, sizes);
    }

    fn write_rows(&self, whole: &Mlcp<'_>, k: usize, part: &mut MlcpBuf) {
        let rows = self.rows(k);
        part.clear(rows.len(), whole.tolerance);
        for i in rows.iter().map(|&i| i as usize) {
            whole.m.entries(i).for_each(|(j, v)| part.m.push(self.place[j] as usize, v));
            let (bounds, scales) = ((whole.lower[i], whole.upper[i]), (whole.z_scale[i], whole.w_scale[i]));
            part.end_row(whole.q[i], bounds, whole.tag[i], scales);
            part.guess.extend(whole.guess.get(i));
        }
    }

    fn write_blocks(&self, whole: &Cone<'_>, k: usize, part: &mut ConeBuf) {
        part.index.clear();
        part.size.clear();
        for &b in &self.block[self.block_start[k] as usize..self.block_start[k + 1] as usize] {
            let block = whole.blocks.get(b as usize);
            let at = |row: u32| if row == NO_NORMAL { NO_NORMAL } else { self.place[row as usize] };
            let moved = ConeBlock { normal: at(block.normal), tangent: at(block.tangent), ..block };
            part.push_block(moved);
        }
    }

    /// Writes the answer of island k to its places in the whole.
    pub(super) fn put(&self, k: usize, part: &[f64], whole: &mut [f64]) {
        self.rows(k).iter().zip(part).for_each(|(&i, z)| whole[i as usize] = *z);
    }
}

/// The tolerance of an island: that of the whole, of its own size; but no finer than a part of what is asked of the whole.
fn own_tolerance(tolerance: f64, (whole, own): (f64, f64)) -> f64 {
    tolerance * f64::max(1.0, FINEST * whole / own)
}

/// Rows of a block.
fn rows_of(block: &ConeBlock) -> impl Iterator<Item = u32> + use<> {
    let normal = (!block.is_disc()).then_some(block.normal);
    normal.into_iter().chain(block.tangent..block.tangent + block.dim)
}

/// Numbers 0, 1, … sorted by their islands, and where those begin.
fn sort_by_island(
    count: u32,
    island: impl Iterator<Item = u32> + Clone,
    list: &mut Vec<u32>,
    start: &mut Vec<u32>,
) {
    start.clear();
    start.resize(count as usize + 1, 0);
    island.clone().for_each(|k| start[k as usize + 1] += 1);
    (1..start.len()).for_each(|k| start[k] += start[k - 1]);
    list.clear();
    list.resize(*start.last().unwrap_or(&0) as usize, 0);
    for (i, k) in island.enumerate() {
        list[start[k as usize] as usize] = i as u32;
        start[k as usize] += 1;
    }
    start.copy_within(0..count as usize, 1);
    start[0] = 0;
}

#[cfg(test)]
#[path = "islands_tests.rs"]
mod tests;
