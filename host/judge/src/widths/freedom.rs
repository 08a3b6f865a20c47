//! Which forces do nothing: the null space of the columns of impulses.

use nalgebra::{DMatrix, DVector};

/// Part of the largest singular value below which a direction moves nothing.
const NOTHING: f64 = 1e-9;

/// Columns of impulses on the free velocities; every column is (row, value).
pub(crate) type Columns = [Vec<(usize, f64)>];

/// An orthonormal basis of { d : W d = 0 }, one vector per column of the matrix; rows of W are brought to one length before.
pub(crate) fn null_space(columns: &Columns) -> DMatrix<f64> {
    let n = columns.len();
    let mut rows: Vec<usize> = columns.iter().flatten().map(|(row, _)| *row).collect();
    rows.sort_unstable();
    rows.dedup();
    // As many rows as columns at least: the decomposition then has all directions.
    let mut w = DMatrix::zeros(rows.len().max(n), n);
    for (j, column) in columns.iter().enumerate() {
        for (row, value) in column {
            let i = rows.partition_point(|known| known < row);
            w[(i, j)] += value;
        }
    }
    for mut row in w.row_iter_mut() {
        let length = row.norm();
        if length > 0.0 {
            row /= length;
        }
    }
    let svd = w.svd(false, true);
    let most = svd.singular_values.max();
    let Some(v_t) = svd.v_t else { return DMatrix::zeros(n, 0) };
    let free: Vec<DVector<f64>> = (0..n)
        .filter(|k| svd.singular_values[*k] <= NOTHING * most)
        .map(|k| v_t.row(k).transpose())
        .collect();
    if free.is_empty() { DMatrix::zeros(n, 0) } else { DMatrix::from_columns(&free) }
}

/// Groups of columns that share no row, in the order of their first columns.
pub(crate) fn groups(columns: &Columns) -> Vec<Vec<usize>> {
    let mut root: Vec<usize> = (0..columns.len()).collect();
    fn top(root: &mut [usize], mut k: usize) -> usize {
        while root[k] != k {
            root[k] = root[root[k]];
            k = root[k];
        }
        k
    }
    let mut owner: std::collections::BTreeMap<usize, usize> = std::collections::BTreeMap::new();
    for (j, column) in columns.iter().enumerate() {
        for (row, _) in column {
            let other = *owner.entry(*row).or_insert(j);
            let (a, b) = (top(&mut root, j), top(&mut root, other));
            root[a.max(b)] = a.min(b);
        }
    }
    let mut all: std::collections::BTreeMap<usize, Vec<usize>> = std::collections::BTreeMap::new();
    for j in 0..columns.len() {
        all.entry(top(&mut root, j)).or_default().push(j);
    }
    all.into_values().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Four legs of a table: forces up, moments about two axes. One direction moves nothing: (1, −1, 1, −1).
    #[test]
    fn a_table_has_one_free_direction() {
        let legs = [[1.0, 1.0], [1.0, -1.0], [-1.0, -1.0], [-1.0, 1.0]];
        let columns: Vec<Vec<_>> = legs.iter().map(|l| vec![(0, 1.0), (3, l[0]), (4, l[1])]).collect();
        let free = null_space(&columns);
        assert_eq!(free.ncols(), 1);
        for k in 1..4 {
            assert!((free[k] + free[k - 1]).abs() < 1e-14, "{free}");
        }
        assert_eq!(null_space(&columns[..3]).ncols(), 0);
    }

    #[test]
    fn what_shares_no_velocity_is_apart() {
        let columns =
            [vec![(0, 1.0)], vec![(5, 1.0), (6, 1.0)], vec![(0, 2.0), (1, 1.0)], vec![(6, 1.0)], vec![]];
        assert_eq!(groups(&columns), [vec![0, 2], vec![1, 3], vec![4]]);
    }
}
