//! The way there: the step becomes a root problem.

use vinci_sdk::core::regularized::HuntCrossley;
use vinci_sdk::prelude::*;

use crate::Tamsi;
use crate::balance::Balance;
use crate::config::{Coupling, Forces};
use crate::elements::Law;

/// A contact that takes no part.
pub(crate) const LEFT_OUT: u32 = u32::MAX;

impl Tamsi {
    /// The root problem of the step, or of a first part of it where steps have been halved.
    ///
    /// Errors: contacts that are rigid or have no stiffness; a friction coefficient, dissipation or bound that is no number
    /// at least 0; a velocity that nothing determines.
    pub(crate) fn assemble(&mut self, step: &StepView<'_>) -> Result<Problem<'_>, StageError> {
        // What an impedance or a controller pulls at, how far limits are and how much dry friction bears depends on the step,
        // and the step is the host's: it is asked to try a shorter one.
        let pulled = step.role.iter().any(|&role| DofRole::from_code(role) == DofRole::Impedance)
            || !step.rows.rate.is_empty()
            || step.stiffness.n_rows() > 0;
        let h = self.control.step(step.h);
        (self.h, self.retry) = if pulled && h < step.h { (step.h, h) } else { (h, 0.0) };
        let view = StepView { h: self.h, ..*step };
        for i in 0..view.contacts.len() {
            self.check_contact(&view, i)?;
        }
        self.asks = self.config.forces == Forces::End && step.pass == 0;
        if self.asks {
            return self.ask(step);
        }
        self.momentum.assemble(&view, MotionModel::Dynamic)?;
        if let Err(dof) = self.balance.open(&self.momentum, &view) {
            return Err(self.massless(&view, dof));
        }
        self.balance.elements.open(self.h);
        self.balance.symmetric = self.config.coupling == Coupling::OneWay;
        self.add_contacts(&view);
        self.add_supports(&view)?;
        self.add_rows(&view)?;
        self.balance.measure(step.tolerance, self.config.stiction_velocity);
        Ok(self.problem(step.tolerance))
    }

    fn problem(&self, tolerance: f64) -> Problem<'_> {
        let Balance { start, scale, .. } = &self.balance;
        Problem::Root(Root { start, oracle: &self.balance, scale, tolerance })
    }

