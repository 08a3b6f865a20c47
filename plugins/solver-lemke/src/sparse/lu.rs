//! Sparse LU with Markowitz ordering and threshold pivoting, for the kernel of a basis.
//!
//! Right-looking elimination on row lists. Among the rows and columns with fewest entries the pivot with the least
//! product (r − 1)(c − 1) of fill is taken whose size is at least [`THRESHOLD`] of its row's largest entry (Duff, Erisman
//! & Reid, Direct Methods for Sparse Matrices, chapter 5). Row-relative thresholds bound growth as column-relative ones do.
//!
//! Ours because a singular kernel has to say which variables to exchange: see "An own linear algebra" in `docs/src/decisions.md`.

/// Smallest pivot accepted, as a share of the largest entry of its row.
const THRESHOLD: f64 = 0.1;
/// A sum is cancelled to zero when it is below this share of its terms.
const CANCELLED: f64 = 1e-14;
/// A row without an entry above this is empty (the matrix is equilibrated).
const EMPTY: f64 = 1e-12;
/// Candidate lists looked at once an acceptable pivot is known.
const SEARCH_LISTS: usize = 4;

/// Factors of a k × k matrix: pivots in order, L by columns (multipliers), U by columns.
#[derive(Debug, Clone, Default)]
pub(crate) struct Lu {
    k: usize,
    pivot_row: Vec<u32>,
    pivot_col: Vec<u32>,
    pivot: Vec<f64>,
    l_start: Vec<u32>,
    l_row: Vec<u32>,
    l_value: Vec<f64>,
    u_start: Vec<u32>,
    u_row: Vec<u32>,
    u_value: Vec<f64>,
    work: Active,
    /// Rows and columns left without a pivot when the matrix is singular.
    pub(crate) lost_rows: Vec<u32>,
    /// Columns left without a pivot.
    pub(crate) lost_cols: Vec<u32>,
}

/// The part of the matrix still to be eliminated.
#[derive(Debug, Clone, Default)]
struct Active {
    rows: Vec<Vec<(u32, f64)>>,
    cols: Vec<Vec<u32>>,
    row_max: Vec<f64>,
    row_done: Vec<bool>,
    col_done: Vec<bool>,
    /// Rows (columns) by number of entries; stale entries are dropped when met.
    row_bucket: Vec<Vec<u32>>,
    col_bucket: Vec<Vec<u32>>,
    /// Position + 1 of every column in the row being updated.
    position: Vec<u32>,
    pivot_entries: Vec<(u32, f64)>,
    pivot_column: Vec<u32>,
    /// U by rows as (step, column, value), before transposition.
    u_entries: Vec<(u32, u32, f64)>,
}

impl Active {
    fn clear(&mut self, k: usize) {
        grow_cleared(&mut self.rows, k);
        grow_cleared(&mut self.cols, k);
        grow_cleared(&mut self.row_bucket, k + 1);
        grow_cleared(&mut self.col_bucket, k + 1);
        refill(&mut self.row_max, k, 0.0);
        refill(&mut self.row_done, k, false);
        refill(&mut self.col_done, k, false);
        refill(&mut self.position, k, 0);
        self.u_entries.clear();
    }

    fn touch_row(&mut self, i: usize) {
        self.row_max[i] = self.rows[i].iter().fold(0.0, |m, e| m.max(e.1.abs()));
        self.row_bucket[self.rows[i].len()].push(i as u32);
    }

    fn touch_col(&mut self, j: usize) {
        self.col_bucket[self.cols[j].len()].push(j as u32);
    }

    fn value(&self, i: usize, j: u32) -> f64 {
        self.rows[i].iter().find(|e| e.0 == j).map_or(0.0, |e| e.1)
    }
}

fn grow_cleared<T>(lists: &mut Vec<Vec<T>>, k: usize) {
    lists.iter_mut().for_each(Vec::clear);
    if lists.len() < k {
        lists.resize_with(k, Vec::new);
    }
}

