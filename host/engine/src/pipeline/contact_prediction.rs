//! Contact prediction: when open contacts will close if accelerations stay what they are.

use super::Simulation;
use super::gaps::first_root;
use super::predicted_motion::Motion;

impl Simulation {
    /// Time until the first open contact closes, s: the smallest positive root of ψ + ν t + c a t² over open contacts,
    /// with c as the scheme moves ([`super::StepControl::curvature`]); none within h.
    pub(super) fn predict_contact(&mut self, h: f64) -> Option<f64> {
        let control = self.settings.control;
        let motion = &mut self.trial.motion;
        motion.predict(&self.contexts, self.system.layout().block_start, self.state.h_last);
        let Motion { v, a, .. } = motion;
        let contacts = self.contexts.start.contacts.view();
        let time = |i: usize| {
            let row = contacts.row(i);
            let nu = contacts.jacobian.row_dot(row, v);
            first_root(contacts.gap[i], nu, control.curvature() * contacts.jacobian.row_dot(row, a))
        };
        let open = (0..contacts.len()).filter(|&i| contacts.gap[i] > control.event_tolerance);
        open.filter_map(time).filter(|t| *t < h).min_by(f64::total_cmp)
    }
}
