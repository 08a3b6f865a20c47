//! The way back: the root becomes the end of the step, or a shorter step is tried.

use vinci_sdk::core::momentum::Impulses;
use vinci_sdk::prelude::*;

use crate::Tamsi;
use crate::answer::Out;
use crate::config::Coupling;
use crate::formulate::{LEFT_OUT, is_friction, law_of};

impl Tamsi {
    /// v⁺, impulses h π and h f_t; or half the step, where the iteration did not converge.
    ///
    /// Errors: a solution of another length than the problem of the last [`Stepper::formulate`].
    pub(crate) fn advance(
        &mut self,
        step: &StepView<'_>,
        solution: &Solution<'_>,
    ) -> Result<Update<'_>, StageError> {
        if self.retry > 0.0 {
            let reason = "steps have been halved, and the forces depend on the step size";
            return Ok(Update { verdict: Verdict::Retry, h_next: self.retry, reason, ..Update::default() });
        }
        if solution.status != Status::Converged {
            return Ok(self.go_back());
        }
        if self.asks {
            return Ok(self.evaluate_later(step));
        }
        let unknowns = self.balance.start.len();
        if solution.z.len() != unknowns || self.place.len() != step.contacts.len() {
            let found = solution.z.len();
            return Err(StageError::bad_input(format!(
                "the solution has {found} numbers for the {unknowns} unknowns of the step that was formulated"
            )));
        }
        let view = StepView { h: self.h, ..*step };
        self.recover(&view, solution.z);
        let speed = self.out.v.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        if let Some(row) = self.balance.hard.contradicted(&solution.z[self.balance.n()..], speed) {
            self.reason = format!(
                "row {row} of the joints and limits contradicts others or a drive: no motion obeys all"
            );
            return Ok(Update { verdict: Verdict::Fail, reason: &self.reason, ..Update::default() });
        }
        self.control.succeeded(self.config.grow_after);
        let out = &self.out;
        Ok(Update {
            verdict: Verdict::Accept,
            h_used: self.h,
            v: &out.v,
            impulse: &out.impulse,
            row_impulse: &out.row_impulse,
            support_impulse: &out.support_impulse,
            effort: &out.effort,
            normal_rate: &out.normal_rate,
            motion: &self.momentum.motion,
            ..Update::default()
        })
    }

    /// Asks for an evaluation a step later, with positions and velocities as they are.
    fn evaluate_later(&mut self, step: &StepView<'_>) -> Update<'_> {
        let Out { q, v, .. } = &mut self.out;
        for (to, from) in [(&mut *q, step.q), (&mut *v, step.v)] {
            to.clear();
            to.extend_from_slice(from);
        }
        Update { verdict: Verdict::Evaluate, h_used: self.h, q, v, ..Update::default() }
    }

    fn go_back(&mut self) -> Update<'_> {
        match self.control.failed(self.h, self.config.max_halvings) {
            Some(h_next) => {
                let reason = "the Newton iteration did not converge";
                Update { verdict: Verdict::Retry, h_next, reason, ..Update::default() }
            }
            None => {
                self.control = Default::default();
                let reason = "the Newton iteration did not converge however short the step (`max_halvings`)";
                Update { verdict: Verdict::Fail, reason, ..Update::default() }
            }
        }
    }

    fn recover(&mut self, step: &StepView<'_>, x: &[f64]) {
        let (v, p) = x.split_at(self.balance.n());
        self.momentum.expand(v, &mut self.out.v);
        self.recover_contacts(step, v);
        self.recover_rows(step, v, p);
        let out = &mut self.out;
        let impulses =
            Impulses { contact: &out.impulse, row: &out.row_impulse, support: &out.support_impulse };
        self.momentum.residual(step, &out.v, &impulses, &mut out.effort);
        self.momentum.free.iter().for_each(|&dof| out.effort[dof as usize] = 0.0);
    }

    fn recover_contacts(&mut self, step: &StepView<'_>, v: &[f64]) {
        let (contacts, elements, out) = (&step.contacts, &self.balance.elements, &mut self.out);
        out.impulse.clear();
        out.normal_rate.clear();
        for (i, &place) in self.place.iter().enumerate() {
            if place == LEFT_OUT {
                out.impulse.extend_from_slice(&[0.0; 3][..contacts.stride()]);
                out.normal_rate.push(f64::INFINITY);
                continue;
            }
            let e = &elements.list[place as usize];
            let impulse = elements.impulse(e, elements.at(e, v));
            out.impulse.extend_from_slice(&impulse[..contacts.stride()]);
            out.normal_rate.push(normal_rate(step, i, self.config.coupling, impulse[0], &out.v));
        }
    }

    /// Elements stand in the order contacts, support points, friction rows.
    fn recover_rows(&mut self, step: &StepView<'_>, v: &[f64], p: &[f64]) {
        let (elements, out) = (&self.balance.elements, &mut self.out);
        let mut rest = elements.list.iter().filter(|e| !e.is_contact());
        out.support_impulse.clear();
        for e in rest.by_ref().take(step.supports.len()) {
            out.support_impulse.extend_from_slice(&elements.impulse(e, elements.at(e, v))[1..]);
        }
        let mut hard = p.iter();
        out.row_impulse.clear();
        for k in 0..step.rows.rate.len() {
            let found = if is_friction(&step.rows, k) {
                rest.next().map(|e| elements.impulse(e, elements.at(e, v))[1])
            } else {
                hard.next().copied()
            };
            out.row_impulse.extend(found);
        }
    }
}

/// c of 0 ≤ p_n ⟂ W_nᵀ v⁺ + c ≥ 0, the gap of the *deformed* surfaces over h: (ψ + δ)/h, with δ = p_n/(h k (1 − d v_n))
/// the deformation that carries p_n. Surfaces that leave faster than 1/d let go of each other: δ = −ψ⁺ then. One-way, the law
/// is one of the start of the step, and so is its gap: c = (ψ + δ)/h − W_nᵀ v⁺.
fn normal_rate(step: &StepView<'_>, i: usize, coupling: Coupling, p_n: f64, v: &[f64]) -> f64 {
    let (contacts, h) = (&step.contacts, step.h);
    let (row, law) = (contacts.row(i), law_of(contacts, i));
    let gap = contacts.gap[i];
    let after = contacts.jacobian.row_dot(row, v);
    let (nu, end, c) = match coupling {
        Coupling::TwoWay => (after, gap + h * after, gap / h),
        Coupling::OneWay => (contacts.jacobian.row_dot(row, step.v), gap, gap / h - after),
    };
    let damping = 1.0 - law.dissipation * nu;
    let deformation = if damping > 0.0 { p_n / (h * law.stiffness * damping) } else { (-end).max(0.0) };
    c + deformation / h
}