fn refill<T: Clone>(v: &mut Vec<T>, k: usize, value: T) {
    v.clear();
    v.resize(k, value);
}

impl Lu {
    /// Starts a k × k matrix; entries follow with [`Lu::push`].
    pub(crate) fn begin(&mut self, k: usize) {
        self.k = k;
        self.work.clear(k);
    }

    /// Adds the entry (i, j), each place at most once.
    pub(crate) fn push(&mut self, i: usize, j: usize, value: f64) {
        if value != 0.0 {
            self.work.rows[i].push((j as u32, value));
            self.work.cols[j].push(i as u32);
        }
    }

    /// Factors what was pushed; false if singular, with the rows and columns that found no pivot.
    pub(crate) fn factor(&mut self) -> bool {
        self.pivot_row.clear();
        self.pivot_col.clear();
        self.pivot.clear();
        self.l_start.clear();
        self.l_start.push(0);
        self.l_row.clear();
        self.l_value.clear();
        for i in 0..self.k {
            self.work.touch_row(i);
            self.work.touch_col(i);
        }
        while self.pivot.len() < self.k {
            let Some((i, j)) = self.choose_pivot() else { break };
            self.eliminate(i, j);
        }
        self.list_lost();
        self.transpose_u();
        self.lost_rows.is_empty()
    }

    fn list_lost(&mut self) {
        self.lost_rows.clear();
        self.lost_cols.clear();
        for i in 0..self.k {
            if !self.work.row_done[i] {
                self.lost_rows.push(i as u32);
            }
            if !self.work.col_done[i] {
                self.lost_cols.push(i as u32);
            }
        }
    }

    /// The acceptable pivot with the least Markowitz product among the shortest rows and columns.
    fn choose_pivot(&mut self) -> Option<(usize, usize)> {
        let mut best: Option<(usize, usize)> = None;
        let mut cost = usize::MAX;
        let mut lists = 0;
        for count in 1..=self.k {
            if best.is_some() && (cost <= (count - 1) * (count - 1) || lists >= SEARCH_LISTS) {
                break;
            }
            self.scan_columns(count, &mut best, &mut cost, &mut lists);
            if best.is_some() && (cost <= count * (count - 1) || lists >= SEARCH_LISTS) {
                break;
            }
            self.scan_rows(count, &mut best, &mut cost, &mut lists);
        }
        best
    }

    fn scan_columns(
        &mut self,
        count: usize,
        best: &mut Option<(usize, usize)>,
        cost: &mut usize,
        lists: &mut usize,
    ) {
        let w = &mut self.work;
        let mut bucket = std::mem::take(&mut w.col_bucket[count]);
        let mut k = bucket.len();
        while k > 0 {
            k -= 1;
            let j = bucket[k] as usize;
            if w.col_done[j] || w.cols[j].len() != count {
                bucket.swap_remove(k);
                continue;
            }
            for &i in &w.cols[j] {
                let i = i as usize;
                let candidate = (w.rows[i].len() - 1) * (count - 1);
                if candidate < *cost && acceptable(w.value(i, j as u32), w.row_max[i]) {
                    (*best, *cost) = (Some((i, j)), candidate);
                }
            }
            *lists += 1;
            if best.is_some() && (*lists >= SEARCH_LISTS || *cost <= (count - 1) * (count - 1)) {
                break;
            }
        }
        w.col_bucket[count] = bucket;
    }

