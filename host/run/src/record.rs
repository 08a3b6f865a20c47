//! Writing a run: `trajectory.csv`, `links.csv`, `contacts.csv`, `drives.csv`, `controllers.csv`, `supports.csv`, `events.csv`, `gradients.csv`, and the hash of all recorded
//! states.

mod contact_columns;
mod state_hash;

pub use contact_columns::{CONTACT_PLACES, CONTACTS, bodies, contact_place};
pub use state_hash::{state_hash, text_hash};

use std::collections::BTreeMap;
use std::io::Write;

use sha2::{Digest, Sha256};
use vinci_core::contact::ContactKey;
use vinci_core::model::{DofRole, Frames, MotionSource, Space, System};

use state_hash::{hash_state, recorded};

use crate::sealed::{FileSum, Table, Tables, hex};
use vinci_engine::labels;
use vinci_engine::pipeline::{Accepted, ContactEventKind};
use vinci_scene::experiment::Record;

const GRADIENTS: &str = "time,row,column,value";

/// Writes rows as steps are accepted. Static bodies have no columns.
pub struct Recorder {
    trajectory: Table,
    contacts: Option<Table>,
    events: Table,
    /// Poses of the links of trees, where there are any: the file, the links, where everything stands.
    links: Option<(Table, Vec<u32>, Frames)>,
    /// Efforts of prescribed dofs, where there are any: the file and the dofs.
    drives: Option<(Table, Vec<usize>)>,
    /// Efforts of controllers, where there are any: the file and the velocities.
    controllers: Option<(Table, Vec<usize>)>,
    /// Driven dofs that may deviate from their commands.
    deviating: Vec<usize>,
    /// Support points, where there are any: the file and the number of every point within its body.
    supports: Option<(Table, Vec<usize>)>,
    /// Derivatives, where steps come with them: the file, made with the first.
    gradients: Option<Table>,
    tables: Tables,
    line: Vec<u8>,
    number: ryu::Buffer,
    hash: Sha256,
    every: u64,
    substeps: bool,
}

impl Recorder {
    /// Opens the tables, new ones or those of a run that goes on.
    /// Driven dofs in `may_deviate` have their command and deviation in `drives.csv` too.
    ///
    /// # Errors
    /// Of input and output.
    pub fn open(
        tables: Tables,
        system: &System,
        record: &Record,
        may_deviate: &[u32],
    ) -> std::io::Result<Self> {
        let mut header = String::from("time");
        for label in (0..system.n_blocks()).flat_map(|b| labels::block(system, b)).flatten() {
            header.push_str(&format!(",{label}"));
        }
        let hash = recorded(system, tables.kept_rows("trajectory.csv")?)?;
        let trajectory = tables.open("trajectory.csv", &header)?;
        let columns = format!("{CONTACTS},{}", CONTACT_PLACES[usize::from(system.space == Space::Spatial)]);
        let contacts = record.contacts.then(|| tables.open("contacts.csv", &columns)).transpose()?;
        let links = Self::links(&tables, system)?;
        let drives = Self::drives(&tables, system, may_deviate)?;
        let events = tables.open("events.csv", "time,kind,bodies,energy_change")?;
        let supports = Self::supports(&tables, system)?;
        let gradients =
            tables.has("gradients.csv").then(|| tables.open("gradients.csv", GRADIENTS)).transpose()?;
        let (line, number) = (Vec::with_capacity(1024), ryu::Buffer::new());
        Ok(Self {
            trajectory,
            contacts,
            events,
            links,
            drives,
            controllers: None,
            deviating: may_deviate.iter().map(|&dof| dof as usize).collect(),
            supports,
            gradients,
            tables,
            line,
            number,
            hash,
            every: record.every.max(1),
            substeps: record.substeps,
        })
    }

