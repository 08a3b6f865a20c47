//! Damped semismooth Newton on Φ(z) = 0 with merit θ = ½ |Φ|² (De Luca, Facchinei, Kanzow 1996).

use vinci_linear::Order;
use vinci_sdk::core::problem::Mlcp;

use crate::config::Function;
use crate::map::Map;
use crate::workspace::NewtonWorkspace;

/// Armijo's constant σ.
const ARMIJO: f64 = 1e-4;
/// Shortest step tried.
const SHORTEST: f64 = 1e-10;
/// Regularisations δ of M tried for a direction, in order.
const SHIFTS: [f64; 4] = [1e-12, 1e-8, 1e-5, 1e-2];

/// How a damped run is made.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Damped {
    pub(crate) function: Function,
    pub(crate) iterations: u32,
    /// Merit values looked back on.
    pub(crate) memory: usize,
}

impl NewtonWorkspace {
    /// Runs from the iterate and polishes what it finds; true when the tolerance is met.
    pub(crate) fn semismooth(&mut self, problem: &Mlcp<'_>, run: Damped) -> bool {
        let good = self.damped_until(run, |workspace| workspace.judge(problem));
        self.polish(problem, if good { 3 } else { 5 })
    }

    /// Runs from the iterate until `done`, asked at every iterate; false when it never was.
    pub(crate) fn damped_until(&mut self, run: Damped, done: impl Fn(&mut Self) -> bool) -> bool {
        self.refresh();
        let mut merits = [f64::INFINITY; 16];
        let memory = run.memory.clamp(1, merits.len());
        for k in 0..run.iterations as usize {
            if done(self) {
                return true;
            }
            self.map.evaluate(&self.p, run.function, &self.z, &self.w);
            let merit = 0.5 * self.map.phi.iter().map(|x| x * x).sum::<f64>();
            merits[k % memory] = merit;
            let reference = merits[..memory.min(k + 1)].iter().fold(0.0_f64, |m, &x| m.max(x));
            if merit < 1e-30 || !self.tick() || !self.damped_step(run.function, merit, reference) {
                return false;
            }
        }
        done(self)
    }

    fn damped_step(&mut self, function: Function, merit: f64, reference: f64) -> bool {
        self.map.gradient(&self.p, &mut self.gradient);
        for shift in SHIFTS {
            if self.newton_direction(shift) && self.line_search(function, merit, reference) {
                return true;
            }
        }
        for i in 0..self.p.n() {
            self.d[i] = -self.gradient[i];
        }
        self.line_search(function, merit, merit)
    }

    /// d from (H + δ diag(b)) d = −Φ; true when it is a descent direction of the merit.
    fn newton_direction(&mut self, shift: f64) -> bool {
        for i in 0..self.p.n() {
            self.a[i] = self.map.a[i] + shift * self.map.b[i];
            self.b[i] = self.map.b[i];
            self.r[i] = -self.map.phi[i];
        }
        if !self.linear.factor(&self.p, &self.a, &self.b, Order::FirstRowsFirst) {
            return false;
        }
        let error = self.linear.solve(&self.p, 0.0, &self.r, &mut self.d, 1);
        let slope: f64 = self.gradient.iter().zip(&self.d).map(|(g, d)| g * d).sum();
        let length: f64 = self.d.iter().map(|d| d * d).sum();
        error < 0.1 && slope < -1e-12 * length.powf(1.05)
    }

    /// First t = 1, ½, ¼, … with θ(z + t d) ≤ reference − σ t |slope|.
    fn line_search(&mut self, function: Function, merit: f64, reference: f64) -> bool {
        let slope: f64 = self.gradient.iter().zip(&self.d).map(|(g, d)| g * d).sum();
        let mut t = 1.0;
        while t > SHORTEST {
            for i in 0..self.p.n() {
                self.trial_z[i] = self.z[i] + t * self.d[i];
            }
            self.p.w(&self.trial_z, &mut self.trial_w);
            let next = Map::merit(&self.p, function, &self.trial_z, &self.trial_w);
            if next <= reference + ARMIJO * t * slope && next < reference.max(merit) {
                std::mem::swap(&mut self.z, &mut self.trial_z);
                std::mem::swap(&mut self.w, &mut self.trial_w);
                return true;
            }
            t *= 0.5;
        }
        false
    }
}
