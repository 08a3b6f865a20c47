//! Writing a run: the tables `trajectory`, `links`, `contacts`, `drives`, `controllers`, `supports`, `gradients` and `steps` as CSV or Parquet,
//! `events.csv`, and the hash of all recorded states.

mod columns;
mod contact_columns;
mod events;
mod links;
mod opening;
mod rows;
mod sheet;
mod state_hash;
mod step_tables;
mod writer;

pub(crate) use columns::drives as columns_of_drives;
pub use columns::{CONTACT_PLACES, CONTACTS};
pub use contact_columns::{ContactPlace, bodies, contact_place};
pub use state_hash::{state_hash, text_hash};

use std::io;
use std::sync::Arc;

use vinci_core::model::System;

use events::Events;
use links::Links;
use opening::Opening;
use rows::Rows;
use state_hash::StateHash;
use step_tables::StepTables;
use writer::Writer;

use crate::sealed::{Sums, Synced, Tables};
use vinci_engine::pipeline::{Accepted, ContactEventKind};
use vinci_scene::experiment::Record;

/// Writes rows as steps are accepted. Static bodies have no columns.
///
/// The run copies numbers into batches; a thread of its own encodes, hashes and writes them.
pub struct Recorder {
    trajectory: Rows,
    /// Poses of the links of trees, where there are any.
    links: Option<Links>,
    of_steps: StepTables,
    events: Events,
    opening: Opening,
    every: u64,
    substeps: bool,
}

impl Recorder {
    /// Opens the tables, new ones or those of a run that goes on.
    /// Driven dofs in `may_deviate` have their command and deviation in `drives` too.
    ///
    /// # Errors
    /// Of input and output.
    pub fn open(tables: Tables, system: &System, record: &Record, may_deviate: &[u32]) -> io::Result<Self> {
        let format = record.format;
        let hash = StateHash::of_recorded(system, &tables, format)?;
        let mut opening = Opening { tables, format, writer: Writer::begin()? };
        let to = &mut opening;
        let trajectory = columns::trajectory(system);
        Ok(Self {
            trajectory: to.open_hashed("trajectory", &trajectory, Arc::default(), Some(hash))?,
            of_steps: StepTables::open(to, system, record, may_deviate)?,
            events: Events::open(&to.tables)?,
            links: Links::open(to, system)?,
            opening,
            every: record.every.max(1),
            substeps: record.substeps,
        })
    }

    /// Adds `controllers`: the force or torque (mean over the step) with which controllers act on each of these
    /// velocities, implicit gains as they came out.
    ///
    /// # Errors
    /// Of input and output.
    pub fn with_controllers(mut self, system: &System, dofs: &[u32]) -> io::Result<Self> {
        if !dofs.is_empty() {
            self.of_steps.add_controllers(&mut self.opening, system, dofs)?;
        }
        Ok(self)
    }

    /// The row of the state that the run begins in.
    ///
    /// # Errors
    /// Of output.
    pub fn initial(&mut self, system: &System, t: f64, q: &[f64], v: &[f64]) -> io::Result<()> {
        self.state(system, t, q, v)
    }

    /// The row of an event of the experiment: its words in the place of the bodies, in quotes.
    ///
    /// # Errors
    /// Of output.
    pub fn change(&mut self, t: f64, words: &str) -> io::Result<()> {
        self.events.change(t, words)
    }

    /// The rows of an accepted step: every impact with the velocity after it, and the step's end where that is a grid time
    /// (`row` is its number), an event, or every step is wanted. Returns whether it is.
    ///
    /// # Errors
    /// Of output.
    pub fn step(&mut self, system: &System, row: Option<u64>, accepted: &Accepted<'_>) -> io::Result<bool> {
        for impact in accepted.impacts {
            self.events.row(system, (impact.t, "impact"), &impact.contacts, impact.energy_change)?;
            self.state(system, impact.t, &impact.q, &impact.v)?;
        }
        let mut located = false;
        for event in accepted.events {
            self.events.row(system, (event.t, event.kind.name()), &[event.contact], 0.0)?;
            located |= event.kind == ContactEventKind::Contact;
        }
        let wanted = row.is_some_and(|row| row.is_multiple_of(self.every));
        let wanted = wanted || located || self.substeps;
        if wanted {
            self.state(system, accepted.t, accepted.q, accepted.v)?;
            self.of_steps.step(&mut self.opening, system, accepted)?;
        }
        Ok(wanted)
    }

    fn state(&mut self, system: &System, t: f64, q: &[f64], v: &[f64]) -> io::Result<()> {
        let layout = system.layout();
        let range = |start: &[u32], b: usize| start[b] as usize..start[b + 1] as usize;
        self.trajectory.number(t);
        for b in 0..system.n_blocks() {
            self.trajectory.numbers(&q[range(layout.q_start, b)]);
            self.trajectory.numbers(&v[range(layout.block_start, b)]);
        }
        self.trajectory.end_row(&mut self.opening.writer)?;
        let writer = &mut self.opening.writer;
        self.links.as_mut().map_or(Ok(()), |links| links.row(system, t, q, writer))
    }

    /// Gives all rows to the writer.
    fn hand_over(&mut self) -> io::Result<()> {
        let links = self.links.as_mut().map(|links| &mut links.rows);
        let mut all = std::iter::once(&mut self.trajectory).chain(self.of_steps.all()).chain(links);
        all.try_for_each(|rows| rows.hand_over(&mut self.opening.writer))
    }

    /// Brings everything recorded so far to the disk.
    ///
    /// # Errors
    /// Of output.
    pub fn sync(&mut self) -> io::Result<Synced> {
        self.hand_over()?;
        let mut synced = self.opening.writer.sync()?;
        synced.sums.extend([self.events.sync()?]);
        Ok(synced)
    }

    /// Gives the tables their names; returns them with their sums, and the hash of all recorded states, hex.
    ///
    /// # Errors
    /// Of output.
    pub fn finish(mut self) -> io::Result<(Vec<(String, Sums)>, String)> {
        self.hand_over()?;
        let (mut sealed, hash) = self.opening.writer.seal()?;
        sealed.push(self.events.seal()?);
        Ok((sealed, hash))
    }
}
