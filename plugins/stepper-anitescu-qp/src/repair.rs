//! De Saxcé's repair: rows φ/h + s + J_n v ≥ μ |J_t v| whose shift s is the slip they lead to.
//!
//! At s = μ |J_t v⁺| the program's conditions are Coulomb's law, 0 ≤ p_n ⟂ φ/h + J_n v⁺ ≥ 0 with |p_t| ≤ μ p_n against the
//! slip. The fixed point is looked for by s ← s + f(s), f = μ |J_t v⁺(s)| − s, with Anderson's acceleration; where that makes
//! the error grow, its memory is dropped and half a plain step is made from the best shift so far.

use nalgebra::{DMatrix, DVector};

/// Differences that the acceleration remembers.
const MEMORY: usize = 5;

/// Growth of the error over its best at which the acceleration starts again.
const GROWTH: f64 = 2.0;

/// The shifts of a step and the way to their fixed point.
#[derive(Debug, Default)]
pub(crate) struct Repair {
    /// s per contact, m/s.
    pub(crate) shift: Vec<f64>,
    /// True if the next program belongs to the same fixed point.
    pub(crate) running: bool,
    /// Programs solved so far.
    pub(crate) programs: u32,
    /// Error of the last one, m/s.
    pub(crate) error: f64,
    f: Vec<f64>,
    best: (f64, Vec<f64>, Vec<f64>),
    history: Vec<(Vec<f64>, Vec<f64>)>,
}

impl Repair {
    /// Starts at the given shifts.
    pub(crate) fn start(&mut self, shift: impl Iterator<Item = f64>) {
        self.shift.clear();
        self.shift.extend(shift);
        self.history.clear();
        self.programs = 0;
        self.error = f64::INFINITY;
        self.best.0 = f64::INFINITY;
        self.running = false;
    }

    /// Takes the slips μ |J_t v⁺| that the shifts led to, and the error of the law there.
    pub(crate) fn record(&mut self, slip: impl Iterator<Item = f64>, error: f64) {
        self.programs += 1;
        self.error = error;
        self.f.clear();
        self.f.extend(slip.zip(&self.shift).map(|(slip, s)| slip - s));
    }

    /// The next shifts.
    pub(crate) fn advance(&mut self) {
        let size = norm(&self.f);
        if size > GROWTH * self.best.0 {
            self.history.clear();
            let (_, s, f) = &self.best;
            self.shift.iter_mut().zip(s.iter().zip(f)).for_each(|(x, (s, f))| *x = s + 0.5 * f);
            // From here on this point is as good as the best: a second failure halves again from its own place.
            self.best.0 = size;
            return;
        }
        if size < self.best.0 {
            self.best = (size, self.shift.clone(), self.f.clone());
        }
        self.history.push((self.shift.clone(), self.f.clone()));
        if self.history.len() > MEMORY + 1 {
            self.history.remove(0);
        }
        let next = self.accelerated();
        self.shift.iter_mut().zip(next).for_each(|(s, next)| *s = next.max(0.0));
    }

    /// s + f − (ΔS + ΔF) γ with γ of least |f − ΔF γ| (Anderson 1965).
    fn accelerated(&self) -> Vec<f64> {
        let (n, k) = (self.f.len(), self.history.len() - 1);
        let plain = |i: usize| self.shift[i] + self.f[i];
        if k == 0 {
            return (0..n).map(plain).collect();
        }
        let difference = |i: usize, j: usize| {
            let ((s0, f0), (s1, f1)) = (&self.history[j], &self.history[j + 1]);
            (s1[i] - s0[i], f1[i] - f0[i])
        };
        let df = DMatrix::from_fn(n, k, |i, j| difference(i, j).1);
        let f = DVector::from_column_slice(&self.f);
        let cut = 1e-10 * df.amax().max(f64::MIN_POSITIVE);
        let Ok(gamma) = df.svd(true, true).solve(&f, cut) else { return (0..n).map(plain).collect() };
        let correction = |i: usize| -> f64 {
            (0..k)
                .map(|j| {
                    let (s, f) = difference(i, j);
                    (s + f) * gamma[j]
                })
                .sum()
        };
        (0..n).map(|i| plain(i) - correction(i)).collect()
    }
}

fn norm(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Fixed points of s ← |M s + c|-like maps: the error falls to rounding where the plain iteration would diverge.
    #[test]
    fn the_acceleration_finds_fixed_points_the_plain_iteration_does_not() {
        for slope in [-0.9, 0.9, -1.5, -3.0] {
            let mut repair = Repair::default();
            repair.start([0.0, 0.0].into_iter());
            for _ in 0..60 {
                let s = repair.shift.clone();
                let slip =
                    [(1.0 + slope * (s[0] - 0.3)).max(0.0), (0.5 + 0.5 * slope * (s[1] - s[0])).max(0.0)];
                let error = slip.iter().zip(&s).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
                repair.record(slip.into_iter(), error);
                if error < 1e-12 {
                    break;
                }
                repair.advance();
            }
            assert!(repair.error < 1e-12, "slope {slope}: {} after {}", repair.error, repair.programs);
        }
    }
}
