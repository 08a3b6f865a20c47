//! Sparse elimination with a null space: rows with few unknowns first, as a pile is taken apart from where it is held.
//!
//! A pivot is the entry of its row that is (within [`CLOSE`]) the largest, in the column that the fewest rows have. Rows with small
//! entries wait, because they may be nothing but rounding once the others have been eliminated. Fill stays small: contacts join few bodies.

/// Pivots below this count as zero, in rows whose largest entry is 1 (direction cosines, and levers in m).
pub(super) const RANK: f64 = 1e-10;

/// Entries below this are rounding and vanish.
const ROUNDING: f64 = 1e-14;

/// Rows whose largest entry is below this wait until no other is left.
const SOUND: f64 = 1e-2;

/// Part of the largest entry of a row that a pivot has at least.
const CLOSE: f64 = 0.5;

type Entries = Vec<(u32, f64)>;

/// Rows under elimination. Keeps its memory between steps.
#[derive(Debug, Clone, Default)]
pub(super) struct Elimination {
    /// Entries of every row, by column.
    rows: Vec<Entries>,
    n_rows: usize,
    /// Largest entry of every row that may still be a pivot's; 0 of the others.
    largest: Vec<f64>,
    /// Rows that have or had an entry in a column.
    column: Vec<Vec<u32>>,
    n: usize,
    /// Pivots in their order: row and column.
    pivots: Vec<(u32, u32)>,
    /// By column: what it is of every free one, as (number of the free column, value).
    solved: Vec<Entries>,
    is_free: Vec<bool>,
    scratch: Entries,
    sum: Vec<f64>,
}

impl Elimination {
    /// Forgets all rows; of `n` columns.
    pub(super) fn open(&mut self, n: usize) {
        (self.n, self.n_rows) = (n, 0);
        let wanted = n.max(self.column.len());
        self.column.resize_with(wanted, Vec::new);
        self.solved.resize_with(wanted, Vec::new);
        self.column[..n].iter_mut().for_each(Vec::clear);
        self.solved[..n].iter_mut().for_each(Vec::clear);
        self.largest.clear();
        self.pivots.clear();
    }

    /// A row; entries of one column are added up.
    pub(super) fn push_row(&mut self, entries: impl Iterator<Item = (u32, f64)>) {
        if self.rows.len() == self.n_rows {
            self.rows.push(Entries::new());
        }
        let i = self.n_rows;
        let row = &mut self.rows[i];
        row.clear();
        row.extend(entries);
        row.sort_unstable_by_key(|(column, _)| *column);
        row.dedup_by(|next, first| {
            let same = next.0 == first.0;
            first.1 += if same { next.1 } else { 0.0 };
            same
        });
        row.iter().for_each(|(c, _)| self.column[*c as usize].push(i as u32));
        self.largest.push(largest(row));
        self.n_rows += 1;
    }

    /// Eliminates all rows, and writes directions that span the null space into `null`, each as long as there are columns; their number.
    pub(super) fn null_space(&mut self, null: &mut Vec<f64>) -> usize {
        while let Some(row) = self.next_row() {
            let column = self.pivot_of(row);
            self.eliminate(row, column);
            self.pivots.push((row as u32, column));
        }
        self.solve_back(null)
    }

    /// The row of the next pivot: of the sound ones that with the fewest entries, else that with the largest.
    fn next_row(&self) -> Option<usize> {
        let sound = (0..self.n_rows).filter(|&i| self.largest[i] >= SOUND);
        sound.min_by_key(|&i| self.rows[i].len()).or_else(|| {
            let left = (0..self.n_rows).filter(|&i| self.largest[i] > RANK);
            left.reduce(|a, b| if self.largest[b] > self.largest[a] { b } else { a })
        })
    }

    fn pivot_of(&self, row: usize) -> u32 {
        let close = CLOSE * self.largest[row];
        let entries = self.rows[row].iter().filter(|(_, value)| value.abs() >= close).map(|(c, _)| *c);
        entries.min_by_key(|c| self.column[*c as usize].len()).unwrap_or_default()
    }

