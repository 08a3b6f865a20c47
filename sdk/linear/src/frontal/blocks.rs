//! Blocks of unknowns with the same columns, their graph, and its order of elimination.

use std::collections::BTreeMap;

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::sparse::SymbolicSparseColMatRef;
use faer::sparse::linalg::amd;

/// Blocks in order of elimination, with what each one touches when its turn comes.
#[derive(Debug, Default)]
pub(super) struct Blocks {
    /// Where the unknowns of every block begin in `unknown`, by number of the block, and the number of unknowns.
    pub(super) start: Vec<u32>,
    /// Unknowns, block by block.
    pub(super) unknown: Vec<u32>,
    /// Block that is eliminated k-th. Children stand before their parents, subtrees together.
    pub(super) order: Vec<u32>,
    /// Later blocks (places in `order`, ascending) that the k-th block touches after the elimination of all before it.
    pub(super) later: Vec<Vec<u32>>,
}

impl Blocks {
    /// Blocks of a pattern by rows: rows with the same columns; None where faer refuses it.
    pub(super) fn new(row_start: &[u32], column: &[u32]) -> Option<Self> {
        Self::given(row_start, column, &find(row_start, column), &[])
    }

    /// Blocks that the caller names by row, those of `late` (by block, or empty) after all others; None where faer refuses
    /// them, or where what comes late is nearly all connected to all.
    pub(super) fn given(row_start: &[u32], column: &[u32], of: &[u32], late: &[bool]) -> Option<Self> {
        let (start, unknown) = lists(of);
        let (near, neighbour) = graph(row_start, column, of, (&start, &unknown));
        let order = two_parts(&near, &neighbour, late)?;
        let place = places(&order);
        let later = eliminate(&near, &neighbour, (&order, &place), order.len());
        let turn = postorder(&later);
        let mut at = vec![0; turn.len()];
        turn.iter().enumerate().for_each(|(k, &old)| at[old as usize] = k as u32);
        let order = turn.iter().map(|&old| order[old as usize]).collect();
        // What is later than a block lies on its path to the root, whose order no postorder changes.
        let later = turn.iter().map(|&old| later[old as usize].iter().map(|&b| at[b as usize]).collect());
        Some(Self { start, unknown, order, later: later.collect() })
    }
}

/// Block of every row: rows with the same columns, their own among them, are one, numbered as they come.
fn find(row_start: &[u32], column: &[u32]) -> Vec<u32> {
    let n = row_start.len().saturating_sub(1);
    let (mut known, mut of) = (BTreeMap::new(), Vec::with_capacity(n));
    let (mut last, mut next) = (Vec::new(), 0);
    for i in 0..n {
        let mut row = column[row_start[i] as usize..row_start[i + 1] as usize].to_vec();
        row.sort_unstable();
        let whole = row.binary_search(&(i as u32)).is_ok();
        let block = match of.last() {
            Some(&block) if whole && row == last => block,
            _ if whole => *known.entry(row.clone()).or_insert(next),
            _ => next,
        };
        next = next.max(block + 1);
        of.push(block);
        last = if whole { row } else { Vec::new() };
    }
    of
}

/// Members of every block, ascending, by starts and lists.
fn lists(of: &[u32]) -> (Vec<u32>, Vec<u32>) {
    let n = of.iter().max().map_or(0, |&last| last as usize + 1);
    let (mut start, mut unknown) = (vec![0; n + 1], vec![0; of.len()]);
    of.iter().for_each(|&b| start[b as usize + 1] += 1);
    (1..=n).for_each(|b| start[b] += start[b - 1]);
    let mut next = start.clone();
    for (i, &b) in of.iter().enumerate() {
        unknown[next[b as usize] as usize] = i as u32;
        next[b as usize] += 1;
    }
    (start, unknown)
}

/// Neighbours of every block, both ways, ascending, by starts and lists.
fn graph(
    row_start: &[u32],
    column: &[u32],
    of: &[u32],
    (start, unknown): (&[u32], &[u32]),
) -> (Vec<u32>, Vec<u32>) {
    let n = start.len() - 1;
    let (mut pairs, mut mark) = (Vec::new(), vec![u32::MAX; n]);
    for b in 0..n as u32 {
        mark[b as usize] = b;
        for &row in &unknown[start[b as usize] as usize..start[b as usize + 1] as usize] {
            let row = row_start[row as usize] as usize..row_start[row as usize + 1] as usize;
            for c in column[row].iter().map(|&j| of[j as usize]) {
                if std::mem::replace(&mut mark[c as usize], b) != b {
                    pairs.extend([(b, c), (c, b)]);
                }
            }
        }
    }
    starts_and_lists(n, pairs)
}

/// Lists of the second of every pair by the first, ascending, none twice.
fn starts_and_lists(n: usize, mut pairs: Vec<(u32, u32)>) -> (Vec<u32>, Vec<u32>) {
    pairs.sort_unstable();
    pairs.dedup();
    let mut near = vec![0; n + 1];
    pairs.iter().for_each(|&(b, _)| near[b as usize + 1] += 1);
    (1..=n).for_each(|b| near[b] += near[b - 1]);
    (near, pairs.into_iter().map(|(_, c)| c).collect())
}

