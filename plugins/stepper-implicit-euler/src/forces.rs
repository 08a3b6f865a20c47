//! f(t, x) as far as it is not M⁻¹: all forces of a view, contacts by Hunt and Crossley's law and regularised friction.

use vinci_sdk::core::regularized::{HuntCrossley, Regularized, Tals};
use vinci_sdk::prelude::*;

/// The forces of one evaluation. Keeps its memory.
#[derive(Debug)]
pub(crate) struct Forces {
    law: Regularized,
    /// f + bias + Jᵀ f_c + J_sᵀ f_s over all velocities, N.
    pub(crate) total: Vec<f64>,
    /// Largest term of every row of `total`, N.
    pub(crate) largest: Vec<f64>,
    /// Normal force and friction of every contact, N.
    pub(crate) contact: Vec<f64>,
    /// Friction of every support point, N.
    pub(crate) support: Vec<f64>,
}

impl Forces {
    pub(crate) fn new(law: Regularized) -> Self {
        let (total, largest, contact, support) = Default::default();
        Self { law, total, largest, contact, support }
    }

    /// All forces at the place of a view.
    ///
    /// Errors: contacts of rigid pairs.
    pub(crate) fn evaluate(&mut self, step: &StepView<'_>, names: &[String]) -> Result<(), StageError> {
        check_stiffness(&step.contacts, names)?;
        self.contact.clear();
        for i in 0..step.contacts.len() {
            self.push_contact(&step.contacts, step.v, i);
        }
        self.support.clear();
        for k in 0..step.supports.len() {
            let nu = [0, 1].map(|d| step.supports.jacobian.row_dot(2 * k + d, step.v));
            let bound = step.supports.bound[k];
            self.support.extend(self.law.slip(nu).direction.map(|u| -bound * u));
        }
        self.sum(step);
        Ok(())
    }

    fn push_contact(&mut self, contacts: &Contacts<'_>, v: &[f64], i: usize) {
        let (row, stride) = (contacts.row(i), contacts.stride());
        let law =
            HuntCrossley { stiffness: contacts.pair.stiffness[i], dissipation: contacts.pair.dissipation[i] };
        let normal = law.at(-contacts.gap[i], rate(contacts, v, row)).force;
        let slip = self.law.slip(slip_of(contacts, v, i));
        self.contact.push(normal);
        for k in 1..stride {
            self.contact.push(-contacts.pair.friction[i] * normal * slip.direction[k - 1]);
        }
    }

    fn sum(&mut self, step: &StepView<'_>) {
        self.total.clear();
        self.largest.clear();
        for (f, c) in step.force.iter().zip(step.bias) {
            self.total.push(f + c);
            self.largest.push(f.abs().max(c.abs()));
        }
        let terms = [(step.contacts.jacobian, &self.contact), (step.supports.jacobian, &self.support)];
        for (jacobian, force) in terms {
            for (row, f) in force.iter().enumerate().filter(|(_, f)| **f != 0.0) {
                for (dof, x) in jacobian.entries(row) {
                    self.total[dof] += x * f;
                    self.largest[dof] = self.largest[dof].max((x * f).abs());
                }
            }
        }
    }
}

/// J v of a row of contacts, m/s.
fn rate(contacts: &Contacts<'_>, v: &[f64], row: usize) -> f64 {
    contacts.jacobian.row_dot(row, v)
}

fn slip_of(contacts: &Contacts<'_>, v: &[f64], i: usize) -> [f64; 2] {
    let row = contacts.row(i);
    [1, 2].map(|k| if k < contacts.stride() { rate(contacts, v, row + k) } else { 0.0 })
}

/// A pair without a stiffness has no force law.
fn check_stiffness(contacts: &Contacts<'_>, names: &[String]) -> Result<(), StageError> {
    let Some(i) = contacts.pair.stiffness.iter().position(|k| !(*k > 0.0 && k.is_finite())) else {
        return Ok(());
    };
    let name = |body: u32| names.get(body as usize).map_or("?", String::as_str);
    let (a, b, k) = (name(contacts.body_a[i]), name(contacts.body_b[i]), contacts.pair.stiffness[i]);
    let what =
        if k == f64::INFINITY { "are rigid to each other".into() } else { format!("have the stiffness {k}") };
    Err(StageError::unsupported(format!(
        "`{a}` and `{b}` {what}, and implicit Euler integrates compliant contact: give their material, or the pair, a \
         positive `stiffness`"
    )))
}

/// Slips of the contacts that press at an iterate, with their Jacobian there: what the line search looks at.
#[derive(Debug, Default)]
pub(crate) struct Slips {
    jacobian: CsrBuf,
    velocity: Vec<[f64; 2]>,
}

impl Slips {
    /// Takes those of a view.
    pub(crate) fn take(&mut self, step: &StepView<'_>, forces: &Forces) {
        let (contacts, supports) = (&step.contacts, &step.supports);
        self.jacobian.clear(step.nv());
        self.velocity.clear();
        for i in 0..contacts.len() {
            let row = contacts.row(i);
            if forces.contact[row] > 0.0 {
                self.velocity.push(slip_of(contacts, step.v, i));
                (1..3)
                    .for_each(|k| self.push_row(contacts.jacobian, (k < contacts.stride()).then(|| row + k)));
            }
        }
        for k in (0..supports.len()).filter(|k| supports.bound[*k] > 0.0) {
            self.velocity.push([0, 1].map(|d| supports.jacobian.row_dot(2 * k + d, step.v)));
            (0..2).for_each(|d| self.push_row(supports.jacobian, Some(2 * k + d)));
        }
    }

    fn push_row(&mut self, jacobian: Csr<'_>, row: Option<usize>) {
        if let Some(row) = row {
            jacobian.entries(row).for_each(|(dof, x)| self.jacobian.push(dof, x));
        }
        self.jacobian.end_row();
    }

    /// The smallest α of all contacts for an update Δv of all velocities.
    pub(crate) fn limit(&self, tals: &Tals, dv: &[f64]) -> f64 {
        let jacobian = self.jacobian.view();
        let of = |(i, v): (usize, &[f64; 2])| {
            tals.limit(*v, [jacobian.row_dot(2 * i, dv), jacobian.row_dot(2 * i + 1, dv)])
        };
        // NaN must win: no step.
        self.velocity.iter().enumerate().map(of).fold(1.0, |m, a| if a < m || a.is_nan() { a } else { m })
    }
}
