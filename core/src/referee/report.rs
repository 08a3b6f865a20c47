//! Report of the referee on one step.

use super::findings::{Findings, Worst};
use super::judged_contact::JudgedContact;

/// Report of the referee on one step: numbers in physical units, and the findings that decide.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Report {
    /// max (−ψ)₊ at the start of the step, m, of OR groups that of the most open alternative; `at` is a contact.
    pub penetration: Worst,
    /// Largest gap at the start of the step, m, as far as it is beyond what the linearisation over the step before said, of contacts that
    /// pressed in it: how far apart bodies were that pressed each other; `at` is a contact.
    pub linearized: Worst,
    /// That gap as a part of the thinner body's thickness.
    pub linearized_part: Worst,
    /// max |min(ρ, p_n/m_c)|, m/s, with ρ what the declared law wants to be 0 where p_n > 0 and m_c the contact's effective
    /// mass, and approach where none may be: how far each contact is from "either separating or pressed". `at` is a contact.
    pub complementarity: Worst,
    /// max (|p_t| − μ p_n)₊, N s; `at` is a contact, or n + k for support point k of a step with n contacts (here and
    /// below).
    pub cone: Worst,
    /// max |A v⁺ − b − W p| over unknown velocities, N s or N m s; `at` is a velocity.
    pub momentum: Worst,
    /// Momentum residual divided by the size of its own row: 1e-16 is perfect, 1 is nonsense.
    pub momentum_relative: Worst,
    /// max over pressed contacts of μ p_n |ν_t| + p_t·ν_t, J: 0 for exact maximum dissipation, positive by the polygon's
    /// bias or for friction in a wrong direction; `at` is a contact.
    pub dissipation_deficit: Worst,
    /// max (p_t·ν_t)₊, J: friction that drives instead of braking. Must be 0 up to rounding; `at` is a contact.
    pub friction_power: Worst,
    /// Largest angle between friction and the direction opposite to the slip, rad, where contacts clearly slip.
    pub friction_angle: Worst,
    /// Largest 1 − |p_t|/(μ p_n) there: friction that is too weak.
    pub friction_weakness: Worst,
    /// Findings without units, criterion by criterion.
    pub findings: Findings,
    /// Work of the step, J: of contacts with friction, of all other rows, of drives that prescribe velocities.
    pub work: StepWork,
}

impl Report {
    /// Takes the numbers of a contact of friction μ in, in physical units.
    pub(super) fn take_contact(&mut self, i: usize, mu: f64, contact: &JudgedContact) {
        self.cone.take(contact.p_t - mu * contact.p[0], i);
        self.friction_power.take(contact.power, i);
        if contact.p[0] > 0.0 {
            self.dissipation_deficit.take(mu * contact.p[0] * contact.speed + contact.power, i);
        }
        let (p, rate) = (&contact.p, &contact.rate);
        self.work.contacts += rate[0].work(p[0]) + rate[1].work(p[1]) + rate[2].work(p[2]);
    }
}

/// Work over one step, J: impulses times the mean of the rates before and after, which is the change of kinetic energy
/// that they make.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct StepWork {
    /// Work of contacts and support points.
    pub contacts: f64,
    /// Work of joints, limits, couplers and dry friction.
    pub rows: f64,
    /// v̄ · r: what the residual of the balance amounts to.
    pub residual: f64,
}
