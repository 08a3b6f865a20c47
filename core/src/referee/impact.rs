//! Impacts: M v⁺ = M v + W p within no time.

use super::account::DUST;
use super::contacts::{Rules, over_bound};
use super::declaration::Declaration;
use super::findings::{Criterion, Findings};
use super::groups::Groups;
use super::judged_contact::JudgedContact;
use super::lane::Rate;
use super::report::Report;
use super::rows::RowLaws;
use super::{Referee, check_lengths, rows};
use crate::error::StageError;
use crate::model::{DofRole, MotionModel};
use crate::stage::{StepView, Update};

/// Part of a row's scale that its rates may be off by without creating energy: 1e-5 of it is a hundredth of this.
const RATES: f64 = 1e-3;

/// Rounding of a gap, as a part of the coordinates that it is the difference of: some units of their last digit.
const ROUNDING: f64 = 4e-15;

/// Bodies that an impact joins, as long as nothing in it approaches.
#[derive(Debug, Clone, Copy, Default)]
struct Idle {
    is_struck: bool,
    /// The largest change of speed that a normal impulse makes alone, as a part of the speeds of its row.
    part: f64,
    at: usize,
}

impl Idle {
    fn add(&mut self, i: usize, contact: &JudgedContact) {
        let n = &contact.rate[0];
        self.is_struck |= n.before < 0.0;
        let part = if contact.masses[0] > 0.0 { contact.p[0] / (contact.masses[0] * n.scale) } else { 0.0 };
        if part > self.part {
            (self.part, self.at) = (part.min(1.0), i);
        }
    }
}

impl Referee {
    /// Judges an impact: M v⁺ = M v + W p without forces, separation, cone, friction, rows, restitution. Contacts that press
    /// must not approach any more; where none presses nothing has an impulse.
    ///
    /// Errors: as [`Referee::judge`].
    pub fn judge_impact(&mut self, step: &StepView<'_>, update: &Update<'_>) -> Result<Report, StageError> {
        check_lengths(step, update)?;
        self.impact_motion.clear();
        self.impact_motion.resize(step.n_blocks(), MotionModel::Dynamic as u8);
        let motion = std::mem::take(&mut self.impact_motion);
        let view = StepView { motion: &motion, h: 0.0, ..*step };
        let assembled = self.momentum.assemble(&view, MotionModel::Dynamic);
        let mut report = Report::default();
        if assembled.is_ok() {
            self.measure(&view, update);
            self.judge_momentum(&view, update, &mut report);
            // The next impact of the step adds to it.
            self.before.clone_from(&self.left);
            self.judge_closed(&view, update, &mut report);
            let laws = self.row_laws(step.h);
            rows::judge_rows(&self.declared, &self.scales, &view, update, laws, &mut report.findings);
            // Loads have no impulse within no time, and so has their friction.
            rows::judge_supports(&self.declared, &self.scales, &view, update, |_| 0.0, &mut report.findings);
            self.judge_struck(&view, update, &mut report.findings);
            self.judge_bounces(&view, update, &mut report.findings);
            self.weigh(step);
            self.judge_returns(step, update, &mut report.findings);
        }
        self.impact_motion = motion;
        assembled.map(|()| report)
    }

    /// Laws of rows in an impact of a step of h.
    fn row_laws(&self, h: f64) -> RowLaws {
        let two_phases = self.declared.restitution.is_some_and(|rule| rule.poisson);
        RowLaws::Impact { h, two_phases }
    }

