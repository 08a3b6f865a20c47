//! What is kept of the accepted steps of a piece: all of it, so that every one of them can be judged and written.

use vinci_core::referee::Mode;

use super::{Accepted, Simulation, Work};

/// A step that was taken while more of its piece was to come.
#[derive(Default)]
pub(super) struct Held {
    work: Work,
    mode: Vec<Mode>,
    slip: Vec<f64>,
    q: Vec<f64>,
    v: Vec<f64>,
    t: f64,
}

impl Simulation {
    /// Sets the step that was just made aside.
    pub(super) fn hold(&mut self) {
        if self.held.len() == self.n_held {
            let work = Work::new(&self.system, &self.settings);
            self.held.push(Held { work, ..Held::default() });
        }
        let held = &mut self.held[self.n_held];
        held.q.clone_from(&self.q);
        held.v.clone_from(&self.v);
        held.t = self.t;
        std::mem::swap(&mut held.work, &mut self.work);
        held.mode.clear();
        held.mode.extend_from_slice(self.referee.modes());
        super::step::copy(&mut held.slip, self.referee.slip());
        self.n_held += 1;
    }

    /// Number of accepted steps of the last piece.
    pub fn n_last(&self) -> usize {
        self.n_held + 1
    }

    /// Accepted step k of the last piece, in time.
    pub fn of_last(&self, k: usize) -> Accepted<'_> {
        match self.held[..self.n_held].get(k) {
            Some(h) => accepted(&h.work, (&h.mode, &h.slip), h.t, &h.q, &h.v),
            None => self.last(),
        }
    }

    /// The last accepted step.
    pub fn last(&self) -> Accepted<'_> {
        let told = (self.referee.modes(), self.referee.slip());
        accepted(&self.work, told, self.t, &self.q, &self.v)
    }
}

fn accepted<'a>(
    work: &'a Work,
    (mode, slip): (&'a [Mode], &'a [f64]),
    t: f64,
    q: &'a [f64],
    v: &'a [f64],
) -> Accepted<'a> {
    Accepted {
        t,
        h: work.h_used,
        q,
        v,
        contacts: work.contacts.view(),
        impulse: &work.impulse,
        effort: &work.effort,
        controlled: &work.controlled,
        command: &work.command,
        supports: work.supports.view(),
        row_owners: work.joints.owners(),
        support_impulse: &work.support_impulse,
        gradient: &work.gradient,
        impacts: &work.impacts,
        events: &work.events,
        mode,
        slip,
        report: work.report,
        work: work.work,
        residual: work.residual,
        slack: work.slack,
    }
}
