//! Contacts that cannot close within the step are left out of its problem: a plane 50 m away has ψ/h = 5e6 m/s at h = 1e-5 s,
//! and a solver whose tolerance is a part of the largest number then finds the weight of a block too small to be borne.

use crate::momentum::{Momentum, NOT_FREE};
use crate::stage::StepView;

/// A contact is far where its gap over the step is this many times the fastest rate of any contact.
const FAR: f64 = 1e4;

/// Which contacts were left out. Keeps its memory between steps.
#[derive(Debug, Clone, Default)]
pub(super) struct Far {
    left_out: Vec<u32>,
    speed: Vec<f64>,
    /// True if the step is to be made with all contacts.
    takes_all: bool,
}

impl Far {
    /// Leaves far contacts out (g_n = ∞), but for steps that did not come out right without them.
    pub(super) fn leave_out(&mut self, step: &StepView<'_>, momentum: &Momentum, normal_rate: &mut [f64]) {
        self.takes_all &= step.pass > 0;
        self.left_out.clear();
        if self.takes_all || step.h <= 0.0 {
            return;
        }
        self.speed.clear();
        self.speed.extend((0..step.nv()).map(|i| match momentum.index[i] {
            NOT_FREE => momentum.prescribed[i].abs(),
            _ => {
                let diagonal = momentum.diagonal[i];
                let alone = if diagonal > 0.0 { momentum.b[i].abs() / diagonal } else { 0.0 };
                alone.max(step.v[i].abs())
            }
        }));
        let contacts = &step.contacts;
        let rate = |i: usize| {
            let along = contacts.jacobian.entries(contacts.row(i)).map(|(j, x)| x.abs() * self.speed[j]);
            along.sum::<f64>()
        };
        let fastest = (0..contacts.len()).map(rate).fold(0.0, f64::max);
        for i in 0..contacts.len() {
            if normal_rate[i] < f64::INFINITY && contacts.gap[i] > FAR * step.h * fastest && fastest > 0.0 {
                normal_rate[i] = f64::INFINITY;
                self.left_out.push(i as u32);
            }
        }
    }

    /// Returns true if no contact that was left out closes under v⁺. If one does, the next problem of this step has them all.
    pub(super) fn holds(&mut self, step: &StepView<'_>, v: &[f64]) -> bool {
        let contacts = &step.contacts;
        let opens = |i: &u32| {
            let row = contacts.row(*i as usize);
            let nu = contacts.jacobian.row_dot(row, v);
            contacts.gap[*i as usize] + step.h * nu >= 0.0
        };
        let holds = self.left_out.iter().all(opens);
        self.takes_all |= !holds;
        holds
    }
}
