//! Work of contacts and joints, block by block, over the run so far.
//!
//! A contact gives p_n (ν⁺ − e |ν⁻|)/2 where it stops or returns an approach (beyond what its restitution returns), p_n ν⁺ where
//! it pushes without one, and p_t·ν_t⁺ by friction: none of them may be positive in sum. A joint gives p (Jv⁻ + Jv⁺)/2, which
//! changes its sign along the way; its sum counts. All are compared with what flowed through the block:
//! the work of forces on the larger of the speeds it had or would have had alone, and the sizes of the terms above; and with
//! the work that lifts the block by 1e-4 of its size against the forces on it. Joints turn the motion of what they join, so
//! theirs are compared with its first kinetic energy too, in the frame in which its centre rests: how fast all of it flies
//! together says nothing of what a joint may give. And with what flowed through the bodies at the other ends of its joints, by as much
//! of it as its mass can take up: forces on one body move what hangs on it.

use super::account::{Account, DUST};
use super::contacts::Rules;
use super::declaration::ContactLaw;
use super::energy;
use super::findings::{Criterion, Findings};
use super::judged_contact::JudgedContact;
use super::scale::Scales;
use crate::model::DofRole;
use crate::stage::{StepView, Update};

/// The accounts of all blocks: those of accepted steps, and what the step under judgement adds.
#[derive(Debug, Clone, Default)]
pub(super) struct EnergyAccounts {
    pub(super) step: Vec<Account>,
    /// Contacts whose friction is whole only above a speed v_s, and ½ m v_s², J.
    creeping: Vec<(usize, f64)>,
    /// Marks of blocks of which a compliant contact is still deformed at the end of the step.
    deformed: Vec<bool>,
    /// Energy that went through every block so far, J, where something creeps.
    through: Vec<f64>,
    /// Pairs of blocks that joints with an impulse hold together.
    held: Vec<[usize; 2]>,
    /// By block, the largest flow of what it is joined to, as far as its mass can take it up, J.
    joined: Vec<f64>,
    masses: Vec<f64>,
}

impl EnergyAccounts {
    /// Begins a step: forces and, at the first, kinetic energy.
    pub(super) fn begin(&mut self, scales: &Scales, step: &StepView<'_>, length: &[f64], first: bool) {
        self.creeping.clear();
        self.held.clear();
        self.step.clear();
        self.step.resize(step.n_blocks(), Account::default());
        self.deformed.clear();
        self.deformed.resize(step.n_blocks(), false);
        for b in 0..step.n_blocks() {
            let (start, end) = (step.block_start[b] as usize, step.block_start[b + 1] as usize);
            let (account, lengths) = (&mut self.step[b], step.lengths(b));
            let size = length.get(b).copied().unwrap_or(1.0);
            for (local, i) in (start..end).enumerate() {
                let pulled = step.h * step.impedance[i] * step.command[i].abs();
                let force = step.force[i].abs() + step.bias[i].abs() + pulled;
                account.flow += step.h * force * scales.speed[i];
                account.lift += force * if local < lengths { size } else { 1.0 };
            }
        }
        if first {
            energy::begin(step, &mut self.step);
        }
    }

    /// A contact whose law gives no energy back.
    pub(super) fn add_contact(
        &mut self,
        rules: &Rules<'_>,
        scales: &Scales,
        i: usize,
        contact: &JudgedContact,
    ) {
        let n = &contact.rate[0];
        // A bounce that is the pair's own gives nothing.
        let lawful = rules.restitution(i) * (-n.before).max(0.0);
        let along = if n.before < 0.0 { 0.5 * (n.after - lawful) } else { n.after };
        let (normal, power) = (contact.p[0] * along, contact.power);
        // Anitescu's normal impulse lifts what slides, by no more than friction takes.
        let (pushed, driven) = match rules.law {
            ContactLaw::Convex { .. } => (0.0, normal + power),
            _ => (normal, power),
        };
        self.add_flow(scales, i, contact, [pushed, driven]);
    }

    /// Adds the energy that flows through a contact; `given`: what its normal impulse and its friction give, J.
    pub(super) fn add_flow(&mut self, scales: &Scales, i: usize, contact: &JudgedContact, given: [f64; 2]) {
        let n = &contact.rate[0];
        // The scale of the rate is what it would be without the contact, at least what it is.
        let flow = contact.p[0].abs() * (n.scale + n.before.abs() + n.after.abs());
        let slid = contact.p_t * contact.speed.max(contact.scale_t);
        for &block in scales.blocks.of_contact(i) {
            let account = &mut self.step[block as usize];
            account.normal += given[0].max(0.0);
            account.friction += given[1].max(0.0);
            account.flow += flow;
            account.slid += slid;
        }
    }

    /// The normal force of a compliant contact: what it gives with what its deformation δ stores, p (ν⁻ + ν⁺)/2 + k (δ₊⁺² − δ₊²)/2, J. In sum it
    /// must not be positive once nothing is deformed any more; meanwhile it goes to and fro with the phase of the oscillation.
    pub(super) fn add_soft(
        &mut self,
        scales: &Scales,
        step: &StepView<'_>,
        (i, psi): (usize, f64),
        contact: &JudgedContact,
    ) {
        let (n, k) = (&contact.rate[0], step.contacts.pair.stiffness[i]);
        let stored = |psi: f64| 0.5 * k * psi.min(0.0).powi(2);
        let left = stored(psi + step.h * n.after);
        let given = n.work(contact.p[0]) + left - stored(psi);
        for &block in scales.blocks.of_contact(i) {
            let block = block as usize;
            self.step[block].soft += given;
            self.deformed[block] |= left > 0.0;
        }
    }

