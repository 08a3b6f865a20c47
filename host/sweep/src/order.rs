//! The check of rows as they come, in their order: those of whole units, of all units that are done here, and each once.

use super::row::{Row, RunId};
use super::shape::{Shape, Units};

/// Rows that were seen, up to the unit that is not whole yet.
pub(super) struct Order<'a> {
    shape: &'a Shape,
    /// Units that are still to come.
    units: Units,
    unit: Option<u64>,
    /// Runs of that unit, and whether they succeeded.
    runs: Vec<(RunId, bool)>,
}

impl<'a> Order<'a> {
    pub(super) fn of(shape: &'a Shape) -> Self {
        Self { shape, units: shape.own_units(), unit: None, runs: Vec::new() }
    }

    /// Takes the next row in.
    ///
    /// # Errors
    /// What is missing before it, or that it does not belong here.
    pub(super) fn add(&mut self, row: &Row) -> Result<(), String> {
        match self.shape.unit_of_row(row) {
            Some(_) => self.add_run(row.id, row.success),
            None => Err(self.strange(row.id)),
        }
    }

    fn strange(&self, id: RunId) -> String {
        format!("{} does not belong to this sweep", self.shape.told(id))
    }

    /// Takes the next run in.
    ///
    /// # Errors
    /// As of [`Order::add`].
    pub(super) fn add_run(&mut self, id: RunId, success: bool) -> Result<(), String> {
        let unit = self.shape.unit_of(id).ok_or_else(|| self.strange(id))?;
        if self.unit != Some(unit) {
            self.end_unit()?;
            match self.units.next() {
                Some(own) if own == unit => self.unit = Some(unit),
                Some(own) if own < unit => return Err(self.missing(own, &[])),
                _ => return Err("rows of other shards are there".into()),
            }
        }
        self.runs.push((id, success));
        Ok(())
    }

    /// All rows were seen.
    ///
    /// # Errors
    /// What is missing.
    pub(super) fn finish(mut self) -> Result<(), String> {
        self.end_unit()?;
        self.units.next().map_or(Ok(()), |unit| Err(self.missing(unit, &[])))
    }

    fn missing(&self, unit: u64, successes: &[bool]) -> String {
        let id = self.shape.next(unit, successes);
        id.map_or_else(String::new, |id| format!("{} is missing", self.shape.told(id)))
    }

    /// The unit is whole, or says what it lacks.
    fn end_unit(&mut self) -> Result<(), String> {
        let Some(unit) = self.unit.take() else { return Ok(()) };
        let mut runs = std::mem::take(&mut self.runs);
        runs.sort_by_key(|(id, _)| (id.rung, id.sample));
        let mut successes = Vec::with_capacity(runs.len());
        for (id, success) in runs {
            match self.shape.next(unit, &successes) {
                Some(next) if next == id => successes.push(success),
                Some(next) if (next.rung, next.sample) < (id.rung, id.sample) => {
                    return Err(self.missing(unit, &successes));
                }
                _ => return Err(format!("{} is there twice, or was pruned", self.shape.told(id))),
            }
        }
        match self.shape.next(unit, &successes) {
            Some(_) => Err(self.missing(unit, &successes)),
            None => Ok(()),
        }
    }
}
