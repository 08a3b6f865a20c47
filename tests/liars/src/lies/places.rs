//! Lies about where and when forces and contacts are taken.

use vinci_sdk::core::state::integrate;
use vinci_sdk::prelude::*;

use super::Told;
use crate::claim::Claim;
use crate::config::Lie;

impl Told<'_> {
    /// Asks for another place first, and takes what is found there.
    pub(crate) fn elsewhere(&mut self) {
        let step = self.step;
        let (lie, size, i) = (self.config.lie, self.config.size, self.config.index);
        let last = match lie {
            Lie::EvaluateFarThenRedetect => 2,
            Lie::RedetectEnd => 60,
            _ => 1,
        };
        if step.pass >= last {
            return;
        }
        let mut ask = Claim::empty(step, Verdict::Evaluate);
        ask.v.clone_from(&self.claim.v);
        ask.q = step.q.to_vec();
        integrate(&step.layout(), step.q, &self.claim.v, step.h, &mut ask.q);
        match lie {
            Lie::RedetectEnd => {
                // Halfway from the place before: the answers of one and the other side of the end take turns.
                if step.pass == 0 {
                    self.ended.clone_from(&self.claim.v);
                }
                self.claim.v.iter_mut().zip(&*self.ended).for_each(|(v, last)| *v = 0.5 * (*v + last));
                self.ended.clone_from(&self.claim.v);
                ask.verdict = Verdict::Redetect;
                integrate(&step.layout(), step.q, &self.claim.v, step.h, &mut ask.q);
            }
            Lie::RedetectFar => ask.verdict = Verdict::Redetect,
            Lie::EvaluateFarThenRedetect if step.pass == 1 => ask.verdict = Verdict::Redetect,
            _ => {}
        }
        match lie {
            Lie::EvaluateFast => {
                ask.q = step.q.to_vec();
                ask.v.iter_mut().for_each(|v| *v *= size);
            }
            Lie::RedetectEnd => {}
            Lie::EvaluateFarThenRedetect if step.pass == 1 => ask.q = step.q.to_vec(),
            Lie::EvaluateLate => {
                ask.q = step.q.to_vec();
                ask.v = step.v.to_vec();
                ask.h_used = size * step.h;
            }
            _ => ask.q[i] += size,
        }
        *self.claim = ask;
    }
}
