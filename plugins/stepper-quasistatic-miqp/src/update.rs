//! The way back: solutions of the step's problems become the end of the step.

use vinci_sdk::core::momentum::Impulses;
use vinci_sdk::prelude::*;

use crate::QuasistaticMiqp;
use crate::formulate::hypothetical_rate;
use crate::lexicographic::Objective;

impl QuasistaticMiqp {
    /// The next objective, or after the last one v⁺, impulses and efforts; q⁺ = q ⊕ h N v⁺ is the host's.
    pub(crate) fn advance(
        &mut self,
        step: &StepView<'_>,
        solution: &Solution<'_>,
    ) -> Result<Update<'_>, StageError> {
        let (unknowns, found) = (self.program.problem.qp.c.len(), solution.z.len());
        if found != unknowns || self.place != Some((step.step, step.attempt, step.pass)) {
            return Err(StageError::bad_input(format!(
                "the solution has {found} numbers for the {unknowns} unknowns of the step that was formulated"
            )));
        }
        if self.objective == Objective::Motion {
            return Ok(self.accept_motion(step, solution.z));
        }
        self.found.take(step, &self.program, solution.z, self.objective);
        if let Some(next) = self.next_objective() {
            self.next = Some(next);
            return Ok(Update { verdict: Verdict::Again, ..Update::default() });
        }
        self.end.v.clone_from(&self.found.v);
        Ok(self.accept(step))
    }

    /// The objective that is left to minimise.
    fn next_objective(&self) -> Option<Objective> {
        let n_v = self.program.layout.n_v;
        let has_impulses = self.program.layout.n() > n_v;
        let moves = !self.momentum.free.is_empty();
        match self.objective {
            _ if !self.config.lexicographic => None,
            Objective::Commands if has_impulses => Some(Objective::Forces),
            Objective::Commands | Objective::Forces if moves => Some(Objective::Motion),
            _ => None,
        }
    }

    /// The end of the step after the last objective, if that obeys every row of (23); else what was found before it.
    fn accept_motion(&mut self, step: &StepView<'_>, z: &[f64]) -> Update<'_> {
        self.program.moved(&self.found, z, &mut self.end.x);
        let obeys = self.program.obeys(&self.end.x);
        match obeys {
            true => self.program.velocities.expand(z, &mut self.end.v),
            false => self.end.v.clone_from(&self.found.v),
        }
        let reason = if obeys {
            ""
        } else {
            "the least motion breaks a row of (23); motion is that of the least forces"
        };
        Update { reason, ..self.accept(step) }
    }

    fn accept(&mut self, step: &StepView<'_>) -> Update<'_> {
        self.impulses(step);
        let impulses = Impulses { contact: &self.end.impulse, row: &self.end.row_impulse, support: &[] };
        self.momentum.residual(step, &self.end.v, &impulses, &mut self.end.effort);
        for &dof in &self.momentum.free {
            self.end.effort[dof as usize] = 0.0;
        }
        self.remember(step);
        let end = &self.end;
        Update {
            verdict: Verdict::Accept,
            h_used: step.h,
            v: &end.v,
            impulse: &end.impulse,
            row_impulse: &end.row_impulse,
            effort: &end.effort,
            normal_rate: &end.normal_rate,
            motion: &self.momentum.motion,
            ..Update::default()
        }
    }

    /// Impulses in the bases of the contacts, (p_n, Σ d_k p_fk), and the constants of the normal rows.
    fn impulses(&mut self, step: &StepView<'_>) {
        let (layout, x, end) = (&self.program.layout, &self.found.x, &mut self.end);
        let stride = step.contacts.stride();
        end.row_impulse.clear();
        let unit = self.program.scales.unit;
        end.row_impulse.extend(x[layout.n_v..layout.n_v + layout.n_rows].iter().map(|p| unit * p));
        end.impulse.clear();
        end.impulse.resize(step.contacts.len() * stride, 0.0);
        end.normal_rate.clear();
        for i in 0..step.contacts.len() {
            let p = &mut end.impulse[i * stride..][..stride];
            p[0] = unit * x[layout.normal(i)];
            for (column, d) in layout.friction(i).zip(&self.directions) {
                (1..stride).for_each(|k| p[k] += unit * d[k - 1] * x[column]);
            }
            end.normal_rate.push(crate::formulate::normal_rate(step, i));
        }
    }

    /// Hypothetical penetrations and modes of this step's contacts, for the next one.
    fn remember(&mut self, step: &StepView<'_>) {
        let (layout, x, next) = (&self.program.layout, &self.found.x, &mut self.memory.next);
        next.clear();
        let contacts = &step.contacts;
        let none = 1e-10 * self.program.scales.speed;
        // Where an impulse acts its partner is zero.
        let mode = |p: f64| if p > none { 1 } else { 2 };
        for i in 0..contacts.len() {
            next.key.push(contacts.key[i]);
            next.hypothetical.push(step.h * hypothetical_rate(step, i, &self.end.v));
            let at = next.modes.len();
            let p_n = x[layout.normal(i)];
            next.modes.push(mode(p_n));
            next.modes.extend(layout.friction(i).map(|column| mode(x[column])));
            let s = contacts.pair.friction[i] * p_n - layout.friction(i).map(|column| x[column]).sum::<f64>();
            if layout.slip(i).is_some() {
                next.modes.push(if s > none { 2 } else { 1 });
            }
            next.modes.resize(at + self.directions.len() + 2, 0);
        }
        self.memory.next_of = Some((step.step, step.t));
    }
}