    /// `links.csv`: poses of the links of trees, `TREE/LINK.x` and so on.
    fn links(tables: &Tables, system: &System) -> std::io::Result<Option<(Table, Vec<u32>, Frames)>> {
        let is_link = |body: &u32| matches!(system.motion_source(*body), MotionSource::Link { .. });
        let links: Vec<u32> = (0..system.bodies.len() as u32).filter(is_link).collect();
        if links.is_empty() {
            return Ok(None);
        }
        let columns = |&body: &u32| {
            let name = &system.bodies[body as usize].name;
            labels::pose(system.space).iter().map(move |number| format!(",{name}.{number}"))
        };
        let header = format!("time{}", links.iter().flat_map(columns).collect::<String>());
        Ok(Some((tables.open("links.csv", &header)?, links, Frames::default())))
    }

    fn link_row(&mut self, system: &System, t: f64, q: &[f64]) -> std::io::Result<()> {
        let Some((file, links, frames)) = &mut self.links else { return Ok(()) };
        system.place(q, frames);
        self.line.clear();
        push(&mut self.line, &mut self.number, t);
        for &x in links.iter().flat_map(|&body| frames.pose(body)) {
            self.line.push(b',');
            push(&mut self.line, &mut self.number, x);
        }
        self.line.push(b'\n');
        file.write_all(&self.line)
    }

    /// `drives.csv`: the force or torque (mean over the step) that holds each locked or driven dof to its motion, and of
    /// those that may deviate the commanded velocity and Δq − Δq̄ of the step.
    fn drives(
        tables: &Tables,
        system: &System,
        may_deviate: &[u32],
    ) -> std::io::Result<Option<(Table, Vec<usize>)>> {
        let roles = system.roles();
        let dofs: Vec<usize> =
            (0..roles.len()).filter(|&i| DofRole::from_code(roles[i]) == DofRole::Prescribed).collect();
        if dofs.is_empty() {
            return Ok(None);
        }
        let effort = |&dof: &usize| labels::effort(system, dof).map(|label| format!(",{label}"));
        let deviating = |&dof: &u32| {
            let label = labels::velocity(system, dof as usize)?;
            Some(format!(",{label}.command,{label}.deviation"))
        };
        let more: String = may_deviate.iter().filter_map(deviating).collect();
        let header = format!("time{}{more}", dofs.iter().filter_map(effort).collect::<String>());
        Ok(Some((tables.open("drives.csv", &header)?, dofs)))
    }

    /// Adds `controllers.csv`: the force or torque (mean over the step) with which controllers act on each of these
    /// velocities, implicit gains as they came out.
    pub fn with_controllers(mut self, system: &System, dofs: &[u32]) -> std::io::Result<Self> {
        if dofs.is_empty() {
            return Ok(self);
        }
        let name = |dof: &u32| labels::effort(system, *dof as usize).map(|label| format!(",{label}"));
        let header = format!("time{}", dofs.iter().filter_map(name).collect::<String>());
        let file = self.tables.open("controllers.csv", &header)?;
        self.controllers = Some((file, dofs.iter().map(|dof| *dof as usize).collect()));
        Ok(self)
    }

    fn controller_row(&mut self, accepted: &Accepted<'_>) -> std::io::Result<()> {
        let Some((file, dofs)) = &mut self.controllers else { return Ok(()) };
        self.line.clear();
        push(&mut self.line, &mut self.number, accepted.t);
        for &dof in dofs.iter() {
            self.line.push(b',');
            push(&mut self.line, &mut self.number, accepted.controlled.get(dof).copied().unwrap_or(0.0));
        }
        self.line.push(b'\n');
        file.write_all(&self.line)
    }

    /// `supports.csv`: place, load, mean friction force over the step and slip speed at its end of every support point.
    fn supports(tables: &Tables, system: &System) -> std::io::Result<Option<(Table, Vec<usize>)>> {
        if system.supports.is_empty() {
            return Ok(None);
        }
        let file = tables.open("supports.csv", "time,body,point,x,y,load,fx,fy,slip")?;
        let own =
            |i: usize| system.supports[..i].iter().filter(|s| s.body == system.supports[i].body).count();
        Ok(Some((file, (0..system.supports.len()).map(own).collect())))
    }

