//! The way back: the solution and its multipliers become the end of the step.

use vinci_sdk::core::momentum::Impulses;
use vinci_sdk::prelude::*;

use crate::config::{OnLimit, Repair};
use crate::{AnitescuQp, choice};

/// A contact with less than this part of the largest normal impulse does not count as pressed.
const PRESSED: f64 = 1e-9;

impl AnitescuQp {
    /// v⁺, impulses from the multipliers, and what the model asks of its contacts. The repair and the barrier may ask for
    /// another program first.
    ///
    /// Errors: a solution of another length than the problem of the last [`Stepper::formulate`].
    pub(crate) fn advance(
        &mut self,
        step: &StepView<'_>,
        solution: &Solution<'_>,
    ) -> Result<Update<'_>, StageError> {
        if self.constant.len() != step.contacts.len() {
            return Err(StageError::bad_input("the step is not the one that was formulated"));
        }
        let n = self.program.conic.c.len();
        match &mut self.smooth {
            None => {
                check_length("numbers", solution.z.len(), n)?;
                check_length("multipliers", solution.dual.len(), self.program.conic.g.len())?;
                self.out.y.clear();
                self.out.y.extend_from_slice(solution.dual);
            }
            Some(smooth) => {
                check_length("numbers", solution.z.len(), smooth.len())?;
                if !smooth.multipliers(solution.z, &mut self.out.y) {
                    return Ok(self.fail("the solution lies outside the barrier".into()));
                }
                if smooth.goes_on(&solution.z[..n]) {
                    return Ok(Update { verdict: Verdict::Again, ..Update::default() });
                }
            }
        }
        self.recover(step, &solution.z[..n]);
        if self.config.repair == Repair::Iterated && !self.settled(step) {
            let may_go_on = self.repair.programs < self.config.repair_iterations;
            if may_go_on || self.config.repair_on_limit == OnLimit::Fail {
                return Ok(self.repair_again());
            }
        }
        self.repair.running = false;
        let answer = (&solution.z[..n], self.out.y());
        let (momentum, freedom) = (&self.balance.momentum, &self.freedom);
        if self.smooth.is_none()
            && let Some((body, along)) = choice::left(&self.program, step, momentum, freedom, answer)
        {
            return Ok(self.fail(format!(
                "{body} is quasi-static and its velocity along {along} is not determined: what it touches is not pressed \
                 there. Other velocities solve the step as well (`undetermined`: `accept` takes the solver's; motion model \
                 `quasi-dynamic` leaves nothing open)"
            )));
        }
        self.answer(step)
    }

    fn answer(&mut self, step: &StepView<'_>) -> Result<Update<'_>, StageError> {
        if self.config.gradient {
            self.differentiate(step);
        }
        let out = &self.out;
        Ok(Update {
            verdict: Verdict::Accept,
            h_used: step.h,
            v: &out.v,
            impulse: &out.impulse,
            row_impulse: &out.row_impulse,
            effort: &out.effort,
            normal_rate: &out.normal_rate,
            motion: &self.balance.momentum.motion,
            mass_scale: &self.balance.mass_scale,
            gradient: self.gradient.matrix(),
            reason: self.gradient.remark(),
            ..Update::default()
        })
    }

    fn fail(&mut self, reason: String) -> Update<'_> {
        self.repair.running = false;
        self.out.reason = reason;
        Update { verdict: Verdict::Fail, reason: &self.out.reason, ..Update::default() }
    }

    /// Full velocities, impulses in (n, t1, t2), joint impulses, efforts, and the constant of every normal row.
    fn recover(&mut self, step: &StepView<'_>, x: &[f64]) {
        let (out, momentum, stride) = (&mut self.out, &self.balance.momentum, step.contacts.stride());
        momentum.expand(x, &mut out.v);
        out.impulse.clear();
        out.normal_rate.clear();
        for i in 0..step.contacts.len() {
            let mu = step.contacts.pair.friction[i];
            let (p_n, p_1, p_2) = self.program.impulse(i, mu, step.contacts.n_t, &out.y);
            out.impulse.extend([p_n, p_1]);
            if stride == 3 {
                out.impulse.push(p_2);
            }
            // 0 ≤ p_n ⟂ J_n v + φ/h + s − μ |J_t v| ≥ 0: the law as the program has it, seen from its normal row.
            out.normal_rate.push(self.shifted[i] - mu * self.program.slip(step, i, &out.v));
        }
        out.row_impulse.clear();
        out.row_impulse.extend_from_slice(&out.y[self.program.first_other..]);
        let impulses = Impulses { contact: &out.impulse, row: &out.row_impulse, support: &[] };
        momentum.residual(step, &out.v, &impulses, &mut out.effort);
        momentum.free.iter().for_each(|&dof| out.effort[dof as usize] = 0.0);
    }

    /// Returns true if Coulomb's law holds: where contacts press, J_n v + φ/h = 0, elsewhere it is not negative.
    fn settled(&mut self, step: &StepView<'_>) -> bool {
        let (out, program, stride) = (&self.out, &self.program, step.contacts.stride());
        let largest = out.impulse.iter().step_by(stride).fold(0.0_f64, |m, p| m.max(*p));
        let mut error = 0.0_f64;
        for i in 0..step.contacts.len() {
            let rho = step.contacts.jacobian.row_dot(step.contacts.row(i), &out.v) + self.constant[i];
            let pressed = out.impulse[i * stride] > PRESSED * largest;
            error = error.max(if pressed { rho.abs() } else { -rho });
        }
        let slip = |i: usize| step.contacts.pair.friction[i] * program.slip(step, i, &out.v);
        self.repair.record((0..step.contacts.len()).map(slip), error);
        error <= self.config.repair_tolerance
    }

    fn repair_again(&mut self) -> Update<'_> {
        if self.repair.programs < self.config.repair_iterations {
            self.repair.advance();
            self.repair.running = true;
            return Update { verdict: Verdict::Again, ..Update::default() };
        }
        let (n, error) = (self.repair.programs, self.repair.error);
        self.fail(format!(
            "De Saxcé's iteration did not settle in {n} programs: Coulomb's law is off by {error:.1e} m/s \
             (`repair_on_limit`: `accept` takes such steps, a smaller step or `repair`: `lagged` avoids them)"
        ))
    }
}

fn check_length(what: &str, found: usize, expected: usize) -> Result<(), StageError> {
    if found == expected {
        return Ok(());
    }
    Err(StageError::bad_input(format!(
        "the solution has {found} {what} where the step's problem has {expected}"
    )))
}
