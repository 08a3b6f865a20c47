//! Active-set prediction: when open contacts will close if accelerations stay what they are.

use vinci_core::model::{DofRole, MotionModel};

use super::gaps::first_root;
use super::{Simulation, StepFailure};

impl Simulation {
    /// Contacts, forces and gaps at the start of a piece of at most h, s.
    pub(super) fn look_around(&mut self, h: f64) -> Result<(), StepFailure> {
        self.prepare(h)?;
        self.detect_here()?;
        self.trial.start.of_contacts(&self.work.contacts.view());
        Ok(())
    }

    /// Time until the first open contact closes, s: the smallest positive root of ψ + ν t + c a t² over open contacts,
    /// with c as the scheme moves ([`super::Stepping::curvature`]); none within h.
    pub(super) fn predicted(&mut self, h: f64) -> Option<f64> {
        let stepping = self.settings.stepping;
        let (mut v, mut a) =
            (std::mem::take(&mut self.trial.velocity), std::mem::take(&mut self.trial.acceleration));
        let mut room = std::mem::take(&mut self.trial.block);
        self.predict_motion(&mut v, &mut a, &mut room);
        self.trial.block = room;
        let contacts = self.work.contacts.view();
        let time = |i: usize| {
            let row = contacts.row(i);
            let nu = contacts.jacobian.row_dot(row, &v) + contacts.rate[row];
            first_root(contacts.gap[i], nu, stepping.curvature() * contacts.jacobian.row_dot(row, &a))
        };
        let open = (0..contacts.len()).filter(|&i| contacts.gap[i] > stepping.event_tolerance);
        let first = open.filter_map(time).filter(|t| *t < h).min_by(f64::total_cmp);
        (self.trial.velocity, self.trial.acceleration) = (v, a);
        first
    }

    /// Velocities (driven dofs as commanded), and accelerations M⁻¹ (f + c + W p/h) with the impulses p of the last step,
    /// so that bodies at rest on others are seen to rest. Only free dofs of dynamic bodies accelerate.
    fn predict_motion(&self, v: &mut Vec<f64>, a: &mut Vec<f64>, room: &mut Vec<f64>) {
        let w = &self.work;
        v.clone_from(&self.v);
        a.clear();
        a.extend(w.dynamics.force.iter().zip(&w.dynamics.bias).map(|(f, c)| f + c));
        let contacts = w.contacts.view();
        if self.h_last > 0.0 {
            for (row, p) in contacts.last_impulse.iter().enumerate().filter(|(_, p)| **p != 0.0) {
                contacts.jacobian.add_row_scaled(row, p / self.h_last, a);
            }
        }
        let starts = self.system.layout().block_start;
        let mut at = 0;
        for block in 0..self.system.n_blocks() {
            let (start, end) = (starts[block] as usize, starts[block + 1] as usize);
            let n = end - start;
            solve_in_place(&w.dynamics.mass[at..at + n * n], &mut a[start..end], room);
            at += n * n;
            let model = w.motion[block];
            let inert =
                model == 0 || model == MotionModel::Dynamic as u8 || model == MotionModel::Trapezoidal as u8;
            for i in start..end {
                let prescribed = DofRole::from_code(w.role[i]) == DofRole::Prescribed;
                if prescribed {
                    v[i] = w.command[i];
                }
                if prescribed || !inert {
                    a[i] = 0.0;
                }
            }
        }
    }
}

/// x := M⁻¹ x for a small symmetric positive definite block, by elimination in `a`.
fn solve_in_place(m: &[f64], x: &mut [f64], a: &mut Vec<f64>) {
    let n = x.len();
    a.clear();
    a.extend_from_slice(m);
    for k in 0..n {
        for i in k + 1..n {
            let factor = a[i * n + k] / a[k * n + k];
            for j in k..n {
                a[i * n + j] -= factor * a[k * n + j];
            }
            x[i] -= factor * x[k];
        }
    }
    for k in (0..n).rev() {
        let rest: f64 = (k + 1..n).map(|j| a[k * n + j] * x[j]).sum();
        x[k] = (x[k] - rest) / a[k * n + k];
    }
}

#[cfg(test)]
mod tests {
    use super::solve_in_place;

    #[test]
    fn a_block_is_solved() {
        let mut x = [5.0, 10.0, 1.0];
        solve_in_place(&[2.0, 1.0, 0.0, 1.0, 3.0, 0.0, 0.0, 0.0, 4.0], &mut x, &mut Vec::new());
        for (found, expected) in x.iter().zip([1.0, 3.0, 0.25]) {
            assert!((found - expected).abs() < 1e-15);
        }
    }
}
