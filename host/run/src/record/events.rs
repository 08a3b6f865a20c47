//! The table of events. It is CSV always: there are few, and their words are sentences.

use std::io::{self, Write};

use vinci_core::contact::ContactKey;
use vinci_core::model::System;

use super::contact_columns::bodies;
use crate::sealed::{FileSum, Sums, Table, Tables};
use crate::table::push;

/// `events.csv`, row by row.
pub(super) struct Events {
    table: Table,
    line: Vec<u8>,
    number: ryu::Buffer,
}

impl Events {
    /// Opens the table.
    ///
    /// # Errors
    /// Of input and output.
    pub(super) fn open(tables: &Tables) -> io::Result<Self> {
        let table = tables.open("events.csv", "time,kind,bodies,energy_change")?;
        Ok(Self { table, line: Vec::with_capacity(1024), number: ryu::Buffer::new() })
    }

    /// The row of an event of the experiment: its words in the place of the bodies, in quotes.
    ///
    /// # Errors
    /// Of output.
    pub(super) fn change(&mut self, t: f64, words: &str) -> io::Result<()> {
        self.line.clear();
        push(&mut self.line, &mut self.number, t);
        writeln!(self.line, ",change,\"{}\",0.0", words.replace('"', "\"\""))?;
        self.table.write_all(&self.line)
    }

    /// The row of something that happens to contacts. `energy_change` in J.
    ///
    /// # Errors
    /// Of output.
    pub(super) fn row(
        &mut self,
        system: &System,
        (t, kind): (f64, &str),
        contacts: &[ContactKey],
        energy_change: f64,
    ) -> io::Result<()> {
        self.line.clear();
        push(&mut self.line, &mut self.number, t);
        self.line.extend_from_slice(format!(",{kind},{},", bodies(system, contacts)).as_bytes());
        push(&mut self.line, &mut self.number, energy_change);
        self.line.push(b'\n');
        self.table.write_all(&self.line)
    }

    /// Brings everything to the disk.
    ///
    /// # Errors
    /// Of output.
    pub(super) fn sync(&mut self) -> io::Result<(String, FileSum)> {
        self.table.sync()
    }

    /// Gives the table its name.
    ///
    /// # Errors
    /// Of output.
    pub(super) fn seal(self) -> io::Result<(String, Sums)> {
        self.table.seal()
    }
}
