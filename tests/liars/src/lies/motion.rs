//! Lies about masses, momentum, rows and positions.

use vinci_sdk::core::state::{BlockKind, integrate};

use super::Told;
use crate::claim::Claim;
use crate::config::Lie;

impl Told<'_> {
    /// Velocities and masses.
    pub(crate) fn momentum(&mut self) {
        let (size, i) = (self.config.size, self.config.index);
        match self.config.lie {
            Lie::Kick => self.claim.v[i] += size,
            Lie::KickByGravity => {
                let force = nalgebra::DVector::from_column_slice(self.step.force);
                self.claim.v[i] += size * self.step.h * (&self.balance.inverse * force).amax();
            }
            Lie::Grow => self.claim.v[i] *= 1.0 + size,
            Lie::NoGravity => {
                self.balance.without_forces(self.step);
                self.keep_friction();
            }
            _ => {
                self.claim.mass_scale = vec![size; self.step.n_blocks()];
                self.balance.inverse /= size;
                self.keep_friction();
            }
        }
    }

    /// A block that is lighter than it is, and as fast as it likes.
    pub(crate) fn fling(&mut self) {
        let block = self.config.index;
        self.claim.mass_scale = vec![1.0; self.step.n_blocks()];
        self.claim.mass_scale[block] = self.config.error;
        self.claim.v[self.step.block_start[block] as usize] += self.config.size;
    }

    /// Normals and rows solved again, friction in the same proportion.
    fn keep_friction(&mut self) {
        let (step, before) = (self.step, self.claim.impulse.clone());
        let law = |claim: &mut Claim, i: usize| {
            let row = step.contacts.row(i);
            let part = if before[row] > 0.0 { claim.impulse[row] / before[row] } else { 0.0 };
            for k in 1..step.contacts.stride() {
                claim.impulse[row + k] = part * before[row + k];
            }
        };
        self.settle(&law);
    }

    /// Joints, limits, dry friction.
    pub(crate) fn rows(&mut self) {
        match self.config.lie {
            Lie::IgnoreRows => self.claim.row_impulse.fill(0.0),
            lie if self.config.index < self.claim.row_impulse.len() => {
                let (k, size) = (self.config.index, self.config.size);
                let p = &mut self.claim.row_impulse[k];
                match lie {
                    Lie::ScaleRow => *p *= size,
                    Lie::PumpRow => {
                        *p += size * self.step.row_rates().row_dot(k, self.step.v).signum();
                    }
                    _ => *p += size,
                }
            }
            _ => {}
        }
        self.rebalance();
    }

    /// Forces that act in part or not at all.
    pub(crate) fn forces(&mut self) {
        if self.config.lie == Lie::NoVelocityProducts {
            self.balance.add(self.step.bias, -self.step.h);
        } else {
            self.balance.add(self.step.force, (self.config.size - 1.0) * self.step.h);
        }
        self.keep_friction();
    }

    /// q⁺ of another rule than the one that is declared.
    pub(crate) fn own_way(&mut self) {
        let (step, size) = (self.step, self.config.size);
        let theta = if self.config.lie == Lie::OwnTheta { size } else { 1.0 };
        let along = |(after, before): (&f64, &f64)| theta * after + (1.0 - theta) * before;
        let mut mean: Vec<f64> = self.claim.v.iter().zip(step.v).map(along).collect();
        if self.config.lie == Lie::Stretch {
            mean[self.config.index] *= size;
        }
        self.claim.q = step.q.to_vec();
        integrate(&step.layout(), step.q, &mean, step.h, &mut self.claim.q);
    }

    /// q⁺ of the lie's own.
    pub(crate) fn positions(&mut self) {
        let (step, size) = (self.step, self.config.size);
        if self.config.lie == Lie::Poison {
            let bad = if size > 0.0 { f64::NAN } else { f64::INFINITY };
            match self.config.index {
                0 => self.claim.v.fill(bad),
                1 => self.claim.impulse.fill(bad),
                2 => self.claim.row_impulse.fill(bad),
                3 => {
                    self.claim.impulse.fill(bad);
                    self.claim.v.fill(bad);
                }
                _ => self.claim.q = vec![bad; step.q.len()],
            }
            return;
        }
        if self.config.lie == Lie::LongStep {
            self.claim.h_used = size * step.h;
            self.claim.v = (0..step.nv()).map(|i| step.v[i] + size * (self.claim.v[i] - step.v[i])).collect();
            for list in [&mut self.claim.impulse, &mut self.claim.row_impulse] {
                list.iter_mut().for_each(|p| *p *= size);
            }
            return;
        }
        self.claim.q = step.q.to_vec();
        let theta = self.config.theta.unwrap_or(1.0);
        let mean: Vec<f64> = self
            .claim
            .v
            .iter()
            .zip(step.v)
            .map(|(after, before)| theta * after + (1.0 - theta) * before)
            .collect();
        integrate(&step.layout(), step.q, &mean, step.h, &mut self.claim.q);
        if self.config.lie == Lie::OtherSign {
            let spatial = |b: &usize| step.block_kind[*b] == BlockKind::Spatial as u8;
            for b in (0..step.n_blocks()).filter(spatial) {
                let first = step.q_start[b] as usize + 3;
                self.claim.q[first..first + 4].iter_mut().for_each(|q| *q = -*q);
            }
            return;
        }
        if self.config.lie == Lie::Teleport {
            self.claim.q[self.config.index] += size;
            return;
        }
        // Half of everything that acts within the step, as the claimed half step wants it; the way is that of a whole one.
        self.claim.h_used = 0.5 * step.h;
        let half: Vec<f64> = (0..step.nv()).map(|i| 0.5 * (self.claim.v[i] + step.v[i])).collect();
        self.claim.v = half;
        for list in [&mut self.claim.impulse, &mut self.claim.row_impulse] {
            list.iter_mut().for_each(|p| *p *= 0.5);
        }
    }
}
