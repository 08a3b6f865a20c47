//! Writing a run: the tables `trajectory`, `links`, `contacts`, `drives`, `controllers`, `supports`, `gradients` and `steps` as CSV or Parquet,
//! `events.csv`, and the hash of all recorded states.

mod columns;
mod contact_columns;
mod rows;
mod sheet;
mod state_hash;
mod writer;

pub use columns::{CONTACT_PLACES, CONTACTS};
pub use contact_columns::{bodies, contact_place};
pub use state_hash::{state_hash, text_hash};

use std::io::{self, Write};
use std::sync::Arc;

use vinci_core::contact::ContactKey;
use vinci_core::model::{DofRole, Frames, MotionSource, System};
use vinci_core::referee::Mode;

use rows::Rows;
use sheet::Sheet;
use state_hash::StateHash;
use writer::Writer;

use crate::sealed::{Sums, Synced, Table, Tables};
use crate::table::{Column, RowTable, file_name, push};
use vinci_engine::labels;
use vinci_engine::pipeline::{Accepted, ContactEventKind};
use vinci_scene::experiment::{Record, TableFormat};

/// Writes rows as steps are accepted. Static bodies have no columns.
///
/// The run copies numbers into batches; a thread of its own encodes, hashes and writes them.
pub struct Recorder {
    trajectory: Rows,
    /// A row per accepted step.
    steps: Rows,
    contacts: Option<Rows>,
    /// Always as CSV: there are few, and their words are sentences.
    events: Table,
    /// Poses of the links of trees, where there are any: the table, the links, where everything stands.
    links: Option<(Rows, Vec<u32>, Frames)>,
    /// Efforts of prescribed dofs, where there are any: the table and the dofs.
    drives: Option<(Rows, Vec<usize>)>,
    /// Efforts of controllers, where there are any: the table and the velocities.
    controllers: Option<(Rows, Vec<usize>)>,
    /// Driven dofs that may deviate from their commands.
    deviating: Vec<usize>,
    /// Support points, where there are any: the table and the number of every point within its body.
    supports: Option<(Rows, Vec<usize>)>,
    /// Derivatives, where steps come with them: the table, made with the first.
    gradients: Option<Rows>,
    opening: Opening,
    line: Vec<u8>,
    number: ryu::Buffer,
    /// Scratch: numbers of a contact's place.
    place: Vec<f64>,
    every: u64,
    substeps: bool,
}

/// Opener of tables, with the writer that has them.
struct Opening {
    tables: Tables,
    format: TableFormat,
    writer: Writer,
}

impl Opening {
    /// Opens a table whose cells hold numbers and these words.
    fn open(&mut self, name: &str, columns: &[Column], words: Arc<[String]>) -> io::Result<Rows> {
        self.open_hashed(name, columns, words, None)
    }

    fn open_hashed(
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
    fn numbers(&mut self, name: &str, columns: &[Column]) -> io::Result<Rows> {
        self.open(name, columns, Arc::default())
    }
}

/// Names of all bodies, then those of all modes.
fn words(system: &System) -> Arc<[String]> {
    let bodies = system.bodies.iter().map(|body| body.name.clone());
    bodies.chain(Mode::ALL.map(|mode| mode.name().to_owned())).collect()
}

/// Names of displacements, then of the same as columns of commands, then as columns of coordinates.
fn gradient_words(system: &System) -> Arc<[String]> {
    let labels = labels::displacements(system);
    let of = |kind: &str| labels.iter().map(|label| format!("{kind}{label}")).collect::<Vec<_>>();
    ["", "u.", "q."].map(of).concat().into()
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
        let trajectory = to.open_hashed("trajectory", &trajectory, Arc::default(), Some(hash))?;
        let steps = to.numbers("steps", &columns::steps())?;
        let mut contacts = || to.open("contacts", &columns::contacts(system.space), words(system));
        let contacts = record.contacts.then(&mut contacts).transpose()?;
        let gradients = to.tables.has(&file_name(format, "gradients"));
        Ok(Self {
            trajectory,
            steps,
            contacts,
            events: to.tables.open("events.csv", "time,kind,bodies,energy_change")?,
            links: Self::links(to, system)?,
            drives: Self::drives(to, system, may_deviate)?,
            controllers: None,
            deviating: may_deviate.iter().map(|&dof| dof as usize).collect(),
            supports: Self::supports(to, system)?,
            gradients: gradients.then(|| Self::gradients(to, system)).transpose()?,
            opening,
            line: Vec::with_capacity(1024),
            number: ryu::Buffer::new(),
            place: Vec::new(),
            every: record.every.max(1),
            substeps: record.substeps,
        })
    }

    /// `links`: poses of the links of trees, `TREE/LINK.x` and so on.
    fn links(to: &mut Opening, system: &System) -> io::Result<Option<(Rows, Vec<u32>, Frames)>> {
        let is_link = |body: &u32| matches!(system.motion_source(*body), MotionSource::Link { .. });
        let links: Vec<u32> = (0..system.bodies.len() as u32).filter(is_link).collect();
        if links.is_empty() {
            return Ok(None);
        }
        let rows = to.numbers("links", &columns::links(system, &links))?;
        Ok(Some((rows, links, Frames::default())))
    }