    /// A problem without unknowns: forces are wanted at the end of the step first.
    fn ask(&mut self, step: &StepView<'_>) -> Result<Problem<'_>, StageError> {
        if step.stiffness.n_rows() > 0 || step.viscosity.n_rows() > 0 {
            return Err(StageError::unsupported(
                "`forces`: `end` does not go with springs and dampers, which are implicit already: leave it at `start`",
            ));
        }
        self.balance.clear();
        Ok(self.problem(step.tolerance))
    }

    fn add_contacts(&mut self, step: &StepView<'_>) {
        let contacts = &step.contacts;
        self.place.clear();
        for i in 0..contacts.len() {
            let (row, mu, penetration) = (contacts.row(i), contacts.pair.friction[i], -contacts.gap[i]);
            let law = law_of(contacts, i);
            let law = match self.config.coupling {
                Coupling::TwoWay => Law::Contact { law, penetration, mu },
                Coupling::OneWay => {
                    let v_n = contacts.jacobian.row_dot(row, step.v);
                    let force = law.at(penetration, v_n).force;
                    if !(force > 0.0) {
                        self.place.push(LEFT_OUT);
                        continue;
                    }
                    Law::Frozen { impulse: step.h * force, mu }
                }
            };
            self.place.push(self.balance.elements.list.len() as u32);
            let rows = (contacts.jacobian, row);
            self.balance.elements.push(&self.momentum, rows, (0, contacts.stride()), &[], law);
        }
    }

    /// Friction of support points is that of contacts under loads that are known.
    fn add_supports(&mut self, step: &StepView<'_>) -> Result<(), StageError> {
        for k in 0..step.supports.len() {
            let bound =
                step.h * check_number("the friction bound of a support point", step.supports.bound[k])?;
            let rows = (step.supports.jacobian, 2 * k);
            self.balance.elements.push(&self.momentum, rows, (1, 3), &[], Law::Bound(bound));
        }
        Ok(())
    }

    /// Rows with bounds ∓b are friction and regularised as such; all others keep their impulse as an unknown.
    fn add_rows(&mut self, step: &StepView<'_>) -> Result<(), StageError> {
        let rows = &step.rows;
        self.balance.hard.open(self.balance.n());
        for k in 0..rows.rate.len() {
            if is_friction(rows, k) {
                let (at, rate) = ((rows.jacobian, k), &rows.rate[k..=k]);
                self.balance.elements.push(&self.momentum, at, (1, 2), rate, Law::Bound(rows.upper[k]));
                continue;
            }
            if !(rows.lower[k] <= rows.upper[k]) {
                let (lower, upper) = (rows.lower[k], rows.upper[k]);
                return Err(StageError::bad_input(format!("row {k} has the bounds {lower} … {upper} N s")));
            }
            self.balance.hard.push(step, k, &self.momentum, &self.balance.diagonal);
        }
        // The saddle of joint rows is not definite.
        self.balance.symmetric &= self.balance.hard.len() == 0;
        Ok(())
    }

    fn check_contact(&self, step: &StepView<'_>, i: usize) -> Result<(), StageError> {
        let (contacts, law) = (&step.contacts, law_of(&step.contacts, i));
        let between = || {
            let name = |body: u32| self.names.get(body as usize).map_or("?", String::as_str);
            format!("`{}` and `{}`", name(contacts.body_a[i]), name(contacts.body_b[i]))
        };
        let (k, d, mu) = (law.stiffness, law.dissipation, contacts.pair.friction[i]);
        if k == f64::INFINITY {
            return Err(StageError::bad_model(format!(
                "the contact between {} is rigid, and TAMSI has forces from penetration only: give one of their materials, or \
                 the pair, a finite `stiffness` (N/m), or choose stewart-trinkle",
                between()
            )));
        }
        let (what, value) = match (k, d, mu) {
            _ if !(k > 0.0) => ("`stiffness` must be greater than 0 N/m", k),
            _ if !(d >= 0.0 && d.is_finite()) => ("`dissipation` must be finite and at least 0 s/m", d),
            _ if !(mu >= 0.0 && mu.is_finite()) => ("`friction` must be finite and at least 0", mu),
            _ => return Ok(()),
        };
        Err(StageError::bad_model(format!("{what}, found {value} for the contact between {}", between())))
    }

    fn massless(&self, step: &StepView<'_>, dof: usize) -> StageError {
        let block = step.block_of(dof);
        let body = self.moving.get(block).map_or("?", String::as_str);
        let local = dof - step.block_start[block] as usize;
        StageError::bad_model(format!(
            "`{body}` has neither inertia nor drag nor stiffness along its degree of freedom {local}, and TAMSI needs one of \
             them: choose motion model `dynamic` or `quasi-dynamic` for it, or another stepper"
        ))
    }
}

/// Returns true if row k is friction: |p| ≤ b for a finite b.
pub(crate) fn is_friction(rows: &Rows<'_>, k: usize) -> bool {
    rows.upper[k].is_finite() && rows.upper[k] >= 0.0 && rows.lower[k] == -rows.upper[k]
}

/// Stiffness and dissipation of contact i.
pub(crate) fn law_of(contacts: &Contacts<'_>, i: usize) -> HuntCrossley {
    HuntCrossley { stiffness: contacts.pair.stiffness[i], dissipation: contacts.pair.dissipation[i] }
}

fn check_number(what: &str, x: f64) -> Result<f64, StageError> {
    if x >= 0.0 && x.is_finite() {
        return Ok(x);
    }
    Err(StageError::bad_input(format!("{what} is {x}, which is not a number of 0 or more")))
}
