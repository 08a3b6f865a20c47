//! Lies about impacts.

use vinci_sdk::prelude::*;

use super::Told;
use crate::claim::Claim;
use crate::config::Lie;

impl Told<'_> {
    /// An impact before the step, at its first pass.
    pub(crate) fn impact(&mut self) {
        let (step, size, i) = (self.step, self.config.size, self.config.index);
        let repeats = matches!(self.config.lie, Lie::ImpactKick | Lie::ImpactDry | Lie::ImpactRedetected);
        if step.pass > 0 && !repeats {
            return;
        }
        let mut hit = Claim::empty(step, Verdict::Impact);
        match self.config.lie {
            Lie::ImpactSupport => (0..step.supports.len()).for_each(|k| hit.support_impulse[2 * k] = size),
            Lie::ImpactRow if i < hit.row_impulse.len() => hit.row_impulse[i] = size,
            Lie::ImpactOne | Lie::ImpactAll => {
                let mut any = false;
                for k in 0..step.contacts.len() {
                    any |= self.hits(k, &mut hit);
                }
                if !any {
                    return;
                }
            }
            Lie::ImpactKick => {
                let force = nalgebra::DVector::from_column_slice(step.force);
                hit.v[i] += size * step.h * (&self.balance.inverse * force).amax();
                if step.pass < 150 {
                    *self.claim = hit;
                }
                return;
            }
            Lie::ImpactDry => {
                let closed = (0..step.contacts.len()).find(|&k| step.contacts.gap[k] <= 0.0);
                let Some(k) = closed.filter(|_| f64::from(step.pass) < size) else { return };
                hit.impulse[step.contacts.row(k)] = 1e-300;
                hit.row_impulse[i] = -step.rows.upper[i] * step.row_rates().row_dot(i, step.v).signum();
            }
            Lie::ImpactRedetected => {
                if step.contacts.is_empty() || !self.hits(0, &mut hit) {
                    return;
                }
            }
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

    /// An impact at another place, or with other velocities, than those of the start.
    pub(crate) fn impact_elsewhere(&mut self) {
        let (step, size, i) = (self.step, self.config.size, self.config.index);
        let mut ask = Claim::empty(step, Verdict::Evaluate);
        ask.h_used = 0.0;
        ask.q = step.q.to_vec();
        match (self.config.lie, step.pass) {
            (Lie::ImpactElsewhere, 0) => ask.v[i] += size,
            (Lie::ImpactElsewhere, 1) => ask.verdict = Verdict::Impact,
            (Lie::ImpactRedetected, 0) => {
                ask.verdict = Verdict::Redetect;
                ask.q[i] += size;
            }
            (Lie::ImpactRedetected, 1) => return self.impact(),
            (Lie::ImpactRedetected, 2) => ask.verdict = Verdict::Redetect,
            _ => return,
        }
        if ask.verdict == Verdict::Impact {
            ask.q.clear();
        }
        *self.claim = ask;
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
        let e = match lie {
            Lie::ImpactDrive | Lie::SoftImpact => 0.0,
            Lie::ImpactRedetected => 0.5,
            Lie::ImpactOne if i != self.config.index => contacts.pair.restitution[i],
            Lie::ImpactReverse | Lie::ImpactTurned => contacts.pair.restitution[i],
            _ => self.config.size,
        };
        hit.impulse[row] = -(1.0 + e) * nu / self.balance.mobility(&contacts.jacobian, row);
        if matches!(lie, Lie::ImpactRough | Lie::ImpactReverse) {
            let slip = contacts.jacobian.row_dot(row + 1, step.v);
            let g = self.balance.mobility(&contacts.jacobian, row + 1);
            let most = contacts.pair.friction[i] * hit.impulse[row];
            let full = if lie == Lie::ImpactReverse { self.config.size } else { 1.0 };
            hit.impulse[row + 1] = -(full * slip.abs() / g).min(most) * slip.signum();
        }
        if lie == Lie::ImpactTurned {
            let s = [1, 2].map(|k| contacts.jacobian.row_dot(row + k, step.v));
            let speed = s[0].hypot(s[1]);
            let (sin, cos) = self.config.size.to_radians().sin_cos();
            let most = contacts.pair.friction[i] * hit.impulse[row] / speed;
            hit.impulse[row + 1] = -most * (cos * s[0] - sin * s[1]);
            hit.impulse[row + 2] = -most * (sin * s[0] + cos * s[1]);
        }
        if lie == Lie::ImpactDrive {
            let slip = contacts.jacobian.row_dot(row + 1, step.v);
            hit.impulse[row + 1] =
                self.config.size * contacts.pair.friction[i] * hit.impulse[row] * slip.signum();
        }
        true
    }
}