    fn scan_rows(
        &mut self,
        count: usize,
        best: &mut Option<(usize, usize)>,
        cost: &mut usize,
        lists: &mut usize,
    ) {
        let w = &mut self.work;
        let mut bucket = std::mem::take(&mut w.row_bucket[count]);
        let mut k = bucket.len();
        while k > 0 {
            k -= 1;
            let i = bucket[k] as usize;
            if w.row_done[i] || w.rows[i].len() != count {
                bucket.swap_remove(k);
                continue;
            }
            for &(j, v) in &w.rows[i] {
                let candidate = (count - 1) * (w.cols[j as usize].len() - 1);
                if candidate < *cost && acceptable(v, w.row_max[i]) {
                    (*best, *cost) = (Some((i, j as usize)), candidate);
                }
            }
            *lists += 1;
            if best.is_some() && (*lists >= SEARCH_LISTS || *cost <= count * (count - 1)) {
                break;
            }
        }
        w.row_bucket[count] = bucket;
    }

    /// Pivot (p, c): every other row of column c loses its entry there; L and U grow by one step.
    fn eliminate(&mut self, p: usize, c: usize) {
        let step = self.pivot.len() as u32;
        let w = &mut self.work;
        let mut entries = std::mem::take(&mut w.pivot_entries);
        let mut column = std::mem::take(&mut w.pivot_column);
        entries.clear();
        entries.append(&mut w.rows[p]);
        column.clear();
        column.append(&mut w.cols[c]);
        let pivot = entries.iter().find(|e| e.0 == c as u32).map_or(0.0, |e| e.1);
        entries.retain(|e| e.0 != c as u32);
        (w.row_done[p], w.col_done[c]) = (true, true);
        for &(j, v) in &entries {
            let list = &mut w.cols[j as usize];
            if let Some(at) = list.iter().position(|&i| i as usize == p) {
                list.swap_remove(at);
            }
            w.u_entries.push((step, j, v));
        }
        for &i in column.iter().filter(|&&i| i as usize != p) {
            let factor = subtract_row(w, i as usize, c as u32, &entries, pivot);
            self.l_row.push(i);
            self.l_value.push(factor);
        }
        entries.iter().for_each(|&(j, _)| w.touch_col(j as usize));
        self.l_start.push(self.l_row.len() as u32);
        self.pivot_row.push(p as u32);
        self.pivot_col.push(c as u32);
        self.pivot.push(pivot);
        (w.pivot_entries, w.pivot_column) = (entries, column);
    }

    /// Orders the entries of U by the step at which their column is pivoted (columns without a pivot are left out).
    fn transpose_u(&mut self) {
        let k = self.k;
        let mut step_of_col = std::mem::take(&mut self.work.position);
        refill(&mut step_of_col, k, u32::MAX);
        for (s, &c) in self.pivot_col.iter().enumerate() {
            step_of_col[c as usize] = s as u32;
        }
        let steps = self.pivot.len();
        refill(&mut self.u_start, steps + 1, 0);
        let known = |j: u32| step_of_col[j as usize] != u32::MAX;
        for &(_, j, _) in self.work.u_entries.iter().filter(|e| known(e.1)) {
            self.u_start[step_of_col[j as usize] as usize + 1] += 1;
        }
        for s in 0..steps {
            self.u_start[s + 1] += self.u_start[s];
        }
        refill(&mut self.u_row, self.u_start[steps] as usize, 0);
        refill(&mut self.u_value, self.u_start[steps] as usize, 0.0);
        let mut next = self.u_start.clone();
        for &(s, j, v) in self.work.u_entries.iter().filter(|e| known(e.1)) {
            let slot = &mut next[step_of_col[j as usize] as usize];
            self.u_row[*slot as usize] = self.pivot_row[s as usize];
            self.u_value[*slot as usize] = v;
            *slot += 1;
        }
        refill(&mut step_of_col, k, 0);
        self.work.position = step_of_col;
    }