    /// Contacts of an impact: closed ones only. What is joined by impulses gets no energy of them.
    fn judge_closed(&self, step: &StepView<'_>, update: &Update<'_>, report: &mut Report) {
        let (contacts, dust) = (&step.contacts, Self::dust_of(step, update));
        let groups = self.struck(step, update);
        let mut sums = vec![(0.0, 0.0, 0); step.n_blocks()];
        let mut idle = vec![Idle::default(); step.n_blocks()];
        let mut add = |leader: usize, p: f64, rate: &Rate, at: usize| {
            let (made, size, worst) = &mut sums[leader];
            let flow = 0.5 * rate.flow(p) + RATES * (p * rate.scale).abs();
            (*made, *size, *worst) = (*made + rate.work(p), *size + flow, (*worst).max(at));
        };
        for i in 0..contacts.len() {
            let contact = JudgedContact::of(&self.scales, step, update, i);
            self.judge_collision(step, i, (&contact, dust), report);
            let columns = contacts.jacobian.row(contacts.row(i)).0;
            let Some(leader) = self.leader(step, &groups, columns) else { continue };
            idle[leader].add(i, &contact);
            contact.p.iter().zip(&contact.rate).for_each(|(p, rate)| add(leader, *p, rate, i));
        }
        for (k, p, rate) in self.scales.pressed_rows(step, update) {
            if let Some(leader) = self.leader(step, &groups, step.row_wrenches().row(k).0) {
                add(leader, p, &rate, 0);
            }
        }
        for group in idle.iter().filter(|group| !group.is_struck) {
            report.findings.take(Criterion::Idle, group.part, group.at);
        }
        // A solver's last digits at a contact that nothing else joins are no impact of their own, nor is what is nothing beside the
        // energy that went through the bodies before.
        let dust = DUST * sums.iter().fold(0.0, |most: f64, (_, size, _)| most.max(*size));
        let through = self.through(step, &groups);
        for ((made, size, at), through) in sums.into_iter().zip(through) {
            let part = if size > 0.0 { made / (size + dust + DUST * through) } else { 0.0 };
            report.findings.take(Criterion::ImpactWork, part, at);
        }
    }

    /// Energy that went through what each impact joins in the steps before, by leader, J.
    fn through(&self, step: &StepView<'_>, groups: &Groups) -> Vec<f64> {
        let mut sums = vec![0.0; step.n_blocks()];
        for (b, account) in self.memory.accounts.iter().enumerate().take(step.n_blocks()) {
            sums[groups.leader(b)] += account.through();
        }
        sums
    }

    /// Blocks that contacts and rows with impulses join; what is driven passes nothing on.
    pub(super) fn struck(&self, step: &StepView<'_>, update: &Update<'_>) -> Groups {
        let contacts = &step.contacts;
        let mut groups = Groups::new(step.n_blocks());
        let mut join = |columns: &[u32]| {
            let moved = columns.iter().filter(|&&j| is_moved(step, j));
            groups.join_all(moved.map(|&j| self.scales.blocks.of(j as usize)));
        };
        for i in 0..contacts.len() {
            let impulse = &update.impulse[contacts.row(i)..contacts.row(i) + contacts.stride()];
            if impulse.iter().any(|p| *p != 0.0) {
                join(contacts.jacobian.row(contacts.row(i)).0);
            }
        }
        for (k, _, _) in self.scales.pressed_rows(step, update) {
            join(step.row_wrenches().row(k).0);
        }
        groups
    }

    /// Leader of the group of what an impulse along these columns moves, if it moves anything.
    pub(super) fn leader(&self, step: &StepView<'_>, groups: &Groups, columns: &[u32]) -> Option<usize> {
        let moved = columns.iter().find(|&&j| is_moved(step, j))?;
        Some(groups.leader(self.scales.blocks.of(*moved as usize)))
    }

    fn judge_collision(
        &self,
        step: &StepView<'_>,
        i: usize,
        (contact, dust): (&JudgedContact, f64),
        report: &mut Report,
    ) {
        let mu = step.contacts.pair.friction[i];
        let (n, found) = (&contact.rate[0], &mut report.findings);
        let size = contact.p[0].abs().max(contact.p_t);
        // What is no number carries too.
        let carries = !(size <= dust);
        if carries && self.declared.is_soft(step.contacts.pair.stiffness[i]) {
            // A force that a law gives has no impulse within no time.
            found.take(Criterion::ForceLaw, size * contact.weight, i);
        }
        if self.declared.is_open(step, i) {
            found.take(Criterion::Distance, (contact.p[0] * n.weight).min(1.0), i);
        } else if contact.p[0] > dust {
            // Contacts that do not take part may have an impact of their own, or are stopped by the step.
            found.take(Criterion::Approach, -n.after / n.scale.max(f64::MIN_POSITIVE), i);
            report.complementarity.take(-n.after, i);
        }
        report.cone.take(contact.p_t - mu * contact.p[0], i);
        if carries {
            found.take(Criterion::Pull, -contact.p[0] * n.weight, i);
            let bound = mu * contact.p[0].max(0.0);
            found.take(Criterion::Cone, over_bound(contact.p_t, bound, contact.rate[0].weight), i);
        }
    }

