//! Impacts: taken, weighed, counted.

use vinci_core::model::DofRole;
use vinci_core::sparse::Csr;

use super::outcome::{Event, EventKind, Impact};
use super::{Simulation, Work};

/// Work of an impact's impulses above this part of its terms is no rounding (solvers are exact to about 1e-8).
const ROUNDING: f64 = 1e-6;

impl Simulation {
    /// The velocity after an impact replaces the one before it; time and place stay.
    pub(super) fn take_impact(&mut self) {
        let (energy_change, size) = work_of_impulses(&self.work, &self.v);
        std::mem::swap(&mut self.v, &mut self.work.v_next);
        let contacts = self.work.contacts.view();
        let pressed = |i: &usize| self.work.impulse[contacts.row(*i)] > 0.0;
        let hit: Vec<_> = (0..contacts.len()).filter(pressed).map(|i| contacts.key[i]).collect();
        for &contact in &hit {
            if self.guard.count(contact, self.settings.stepping.max_impacts) {
                self.work.events.push(Event { t: self.t, kind: EventKind::Zeno, contact });
            }
        }
        self.work.impacts.push(Impact {
            t: self.t,
            q: self.q.clone(),
            v: self.v.clone(),
            energy_change,
            grew: energy_change > ROUNDING * size,
            contacts: hit,
            report: self.work.report,
            residual: self.work.residual,
            slack: self.work.slack,
        });
    }
}

/// Σ p · (ν⁻ + ν⁺)/2 over all contact rows and Σ p_b · (J v⁻ + J v⁺)/2 over all joint rows, J, and the sum of the terms'
/// sizes. By M (v⁺ − v⁻) = W p + Jᵀ p_b this is the change of kinetic energy. What a row of a joint takes back of a
/// distance (its rate) is no velocity and no part of it. Driven dofs move as commanded before and after: what drives add is
/// not the law's doing.
fn work_of_impulses(w: &Work, v: &[f64]) -> (f64, f64) {
    let (contacts, joints) = (w.contacts.view(), w.joints.view());
    let before = |i: usize| {
        if DofRole::from_code(w.role[i]) == DofRole::Prescribed { w.v_next[i] } else { v[i] }
    };
    let after = |i: usize| w.v_next[i];
    let (mut sum, mut size) = (0.0, 0.0);
    let mut add = |p: f64, (start, end): (f64, f64)| {
        sum += 0.5 * p * (start + end);
        size += 0.5 * p.abs() * (start.abs() + end.abs());
    };
    for (row, &p) in w.impulse.iter().enumerate().filter(|(_, p)| **p != 0.0) {
        let rate = contacts.rate[row];
        add(
            p,
            (along(&contacts.jacobian, row, &before) + rate, along(&contacts.jacobian, row, &after) + rate),
        );
    }
    for (row, &p) in w.row_impulse.iter().enumerate().filter(|(_, p)| **p != 0.0) {
        add(p, (along(&joints.jacobian, row, &before), along(&joints.jacobian, row, &after)));
    }
    (sum, size)
}

/// One row of a Jacobian times a velocity.
fn along(jacobian: &Csr<'_>, row: usize, v: &dyn Fn(usize) -> f64) -> f64 {
    jacobian.entries(row).map(|(i, x)| x * v(i)).sum()
}