    fn link_row(&mut self, system: &System, t: f64, q: &[f64]) -> io::Result<()> {
        let Some((rows, links, frames)) = &mut self.links else { return Ok(()) };
        system.place(q, frames);
        rows.number(t);
        links.iter().for_each(|&body| rows.numbers(frames.pose(body)));
        rows.end_row(&mut self.opening.writer)
    }

    /// `drives`: the force or torque (mean over the step) that holds each locked or driven dof to its motion, and of
    /// those that may deviate the commanded velocity and Δq − Δq̄ of the step.
    fn drives(
        to: &mut Opening,
        system: &System,
        may_deviate: &[u32],
    ) -> io::Result<Option<(Rows, Vec<usize>)>> {
        let roles = system.roles();
        let dofs: Vec<usize> =
            (0..roles.len()).filter(|&i| DofRole::from_code(roles[i]) == DofRole::Prescribed).collect();
        if dofs.is_empty() {
            return Ok(None);
        }
        let columns = columns::drives(system, &dofs, may_deviate);
        Ok(Some((to.numbers("drives", &columns)?, dofs)))
    }

    /// Adds `controllers`: the force or torque (mean over the step) with which controllers act on each of these
    /// velocities, implicit gains as they came out.
    pub fn with_controllers(mut self, system: &System, dofs: &[u32]) -> io::Result<Self> {
        if dofs.is_empty() {
            return Ok(self);
        }
        let dofs: Vec<usize> = dofs.iter().map(|dof| *dof as usize).collect();
        let rows = self.opening.numbers("controllers", &columns::efforts(system, &dofs))?;
        self.controllers = Some((rows, dofs));
        Ok(self)
    }

    fn controller_row(&mut self, accepted: &Accepted<'_>) -> io::Result<()> {
        let Some((rows, dofs)) = &mut self.controllers else { return Ok(()) };
        rows.number(accepted.t);
        dofs.iter().for_each(|dof| rows.number(accepted.controlled.get(*dof).copied().unwrap_or(0.0)));
        rows.end_row(&mut self.opening.writer)
    }

    /// `supports`: place, load, mean friction force over the step and slip speed at its end of every support point.
    fn supports(to: &mut Opening, system: &System) -> io::Result<Option<(Rows, Vec<usize>)>> {
        if system.supports.is_empty() {
            return Ok(None);
        }
        let rows = to.open("supports", &columns::supports(), words(system))?;
        let own =
            |i: usize| system.supports[..i].iter().filter(|s| s.body == system.supports[i].body).count();
        Ok(Some((rows, (0..system.supports.len()).map(own).collect())))
    }

    fn support_rows(&mut self, accepted: &Accepted<'_>) -> io::Result<()> {
        let Some((rows, number)) = &mut self.supports else { return Ok(()) };
        let supports = &accepted.supports;
        for (i, k) in number.iter().enumerate() {
            let nu = [0, 1].map(|d| supports.jacobian.row_dot(2 * i + d, accepted.v));
            let [x, y] = [0, 1].map(|d| supports.point[2 * i + d]);
            let [fx, fy] = [0, 1].map(|d| accepted.support_impulse[2 * i + d] / accepted.h);
            rows.number(accepted.t);
            rows.word(supports.body[i] as usize);
            rows.count(*k);
            rows.numbers(&[x, y, supports.load[i], fx, fy, nu[0].hypot(nu[1])]);
            rows.end_row(&mut self.opening.writer)?;
        }
        Ok(())
    }

    /// `gradients`: the derivatives of the step by commands (`u.BODY.x`: displacement per commanded displacement) and by
    /// coordinates (`q.BODY.x`), one number per row, those that are 0 left out.
    fn gradients(to: &mut Opening, system: &System) -> io::Result<Rows> {
        to.open("gradients", &columns::gradients(), gradient_words(system))
    }

    fn gradient_rows(&mut self, system: &System, accepted: &Accepted<'_>) -> io::Result<()> {
        if accepted.gradient.is_empty() {
            return Ok(());
        }
        let rows = match &mut self.gradients {
            Some(rows) => rows,
            None => self.gradients.insert(Self::gradients(&mut self.opening, system)?),
        };
        let n = accepted.v.len();
        for (k, &value) in accepted.gradient.iter().enumerate().filter(|(_, value)| **value != 0.0) {
            // Along a command or a coordinate: their names stand behind those of displacements.
            let (row, column) = (k / (2 * n), k % (2 * n));
            rows.number(accepted.t);
            rows.word(row);
            rows.word(n + column);
            rows.number(value);
            rows.end_row(&mut self.opening.writer)?;
        }
        Ok(())
    }

