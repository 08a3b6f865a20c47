//! Compressed sparse rows, borrowed ([`Csr`]) and growable ([`CsrBuf`]).
//!
//! One format for every matrix that crosses a stage: rows of a contact are adjacent, so products by row are local.

/// A sparse matrix by rows, borrowed: entries of row `i` stand at `row_start[i]..row_start[i + 1]`.
#[derive(Debug, Clone, Copy, Default)]
pub struct Csr<'a> {
    /// Number of columns; the number of rows is `row_start.len() - 1`.
    pub n_cols: usize,
    /// Offsets of the rows in `column` and `value`, length rows + 1 (empty for a matrix without rows).
    pub row_start: &'a [u32],
    /// Column of every entry. Within a row columns need not be sorted but are unique.
    pub column: &'a [u32],
    /// Value of every entry.
    pub value: &'a [f64],
}

impl<'a> Csr<'a> {
    /// Number of rows.
    #[inline]
    pub fn n_rows(&self) -> usize {
        self.row_start.len().saturating_sub(1)
    }

    /// Number of stored entries.
    #[inline]
    pub fn nnz(&self) -> usize {
        self.value.len()
    }

    /// Columns and values of row `i`.
    #[inline]
    pub fn row(&self, i: usize) -> (&'a [u32], &'a [f64]) {
        let range = self.row_start[i] as usize..self.row_start[i + 1] as usize;
        (&self.column[range.clone()], &self.value[range])
    }

    /// The entries (column, value) of row `i`.
    #[inline]
    pub fn entries(&self, i: usize) -> impl Iterator<Item = (usize, f64)> + 'a {
        let (columns, values) = self.row(i);
        columns.iter().zip(values).map(|(&c, &v)| (c as usize, v))
    }

    /// Entry (i, j): the sum of what is stored there.
    #[inline]
    pub fn entry(&self, i: usize, j: usize) -> f64 {
        self.entries(i).filter(|e| e.0 == j).map(|e| e.1).sum()
    }

    /// Columns and values of K rows that stand behind one another and have the same columns, as those of a contact.
    #[inline]
    pub fn rows<const K: usize>(&self, first: usize) -> (&'a [u32], [&'a [f64]; K]) {
        let (start, end) = (self.row_start[first] as usize, self.row_start[first + 1] as usize);
        let (columns, n) = (&self.column[start..end], end - start);
        // A loop: `array::from_fn` and `array::map` are not always inlined, and this is called for every contact.
        let mut rows = [&self.value[start..start + K * n]; K];
        for (k, row) in rows.iter_mut().enumerate() {
            *row = &row[k * n..(k + 1) * n];
        }
        (columns, rows)
    }

    /// Scalar product of row `i` with `x` (length `n_cols`).
    #[inline]
    pub fn row_dot(&self, i: usize, x: &[f64]) -> f64 {
        self.entries(i).map(|(c, v)| v * x[c]).sum()
    }

    /// y += scale · (row i)ᵀ.
    #[inline]
    pub fn add_row_scaled(&self, i: usize, scale: f64, y: &mut [f64]) {
        for (c, v) in self.entries(i) {
            y[c] += scale * v;
        }
    }

    /// y = M x.
    pub fn multiply(&self, x: &[f64], y: &mut [f64]) {
        for (i, yi) in y.iter_mut().enumerate().take(self.n_rows()) {
            *yi = self.row_dot(i, x);
        }
    }

    /// This matrix as a dense one (for small problems and tests).
    pub fn to_dense(&self) -> nalgebra::DMatrix<f64> {
        let mut dense = nalgebra::DMatrix::zeros(self.n_rows(), self.n_cols);
        for i in 0..self.n_rows() {
            for (j, v) in self.entries(i) {
                dense[(i, j)] += v;
            }
        }
        dense
    }

    /// Checks that offsets, columns and values fit together; the message names the first contradiction.
    pub fn check(&self) -> Result<(), String> {
        let n_rows = self.n_rows();
        if self.column.len() != self.value.len() {
            return Err(format!("{} columns but {} values", self.column.len(), self.value.len()));
        }
        if n_rows > 0 && (self.row_start[0] != 0 || self.row_start[n_rows] as usize != self.value.len()) {
            return Err(format!("row offsets do not span the {} entries", self.value.len()));
        }
        if n_rows == 0 && !self.value.is_empty() {
            return Err("entries in a matrix without rows".into());
        }
        if let Some(i) = (0..n_rows).find(|&i| self.row_start[i] > self.row_start[i + 1]) {
            return Err(format!("the offset of row {} lies before the one of row {i}", i + 1));
        }
        match self.column.iter().find(|&&c| c as usize >= self.n_cols) {
            Some(c) => Err(format!("column {c} in a matrix of {} columns", self.n_cols)),
            None => Ok(()),
        }
    }
}