    /// Solves in place: `b` by rows becomes garbage, `x` by columns is filled.
    pub(crate) fn solve(&self, b: &mut [f64], x: &mut [f64]) {
        for (s, &p) in self.pivot_row.iter().enumerate() {
            let t = b[p as usize];
            if t != 0.0 {
                let range = self.l_start[s] as usize..self.l_start[s + 1] as usize;
                for (&i, &f) in self.l_row[range.clone()].iter().zip(&self.l_value[range]) {
                    b[i as usize] -= f * t;
                }
            }
        }
        for s in (0..self.pivot.len()).rev() {
            let t = b[self.pivot_row[s] as usize] / self.pivot[s];
            x[self.pivot_col[s] as usize] = t;
            if t != 0.0 {
                let range = self.u_start[s] as usize..self.u_start[s + 1] as usize;
                for (&i, &v) in self.u_row[range.clone()].iter().zip(&self.u_value[range]) {
                    b[i as usize] -= v * t;
                }
            }
        }
    }

    /// Entries of L and U together.
    pub(crate) fn nnz(&self) -> usize {
        self.l_value.len() + self.u_value.len() + self.pivot.len()
    }
}

fn acceptable(value: f64, row_max: f64) -> bool {
    row_max > EMPTY && value.abs() >= THRESHOLD * row_max
}

/// row_i −= (a_ic / pivot) · pivot row; returns the multiplier.
fn subtract_row(w: &mut Active, i: usize, c: u32, entries: &[(u32, f64)], pivot: f64) -> f64 {
    let mut row = std::mem::take(&mut w.rows[i]);
    let at = row.iter().position(|e| e.0 == c).unwrap_or_default();
    let factor = row[at].1 / pivot;
    row.swap_remove(at);
    for (k, e) in row.iter().enumerate() {
        w.position[e.0 as usize] = k as u32 + 1;
    }
    let old = row.len();
    for &(j, v) in entries {
        let term = factor * v;
        match w.position[j as usize] as usize {
            0 => {
                row.push((j, -term));
                w.cols[j as usize].push(i as u32);
            }
            k => {
                let e = &mut row[k - 1];
                let sum = e.1 - term;
                e.1 = if sum.abs() <= CANCELLED * term.abs() { 0.0 } else { sum };
            }
        }
    }
    row[..old].iter().for_each(|e| w.position[e.0 as usize] = 0);
    row.retain(|e| {
        if e.1 == 0.0 {
            let list = &mut w.cols[e.0 as usize];
            if let Some(at) = list.iter().position(|&r| r as usize == i) {
                list.swap_remove(at);
            }
        }
        e.1 != 0.0
    });
    w.rows[i] = row;
    w.touch_row(i);
    factor
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pseudo(i: usize, j: usize) -> f64 {
        let v = ((i * 7919 + j * 104_729 + 17) % 1009) as f64 / 1009.0;
        if (i * 31 + j * 17).is_multiple_of(5) || i == (j * 3 + 1) % 23 { v - 0.5 } else { 0.0 }
    }

    #[test]
    fn solves_what_it_factored() {
        let k = 23;
        let mut lu = Lu::default();
        for _ in 0..2 {
            lu.begin(k);
            (0..k).for_each(|i| (0..k).for_each(|j| lu.push(i, j, pseudo(i, j))));
            assert!(lu.factor());
        }
        let x: Vec<f64> = (0..k).map(|i| i as f64 - 11.0).collect();
        let mut b: Vec<f64> = (0..k).map(|i| (0..k).map(|j| pseudo(i, j) * x[j]).sum()).collect();
        let mut y = vec![0.0; k];
        lu.solve(&mut b, &mut y);
        let error = x.iter().zip(&y).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
        assert!(error < 1e-9, "{error}");
    }

    #[test]
    fn names_what_is_lost_in_a_singular_matrix() {
        let mut lu = Lu::default();
        lu.begin(3);
        for (i, j, v) in [(0, 0, 1.0), (0, 1, 2.0), (1, 0, 2.0), (1, 1, 4.0), (2, 2, 1.0)] {
            lu.push(i, j, v);
        }
        assert!(!lu.factor());
        assert_eq!((lu.lost_rows.len(), lu.lost_cols.len()), (1, 1));
        assert_ne!(lu.lost_rows[0], 2);
    }
}