    /// No contact bounces beyond its restitution, ν_n⁺ ≤ e max(−ν_n⁻, 0), and friction is whole and against the slip after the
    /// impact. By Poisson's law neither holds contact by contact: see [`Referee::judge_returns`].
    fn judge_bounces(&self, step: &StepView<'_>, update: &Update<'_>, found: &mut Findings) {
        let (contacts, dust) = (&step.contacts, Self::dust_of(step, update));
        let pressed = |i: &usize| update.impulse[contacts.row(*i)] > dust;
        if self.declared.restitution.is_some_and(|rule| rule.poisson) {
            return;
        }
        let rules = Rules::of(&self.declared, step, false);
        for i in (0..contacts.len()).filter(pressed) {
            let mut contact = JudgedContact::of(&self.scales, step, update, i);
            contact.may_stop(contacts.pair.friction[i]);
            let n = &contact.rate[0];
            let beyond = n.after - rules.restitution(i) * (-n.before).max(0.0);
            let press = (contact.p[0] * n.weight).min(1.0);
            found.take(Criterion::Bounce, (beyond / n.scale.max(f64::MIN_POSITIVE)).min(press), i);
            rules.friction(i, &contact, contacts.pair.friction[i], found, true);
        }
    }

    /// Normal impulse that is nothing beside the largest of an impact, N s: a solver's last digits at contacts that have no part in it.
    pub(super) fn dust_of(step: &StepView<'_>, update: &Update<'_>) -> f64 {
        let normal = (0..step.contacts.len()).map(|i| update.impulse[step.contacts.row(i)]);
        DUST * normal.fold(0.0, f64::max)
    }

    /// Where no contact presses there is no impact, and no row has an impulse.
    fn judge_struck(&self, step: &StepView<'_>, update: &Update<'_>, found: &mut Findings) {
        let contacts = &step.contacts;
        if (0..contacts.len()).any(|i| update.impulse[contacts.row(i)] > 0.0) {
            return;
        }
        for (k, p, rate) in self.scales.pressed_rows(step, update) {
            found.take(Criterion::Struck, (p * rate.weight).abs(), k);
        }
    }
}

impl Declaration {
    /// Returns true if contact i has no part in an impact: its gap is above what counts as closed, by more than the rounding of what
    /// it is the difference of.
    pub fn is_open(&self, step: &StepView<'_>, i: usize) -> bool {
        let over = step.contacts.gap[i] - self.closed();
        over > 0.0 && over > ROUNDING * farthest(step, i)
    }

    /// Returns true if row k has a part in an impact ahead of a step of `h`, s ([`crate::stage::Rows::acts_in_impact`]): limits up to the
    /// rounding of the coordinates that they bound.
    pub fn acts_in_impact(&self, step: &StepView<'_>, k: usize, h: f64) -> bool {
        let columns = step.rows.jacobian.row(k).0;
        let far = columns.iter().fold(0.0, |far: f64, dof| {
            let block = step.block_of(*dof as usize);
            far.max(most(&step.q[step.q_start[block] as usize..step.q_start[block + 1] as usize]))
        });
        step.rows.acts_in_impact(k, h, self.closed() + ROUNDING * far)
    }
}

/// The largest length that the gap of contact i is made of, m: coordinates of its points and of the bodies that it moves, and levers.
fn farthest(step: &StepView<'_>, i: usize) -> f64 {
    let contacts = &step.contacts;
    let points = [contacts.point_a, contacts.point_b].map(|list| most(&list[3 * i..3 * i + 3]));
    let mut far = points[0].max(points[1]);
    for row in contacts.row(i)..contacts.row(i) + contacts.stride() {
        for (dof, lever) in contacts.jacobian.entries(row) {
            let block = step.block_of(dof);
            let (first, lengths) = (step.q_start[block] as usize, step.lengths(block));
            far = far.max(most(&step.q[first..first + lengths]));
            if dof >= step.block_start[block] as usize + lengths {
                far = far.max(lever.abs());
            }
        }
    }
    far
}

/// The largest of these numbers, without sign.
fn most(numbers: &[f64]) -> f64 {
    numbers.iter().fold(0.0, |most: f64, x| most.max(x.abs()))
}

/// Returns true if an impulse changes a velocity.
fn is_moved(step: &StepView<'_>, dof: u32) -> bool {
    DofRole::from_code(step.role[dof as usize]) != DofRole::Prescribed
}
