//! Columns of tables.

/// A column of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// Name, as `BODY.x`.
    pub name: String,
    /// Numbers with their unit (`1` for pure numbers), or words.
    pub cells: Cells,
}

/// Content of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cells {
    /// Numbers in this unit.
    Numbers(&'static str),
    /// Counts: pure numbers, digits alone as text.
    Counts,
    /// Words.
    Words,
}

impl Column {
    /// A column of numbers in a unit.
    pub fn numbers(name: impl Into<String>, unit: &'static str) -> Self {
        Self { name: name.into(), cells: Cells::Numbers(unit) }
    }

    /// A column of counts.
    pub fn counts(name: impl Into<String>) -> Self {
        Self { name: name.into(), cells: Cells::Counts }
    }

    /// A column of words.
    pub fn words(name: impl Into<String>) -> Self {
        Self { name: name.into(), cells: Cells::Words }
    }
}
