//! Impacts: M v⁺ = M v + W p within no time.

use super::contacts::{Seen, over_bound};
use super::declaration::ContactLaw;
use super::findings::{Criterion, Findings, Worst};
use super::report::Report;
use super::{Referee, check_lengths, rows};
use crate::error::StageError;
use crate::model::MotionModel;
use crate::stage::{StepView, Update};

impl Referee {
    /// Judges an impact: M v⁺ = M v + W p without forces, separation, cone, rows, restitution. Where an approach is returned
    /// contacts press and separate; approach after the impact, ν⁺ < 0, must not be at closed contacts.
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
            self.judge_closed(&view, update, &mut report);
            rows::judge_rows(&self.declared, &self.scales, &view, update, false, &mut report.findings);
            // Loads have no impulse within no time, and so has their friction.
            rows::judge_supports(&self.declared, &self.scales, &view, update, |_| 0.0, &mut report.findings);
            self.judge_bounces(&view, update, &mut report.findings);
            self.judge_returns(step, update, &mut report.findings);
        }
        self.impact_motion = motion;
        assembled.map(|()| report)
    }

    /// Contacts of an impact: closed ones only, which must not approach any more nor bounce more than they may. All impulses
    /// together give no energy.
    fn judge_closed(&self, step: &StepView<'_>, update: &Update<'_>, report: &mut Report) {
        let contacts = &step.contacts;
        let (mut made, mut size) = (0.0, 0.0);
        for i in 0..contacts.len() {
            let seen = Seen::of(&self.scales, step, update, i);
            self.judge_collision(step, i, &seen, report);
            for (p, rate) in seen.p.iter().zip(&seen.rate) {
                made += rate.work(*p);
                size += 0.5 * rate.flow(*p);
            }
        }
        for (_, p, rate) in self.scales.pressed_rows(step, update) {
            made += rate.work(p);
            size += 0.5 * rate.flow(p);
        }
        if size > 0.0 {
            let pressed = (0..contacts.len()).find(|&i| update.impulse[contacts.row(i)] > 0.0);
            report.findings.take(Criterion::ImpactWork, made / size, pressed.unwrap_or(0));
        }
    }

    fn judge_collision(&self, step: &StepView<'_>, i: usize, seen: &Seen, report: &mut Report) {
        let (gap, mu) = (step.contacts.gap[i], step.contacts.friction[i]);
        let tolerance = match self.declared.law {
            ContactLaw::Velocity { tolerance } => tolerance,
            _ => 0.0,
        };
        let (n, found) = (&seen.rate[0], &mut report.findings);
        // Contacts that do not take part may have an impact of their own, or are stopped by the step.
        if gap <= tolerance && seen.p[0] > 0.0 {
            found.take(Criterion::Approach, -n.after / n.scale.max(f64::MIN_POSITIVE), i);
            report.complementarity.take(-n.after, i);
        } else {
            found.take(Criterion::Distance, (seen.p[0] * n.weight).min(1.0), i);
        }
        found.take(Criterion::Pull, -seen.p[0] * n.weight, i);
        found.take(Criterion::Cone, over_bound(seen.p_t, mu * seen.p[0].max(0.0), seen.weight), i);
        report.cone.take(seen.p_t - mu * seen.p[0], i);
    }

    /// Restitution of an impact as a whole, Σ p_n (ν_n⁺ + e min(ν_n⁻, 0)) ≤ 0 with the largest e: 0 by Newton's law, at most 0
    /// by Poisson's but for what friction couples. And friction that drives: along the slip after and on the way.
    fn judge_bounces(&self, step: &StepView<'_>, update: &Update<'_>, found: &mut Findings) {
        let contacts = &step.contacts;
        let pressed = |i: &usize| update.impulse[contacts.row(*i)] > 0.0;
        let e = (0..contacts.len()).filter(pressed).map(|i| contacts.restitution[i]).fold(0.0, f64::max);
        let (mut beyond, mut size, mut worst) = (0.0, 0.0, Worst::default());
        for i in (0..contacts.len()).filter(pressed) {
            let seen = Seen::of(&self.scales, step, update, i);
            let n = &seen.rate[0];
            let mean: f64 = (1..3).map(|k| seen.rate[k].work(seen.p[k])).sum();
            let turned: f64 =
                (1..3).map(|k| (seen.p[k] * (seen.rate[k].after - seen.rate[k].before)).abs()).sum();
            let own = seen.p[0] * (n.after + e * n.before.min(0.0));
            beyond += own - turned;
            size += seen.p[0] * (n.after.abs() + n.before.abs());
            worst.take(own, i);
            let driven = seen.power.min(mean) / (seen.p_t * seen.scale_t).max(f64::MIN_POSITIVE);
            found.take(Criterion::Friction, driven, i);
        }
        if size > 0.0 {
            found.take(Criterion::Bounce, beyond / size, worst.at);
        }
    }
}
