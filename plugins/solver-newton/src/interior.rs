//! Path following: z and its multipliers stay inside their bounds while the products α λ shrink to zero together.
//!
//! For α = z − l > 0, β = u − z > 0 with multipliers λ, η > 0 the smoothed problem is
//!   M z + q − λ + η = 0, α λ = μ, β η = μ,
//! and μ → 0 leads along a path to the solution set's middle. Predictor and corrector after Mehrotra (1992) share one
//! factorisation of M + diag(λ/α + η/β). Primal and dual take the same step, since the problem need not be monotone.

use vinci_linear::Order;
use vinci_sdk::core::problem::Mlcp;

use crate::scaled::Kind;
use crate::workspace::NewtonWorkspace;

/// Share of the way to the nearest bound that a step may take.
const SAFE: f64 = 0.995;

/// How a path is followed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Path {
    pub(crate) iterations: u32,
    /// Distance from the bounds and size of multipliers at the start.
    pub(crate) start: f64,
    /// Least centring σ.
    pub(crate) least_centring: f64,
    /// Shift of M.
    pub(crate) shift: f64,
    /// Polish when the end is near, and end there; otherwise end when the products have vanished.
    pub(crate) polish: bool,
}

fn has_lower(kind: Kind) -> bool {
    matches!(kind, Kind::Lower | Kind::Boxed)
}

fn has_upper(kind: Kind) -> bool {
    matches!(kind, Kind::Upper | Kind::Boxed)
}

impl NewtonWorkspace {
    /// Follows the path from the iterate (moved inside); polishes when the end is near. True when the tolerance is
    /// met, or, without polish, when the end was reached.
    pub(crate) fn follow_path(&mut self, problem: &Mlcp<'_>, path: Path) -> bool {
        self.enter(path.start);
        let first = self.mean_product();
        let (mut mu, mut next_polish, mut short) = (first, 1e-5 * first, 0);
        for _ in 0..path.iterations {
            if !self.tick() || !self.factor_path(path.shift) {
                return false;
            }
            let t = self.predict_and_correct(mu, path.least_centring);
            mu = self.mean_product();
            short = if t < 1e-3 { short + 1 } else { 0 };
            if !mu.is_finite() || short > 5 {
                return false;
            }
            if !path.polish && mu < 1e-13 * first {
                return true;
            }
            if path.polish && mu < next_polish {
                next_polish = 0.1 * mu;
                if self.polish_aside(problem) {
                    return true;
                }
                if mu < 1e-14 * first {
                    return false;
                }
            }
        }
        false
    }

    /// One step on the factors at hand: the predictor aims at μ = 0 and tells by its length how far to aim (σ μ); the
    /// corrector aims there, with the predictor's second-order terms. Returns the length taken.
    fn predict_and_correct(&mut self, mu: f64, least_centring: f64) -> f64 {
        self.aim(0.0, false);
        self.path_direction();
        let t = self.longest_step().min(1.0);
        let sigma = (1.0 - t).powi(3).max(0.1 * (1.0 - t).powi(2)).max(least_centring);
        self.aim(sigma * mu, true);
        self.path_direction();
        let t = (SAFE * self.longest_step()).min(1.0);
        self.advance(t);
        t
    }

    /// Polishes a copy of the iterate; the path goes on from where it was.
    pub(crate) fn polish_aside(&mut self, problem: &Mlcp<'_>) -> bool {
        self.saved.clear();
        self.saved.extend_from_slice(&self.z);
        let done = self.polish(problem, 5);
        self.z.copy_from_slice(&self.saved);
        self.refresh();
        done
    }

    fn enter(&mut self, start: f64) {
        let n = self.p.n();
        self.mult.resize(n);
        for i in 0..n {
            let (l, u) = (self.p.lower[i], self.p.upper[i]);
            self.z[i] = match self.p.kind[i] {
                Kind::Free => self.z[i],
                Kind::Fixed => l,
                Kind::Lower => self.z[i].max(l + start),
                Kind::Upper => self.z[i].min(u - start),
                Kind::Boxed => {
                    let inset = start.min(0.25 * (u - l));
                    self.z[i].clamp(l + inset, u - inset)
                }
            };
        }
        self.refresh();
        for i in 0..n {
            let kind = self.p.kind[i];
            if has_lower(kind) {
                self.mult.lambda[i] = self.w[i].max(start);
            }
            if has_upper(kind) {
                self.mult.eta[i] = (-self.w[i]).max(start);
            }
        }
    }