    /// Divides the row by its pivot and takes it from all others that have the column.
    fn eliminate(&mut self, row: usize, column: u32) {
        self.largest[row] = 0.0;
        let mut pivot = std::mem::take(&mut self.rows[row]);
        let by = entry(&pivot, column);
        pivot.iter_mut().for_each(|(_, value)| *value /= by);
        let mut others = std::mem::take(&mut self.column[column as usize]);
        for i in others.drain(..).map(|i| i as usize) {
            let factor = if self.largest[i] > 0.0 { entry(&self.rows[i], column) } else { 0.0 };
            if factor != 0.0 {
                self.subtract(i, factor, &pivot, column);
            }
        }
        self.column[column as usize] = others;
        self.rows[row] = pivot;
    }

    /// Row i − factor · pivot, without the pivot's column.
    fn subtract(&mut self, i: usize, factor: f64, pivot: &[(u32, f64)], column: u32) {
        let Self { rows, column: has, scratch, .. } = self;
        scratch.clear();
        let (mut mine, mut others) = (rows[i].iter().peekable(), pivot.iter().peekable());
        loop {
            let (a, b) = (mine.peek().map(|e| e.0), others.peek().map(|e| e.0));
            let c = match (a, b) {
                (None, None) => break,
                (Some(c), None) | (None, Some(c)) => c,
                (Some(a), Some(b)) => a.min(b),
            };
            let old = if a == Some(c) { mine.next().map(|e| e.1) } else { None };
            let new = if b == Some(c) { others.next().map_or(0.0, |e| factor * e.1) } else { 0.0 };
            let value = old.unwrap_or(0.0) - new;
            if c == column || value.abs() <= ROUNDING {
                continue;
            }
            if old.is_none() {
                has[c as usize].push(i as u32);
            }
            scratch.push((c, value));
        }
        std::mem::swap(&mut rows[i], scratch);
        let found = largest(&rows[i]);
        self.largest[i] = if found > RANK { found } else { 0.0 };
    }

    /// x_pivot = −Σ a_j x_j from the last pivot to the first, for every free column.
    fn solve_back(&mut self, null: &mut Vec<f64>) -> usize {
        let n = self.n;
        self.is_free.clear();
        self.is_free.resize(n, true);
        self.pivots.iter().for_each(|(_, c)| self.is_free[*c as usize] = false);
        let mut free = 0;
        for c in (0..n).filter(|&c| self.is_free[c]) {
            self.solved[c].push((free, 1.0));
            free += 1;
        }
        self.sum.clear();
        self.sum.resize(free as usize, 0.0);
        for k in (0..self.pivots.len()).rev() {
            let (row, column) = self.pivots[k];
            self.solve_row(row as usize, column as usize);
        }
        null.clear();
        null.resize(free as usize * n, 0.0);
        for (c, entries) in self.solved[..n].iter().enumerate() {
            entries.iter().for_each(|(k, value)| null[*k as usize * n + c] = *value);
        }
        free as usize
    }

    fn solve_row(&mut self, row: usize, column: usize) {
        let mut found = std::mem::take(&mut self.solved[column]);
        for (c, a) in self.rows[row].iter().filter(|(c, _)| *c as usize != column) {
            for (k, x) in &self.solved[*c as usize] {
                found.push((*k, 0.0));
                self.sum[*k as usize] -= a * x;
            }
        }
        found.sort_unstable_by_key(|(k, _)| *k);
        found.dedup_by_key(|(k, _)| *k);
        found.iter_mut().for_each(|(k, value)| *value = std::mem::take(&mut self.sum[*k as usize]));
        found.retain(|(_, value)| value.abs() > RANK);
        self.solved[column] = found;
    }
}

fn largest(row: &[(u32, f64)]) -> f64 {
    row.iter().fold(0.0, |m, (_, value)| value.abs().max(m))
}