    /// Energy that a contact brings with it, J.
    pub(super) fn add_created(&mut self, scales: &Scales, i: usize, energy: f64) {
        for &block in scales.blocks.of_contact(i) {
            self.step[block as usize].normal += energy;
        }
    }

    /// A contact under a law that lets it creep: ½ m v_s², J, of the speed v_s at which its friction is whole.
    pub(super) fn add_creeping(&mut self, i: usize, energy: f64) {
        self.creeping.push((i, energy));
    }

    /// Findings about creeping contacts: ½ m v_s² as a part of the energy that went through the bodies that touch. Friction that is
    /// whole only at slips faster than their motion is no friction.
    fn judge_creeping(&mut self, scales: &Scales, before: &[Account], found: &mut Findings) {
        if self.creeping.is_empty() {
            return;
        }
        let flowed = self.step.iter().enumerate();
        let flowed = flowed.map(|(b, now)| now.through() + before.get(b).map_or(0.0, Account::through));
        self.through.clear();
        self.through.extend(flowed);
        for &(i, energy) in &self.creeping {
            let through =
                scales.blocks.of_contact(i).iter().map(|&block| self.through[block as usize]).sum::<f64>();
            found.take(Criterion::Creep, energy / through.max(f64::MIN_POSITIVE), i);
        }
    }

    /// All other rows, and the sum of their work, J. Rows with two finite bounds and a rate are motors.
    pub(super) fn add_rows(&mut self, scales: &Scales, step: &StepView<'_>, update: &Update<'_>) -> f64 {
        let (rows, jacobian) = (&step.rows, step.row_wrenches());
        let mut sum = 0.0;
        for (k, p, rate) in scales.pressed_rows(step, update) {
            let free = [rows.lower[k], rows.upper[k]].map(f64::is_infinite);
            let (mean, flow) = (rate.work(p), rate.flow(p));
            sum += mean;
            if free == [true, true] {
                self.hold(scales, jacobian.row(k).0);
            }
            self.share(scales, jacobian.row(k).0, |account| {
                account.flow += flow;
                match free {
                    [true, true] => account.joints += mean,
                    [false, false] if rows.rate[k] != 0.0 => {}
                    [false, false] => account.normal += (p * rate.after).max(0.0),
                    _ if p * rate.before < 0.0 => account.normal += mean.max(0.0),
                    _ => account.normal += (p * rate.after).max(0.0),
                }
            });
        }
        sum
    }

    /// Notes which blocks a joint holds together.
    fn hold(&mut self, scales: &Scales, columns: &[u32]) {
        let mut last = usize::MAX;
        for &j in columns {
            let block = scales.blocks.of(j as usize);
            if last != usize::MAX && block != last {
                self.held.push([last, block]);
            }
            last = block;
        }
    }

    /// Passes energy on to the neighbours of every block: forces that act on one body move what it is joined to.
    fn pass_on(&mut self, step: &StepView<'_>, before: &[Account]) {
        self.joined.clear();
        self.joined.resize(self.step.len(), 0.0);
        if self.held.is_empty() {
            return;
        }
        energy::masses(step, &mut self.masses);
        let masses = &self.masses;
        for &pair in &self.held {
            for [to, from] in [pair, [pair[1], pair[0]]] {
                let flow = self.step[from].flow + before.get(from).map_or(0.0, |account| account.flow);
                let share = (masses[to] / masses[from].max(f64::MIN_POSITIVE)).min(1.0);
                self.joined[to] = self.joined[to].max(share * flow);
            }
        }
    }

    /// Once for every block that the columns belong to; they ascend.
    fn share(&mut self, scales: &Scales, columns: &[u32], mut add: impl FnMut(&mut Account)) {
        let mut last = usize::MAX;
        for &j in columns {
            let block = scales.blocks.of(j as usize);
            if block != last {
                add(&mut self.step[block]);
                last = block;
            }
        }
    }

    /// Compares with what the steps before left.
    pub(super) fn judge(
        &mut self,
        scales: &Scales,
        step: &StepView<'_>,
        before: &[Account],
        found: &mut Findings,
    ) {
        self.judge_creeping(scales, before, found);
        self.pass_on(step, before);
        let all = self.step.iter().chain(before).map(Account::through);
        let dust = DUST * all.fold(0.0, f64::max);
        for (b, now) in self.step.iter().enumerate() {
            let dofs = step.block_start[b] as usize..step.block_start[b + 1] as usize;
            if step.role[dofs].iter().all(|&r| DofRole::from_code(r) == DofRole::Prescribed) {
                continue;
            }
            let mut sum = before.get(b).copied().unwrap_or_default();
            sum.add(now);
            if self.deformed[b] {
                sum.soft = 0.0;
            }
            found.take(Criterion::Created, sum.created(dust, self.joined[b]), b);
        }
    }

    /// The step is accepted.
    pub(super) fn commit(&self, into: &mut Vec<Account>) {
        into.resize(self.step.len().max(into.len()), Account::default());
        into.iter_mut().zip(&self.step).for_each(|(sum, now)| sum.add(now));
    }
}
