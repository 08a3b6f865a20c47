//! Opening of the tables of a run.

use std::io;
use std::sync::Arc;

use vinci_core::model::System;
use vinci_core::referee::Mode;

use super::rows::Rows;
use super::sheet::Sheet;
use super::state_hash::StateHash;
use super::writer::Writer;
use crate::sealed::Tables;
use crate::table::{Column, RowTable};
use vinci_scene::experiment::TableFormat;

/// Opener of tables, with the writer that has them.
pub(super) struct Opening {
    pub(super) tables: Tables,
    pub(super) format: TableFormat,
    pub(super) writer: Writer,
}

impl Opening {
    /// Opens a table whose cells hold numbers and these words.
    ///
    /// # Errors
    /// Of input and output.
    pub(super) fn open(&mut self, name: &str, columns: &[Column], words: Arc<[String]>) -> io::Result<Rows> {
        self.open_hashed(name, columns, words, None)
    }

    /// Opens a table like [`Opening::open`], whose rows go into a hash too.
    ///
    /// # Errors
    /// Of input and output.
    pub(super) fn open_hashed(
        &mut self,
        name: &str,
        columns: &[Column],
        words: Arc<[String]>,
        hash: Option<StateHash>,
    ) -> io::Result<Rows> {
        let table = RowTable::open(&self.tables, (self.format, name), columns, words)?;
        Ok(Rows::of(self.writer.open(Sheet { table, hash })?, columns.len()))
    }

    /// Opens a table of numbers.
    ///
    /// # Errors
    /// Of input and output.
    pub(super) fn numbers(&mut self, name: &str, columns: &[Column]) -> io::Result<Rows> {
        self.open(name, columns, Arc::default())
    }
}

/// Names of all bodies, then those of all modes.
pub(super) fn words(system: &System) -> Arc<[String]> {
    let bodies = system.bodies.iter().map(|body| body.name.clone());
    bodies.chain(Mode::ALL.map(|mode| mode.name().to_owned())).collect()
}
