//! Lies about contacts and support points.

use vinci_sdk::prelude::*;

use super::Told;
use crate::claim::Claim;
use crate::config::Lie;

impl Told<'_> {
    /// Normal impulses that no law gives.
    pub(crate) fn normals(&mut self) {
        let (lie, size, i) = (self.config.lie, self.config.size, self.config.index);
        if lie == Lie::Feather {
            self.claim.impulse.fill(0.0);
            for i in 0..self.step.contacts.len() {
                self.claim.impulse[self.step.contacts.row(i)] = size;
            }
            return self.rebalance();
        }
        if lie == Lie::IgnoreContacts {
            self.claim.impulse.fill(0.0);
            self.claim.normal_rate.fill(f64::INFINITY);
            return self.rebalance();
        }
        if i >= self.step.contacts.len() {
            return;
        }
        if lie == Lie::IgnoreOne {
            return self.without(i);
        }
        let before = self.normal_velocity(i, self.step.v);
        let wanted = match lie {
            Lie::Hover => 0.0,
            Lie::Bounce if before < -1e-3 && self.step.contacts.gap[i] + self.step.h * before <= 0.0 => {
                -size * before
            }
            Lie::BounceOverlap if before < -1e-3 && self.step.contacts.gap[i] <= 0.0 => {
                (-size * before).min(-0.999 * self.step.contacts.gap[i] / self.step.h)
            }
            Lie::Pull if before > 1e-3 => 0.5 * before,
            Lie::Press => {
                self.without(i);
                (1.0 - size) * self.normal_velocity(i, &self.claim.v)
            }
            _ => return,
        };
        self.move_at(i, wanted);
    }

    fn normal_velocity(&self, i: usize, v: &[f64]) -> f64 {
        let row = self.step.contacts.row(i);
        self.step.contacts.jacobian.row_dot(row, v)
    }

    /// The claim without any impulse at contact i.
    fn without(&mut self, i: usize) {
        let row = self.step.contacts.row(i);
        self.claim.impulse[row..row + self.step.contacts.stride()].fill(0.0);
        self.rebalance();
    }

    /// The normal impulse of contact i that gives it a rate of `wanted`, without friction.
    fn move_at(&mut self, i: usize, wanted: f64) {
        self.without(i);
        let row = self.step.contacts.row(i);
        let g = self.balance.mobility(&self.step.contacts.jacobian, row);
        self.claim.impulse[row] = (wanted - self.normal_velocity(i, &self.claim.v)) / g;
        self.rebalance();
    }

    /// Two impulses that cancel, and what they are to hide.
    pub(crate) fn huge_pair(&mut self) {
        let (contacts, i) = (&self.step.contacts, self.config.index);
        if i + 1 >= contacts.len() {
            return;
        }
        let last = contacts.len() - 1;
        if self.config.lie == Lie::HugePairHover && last > i + 1 {
            self.move_at(last, 0.0);
        }
        // Velocities are those without the pair: the pair cancels, but for its rounding.
        self.claim.impulse[contacts.row(i)] += self.config.size;
        self.claim.impulse[contacts.row(i + 1)] += self.config.size;
        self.claim.v[1] += self.config.error;
    }

    /// Two contacts that exchange their impulses, or press against each other so that their friction holds what is between.
    pub(crate) fn pair(&mut self) {
        let (contacts, i) = (&self.step.contacts, self.config.index);
        if i + 1 >= contacts.len() {
            return;
        }
        let (p, q, stride) = (contacts.row(i), contacts.row(i + 1), contacts.stride());
        if self.config.lie == Lie::Swap {
            return (0..stride).for_each(|k| self.claim.impulse.swap(p + k, q + k));
        }
        if self.config.lie == Lie::Shift {
            self.claim.impulse[p] -= self.config.size;
            self.claim.impulse[q] += self.config.size;
            return self.rebalance();
        }
        for row in [p, q] {
            let slip = contacts.jacobian.row_dot(row + 1, &self.claim.v);
            let hold = -0.5 * slip / self.balance.mobility(&contacts.jacobian, row + 1);
            self.claim.impulse[row] += hold.abs() / contacts.pair.friction[i].max(1e-9);
            self.claim.impulse[row + 1] += hold;
        }
        self.rebalance();
    }

    /// An impulse of a contact that nothing gives.
    pub(crate) fn add_press(&mut self) {
        let (contacts, i) = (&self.step.contacts, self.config.index);
        if i < contacts.len() {
            self.claim.impulse[contacts.row(i)] += self.config.size;
            self.claim.impulse[contacts.row(i) + 1] += self.config.error;
            self.rebalance();
        }
    }

    /// Friction of one contact that its neighbours know nothing of.
    pub(crate) fn one_friction(&mut self) {
        let (contacts, i) = (&self.step.contacts, self.config.index);
        if i < contacts.len() {
            let row = contacts.row(i);
            self.claim.impulse[row + 1..row + contacts.stride()]
                .iter_mut()
                .for_each(|p| *p *= self.config.size);
            self.rebalance();
        }
    }

    /// Nothing moves, and two contacts press against each other.
    pub(crate) fn still(&mut self) {
        let (contacts, i) = (&self.step.contacts, self.config.index);
        self.claim.v.fill(0.0);
        self.claim.impulse.fill(0.0);
        self.claim.motion.fill(MotionModel::QuasiStatic as u8);
        if i + 1 < contacts.len() {
            self.claim.impulse[contacts.row(i)] = self.config.size;
            self.claim.impulse[contacts.row(i + 1)] = self.config.size;
        }
    }

    /// Friction that Coulomb does not know.
    pub(crate) fn friction(&mut self) {
        let (lie, size, step) = (self.config.lie, self.config.size, self.step);
        let law = |claim: &mut Claim, i: usize| {
            let (contacts, row) = (&step.contacts, step.contacts.row(i));
            let bound = contacts.pair.friction[i] * claim.impulse[row];
            let slip = [1, 2].map(|k| {
                if k < contacts.stride() { contacts.jacobian.row_dot(row + k, step.v) } else { 0.0 }
            });
            let speed = slip[0].hypot(slip[1]);
            let (part, angle) = match lie {
                Lie::Friction => (size, 0.0),
                Lie::TurnedFriction => (1.0, size.to_radians()),
                _ => (0.0, 0.0),
            };
            let (sin, cos) = angle.sin_cos();
            let turned = [cos * slip[0] - sin * slip[1], sin * slip[0] + cos * slip[1]];
            for k in 1..contacts.stride() {
                claim.impulse[row + k] =
                    if speed > 0.0 { -part * bound * turned[k - 1] / speed } else { 0.0 };
            }
        };
        self.settle(&law);
        if lie == Lie::NoFrictionOwnSlip {
            let contacts = &step.contacts;
            let tangents =
                (0..contacts.len()).flat_map(|i| (1..contacts.stride()).map(move |k| contacts.row(i) + k));
            self.claim.slip_rate =
                tangents.map(|row| -contacts.jacobian.row_dot(row, &self.claim.v)).collect();
        }
    }

    /// Friction of support points, by the slip at the start.
    pub(crate) fn supports(&mut self) {
        let (supports, size) = (&self.step.supports, self.config.size);
        for k in 0..supports.len() {
            let nu = [0, 1].map(|d| supports.jacobian.row_dot(2 * k + d, self.step.v));
            let (speed, bound) = (nu[0].hypot(nu[1]), self.step.h * supports.bound[k]);
            let turned = self.config.lie == Lie::TurnedSupports;
            let (sin, cos) = if turned { size.to_radians().sin_cos() } else { (0.0, 1.0) };
            let part = if turned { 1.0 } else { size };
            let p = [cos * nu[0] - sin * nu[1], sin * nu[0] + cos * nu[1]]
                .map(|x| -part * bound * x / speed.max(1e-12));
            self.claim.support_impulse[2 * k..2 * k + 2].copy_from_slice(&p);
        }
        self.rebalance();
    }
}