    fn drive_row(&mut self, accepted: &Accepted<'_>) -> io::Result<()> {
        let Some((rows, dofs)) = &mut self.drives else { return Ok(()) };
        rows.number(accepted.t);
        let effort = |dof: &usize| accepted.effort.get(*dof).copied().unwrap_or(0.0) / accepted.h;
        dofs.iter().for_each(|dof| rows.number(effort(dof)));
        for &dof in &self.deviating {
            let (v, command) = (accepted.v[dof], accepted.command[dof]);
            rows.numbers(&[command, accepted.h * (v - command)]);
        }
        rows.end_row(&mut self.opening.writer)
    }

    /// The row of the state that the run begins in.
    pub fn initial(&mut self, system: &System, t: f64, q: &[f64], v: &[f64]) -> io::Result<()> {
        self.state(system, t, q, v)
    }

    /// The row of an event of the experiment: its words in the place of the bodies, in quotes.
    pub fn change(&mut self, t: f64, words: &str) -> io::Result<()> {
        self.line.clear();
        push(&mut self.line, &mut self.number, t);
        writeln!(self.line, ",change,\"{}\",0.0", words.replace('"', "\"\""))?;
        self.events.write_all(&self.line)
    }

    /// The rows of an accepted step: every impact with the velocity after it, and the step's end where that is a grid time
    /// (`row` is its number), an event, or every step is wanted. Returns whether it is.
    pub fn step(&mut self, system: &System, row: Option<u64>, accepted: &Accepted<'_>) -> io::Result<bool> {
        for impact in accepted.impacts {
            self.event_row(system, impact.t, "impact", &impact.contacts, impact.energy_change)?;
            self.state(system, impact.t, &impact.q, &impact.v)?;
        }
        let mut located = false;
        for event in accepted.events {
            self.event_row(system, event.t, event.kind.name(), &[event.contact], 0.0)?;
            located |= event.kind == ContactEventKind::Contact;
        }
        let wanted = row.is_some_and(|row| row.is_multiple_of(self.every));
        let wanted = wanted || located || self.substeps;
        if wanted {
            self.state(system, accepted.t, accepted.q, accepted.v)?;
            self.step_row(accepted)?;
            self.contact_rows(system, accepted)?;
            self.drive_row(accepted)?;
            self.controller_row(accepted)?;
            self.support_rows(accepted)?;
            self.gradient_rows(system, accepted)?;
        }
        Ok(wanted)
    }

    fn event_row(
        &mut self,
        system: &System,
        t: f64,
        kind: &str,
        contacts: &[ContactKey],
        energy_change: f64,
    ) -> io::Result<()> {
        self.line.clear();
        push(&mut self.line, &mut self.number, t);
        self.line.extend_from_slice(format!(",{kind},{},", bodies(system, contacts)).as_bytes());
        push(&mut self.line, &mut self.number, energy_change);
        self.line.push(b'\n');
        self.events.write_all(&self.line)
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
        self.link_row(system, t, q)
    }

    /// `steps`: how far the solver's answer is from its problem, and the step from the model.
    fn step_row(&mut self, accepted: &Accepted<'_>) -> io::Result<()> {
        let report = &accepted.report;
        self.steps.numbers(&[accepted.t, accepted.h]);
        self.steps.count(accepted.contacts.len());
        self.steps.number(accepted.residual);
        let found = [report.momentum_relative, report.complementarity, report.penetration];
        self.steps.numbers(&found.map(|worst| worst.value));
        self.steps.end_row(&mut self.opening.writer)
    }

    fn contact_rows(&mut self, system: &System, accepted: &Accepted<'_>) -> io::Result<()> {
        let Some(rows) = &mut self.contacts else { return Ok(()) };
        let contacts = &accepted.contacts;
        for i in 0..contacts.len() {
            let p = &accepted.impulse[contacts.row(i)..][..contacts.stride()];
            rows.number(accepted.t);
            [contacts.body_a[i], contacts.body_b[i]].iter().for_each(|body| rows.word(*body as usize));
            rows.numbers(&[contacts.gap[i], p[0], p[1], p.get(2).copied().unwrap_or(0.0), accepted.slip[i]]);
            rows.word(system.bodies.len() + accepted.mode[i] as usize);
            self.place.clear();
            contact_place(contacts, i, p, accepted.h, &mut self.place);
            rows.numbers(&self.place);
            rows.end_row(&mut self.opening.writer)?;
        }
        Ok(())
    }

    /// Gives all rows to the writer.
    fn hand_over(&mut self) -> io::Result<()> {
        let more = [self.drives.as_mut(), self.controllers.as_mut(), self.supports.as_mut()];
        let plain = [self.contacts.as_mut(), self.gradients.as_mut()].into_iter().flatten();
        let links = self.links.as_mut().map(|(rows, ..)| rows);
        let more = more.into_iter().flatten().map(|(rows, _)| rows).chain(links);
        let mut all = [&mut self.trajectory, &mut self.steps].into_iter().chain(plain).chain(more);
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