/// Block at every place: early blocks by least degree among themselves, then the late ones by least degree in what those leave
/// behind.
fn two_parts(near: &[u32], neighbour: &[u32], late: &[bool]) -> Option<Vec<u32>> {
    let n = near.len() - 1;
    let is_late = |b: u32| late.get(b as usize).copied().unwrap_or(false);
    let (behind, first): (Vec<u32>, Vec<u32>) = (0..n as u32).partition(|&b| is_late(b));
    if behind.is_empty() || first.is_empty() {
        return least_degree(near, neighbour);
    }
    let own = |b: u32| neighbour[near[b as usize] as usize..near[b as usize + 1] as usize].iter().copied();
    let pairs = |list: &[u32]| {
        let all = list.iter().flat_map(|&b| own(b).map(move |c| (b, c)));
        all.filter(|&(b, c)| is_late(b) == is_late(c)).collect::<Vec<_>>()
    };
    let mut order = part(&first, n, pairs(&first))?;
    let count = order.len();
    order.extend_from_slice(&behind);
    let left = eliminate(near, neighbour, (&order, &places(&order)), count);
    order.truncate(count);
    let roots = || left.iter().filter(|later| later.first().is_some_and(|&b| b as usize >= count));
    let mut filled = pairs(&behind);
    if filled.len() + roots().map(|later| later.len() * later.len()).sum::<usize>() > MOST_PAIRS {
        return None;
    }
    let at = |place: u32| behind[place as usize - count];
    let cliques = roots().flat_map(|later| later.iter().flat_map(|&b| later.iter().map(move |&c| (b, c))));
    filled.extend(cliques.filter(|(b, c)| b != c).map(|(b, c)| (at(b), at(c))));
    order.extend(part(&behind, n, filled)?);
    Some(order)
}

/// Neighbours among late blocks beyond which they are not ordered.
const MOST_PAIRS: usize = 20_000_000;

/// Least degree among the blocks of a list, with pairs of neighbours among them.
fn part(list: &[u32], n: usize, pairs: Vec<(u32, u32)>) -> Option<Vec<u32>> {
    let mut at = vec![0; n];
    list.iter().enumerate().for_each(|(k, &b)| at[b as usize] = k as u32);
    let pairs = pairs.into_iter().map(|(b, c)| (at[b as usize], at[c as usize])).collect();
    let (near, neighbour) = starts_and_lists(list.len(), pairs);
    let order = least_degree(&near, &neighbour)?;
    Some(order.into_iter().map(|k| list[k as usize]).collect())
}

/// Block at every place of approximate minimum degree.
fn least_degree(start: &[u32], neighbour: &[u32]) -> Option<Vec<u32>> {
    let n = start.len() - 1;
    let (mut order, mut place) = (vec![0_u32; n], vec![0_u32; n]);
    let pattern = SymbolicSparseColMatRef::new_checked(n, n, start, None, neighbour);
    let mut memory = MemBuffer::try_new(amd::order_scratch::<u32>(n, neighbour.len())).ok()?;
    amd::order(&mut order, &mut place, pattern, amd::Control::default(), MemStack::new(&mut memory)).ok()?;
    Some(order)
}

/// Place of every block.
fn places(order: &[u32]) -> Vec<u32> {
    let mut place = vec![0; order.len()];
    order.iter().enumerate().for_each(|(k, &b)| place[b as usize] = k as u32);
    place
}

/// Blocks that each of the first `count` places touches later: its own neighbours, and what its children touch beside it.
fn eliminate(
    start: &[u32],
    neighbour: &[u32],
    (order, place): (&[u32], &[u32]),
    count: usize,
) -> Vec<Vec<u32>> {
    let n = order.len();
    let mut later: Vec<Vec<u32>> = Vec::with_capacity(count);
    let (mut children, mut mark) = (vec![Vec::new(); n], vec![u32::MAX; n]);
    for k in 0..count {
        let block = order[k] as usize;
        let own =
            neighbour[start[block] as usize..start[block + 1] as usize].iter().map(|&b| place[b as usize]);
        let left = children[k].iter().flat_map(|&c: &u32| later[c as usize].iter().copied());
        let mut touches = Vec::new();
        for b in own.chain(left).filter(|&b| b as usize > k) {
            if mark[b as usize] != k as u32 {
                mark[b as usize] = k as u32;
                touches.push(b);
            }
        }
        touches.sort_unstable();
        if let Some(&parent) = touches.first() {
            children[parent as usize].push(k as u32);
        }
        later.push(touches);
    }
    later
}

/// Places in an order in which subtrees stand together, children before parents.
fn postorder(later: &[Vec<u32>]) -> Vec<u32> {
    let n = later.len();
    let (mut children, mut stack) = (vec![Vec::new(); n], Vec::new());
    for (k, touches) in later.iter().enumerate().rev() {
        match touches.first() {
            Some(&parent) => children[parent as usize].push(k as u32),
            None => stack.push(k as u32),
        }
    }
    // Parents first, later children first, and then backwards.
    let mut out = Vec::with_capacity(n);
    stack.reverse();
    while let Some(k) = stack.pop() {
        out.push(k);
        stack.extend(children[k as usize].iter().rev());
    }
    out.reverse();
    out
}
