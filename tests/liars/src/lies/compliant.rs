//! Lies about compliant contacts.

use vinci_sdk::core::regularized::HuntCrossley;
use vinci_sdk::prelude::*;

use super::Told;
use crate::config::Lie;

impl Told<'_> {
    /// Hunt and Crossley's law where the step begins, with or without an impact before it.
    pub(crate) fn soft(&mut self) {
        if self.config.lie == Lie::SoftImpact {
            self.impact();
            if self.claim.verdict == Verdict::Impact {
                return;
            }
        }
        let (contacts, h) = (&self.step.contacts, self.step.h);
        self.claim.impulse.fill(0.0);
        for i in 0..contacts.len() {
            let pair = &contacts.pair;
            let law = HuntCrossley { stiffness: pair.stiffness[i], dissipation: pair.dissipation[i] };
            let rate = contacts.jacobian.row_dot(contacts.row(i), self.step.v);
            self.claim.impulse[contacts.row(i)] = h * law.at(-contacts.gap[i], rate).force;
        }
        self.rebalance();
    }
}
