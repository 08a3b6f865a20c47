//! Writing a run: the tables `trajectory`, `links`, `contacts`, `drives`, `controllers`, `supports`, `gradients` and `steps` as CSV or Parquet,
//! `events.csv`, and the hash of all recorded states.

mod columns;
mod contact_columns;
mod state_hash;

pub use columns::{CONTACT_PLACES, CONTACTS};
pub use contact_columns::{bodies, contact_place};
pub use state_hash::{state_hash, text_hash};

use std::io::{self, Write};

use sha2::{Digest, Sha256};
use vinci_core::contact::ContactKey;
use vinci_core::model::{DofRole, Frames, MotionSource, System};

use state_hash::{hash_state, recorded};

use crate::sealed::{FileSum, Synced, Table, Tables, hex};
use crate::table::{RowTable, file_name, push};
use vinci_engine::labels;
use vinci_engine::pipeline::{Accepted, ContactEventKind};
use vinci_scene::experiment::{Record, TableFormat};

/// Writes rows as steps are accepted. Static bodies have no columns.
pub struct Recorder {
    trajectory: RowTable,
    /// A row per accepted step.
    steps: RowTable,
    contacts: Option<RowTable>,
    /// Always as CSV: there are few, and their words are sentences.
    events: Table,
    /// Poses of the links of trees, where there are any: the table, the links, where everything stands.
    links: Option<(RowTable, Vec<u32>, Frames)>,
    /// Efforts of prescribed dofs, where there are any: the table and the dofs.
    drives: Option<(RowTable, Vec<usize>)>,
    /// Efforts of controllers, where there are any: the table and the velocities.
    controllers: Option<(RowTable, Vec<usize>)>,
    /// Driven dofs that may deviate from their commands.
    deviating: Vec<usize>,
    /// Support points, where there are any: the table and the number of every point within its body.
    supports: Option<(RowTable, Vec<usize>)>,
    /// Derivatives, where steps come with them: the table, made with the first.
    gradients: Option<RowTable>,
    tables: Tables,
    format: TableFormat,
    line: Vec<u8>,
    number: ryu::Buffer,
    /// Scratch: numbers of a contact's place.
    place: Vec<f64>,
    hash: Sha256,
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
        let hash = recorded(system, &tables, format)?;
        let open = |name, columns| RowTable::open(&tables, format, name, columns);
        let contacts =
            record.contacts.then(|| open("contacts", columns::contacts(system.space))).transpose()?;
        let gradients = tables.has(&file_name(format, "gradients"));
        let gradients = gradients.then(|| open("gradients", columns::gradients())).transpose()?;
        Ok(Self {
            trajectory: open("trajectory", columns::trajectory(system))?,
            steps: open("steps", columns::steps())?,
            contacts,
            events: tables.open("events.csv", "time,kind,bodies,energy_change")?,
            links: Self::links(&tables, format, system)?,
            drives: Self::drives(&tables, format, system, may_deviate)?,
            controllers: None,
            deviating: may_deviate.iter().map(|&dof| dof as usize).collect(),
            supports: Self::supports(&tables, format, system)?,
            gradients,
            tables,
            format,
            line: Vec::with_capacity(1024),
            number: ryu::Buffer::new(),
            place: Vec::new(),
            hash,
            every: record.every.max(1),
            substeps: record.substeps,
        })
    }

    /// `links`: poses of the links of trees, `TREE/LINK.x` and so on.
    fn links(
        tables: &Tables,
        format: TableFormat,
        system: &System,
    ) -> io::Result<Option<(RowTable, Vec<u32>, Frames)>> {
        let is_link = |body: &u32| matches!(system.motion_source(*body), MotionSource::Link { .. });
        let links: Vec<u32> = (0..system.bodies.len() as u32).filter(is_link).collect();
        if links.is_empty() {
            return Ok(None);
        }
        let table = RowTable::open(tables, format, "links", columns::links(system, &links))?;
        Ok(Some((table, links, Frames::default())))
    }

    fn link_row(&mut self, system: &System, t: f64, q: &[f64]) -> io::Result<()> {
        let Some((table, links, frames)) = &mut self.links else { return Ok(()) };
        system.place(q, frames);
        table.number(t);
        links.iter().for_each(|&body| table.numbers(frames.pose(body)));
        table.end_row()
    }

    /// `drives`: the force or torque (mean over the step) that holds each locked or driven dof to its motion, and of
    /// those that may deviate the commanded velocity and Δq − Δq̄ of the step.
    fn drives(
        tables: &Tables,
        format: TableFormat,
        system: &System,
        may_deviate: &[u32],
    ) -> io::Result<Option<(RowTable, Vec<usize>)>> {
        let roles = system.roles();
        let dofs: Vec<usize> =
            (0..roles.len()).filter(|&i| DofRole::from_code(roles[i]) == DofRole::Prescribed).collect();
        if dofs.is_empty() {
            return Ok(None);
        }
        let columns = columns::drives(system, &dofs, may_deviate);
        Ok(Some((RowTable::open(tables, format, "drives", columns)?, dofs)))
    }

    /// Adds `controllers`: the force or torque (mean over the step) with which controllers act on each of these
    /// velocities, implicit gains as they came out.
    pub fn with_controllers(mut self, system: &System, dofs: &[u32]) -> io::Result<Self> {
        if dofs.is_empty() {
            return Ok(self);
        }
        let dofs: Vec<usize> = dofs.iter().map(|dof| *dof as usize).collect();
        let columns = columns::efforts(system, &dofs);
        let table = RowTable::open(&self.tables, self.format, "controllers", columns)?;
        self.controllers = Some((table, dofs));
        Ok(self)
    }

    fn controller_row(&mut self, accepted: &Accepted<'_>) -> io::Result<()> {
        let Some((table, dofs)) = &mut self.controllers else { return Ok(()) };
        table.number(accepted.t);
        dofs.iter().for_each(|dof| table.number(accepted.controlled.get(*dof).copied().unwrap_or(0.0)));
        table.end_row()
    }

    /// `supports`: place, load, mean friction force over the step and slip speed at its end of every support point.
    fn supports(
        tables: &Tables,
        format: TableFormat,
        system: &System,
    ) -> io::Result<Option<(RowTable, Vec<usize>)>> {
        if system.supports.is_empty() {
            return Ok(None);
        }
        let table = RowTable::open(tables, format, "supports", columns::supports())?;
        let own =
            |i: usize| system.supports[..i].iter().filter(|s| s.body == system.supports[i].body).count();
        Ok(Some((table, (0..system.supports.len()).map(own).collect())))
    }

    fn support_rows(&mut self, system: &System, accepted: &Accepted<'_>) -> io::Result<()> {
        let Some((table, number)) = &mut self.supports else { return Ok(()) };
        let supports = &accepted.supports;
        for (i, k) in number.iter().enumerate() {
            let nu = [0, 1].map(|d| supports.jacobian.row_dot(2 * i + d, accepted.v));
            let [x, y] = [0, 1].map(|d| supports.point[2 * i + d]);
            let [fx, fy] = [0, 1].map(|d| accepted.support_impulse[2 * i + d] / accepted.h);
            table.number(accepted.t);
            table.word(&system.bodies[supports.body[i] as usize].name);
            table.count(*k);
            table.numbers(&[x, y, supports.load[i], fx, fy, nu[0].hypot(nu[1])]);
            table.end_row()?;
        }
        Ok(())
    }

    /// `gradients`: the derivatives of the step by commands (`u.BODY.x`: displacement per commanded displacement) and by
    /// coordinates (`q.BODY.x`), one number per row, those that are 0 left out.
    fn gradient_rows(&mut self, system: &System, accepted: &Accepted<'_>) -> io::Result<()> {
        if accepted.gradient.is_empty() {
            return Ok(());
        }
        let table = match &mut self.gradients {
            Some(table) => table,
            None => {
                let table = RowTable::open(&self.tables, self.format, "gradients", columns::gradients())?;
                self.gradients.insert(table)
            }
        };
        let n = accepted.v.len();
        let label = |dof: usize| labels::displacement(system, dof).map(|label| label.to_string());
        for (k, &value) in accepted.gradient.iter().enumerate().filter(|(_, value)| **value != 0.0) {
            let (row, column) = (k / (2 * n), k % (2 * n));
            let (kind, dof) = if column < n { ("u", column) } else { ("q", column - n) };
            let (Some(moved), Some(by)) = (label(row), label(dof)) else { continue };
            table.number(accepted.t);
            table.word(&moved);
            table.word(&format!("{kind}.{by}"));
            table.number(value);
            table.end_row()?;
        }
        Ok(())
    }

    fn drive_row(&mut self, accepted: &Accepted<'_>) -> io::Result<()> {
        let Some((table, dofs)) = &mut self.drives else { return Ok(()) };
        table.number(accepted.t);
        let effort = |dof: &usize| accepted.effort.get(*dof).copied().unwrap_or(0.0) / accepted.h;
        dofs.iter().for_each(|dof| table.number(effort(dof)));
        for &dof in &self.deviating {
            let (v, command) = (accepted.v[dof], accepted.command[dof]);
            table.numbers(&[command, accepted.h * (v - command)]);
        }
        table.end_row()
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
            self.support_rows(system, accepted)?;
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
        self.trajectory.end_row()?;
        hash_state(&mut self.hash, q, v);
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
        self.steps.end_row()
    }

    fn contact_rows(&mut self, system: &System, accepted: &Accepted<'_>) -> io::Result<()> {
        let Some(table) = &mut self.contacts else { return Ok(()) };
        let contacts = &accepted.contacts;
        for i in 0..contacts.len() {
            let p = &accepted.impulse[contacts.row(i)..][..contacts.stride()];
            table.number(accepted.t);
            for body in [contacts.body_a[i], contacts.body_b[i]] {
                table.word(&system.bodies[body as usize].name);
            }
            table.numbers(&[contacts.gap[i], p[0], p[1], p.get(2).copied().unwrap_or(0.0), accepted.slip[i]]);
            table.word(accepted.mode[i].name());
            self.place.clear();
            contact_place(contacts, i, p, accepted.h, &mut self.place);
            table.numbers(&self.place);
            table.end_row()?;
        }
        Ok(())
    }

    fn all(&mut self) -> impl Iterator<Item = &mut RowTable> {
        let more = [self.drives.as_mut(), self.controllers.as_mut(), self.supports.as_mut()];
        let plain = [self.contacts.as_mut(), self.gradients.as_mut()].into_iter().flatten();
        let links = self.links.as_mut().map(|(table, ..)| table);
        let more = more.into_iter().flatten().map(|(table, _)| table).chain(links);
        [&mut self.trajectory, &mut self.steps].into_iter().chain(plain).chain(more)
    }

    /// Brings everything written so far to the disk.
    ///
    /// # Errors
    /// Of output.
    pub fn sync(&mut self) -> io::Result<Synced> {
        let mut synced = Synced::default();
        synced.sums.extend([self.events.sync()?]);
        for table in self.all() {
            let (name, sum, footer) = table.sync()?;
            synced.footers.extend(footer.map(|footer| (name.clone(), footer)));
            synced.sums.insert(name, sum);
        }
        Ok(synced)
    }

    /// Gives the tables their names; returns them with their sums, and the hash of all recorded states, hex.
    ///
    /// # Errors
    /// Of output.
    pub fn finish(self) -> io::Result<(Vec<(String, FileSum)>, String)> {
        let Self {
            trajectory, steps, events, contacts, gradients, links, drives, controllers, supports, ..
        } = self;
        let more = [drives, controllers, supports].into_iter().flatten().map(|(table, _)| table);
        let more = more.chain(links.map(|(table, ..)| table));
        let plain = [Some(trajectory), Some(steps), contacts, gradients].into_iter().flatten();
        let mut sealed = plain.chain(more).map(RowTable::seal).collect::<io::Result<Vec<_>>>()?;
        sealed.push(events.seal()?);
        Ok((sealed, hex(&self.hash.finalize())))
    }
}
