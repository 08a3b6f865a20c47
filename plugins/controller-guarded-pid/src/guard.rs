//! The guard: a contact force that ends the move.

use crate::config::Config;
use vinci_sdk::prelude::*;

/// Two bodies, the normal force between them that is too much, and whether it was.
#[derive(Debug)]
pub(crate) struct Guard {
    /// Smaller, then larger index.
    between: [u32; 2],
    /// N.
    bound: f64,
    stopped: bool,
}

impl Guard {
    /// The guard that options ask for; the message says which body is not there.
    pub(crate) fn of(config: &Config, system: &SystemView<'_>) -> Result<Option<Self>, String> {
        let (Some(bound), Some([a, b])) = (config.stop_force, &config.between) else { return Ok(None) };
        let index = |name: &String| {
            let found = system.body_names.iter().position(|body| body == name);
            found
                .map(|i| i as u32)
                .ok_or_else(|| format!("between names `{name}`, and the scene has no such body"))
        };
        let (a, b) = (index(a)?, index(b)?);
        if a == b {
            return Err("between names one body twice".into());
        }
        Ok(Some(Self { between: [a.min(b), a.max(b)], bound, stopped: false }))
    }

    /// Returns true once the force of a last step was above the bound, and from then on.
    pub(crate) fn has_stopped(&mut self, view: &ControlView<'_>) -> bool {
        let (a, b) = (view.contacts.body_a, view.contacts.body_b);
        let is_ours = |i: &usize| [a[*i].min(b[*i]), a[*i].max(b[*i])] == self.between;
        let force: f64 = (0..view.contacts.len()).filter(is_ours).map(|i| view.normal_force(i)).sum();
        self.stopped |= force > self.bound;
        self.stopped
    }

    pub(crate) fn stopped(&self) -> bool {
        self.stopped
    }

    pub(crate) fn set_stopped(&mut self, stopped: bool) {
        self.stopped = stopped;
    }
}
