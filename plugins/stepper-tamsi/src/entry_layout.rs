//! Positions of the entries of a matrix in its array.

/// Positions of the entries of a matrix in its array.
pub(crate) trait EntryLayout {
    /// Place of the entry in this row and column.
    fn at(&self, row: usize, column: usize) -> usize;
    /// Column up to which entries of a row stand side by side from `column` on, at most.
    fn end(&self, column: usize) -> usize;
}

/// All entries by rows, of a matrix of so many columns.
pub(crate) struct Dense(pub(crate) usize);

impl EntryLayout for Dense {
    #[inline]
    fn at(&self, row: usize, column: usize) -> usize {
        row * self.0 + column
    }

    #[inline]
    fn end(&self, _: usize) -> usize {
        self.0
    }
}
