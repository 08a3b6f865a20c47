//! Blocks of unknowns that are eliminated together: bodies or trees, and contacts.

use std::collections::BTreeMap;

use vinci_core::sets::DisjointSets;

/// Structure of the rows of K beside its numbers.
#[derive(Debug, Clone, Copy)]
pub struct Structure<'a> {
    /// Rows of velocities: their part of K is regular by itself.
    pub first: &'a [bool],
    /// Group of every other row: rows of one contact share a number. Those of first rows say nothing.
    pub group: &'a [u32],
}

/// Rows that the mass matrix couples are one block up to this many; beyond, those of the same columns are.
const SMALL: usize = 32;
/// Rows of a body: neighbours of one body, which its mass matrix need not couple, are one block up to this many.
const BODY: usize = 6;

/// Block of every row (0, 1, … without gaps), and which blocks come late: those of rows that are not `first`.
#[derive(Debug, Default)]
pub(super) struct Groups {
    pub(super) of: Vec<u32>,
    pub(super) late: Vec<bool>,
}

impl Groups {
    /// The blocks of a pattern by rows.
    pub(super) fn find(row_start: &[u32], column: &[u32], structure: Structure<'_>) -> Self {
        let n = structure.first.len();
        let mut out = Self { of: vec![u32::MAX; n], late: Vec::new() };
        let mut known = BTreeMap::new();
        for i in (0..n).filter(|&i| !structure.first[i]) {
            out.of[i] = *known.entry(structure.group[i]).or_insert_with(|| {
                out.late.push(true);
                out.late.len() as u32 - 1
            });
        }
        let row = |i: u32| &column[row_start[i as usize] as usize..row_start[i as usize + 1] as usize];
        out.join(coupled(n, row, structure.first), row);
        out
    }

    /// Numbers lists of first rows; neighbouring lists that touch the same late blocks, but for some, are one block.
    fn join<'a>(&mut self, lists: Vec<Vec<u32>>, row: impl Fn(u32) -> &'a [u32]) {
        let (mut last, mut size) = (Vec::new(), usize::MAX);
        let mut mark = vec![false; self.late.len()];
        for list in lists {
            let touched = self.touched(&list, &row, &mut mark);
            let joins = size.saturating_add(list.len()) <= BODY && nested(&last, &touched);
            if joins {
                size += list.len();
            } else {
                self.late.push(false);
                size = list.len();
            }
            if !joins || touched.len() > last.len() {
                last = touched;
            }
            list.iter().for_each(|&i| self.of[i as usize] = self.late.len() as u32 - 1);
        }
    }

    /// Late blocks among the columns of some rows, ascending.
    fn touched<'a>(&self, list: &[u32], row: &impl Fn(u32) -> &'a [u32], mark: &mut [bool]) -> Vec<u32> {
        let mut out = Vec::new();
        for &j in list.iter().flat_map(|&i| row(i)) {
            let block = self.of[j as usize] as usize;
            if block < mark.len() && !std::mem::replace(&mut mark[block], true) {
                out.push(block as u32);
            }
        }
        out.iter().for_each(|&b| mark[b as usize] = false);
        out.sort_unstable();
        out
    }
}

/// Returns true if one of two ascending lists has all of the other.
fn nested(a: &[u32], b: &[u32]) -> bool {
    let (few, many) = if a.len() < b.len() { (a, b) } else { (b, a) };
    few.iter().all(|x| many.binary_search(x).is_ok())
}

/// First rows that their own columns couple, as lists in the order of their first rows.
fn coupled<'a>(n: usize, row: impl Fn(u32) -> &'a [u32], first: &[bool]) -> Vec<Vec<u32>> {
    let mut sets = DisjointSets::default();
    sets.reset(n);
    for i in (0..n as u32).filter(|&i| first[i as usize]) {
        for &j in row(i).iter().filter(|&&j| first[j as usize]) {
            sets.unite(i as usize, j as usize);
        }
    }
    let mut lists: BTreeMap<usize, Vec<u32>> = BTreeMap::new();
    for i in (0..n as u32).filter(|&i| first[i as usize]) {
        lists.entry(sets.root(i as usize)).or_default().push(i);
    }
    let mut out = Vec::new();
    for list in lists.into_values() {
        if list.len() <= SMALL {
            out.push(list);
        } else {
            out.extend(same_columns(&list, &row, first));
        }
    }
    out
}

/// Rows of a large list with the same first columns.
fn same_columns<'a>(list: &[u32], row: &impl Fn(u32) -> &'a [u32], first: &[bool]) -> Vec<Vec<u32>> {
    let mut known: BTreeMap<Vec<u32>, Vec<u32>> = BTreeMap::new();
    for &i in list {
        let mut columns: Vec<u32> = row(i).iter().copied().filter(|&j| first[j as usize]).collect();
        columns.sort_unstable();
        known.entry(columns).or_default().push(i);
    }
    let mut out: Vec<_> = known.into_values().collect();
    out.sort_unstable();
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two bodies of three velocities each with diagonal masses, two contacts of two rows: one between them, one of the first.
    #[test]
    fn bodies_and_contacts_are_found() {
        let rows: [&[u32]; 10] = [
            &[0, 6, 7, 8, 9],
            &[1, 6, 7, 9],
            &[2, 6, 7],
            &[3, 6, 7],
            &[4, 6, 7],
            &[5, 7],
            &[0, 1, 2, 3, 4],
            &[0, 1, 2, 3, 4, 5],
            &[0],
            &[0, 1],
        ];
        let (mut start, mut column) = (vec![0], Vec::new());
        for row in rows {
            column.extend_from_slice(row);
            start.push(column.len() as u32);
        }
        let first = [true, true, true, true, true, true, false, false, false, false];
        let structure = Structure { first: &first, group: &[0, 0, 0, 0, 0, 0, 7, 7, 3, 3] };
        let groups = Groups::find(&start, &column, structure);
        assert_eq!(groups.of[6..], [0, 0, 1, 1]);
        // All six touch a part of what the first touches: eliminating them together adds nothing.
        assert_eq!(groups.of[..6], [2; 6]);
        assert_eq!(groups.late, [true, true, false]);
    }

    #[test]
    fn a_long_chain_of_springs_is_no_dense_block() {
        let n = 40_u32;
        let (mut start, mut column) = (vec![0], Vec::new());
        for i in 0..n {
            column.extend((i.saturating_sub(1)..=(i + 1).min(n - 1)).collect::<Vec<_>>());
            start.push(column.len() as u32);
        }
        let (first, group) = (vec![true; n as usize], vec![0; n as usize]);
        let groups = Groups::find(&start, &column, Structure { first: &first, group: &group });
        assert!(groups.late.len() >= n as usize / BODY, "{:?}", groups.of);
    }
}
