//! The motion that is expected at the start of a step: velocities, and accelerations without new contacts.

use super::contexts::Contexts;
use vinci_core::model::MotionModel;

/// Scratch of predictions.
#[derive(Default)]
pub(super) struct Motion {
    /// Velocities, driven dofs as commanded.
    pub(super) v: Vec<f64>,
    /// Accelerations.
    pub(super) a: Vec<f64>,
    /// A block of the mass matrix in elimination.
    block: Vec<f64>,
}

impl Motion {
    /// Velocities (driven dofs as commanded), and accelerations M⁻¹ (f + c + W p/h) with the impulses p of the last step,
    /// so that bodies at rest on others are seen to rest. Only free dofs of dynamic bodies accelerate.
    pub(super) fn predict(&mut self, contexts: &Contexts, block_start: &[u32], h_last: f64) {
        let (start, codes) = (&contexts.start, &contexts.codes);
        let Self { v, a, block } = self;
        v.clone_from(&start.v);
        a.clear();
        a.extend(start.dynamics.force.iter().zip(&start.dynamics.bias).map(|(f, c)| f + c));
        let contacts = start.contacts.view();
        if h_last > 0.0 {
            for (row, p) in contacts.last_impulse.iter().enumerate().filter(|(_, p)| **p != 0.0) {
                contacts.jacobian.add_row_scaled(row, p / h_last, a);
            }
        }
        let mut at = 0;
        for (k, ends) in block_start.windows(2).enumerate() {
            let (first, end) = (ends[0] as usize, ends[1] as usize);
            let n = end - first;
            solve_in_place(&start.dynamics.mass[at..at + n * n], &mut a[first..end], block);
            at += n * n;
            let is_inert = accelerates(codes.motion[k]);
            for i in first..end {
                let prescribed = codes.is_prescribed(i);
                if prescribed {
                    v[i] = start.command[i];
                }
                if prescribed || !is_inert {
                    a[i] = 0.0;
                }
            }
        }
    }
}

/// Returns true if blocks of a motion model have momentum.
fn accelerates(model: u8) -> bool {
    model == 0 || model == MotionModel::Dynamic as u8 || model == MotionModel::Trapezoidal as u8
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