    fn support_rows(&mut self, system: &System, accepted: &Accepted<'_>) -> std::io::Result<()> {
        let Some((file, number)) = &mut self.supports else { return Ok(()) };
        let supports = &accepted.supports;
        self.line.clear();
        for (i, k) in number.iter().enumerate() {
            let nu = [0, 1].map(|d| supports.jacobian.row_dot(2 * i + d, accepted.v));
            let [x, y] = [0, 1].map(|d| supports.point[2 * i + d]);
            let [fx, fy] = [0, 1].map(|d| accepted.support_impulse[2 * i + d] / accepted.h);
            push(&mut self.line, &mut self.number, accepted.t);
            write!(self.line, ",{},{k}", system.bodies[supports.body[i] as usize].name)?;
            for value in [x, y, supports.load[i], fx, fy, nu[0].hypot(nu[1])] {
                self.line.push(b',');
                push(&mut self.line, &mut self.number, value);
            }
            self.line.push(b'\n');
        }
        file.write_all(&self.line)
    }

    /// `gradients.csv`: the derivatives of the step by commands (`u.BODY.x`: displacement per commanded displacement) and by
    /// coordinates (`q.BODY.x`), one number per line, those that are 0 left out.
    fn gradient_rows(&mut self, system: &System, accepted: &Accepted<'_>) -> std::io::Result<()> {
        if accepted.gradient.is_empty() {
            return Ok(());
        }
        let file = match &mut self.gradients {
            Some(file) => file,
            None => self.gradients.insert(self.tables.open("gradients.csv", GRADIENTS)?),
        };
        let n = accepted.v.len();
        self.line.clear();
        for (k, &value) in accepted.gradient.iter().enumerate().filter(|(_, value)| **value != 0.0) {
            let (row, column) = (k / (2 * n), k % (2 * n));
            let (kind, dof) = if column < n { ("u", column) } else { ("q", column - n) };
            push(&mut self.line, &mut self.number, accepted.t);
            let place = |dof: usize| labels::displacement(system, dof);
            let (Some(moved), Some(by)) = (place(row), place(dof)) else { continue };
            write!(self.line, ",{moved},{kind}.{by},")?;
            push(&mut self.line, &mut self.number, value);
            self.line.push(b'\n');
        }
        file.write_all(&self.line)
    }

    fn drive_row(&mut self, accepted: &Accepted<'_>) -> std::io::Result<()> {
        let Some((file, dofs)) = &mut self.drives else { return Ok(()) };
        self.line.clear();
        push(&mut self.line, &mut self.number, accepted.t);
        for &dof in dofs.iter() {
            self.line.push(b',');
            push(
                &mut self.line,
                &mut self.number,
                accepted.effort.get(dof).copied().unwrap_or(0.0) / accepted.h,
            );
        }
        for &dof in &self.deviating {
            let (v, command) = (accepted.v[dof], accepted.command[dof]);
            for value in [command, accepted.h * (v - command)] {
                self.line.push(b',');
                push(&mut self.line, &mut self.number, value);
            }
        }
        self.line.push(b'\n');
        file.write_all(&self.line)
    }

    /// The row of the state that the run begins in.
    pub fn initial(&mut self, system: &System, t: f64, q: &[f64], v: &[f64]) -> std::io::Result<()> {
        self.state(system, t, q, v)
    }

    /// The row of an event of the experiment: its words in the place of the bodies, in quotes.
    pub fn change(&mut self, t: f64, words: &str) -> std::io::Result<()> {
        self.line.clear();
        push(&mut self.line, &mut self.number, t);
        writeln!(self.line, ",change,\"{}\",0.0", words.replace('"', "\"\""))?;
        self.events.write_all(&self.line)
    }

    /// The rows of an accepted step: every impact with the velocity after it, and the step's end where that is a grid time
    /// (`row` is its number), an event, or every step is wanted. Returns whether it is.
    pub fn step(
        &mut self,
        system: &System,
        row: Option<u64>,
        accepted: &Accepted<'_>,
    ) -> std::io::Result<bool> {
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
    ) -> std::io::Result<()> {
        self.line.clear();
        push(&mut self.line, &mut self.number, t);
        self.line.extend_from_slice(format!(",{kind},{},", bodies(system, contacts)).as_bytes());
        push(&mut self.line, &mut self.number, energy_change);
        self.line.push(b'\n');
        self.events.write_all(&self.line)
    }

