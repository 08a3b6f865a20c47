//! Work over a step, by who does it.

use vinci_core::model::DofRole;
use vinci_core::referee::Report;
use vinci_core::stage::{StepView, Update};

/// Work over one step or more, J. Impulses act on the mean of the velocities before and after, which makes their sum the change
/// of kinetic energy, to rounding; what potential energy and turning masses make of a finite step is integration error.
#[derive(Debug, Clone, Copy, PartialEq, Default, serde::Serialize, serde::Deserialize)]
pub struct StepWork {
    /// Work of contacts and support points: what friction and impacts take is negative.
    pub contacts: f64,
    /// Work of joints, limits, couplers and dry friction.
    pub joints: f64,
    /// Work of forces and controllers.
    pub applied: f64,
    /// Work of drives that prescribe a velocity.
    pub drives: f64,
    /// Work of dampers.
    pub damping: f64,
}

impl StepWork {
    /// Work over an accepted step. `applied`: forces of drives and controllers at its start, nv, N and N m; `effort`: impulses of drives
    /// that prescribe velocities, as the referee recomputed them, nv, N s and N m s.
    pub(super) fn of(
        step: &StepView<'_>,
        update: &Update<'_>,
        (applied, effort): (&[f64], &[f64]),
        report: &Report,
    ) -> Self {
        let prescribed = |i: usize| DofRole::from_code(step.role[i]) == DofRole::Prescribed;
        let own = !step.drive_speed.is_empty();
        let mean = |i: usize| match prescribed(i) {
            true if own => step.command[i],
            true => update.v[i],
            false => 0.5 * (step.v[i] + update.v[i]),
        };
        let h = update.h_used;
        let mut out = Self { contacts: report.work.contacts, joints: report.work.rows, ..Self::default() };
        for i in 0..step.nv() {
            out.applied += h * applied[i] * mean(i);
            if prescribed(i) {
                out.drives += effort[i] * mean(i);
            }
            if step.viscosity.n_rows() > 0 {
                out.damping -= h * mean(i) * step.viscosity.row_dot(i, update.v);
            }
        }
        out
    }

    /// The sum of all.
    pub fn total(&self) -> f64 {
        self.contacts + self.joints + self.applied + self.drives + self.damping
    }

    /// Adds another step.
    pub fn add(&mut self, other: &Self) {
        self.contacts += other.contacts;
        self.joints += other.joints;
        self.applied += other.applied;
        self.drives += other.drives;
        self.damping += other.damping;
    }
}
