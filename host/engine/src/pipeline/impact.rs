//! Impacts: taken, weighed, counted.

use vinci_core::lists::copy;
use vinci_core::sparse::Csr;

use super::Simulation;
use super::contexts::Contexts;
use super::outcome::{ContactEvent, ContactEventKind, Impact};
use super::step_record::StepRecord;

/// Work of an impact's impulses above this part of its terms is no rounding (solvers are exact to about 1e-8).
const ROUNDING: f64 = 1e-6;

impl Simulation {
    /// Notes an impact: the velocities after it are those of the start now; time and place stay.
    pub(super) fn note_impact(&mut self) {
        let Self { contexts, record, state, settings, .. } = self;
        let (energy_change, size) = work_of_impulses(contexts, record);
        let contacts = contexts.current().contacts.view();
        let pressed = |i: &usize| record.impulse[contacts.row(*i)] > 0.0;
        let hit: Vec<_> = (0..contacts.len()).filter(pressed).map(|i| contacts.key[i]).collect();
        let start = &mut contexts.start;
        copy(&mut start.v, &record.v);
        for &contact in &hit {
            if start.guard.count(contact, settings.control.max_impacts) {
                record.events.push(ContactEvent { t: state.t, kind: ContactEventKind::Zeno, contact });
            }
        }
        record.impacts.push(Impact {
            t: state.t,
            q: state.q.clone(),
            v: start.v.clone(),
            energy_change,
            grew: energy_change > ROUNDING * size,
            contacts: hit,
            report: record.report,
            residual: record.residual,
            slack: record.slack,
        });
    }
}

/// Σ p · (ν⁻ + ν⁺)/2 over all contact rows and Σ p_b · (J v⁻ + J v⁺)/2 over all joint rows, J, and the sum of the terms'
/// sizes. By M (v⁺ − v⁻) = W p + Jᵀ p_b this is the change of kinetic energy. What a row of a joint takes back of a
/// distance (its rate) is no velocity and no part of it. Driven dofs move as commanded before and after: what drives add is
/// not the law's doing.
fn work_of_impulses(contexts: &Contexts, record: &StepRecord) -> (f64, f64) {
    let (context, v) = (contexts.current(), &contexts.start.v);
    let (contacts, joints) = (context.contacts.view(), context.joints.view());
    let before = |i: usize| if contexts.codes.is_prescribed(i) { record.v[i] } else { v[i] };
    let after = |i: usize| record.v[i];
    let (mut sum, mut size) = (0.0, 0.0);
    let mut add = |p: f64, (start, end): (f64, f64)| {
        sum += 0.5 * p * (start + end);
        size += 0.5 * p.abs() * (start.abs() + end.abs());
    };
    for (row, &p) in record.impulse.iter().enumerate().filter(|(_, p)| **p != 0.0) {
        add(p, (along(&contacts.jacobian, row, &before), along(&contacts.jacobian, row, &after)));
    }
    for (row, &p) in record.row_impulse.iter().enumerate().filter(|(_, p)| **p != 0.0) {
        add(p, (along(&joints.jacobian, row, &before), along(&joints.jacobian, row, &after)));
    }
    (sum, size)
}

/// One row of a Jacobian times a velocity.
fn along(jacobian: &Csr<'_>, row: usize, v: &dyn Fn(usize) -> f64) -> f64 {
    jacobian.entries(row).map(|(i, x)| x * v(i)).sum()
}