    fn state(&mut self, system: &System, t: f64, q: &[f64], v: &[f64]) -> std::io::Result<()> {
        self.line.clear();
        push(&mut self.line, &mut self.number, t);
        let layout = system.layout();
        let range = |start: &[u32], b: usize| start[b] as usize..start[b + 1] as usize;
        for b in 0..system.n_blocks() {
            for &x in q[range(layout.q_start, b)].iter().chain(&v[range(layout.block_start, b)]) {
                self.line.push(b',');
                push(&mut self.line, &mut self.number, x);
            }
        }
        self.line.push(b'\n');
        hash_state(&mut self.hash, q, v);
        self.trajectory.write_all(&self.line)?;
        self.link_row(system, t, q)
    }

    fn contact_rows(&mut self, system: &System, accepted: &Accepted<'_>) -> std::io::Result<()> {
        let Some(file) = &mut self.contacts else { return Ok(()) };
        let contacts = &accepted.contacts;
        self.line.clear();
        for i in 0..contacts.len() {
            let p = &accepted.impulse[contacts.row(i)..][..contacts.stride()];
            push(&mut self.line, &mut self.number, accepted.t);
            for body in [contacts.body_a[i], contacts.body_b[i]] {
                self.line.push(b',');
                self.line.extend_from_slice(system.bodies[body as usize].name.as_bytes());
            }
            for x in [contacts.gap[i], p[0], p[1], p.get(2).copied().unwrap_or(0.0), accepted.slip[i]] {
                self.line.push(b',');
                push(&mut self.line, &mut self.number, x);
            }
            self.line.push(b',');
            self.line.extend_from_slice(accepted.mode[i].name().as_bytes());
            for x in contact_place(contacts, i, p, accepted.h) {
                self.line.push(b',');
                push(&mut self.line, &mut self.number, x);
            }
            self.line.push(b'\n');
        }
        file.write_all(&self.line)
    }

    fn all(&mut self) -> impl Iterator<Item = &mut Table> {
        let more = [self.drives.as_mut(), self.controllers.as_mut(), self.supports.as_mut()];
        let plain = [self.contacts.as_mut(), self.gradients.as_mut()].into_iter().flatten();
        let links = self.links.as_mut().map(|(file, ..)| file);
        let more = more.into_iter().flatten().map(|(file, _)| file).chain(links);
        [&mut self.trajectory, &mut self.events].into_iter().chain(plain).chain(more)
    }

    /// Brings everything written so far to the disk; gives the length of every table.
    ///
    /// # Errors
    /// Of output.
    pub fn sync(&mut self) -> std::io::Result<BTreeMap<String, FileSum>> {
        self.all().map(Table::sync).collect()
    }

    /// Gives the tables their names; returns them with their sums, and the hash of all recorded states, hex.
    ///
    /// # Errors
    /// Of output.
    pub fn finish(self) -> std::io::Result<(Vec<(String, FileSum)>, String)> {
        let Self { trajectory, events, contacts, gradients, links, drives, controllers, supports, .. } = self;
        let more = [drives, controllers, supports].into_iter().flatten().map(|(file, _)| file);
        let more = more.chain(links.map(|(file, ..)| file));
        let plain = [Some(trajectory), Some(events), contacts, gradients].into_iter().flatten();
        let sealed = plain.chain(more).map(Table::seal).collect::<std::io::Result<Vec<_>>>()?;
        Ok((sealed, hex(&self.hash.finalize())))
    }
}

/// Shortest decimal that reads back to the same bits; −0 is written as 0.
fn push(line: &mut Vec<u8>, number: &mut ryu::Buffer, x: f64) {
    line.extend_from_slice(number.format(x + 0.0).as_bytes());
}
