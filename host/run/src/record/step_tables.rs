//! Tables with rows of accepted steps: `steps`, `contacts`, `drives`, `controllers`, `supports`, `gradients`.

use std::io;
use std::sync::Arc;

use vinci_core::model::{DofRole, System};

use super::columns;
use super::contact_columns::contact_place;
use super::opening::{Opening, words};
use super::rows::Rows;
use crate::table::file_name;
use vinci_engine::labels;
use vinci_engine::pipeline::Accepted;
use vinci_scene::experiment::Record;

/// The tables that a run has of these.
pub(super) struct StepTables {
    /// A row per accepted step.
    steps: Rows,
    contacts: Option<Rows>,
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
}

/// Names of displacements, then of the same as columns of commands, then as columns of coordinates.
fn gradient_words(system: &System) -> Arc<[String]> {
    let labels = labels::displacements(system);
    let of = |kind: &str| labels.iter().map(|label| format!("{kind}{label}")).collect::<Vec<_>>();
    ["", "u.", "q."].map(of).concat().into()
}

impl StepTables {
    /// Opens the tables. Driven dofs in `may_deviate` have their command and deviation in `drives` too.
    ///
    /// # Errors
    /// Of input and output.
    pub(super) fn open(
        to: &mut Opening,
        system: &System,
        record: &Record,
        may_deviate: &[u32],
    ) -> io::Result<Self> {
        let steps = to.numbers("steps", &columns::steps())?;
        let mut contacts = || to.open("contacts", &columns::contacts(system.space), words(system));
        let contacts = record.contacts.then(&mut contacts).transpose()?;
        // A run that goes on has them already.
        let gradients = to.tables.has(&file_name(to.format, "gradients"));
        Ok(Self {
            steps,
            contacts,
            drives: Self::drives(to, system, may_deviate)?,
            controllers: None,
            deviating: may_deviate.iter().map(|&dof| dof as usize).collect(),
            supports: Self::supports(to, system)?,
            gradients: gradients.then(|| Self::gradients(to, system)).transpose()?,
        })
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

    /// `gradients`: the derivatives of the step by commands (`u.BODY.x`: displacement per commanded displacement) and by
    /// coordinates (`q.BODY.x`), one number per row, those that are 0 left out.
    fn gradients(to: &mut Opening, system: &System) -> io::Result<Rows> {
        to.open("gradients", &columns::gradients(), gradient_words(system))
    }

    /// Adds `controllers`: the force or torque (mean over the step) with which controllers act on each of these
    /// velocities, implicit gains as they came out.
    ///
    /// # Errors
    /// Of input and output.
    pub(super) fn add_controllers(
        &mut self,
        to: &mut Opening,
        system: &System,
        dofs: &[u32],
    ) -> io::Result<()> {
        let dofs: Vec<usize> = dofs.iter().map(|dof| *dof as usize).collect();
        let rows = to.numbers("controllers", &columns::efforts(system, &dofs))?;
        self.controllers = Some((rows, dofs));
        Ok(())
    }

    /// The rows of an accepted step.
    ///
    /// # Errors
    /// Of output.
    pub(super) fn step(
        &mut self,
        to: &mut Opening,
        system: &System,
        accepted: &Accepted<'_>,
    ) -> io::Result<()> {
        self.step_row(to, accepted)?;
        self.contact_rows(to, system, accepted)?;
        self.drive_row(to, accepted)?;
        self.controller_row(to, accepted)?;
        self.support_rows(to, accepted)?;
        self.gradient_rows(to, system, accepted)
    }

    /// `steps`: how far the solver's answer is from its problem, and the step from the model.
    fn step_row(&mut self, to: &mut Opening, accepted: &Accepted<'_>) -> io::Result<()> {
        let report = &accepted.report;
        self.steps.numbers(&[accepted.t, accepted.h]);
        self.steps.count(accepted.contacts.len());
        self.steps.number(accepted.residual);
        let found = [report.momentum_relative, report.complementarity, report.penetration];
        self.steps.numbers(&found.map(|worst| worst.value));
        self.steps.end_row(&mut to.writer)
    }

    fn contact_rows(&mut self, to: &mut Opening, system: &System, accepted: &Accepted<'_>) -> io::Result<()> {
        let Some(rows) = &mut self.contacts else { return Ok(()) };
        let contacts = &accepted.contacts;
        for i in 0..contacts.len() {
            let p = &accepted.impulse[contacts.row(i)..][..contacts.stride()];
            rows.number(accepted.t);
            [contacts.body_a[i], contacts.body_b[i]].iter().for_each(|body| rows.word(*body as usize));
            rows.numbers(&[contacts.gap[i], p[0], p[1], p.get(2).copied().unwrap_or(0.0), accepted.slip[i]]);
            rows.word(system.bodies.len() + accepted.mode[i] as usize);
            rows.numbers(contact_place(contacts, i, p, accepted.h).numbers());
            rows.end_row(&mut to.writer)?;
        }
        Ok(())
    }

    fn drive_row(&mut self, to: &mut Opening, accepted: &Accepted<'_>) -> io::Result<()> {
        let Some((rows, dofs)) = &mut self.drives else { return Ok(()) };
        rows.number(accepted.t);
        let effort = |dof: &usize| accepted.effort.get(*dof).copied().unwrap_or(0.0) / accepted.h;
        dofs.iter().for_each(|dof| rows.number(effort(dof)));
        for &dof in &self.deviating {
            let (v, command) = (accepted.v[dof], accepted.command[dof]);
            rows.numbers(&[command, accepted.h * (v - command)]);
        }
        rows.end_row(&mut to.writer)
    }

    fn controller_row(&mut self, to: &mut Opening, accepted: &Accepted<'_>) -> io::Result<()> {
        let Some((rows, dofs)) = &mut self.controllers else { return Ok(()) };
        rows.number(accepted.t);
        dofs.iter().for_each(|dof| rows.number(accepted.controlled.get(*dof).copied().unwrap_or(0.0)));
        rows.end_row(&mut to.writer)
    }

    fn support_rows(&mut self, to: &mut Opening, accepted: &Accepted<'_>) -> io::Result<()> {
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
            rows.end_row(&mut to.writer)?;
        }
        Ok(())
    }

    fn gradient_rows(
        &mut self,
        to: &mut Opening,
        system: &System,
        accepted: &Accepted<'_>,
    ) -> io::Result<()> {
        if accepted.gradient.is_empty() {
            return Ok(());
        }
        let rows = match &mut self.gradients {
            Some(rows) => rows,
            None => self.gradients.insert(Self::gradients(to, system)?),
        };
        let n = accepted.v.len();
        for (k, &value) in accepted.gradient.iter().enumerate().filter(|(_, value)| **value != 0.0) {
            // Along a command or a coordinate: their names stand behind those of displacements.
            let (row, column) = (k / (2 * n), k % (2 * n));
            rows.number(accepted.t);
            rows.word(row);
            rows.word(n + column);
            rows.number(value);
            rows.end_row(&mut to.writer)?;
        }
        Ok(())
    }

    /// The rows of every table that there is.
    pub(super) fn all(&mut self) -> impl Iterator<Item = &mut Rows> {
        let more = [self.drives.as_mut(), self.controllers.as_mut(), self.supports.as_mut()];
        let plain = [self.contacts.as_mut(), self.gradients.as_mut()].into_iter().flatten();
        let more = more.into_iter().flatten().map(|(rows, _)| rows);
        std::iter::once(&mut self.steps).chain(plain).chain(more)
    }
}
