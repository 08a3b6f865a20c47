//! The pattern of a sparse Jacobian, as the problem tells it.

use vinci_sdk::prelude::*;

/// Pattern by rows. Keeps its memory.
#[derive(Debug, Default)]
pub(crate) struct Pattern {
    pub(crate) row_start: Vec<u32>,
    pub(crate) column: Vec<u32>,
    /// The problem's answer: starts, then columns.
    told: Vec<f64>,
    /// Row in which every column was seen last.
    seen: Vec<u32>,
}

impl Pattern {
    /// Asks for the pattern at v; false where the problem has none.
    ///
    /// Errors: those of the problem's functions; a pattern that is none.
    pub(crate) fn ask(&mut self, p: &Root<'_>, v: &[f64]) -> Result<bool, StageError> {
        let mut entries = [0.0];
        match p.oracle.call(Root::ENTRIES, v, &mut entries) {
            Err(error) if error.kind == ErrorKind::Unsupported => return Ok(false),
            other => other?,
        }
        let (n, [entries]) = (v.len(), entries);
        if !(entries >= 0.0 && entries <= (n * n) as f64 && entries < f64::from(u32::MAX)) {
            return Err(StageError::bad_input(format!("the Jacobian of {n} unknowns has {entries} entries")));
        }
        self.told.clear();
        self.told.resize(n + 1 + entries as usize, f64::NAN);
        p.oracle.call(Root::PATTERN, v, &mut self.told)?;
        self.take(n)?;
        Ok(true)
    }

    /// Takes what was told for n rows.
    fn take(&mut self, n: usize) -> Result<(), StageError> {
        let entries = self.told.len() - n - 1;
        let whole = |x: &f64| if x.fract() == 0.0 && *x >= 0.0 { *x as u32 } else { u32::MAX };
        self.row_start.clear();
        self.row_start.extend(self.told[..=n].iter().map(whole));
        self.column.clear();
        self.column.extend(self.told[n + 1..].iter().map(whole));
        let ordered = self.row_start.windows(2).all(|w| w[0] <= w[1]);
        if self.row_start[0] != 0 || self.row_start[n] as usize != entries || !ordered {
            return Err(StageError::bad_input("the rows of the Jacobian's pattern do not follow each other"));
        }
        self.seen.clear();
        self.seen.resize(n, u32::MAX);
        for i in 0..n {
            for &j in &self.column[self.row_start[i] as usize..self.row_start[i + 1] as usize] {
                match self.seen.get_mut(j as usize) {
                    Some(row) if *row != i as u32 => *row = i as u32,
                    _ => {
                        let text = "of the Jacobian's pattern has a column twice, or one that does not exist";
                        return Err(StageError::bad_input(format!("row {i} {text}")));
                    }
                }
            }
        }
        Ok(())
    }
}
