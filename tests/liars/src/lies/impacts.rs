//! Lies about impacts.

use vinci_sdk::prelude::*;

use super::Told;
use crate::claim::Claim;
use crate::config::Lie;

impl Told<'_> {
    /// An impact before the step, at its first pass.
    pub(crate) fn impact(&mut self) {
        let (step, size, i) = (self.step, self.config.size, self.config.index);
        if step.pass > 0 {
            return;
        }
        let mut hit = Claim::empty(step, Verdict::Impact);
        match self.config.lie {
            Lie::ImpactSupport => (0..step.supports.len()).for_each(|k| hit.support_impulse[2 * k] = size),
            Lie::ImpactRow if i < hit.row_impulse.len() => hit.row_impulse[i] = size,
            _ if i < step.contacts.len() && self.hits(i, &mut hit) => {}
            _ => return,
        }
        // M (v⁺ − v⁻) = W p.
        let mut change = nalgebra::DVector::zeros(step.nv());
        let terms = [
            (step.contacts.jacobian, &hit.impulse),
            (step.rows.jacobian, &hit.row_impulse),
            (step.supports.jacobian, &hit.support_impulse),
        ];
        for (jacobian, impulse) in terms {
            for (row, &p) in impulse.iter().enumerate().filter(|(_, p)| **p != 0.0) {
                jacobian.add_row_scaled(row, p, change.as_mut_slice());
            }
        }
        let change = &self.balance.inverse * change;
        hit.v.iter_mut().zip(&change).for_each(|(v, dv)| *v += dv);
        *self.claim = hit;
    }

    /// The impulse of contact i; whether there is an approach to return.
    fn hits(&self, i: usize, hit: &mut Claim) -> bool {
        let (step, lie) = (self.step, self.config.lie);
        let (contacts, row) = (&step.contacts, step.contacts.row(i));
        let nu = contacts.jacobian.row_dot(row, step.v);
        let near = contacts.gap[i] <= 0.0 || lie == Lie::ImpactAtDistance;
        if nu > -1e-2 || !near {
            return false;
        }
        let e = if lie == Lie::ImpactDrive { 0.0 } else { self.config.size };
        hit.impulse[row] = -(1.0 + e) * nu / self.balance.mobility(&contacts.jacobian, row);
        if lie == Lie::ImpactDrive {
            let slip = contacts.jacobian.row_dot(row + 1, step.v);
            hit.impulse[row + 1] = self.config.size * contacts.friction[i] * hit.impulse[row] * slip.signum();
        }
        true
    }
}