/// A sparse matrix by rows that grows row by row and keeps its memory when cleared.
#[derive(Debug, Clone, Default)]
pub struct CsrBuf {
    n_cols: usize,
    row_start: Vec<u32>,
    column: Vec<u32>,
    value: Vec<f64>,
}

impl CsrBuf {
    /// Empties the matrix and fixes its number of columns; memory is kept.
    pub fn clear(&mut self, n_cols: usize) {
        self.n_cols = n_cols;
        self.row_start.clear();
        self.row_start.push(0);
        self.column.clear();
        self.value.clear();
    }

    /// Adds one entry to the row under construction.
    #[inline]
    pub fn push(&mut self, column: usize, value: f64) {
        self.column.push(column as u32);
        self.value.push(value);
    }

    /// Adds to the entry of `column` in the row under construction, making one if there is none.
    #[inline]
    pub fn accumulate(&mut self, column: usize, value: f64) {
        let start = self.row_start.last().map_or(0, |&s| s as usize);
        match self.column[start..].iter().position(|&c| c as usize == column) {
            Some(k) => self.value[start + k] += value,
            None => self.push(column, value),
        }
    }

    /// Adds to entry `at` (a number between 0 and [`CsrBuf::nnz`]) if it belongs to the row under construction; whether
    /// it does.
    #[inline]
    pub(crate) fn add_to_open_row(&mut self, at: usize, value: f64) -> bool {
        let open = self.row_start.last().is_some_and(|&start| at >= start as usize);
        if open {
            self.value[at] += value;
        }
        open
    }

    /// Number of stored entries.
    #[inline]
    pub fn nnz(&self) -> usize {
        self.value.len()
    }

    /// Closes the row under construction.
    #[inline]
    pub fn end_row(&mut self) {
        self.row_start.push(self.value.len() as u32);
    }

    /// A copy of a borrowed matrix.
    pub fn copy_of(m: &Csr<'_>) -> Self {
        Self {
            n_cols: m.n_cols,
            row_start: if m.row_start.is_empty() { vec![0] } else { m.row_start.to_vec() },
            column: m.column.to_vec(),
            value: m.value.to_vec(),
        }
    }

    /// Becomes a copy of a borrowed matrix; memory is kept.
    pub fn copy_from(&mut self, m: &Csr<'_>) {
        self.clear(m.n_cols);
        self.row_start.extend_from_slice(m.row_start.get(1..).unwrap_or_default());
        self.column.extend_from_slice(m.column);
        self.value.extend_from_slice(m.value);
    }

    /// The matrix as a borrowed view.
    #[inline]
    pub fn view(&self) -> Csr<'_> {
        Csr { n_cols: self.n_cols, row_start: &self.row_start, column: &self.column, value: &self.value }
    }

    /// Becomes the transpose of `m`; columns of every row come sorted. `count` is scratch.
    pub fn transpose_of(&mut self, m: &Csr<'_>, count: &mut Vec<u32>) {
        count.clear();
        count.resize(m.n_cols + 1, 0);
        for &c in m.column {
            count[c as usize + 1] += 1;
        }
        for c in 0..m.n_cols {
            count[c + 1] += count[c];
        }
        self.n_cols = m.n_rows();
        self.row_start.clear();
        self.row_start.extend_from_slice(count);
        self.column.clear();
        self.column.resize(m.nnz(), 0);
        self.value.clear();
        self.value.resize(m.nnz(), 0.0);
        for i in 0..m.n_rows() {
            for (c, v) in m.entries(i) {
                let at = count[c] as usize;
                self.column[at] = i as u32;
                self.value[at] = v;
                count[c] += 1;
            }
        }
    }

    /// Builds from triplets (row, column, value); entries of one place are added, zeros are kept.
    pub fn from_triplets(n_rows: usize, n_cols: usize, triplets: &[(usize, usize, f64)]) -> Self {
        let mut sorted = triplets.to_vec();
        sorted.sort_by_key(|&(i, j, _)| (i, j));
        let mut out = Self::default();
        out.clear(n_cols);
        let mut next = sorted.into_iter().peekable();
        for row in 0..n_rows {
            while let Some((_, j, mut v)) = next.next_if(|&(i, _, _)| i == row) {
                while let Some((_, _, more)) = next.next_if(|&(i, k, _)| i == row && k == j) {
                    v += more;
                }
                out.push(j, v);
            }
            out.end_row();
        }
        out
    }

    /// Builds from a dense matrix, leaving exact zeros out.
    pub fn from_dense(dense: &nalgebra::DMatrix<f64>) -> Self {
        let mut out = Self::default();
        out.clear(dense.ncols());
        for i in 0..dense.nrows() {
            for j in 0..dense.ncols() {
                if dense[(i, j)] != 0.0 {
                    out.push(j, dense[(i, j)]);
                }
            }
            out.end_row();
        }
        out
    }
}
