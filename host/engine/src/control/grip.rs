//! One force on several joints, and a loop around the contact force it makes.

use vinci_core::contact::Contacts;

use super::joint::{Controlled, Out};
use super::sight::Fault;
use crate::drives::Signal;

/// F = F_set + kp e + I, e = F_set − F_measured, I = ki ∫ e dt, within limits; joint j feels factor_j F.
#[derive(Debug, Clone)]
pub struct Grip {
    /// The joints and their factors.
    pub joints: Vec<(Controlled, f64)>,
    /// F_set, N or N m.
    pub force: Signal,
    /// The loop, if there is one.
    pub feedback: Option<Loop>,
    /// Smallest and largest F.
    pub limits: [f64; 2],
}

/// A loop around normal contact forces.
#[derive(Debug, Clone, PartialEq)]
pub struct Loop {
    /// Pairs of bodies between which the force is measured, each (smaller, larger); of several the mean.
    pub between: Vec<(u32, u32)>,
    /// Force per error.
    pub kp: f64,
    /// Force per error and time, 1/s.
    pub ki: f64,
}

/// Numbers that a loop remembers: the measured force, I.
const REMEMBERED: usize = 2;

impl Grip {
    pub(super) fn remembers(&self) -> usize {
        if self.feedback.is_some() { REMEMBERED } else { 0 }
    }

    pub(super) fn act(&self, t: f64, state: &[f64], out: &mut Out<'_>) -> Result<(), Fault> {
        let set = self.set(t)?;
        let force = match (&self.feedback, state) {
            (Some(around), [measured, integral]) => set + around.kp * (set - measured) + integral,
            _ => set,
        };
        let force = force.clamp(self.limits[0], self.limits[1]);
        for (joint, factor) in &self.joints {
            out.held[joint.dof] += factor * force;
        }
        Ok(())
    }

    /// Measures the normal force over a step of h that ends at t. The integral pushes F to a limit, not beyond
    /// it.
    pub(super) fn measure(
        &self,
        contacts: &Contacts<'_>,
        impulse: &[f64],
        h: f64,
        t: f64,
        state: &mut [f64],
    ) -> Result<(), Fault> {
        let (Some(around), [measured, integral]) = (&self.feedback, state) else { return Ok(()) };
        *measured = around.force(contacts, impulse, h);
        let set = self.set(t)?;
        let error = set - *measured;
        let next = *integral + around.ki * h * error;
        let ([least, most], rest) = (self.limits, set + around.kp * error);
        *integral = match rest + next {
            force if force > most && error > 0.0 => (most - rest).max(*integral),
            force if force < least && error < 0.0 => (least - rest).min(*integral),
            _ => next,
        };
        Ok(())
    }

    fn set(&self, t: f64) -> Result<f64, Fault> {
        let set = self.force.at(t, &[]);
        if set.is_finite() { Ok(set) } else { Err(Fault { dof: None, value: set }) }
    }
}

impl Loop {
    /// Σ p_n/h over the contacts between the pairs, by the number of pairs, N.
    fn force(&self, contacts: &Contacts<'_>, impulse: &[f64], h: f64) -> f64 {
        let (a, b) = (contacts.body_a, contacts.body_b);
        let counts = |i: &usize| self.between.contains(&(a[*i].min(b[*i]), a[*i].max(b[*i])));
        let sum: f64 = (0..contacts.len()).filter(counts).map(|i| impulse[contacts.row(i)]).sum();
        sum / (h * self.between.len() as f64)
    }
}