    fn mean_product(&self) -> f64 {
        let (mut sum, mut count) = (0.0, 0.0_f64);
        for i in 0..self.p.n() {
            let kind = self.p.kind[i];
            if has_lower(kind) {
                sum += (self.z[i] - self.p.lower[i]) * self.mult.lambda[i];
                count += 1.0;
            }
            if has_upper(kind) {
                sum += (self.p.upper[i] - self.z[i]) * self.mult.eta[i];
                count += 1.0;
            }
        }
        sum / count.max(1.0)
    }

    /// Factorises M + diag(λ/α + η/β), rows divided by 1 + λ/α + η/β.
    fn factor_path(&mut self, shift: f64) -> bool {
        for i in 0..self.p.n() {
            let kind = self.p.kind[i];
            if kind == Kind::Fixed {
                (self.a[i], self.b[i]) = (1.0, 0.0);
                continue;
            }
            let mut barrier = shift;
            if has_lower(kind) {
                barrier += self.mult.lambda[i] / (self.z[i] - self.p.lower[i]);
            }
            if has_upper(kind) {
                barrier += self.mult.eta[i] / (self.p.upper[i] - self.z[i]);
            }
            self.b[i] = 1.0 / (1.0 + barrier);
            self.a[i] = barrier * self.b[i];
        }
        self.linear.factor(&self.p, &self.a, &self.b, Order::Any)
    }

    /// Right sides τ for the products to become `target`, with Mehrotra's second-order correction from the last step.
    fn aim(&mut self, target: f64, correct: bool) {
        for i in 0..self.p.n() {
            let kind = self.p.kind[i];
            if has_lower(kind) {
                let correction = if correct { self.d[i] * self.mult.d_lambda[i] } else { 0.0 };
                let alpha = self.z[i] - self.p.lower[i];
                self.mult.tau_lower[i] = target - alpha * self.mult.lambda[i] - correction;
            }
            if has_upper(kind) {
                let correction = if correct { -self.d[i] * self.mult.d_eta[i] } else { 0.0 };
                let beta = self.p.upper[i] - self.z[i];
                self.mult.tau_upper[i] = target - beta * self.mult.eta[i] - correction;
            }
        }
    }

    /// Steps dz, dλ, dη for the right sides τ.
    fn path_direction(&mut self) {
        for i in 0..self.p.n() {
            let kind = self.p.kind[i];
            let mut r = -(self.w[i] - self.mult.lambda[i] + self.mult.eta[i]);
            if has_lower(kind) {
                r += self.mult.tau_lower[i] / (self.z[i] - self.p.lower[i]);
            }
            if has_upper(kind) {
                r -= self.mult.tau_upper[i] / (self.p.upper[i] - self.z[i]);
            }
            self.r[i] = self.b[i] * r;
        }
        self.linear.solve(&self.p, 0.0, &self.r, &mut self.d, 1);
        for i in 0..self.p.n() {
            let kind = self.p.kind[i];
            if has_lower(kind) {
                let alpha = self.z[i] - self.p.lower[i];
                self.mult.d_lambda[i] = (self.mult.tau_lower[i] - self.mult.lambda[i] * self.d[i]) / alpha;
            }
            if has_upper(kind) {
                let beta = self.p.upper[i] - self.z[i];
                self.mult.d_eta[i] = (self.mult.tau_upper[i] + self.mult.eta[i] * self.d[i]) / beta;
            }
        }
    }

    /// Largest t ≤ 1/SAFE that keeps everything nonnegative.
    fn longest_step(&self) -> f64 {
        let mut t = 1.0 / SAFE;
        let mut limit = |value: f64, change: f64| {
            if change < 0.0 {
                t = f64::min(t, -value / change);
            }
        };
        for i in 0..self.p.n() {
            let kind = self.p.kind[i];
            if has_lower(kind) {
                limit(self.z[i] - self.p.lower[i], self.d[i]);
                limit(self.mult.lambda[i], self.mult.d_lambda[i]);
            }
            if has_upper(kind) {
                limit(self.p.upper[i] - self.z[i], -self.d[i]);
                limit(self.mult.eta[i], self.mult.d_eta[i]);
            }
        }
        t
    }

    fn advance(&mut self, t: f64) {
        for i in 0..self.p.n() {
            self.z[i] += t * self.d[i];
            self.mult.lambda[i] += t * self.mult.d_lambda[i];
            self.mult.eta[i] += t * self.mult.d_eta[i];
        }
        self.refresh();
    }
}
