//! Damped semismooth Newton on Alart and Curnier's map of the whole problem, free rows included.

use vinci_linear::norm;
use vinci_sdk::core::problem::Cone;

use crate::map::jet;
use crate::workspace::NsgsWorkspace;

/// Shifts of M tried for a direction: hyperstatic contacts make J singular but consistent.
const SHIFTS: [f64; 3] = [1e-10, 1e-7, 1e-4];
/// Relative residual of a system that counts as solved.
const ACCURATE: f64 = 1e-9;
/// Armijo's constant, and the number of halvings.
const ARMIJO: f64 = 1e-4;
const HALVINGS: u32 = 8;
/// Merits the line search looks back on.
const MEMORY: usize = 5;
/// |Φ|∞ below which an iterate is as good as rounding allows.
const ROUNDING: f64 = 1e-15;
/// Rounds without a better |Φ|∞ before giving up.
const PATIENCE: u32 = 12;

impl NsgsWorkspace {
    /// Newton's method from the iterate on the problem itself; true when the tolerance is met (then improved as far as a
    /// few more rounds can). The iterate ends anywhere.
    pub(crate) fn polish(&mut self, problem: &Cone<'_>, rounds: u32) -> bool {
        let mut extra = 3;
        self.newton(rounds, |workspace, size| {
            let good = workspace.judge(problem);
            extra -= u32::from(good);
            good && (extra == 0 || size < ROUNDING)
        });
        self.best_residual <= problem.rows.tolerance
    }

    /// The polish from the iterate, which stays where it is unless the polish succeeds.
    pub(crate) fn polish_aside(&mut self, problem: &Cone<'_>, rounds: u32) -> bool {
        self.saved.copy_from_slice(&self.z);
        let epsilon = std::mem::take(&mut self.p.epsilon);
        let good = self.polish(problem, rounds);
        self.p.epsilon = epsilon;
        self.z.copy_from_slice(&self.saved);
        good
    }

    /// Rounds of Newton's method until `done` (asked with |Φ|∞ at every iterate); false when it never was.
    pub(crate) fn newton(&mut self, rounds: u32, mut done: impl FnMut(&mut Self, f64) -> bool) -> bool {
        let mut merits = [0.0_f64; MEMORY];
        let (mut best, mut waited) = (f64::INFINITY, 0);
        for k in 0..rounds as usize {
            let merit = self.evaluate();
            let size = norm(&self.r);
            if !merit.is_finite() {
                return false;
            }
            if done(self, size) {
                return true;
            }
            waited = if size < best { 0 } else { waited + 1 };
            best = best.min(size);
            merits[k % MEMORY] = merit;
            let reference = merits.iter().fold(0.0_f64, |m, &x| m.max(x));
            if merit == 0.0 || waited > PATIENCE || self.systems >= self.max_systems || !self.direction() {
                return false;
            }
            self.line_search(reference);
        }
        self.evaluate();
        let size = norm(&self.r);
        done(self, size)
    }

    /// w, the maps and r = −Φ at the iterate; the merit ½ |Φ|² is returned.
    fn evaluate(&mut self) -> f64 {
        self.p.w(&self.z, &mut self.w);
        let mut merit = 0.0;
        for (k, unit) in self.p.units.iter().enumerate() {
            let jet = jet(&self.p, unit, self.rho[k], &self.z, &self.w);
            for (a, i) in unit.rows().enumerate() {
                self.r[i] = -jet.phi[a];
                merit += 0.5 * jet.phi[a] * jet.phi[a];
            }
            self.jets[k] = jet;
        }
        merit
    }

    /// d from J d = −Φ, with the least shift that gives one.
    fn direction(&mut self) -> bool {
        self.systems += 1;
        for shift in SHIFTS {
            if !self.linear.factor(&self.p, &self.jets, shift) {
                continue;
            }
            let error = self.linear.solve(&self.p, &self.jets, shift, &self.r, &mut self.d, 4);
            if error <= ACCURATE || (shift == SHIFTS[2] && error.is_finite()) {
                return true;
            }
        }
        false
    }

    /// Moves along d by the first of 1, ½, ¼, … that lowers the merit below the reference, or by the best of them.
    fn line_search(&mut self, reference: f64) {
        self.trial.copy_from_slice(&self.z);
        let (mut best, mut best_t, mut t) = (f64::INFINITY, 1.0, 1.0);
        for _ in 0..=HALVINGS {
            self.move_by(t);
            let merit = self.merit();
            if merit < best {
                (best, best_t) = (merit, t);
            }
            if merit <= (1.0 - 2.0 * ARMIJO * t) * reference {
                return;
            }
            t *= 0.5;
        }
        self.move_by(best_t);
    }

    fn move_by(&mut self, t: f64) {
        for i in 0..self.z.len() {
            self.z[i] = self.trial[i] + t * self.d[i];
        }
    }

    fn merit(&mut self) -> f64 {
        self.p.w(&self.z, &mut self.w);
        let mut merit = 0.0;
        for (unit, &rho) in self.p.units.iter().zip(&self.rho) {
            let phi = jet(&self.p, unit, rho, &self.z, &self.w).phi;
            merit += 0.5 * phi.iter().map(|x| x * x).sum::<f64>();
        }
        if merit.is_finite() { merit } else { f64::INFINITY }
    }
}