/// The entry of a row in a column; 0 where it has none.
fn entry(row: &[(u32, f64)], column: u32) -> f64 {
    row.binary_search_by_key(&column, |(c, _)| *c).map_or(0.0, |k| row[k].1)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Rank of an m × n matrix by dense elimination with full pivoting: the way that needs no structure.
    fn dense_rank(mut a: Vec<Vec<f64>>, n: usize) -> usize {
        for rank in 0..a.len().min(n) {
            let places = (rank..a.len()).flat_map(|i| (rank..n).map(move |j| (i, j)));
            let larger = |a: &[Vec<f64>], x: (usize, usize), y: (usize, usize)| {
                if a[y.0][y.1].abs() > a[x.0][x.1].abs() { y } else { x }
            };
            let at = places.fold((rank, rank), |x, y| larger(&a, x, y));
            if a[at.0][at.1].abs() <= RANK {
                return rank;
            }
            a.swap(rank, at.0);
            a.iter_mut().for_each(|row| row.swap(rank, at.1));
            let pivot = a[rank].clone();
            for row in &mut a[rank + 1..] {
                let factor = row[rank] / pivot[rank];
                row.iter_mut().zip(&pivot).for_each(|(x, p)| *x -= factor * p);
            }
        }
        a.len().min(n)
    }

    /// Sparse rows with a largest entry of 1, some of them sums of others.
    fn rows() -> impl Strategy<Value = (usize, Vec<Vec<f64>>)> {
        (1..14_usize).prop_flat_map(|n| {
            let entry = prop_oneof![6 => Just(0.0), 2 => Just(1.0), 1 => Just(-1.0), 2 => -1.0..1.0_f64];
            let row = prop::collection::vec(entry, n);
            let sums =
                prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>()), 0..4);
            (prop::collection::vec(row, 1..18), sums).prop_map(move |(mut rows, sums)| {
                for (i, j) in sums {
                    let (a, b) = (rows[i.index(rows.len())].clone(), rows[j.index(rows.len())].clone());
                    rows.push(a.iter().zip(&b).map(|(a, b)| a - 0.7 * b).collect());
                }
                for row in &mut rows {
                    let largest = row.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
                    row.iter_mut().filter(|_| largest > 0.0).for_each(|x| *x /= largest);
                }
                (n, rows)
            })
        })
    }

    fn solve(found: &mut Elimination, n: usize, rows: &[Vec<f64>]) -> Vec<f64> {
        found.open(n);
        for row in rows {
            let entries = row.iter().enumerate().filter(|(_, x)| **x != 0.0);
            found.push_row(entries.map(|(c, x)| (c as u32, *x)));
        }
        let mut null = Vec::new();
        assert_eq!(found.null_space(&mut null) * n, null.len());
        null
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        /// As many directions as dense elimination leaves, of which each is 1 in a column where all others are 0, and none is seen by a row.
        #[test]
        fn the_null_space_is_that_of_dense_elimination((n, rows) in rows(), (m, others) in rows()) {
            // With the memory of another system.
            let mut found = Elimination::default();
            solve(&mut found, m, &others);
            let null = solve(&mut found, n, &rows);
            prop_assert_eq!(null.len() / n, n - dense_rank(rows.clone(), n));
            let directions: Vec<&[f64]> = null.chunks_exact(n).collect();
            for (k, d) in directions.iter().enumerate() {
                let size = d.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
                let own = |c: usize| d[c] == 1.0 && directions.iter().enumerate().all(|(j, e)| j == k || e[c] == 0.0);
                prop_assert!((0..n).any(own));
                for row in &rows {
                    let seen: f64 = row.iter().zip(*d).map(|(a, x)| a * x).sum();
                    prop_assert!(seen.abs() <= 1e-9 * size, "{} of {}", seen, size);
                }
            }
        }
    }

    /// A tower of n bodies of 6 velocities, each held by the one below in all but its spin: quick, however tall it is.
    #[test]
    fn a_tall_tower_is_taken_apart_from_below() {
        let bodies = 1000;
        let mut found = Elimination::default();
        found.open(6 * bodies);
        for b in 0..bodies as u32 {
            for k in 0..5 {
                let below = (b > 0).then(|| (6 * (b - 1) + k, -1.0));
                found.push_row(below.into_iter().chain([(6 * b + k, 1.0), (6 * b + 5, 0.1)]));
            }
        }
        let mut null = Vec::new();
        assert_eq!(found.null_space(&mut null), bodies);
    }
}
