//! Newton's method for r(x) = x − x_0 − h f(t + h, x), one evaluation of f at a time: it is asked where the next one is
//! wanted, and told what was found there.
//!
//! x = (u, v) over the free velocities: displacements since the start and velocities, r_u = u − h v and r_v = v − v_0 − h a
//! with a = M⁻¹ f. Its matrix is [1, −h; −h a_u, 1 − h a_v]; eliminating Δu = h Δv − r_u leaves
//!
//! (1 − h a_v − h² a_u) Δv = −r_v − h a_u r_u.

use vinci_linear::DenseLu;
use vinci_sdk::core::regularized::Tals;
use vinci_sdk::tracing;

use crate::config::{Config, GiveUp, Jacobian};
use crate::derivative::Derivative;
use crate::forces::Slips;

/// Newton's method stops at this part of the accuracy (κ of Hairer and Wanner).
const KAPPA: f64 = 0.05;

/// Updates below this part of the velocities (at least 1 m/s) are rounding, unless the balance still gets better: where all rests they
/// are small beside 1 m/s, and not beside what moves.
const ROUNDING: f64 = 1e-14;

/// Factor by which the balance gets better from iterate to iterate, as long as updates are not rounding.
const BETTER: f64 = 0.5;

/// Iterates close to the solution get this many times the iterations for the balance of momentum.
const POLISH: u32 = 3;

/// Θ beyond which a new derivative is cheaper than going on with the old one towards the balance.
const SLOW: f64 = 0.3;

/// Next move after an evaluation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Progress {
    /// Evaluate at [`Newton::point`].
    Ask,
    /// The iterate evaluated last is the solution.
    Converged,
    /// There will be none for this h.
    Failed,
}

/// Where f is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum EvaluatedAt {
    #[default]
    Iterate,
    /// Beside the iterate along this unknown.
    Column(usize),
}

/// Judgement of an iterate.
enum Judgement {
    Converged,
    Failed,
    /// Update with the derivative at hand.
    Go,
    /// Compute the derivative here.
    Renew,
    /// Compute it where the step began, and go on from there.
    Restart,
}

/// Where a step begins.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Guess<'a> {
    /// With the velocities of the start, (h v_0, v_0).
    Drift,
    /// At a point that is thought to be the solution: (u, v).
    Known(&'a [f64], &'a [f64]),
}

/// The method, with its derivative kept between steps.
#[derive(Debug)]
pub(crate) struct Newton {
    full: bool,
    tals: Option<Tals>,
    /// κ a, m/s.
    tolerance: f64,
    balance: f64,
    cap: u32,
    /// True if it goes on to the cap however it goes.
    endures: bool,
    /// Displacements and velocities of the iterate.
    pub(crate) u: Vec<f64>,
    pub(crate) v: Vec<f64>,
    /// ∂a/∂x.
    pub(crate) derivative: Derivative,
    /// Slips at the iterate.
    pub(crate) slips: Slips,
    guess: [Vec<f64>; 2],
    known_guess: bool,
    v_start: Vec<f64>,
    h: f64,
    r: [Vec<f64>; 2],
    du: Vec<f64>,
    dv: Vec<f64>,
    dv_all: Vec<f64>,
    lu: DenseLu,
    lu_h: f64,
    asked: EvaluatedAt,
    k: u32,
    /// |Δ| of the last update, if it was taken whole.
    last: Option<f64>,
    /// Residual of the balance at the iterate before.
    imbalance: f64,
    /// The derivative was computed within this step.
    fresh: bool,
    /// The last update was cut short: the derivative behind it is that of another mode.
    renew: bool,
}

impl Newton {
    pub(crate) fn new(config: &Config) -> Self {
        let (u, v, derivative, slips, guess) = Default::default();
        let (v_start, r, du, dv, dv_all, lu, asked) = Default::default();
        Self {
            full: config.jacobian == Jacobian::Full,
            tals: config.line_search(),
            tolerance: KAPPA * config.accuracy,
            balance: config.balance.unwrap_or(f64::INFINITY),
            cap: config.iterations,
            endures: config.give_up == GiveUp::Iterations,
            u,
            v,
            derivative,
            slips,
            guess,
            known_guess: false,
            v_start,
            h: 0.0,
            r,
            du,
            dv,
            dv_all,
            lu,
            lu_h: f64::NAN,
            asked,
            k: 0,
            last: None,
            imbalance: f64::INFINITY,
            fresh: false,
            renew: false,
        }
    }

    /// Begins a step of h from the free velocities `v_start`; f is wanted at [`Newton::point`].
    pub(crate) fn start(&mut self, v_start: impl Iterator<Item = f64>, h: f64, guess: Guess<'_>) {
        self.v_start.clear();
        self.v_start.extend(v_start);
        self.h = h;
        let (n, [u, v]) = (self.v_start.len(), &mut self.guess);
        u.clear();
        v.clear();
        match guess {
            Guess::Known(given_u, given_v) if given_u.len() == n => {
                u.extend_from_slice(given_u);
                v.extend_from_slice(given_v);
            }
            _ => {
                u.extend(self.v_start.iter().map(|v| h * v));
                v.extend_from_slice(&self.v_start);
            }
        }
        self.known_guess = matches!(guess, Guess::Known(..));
        self.derivative.fit(n);
        (self.fresh, self.renew) = (false, false);
        self.restart();
    }

    fn restart(&mut self) {
        self.u.clone_from(&self.guess[0]);
        self.v.clone_from(&self.guess[1]);
        (self.k, self.last, self.asked) = (0, None, EvaluatedAt::Iterate);
        self.imbalance = f64::INFINITY;
    }

    /// Returns true if what was asked for is an iterate, not a column of the derivative.
    pub(crate) fn at_iterate(&self) -> bool {
        self.asked == EvaluatedAt::Iterate
    }

    /// Displacement and velocity of free velocity j where f is wanted.
    pub(crate) fn point(&self, j: usize) -> (f64, f64) {
        match self.asked {
            EvaluatedAt::Column(c) if c == j => (Derivative::beside(self.u[j]), self.v[j]),
            EvaluatedAt::Column(c) if c == j + self.u.len() => (self.u[j], Derivative::beside(self.v[j])),
            _ => (self.u[j], self.v[j]),
        }
    }

    /// Takes accelerations found at [`Newton::point`]; at iterates also the part of its largest term by which the worst
    /// row of the momentum balance is off. `free` are the free ones of `nv` velocities.
    pub(crate) fn take(&mut self, a: &[f64], imbalance: f64, free: &[u32], nv: usize) -> Progress {
        let n = self.u.len();
        match self.asked {
            EvaluatedAt::Iterate => {
                self.residual(a);
                let judgement = if self.derivative.known && self.correct() {
                    self.judge(imbalance)
                } else {
                    self.unknown()
                };
                self.imbalance = imbalance;
                match judgement {
                    Judgement::Converged => return Progress::Converged,
                    Judgement::Failed => return Progress::Failed,
                    Judgement::Go => return self.update(free, nv),
                    Judgement::Renew => {}
                    Judgement::Restart => {
                        self.restart();
                        self.renew = true;
                        return Progress::Ask;
                    }
                }
                self.derivative.begin(a);
                self.asked = EvaluatedAt::Column(0);
            }
            EvaluatedAt::Column(c) => {
                let x = if c < n { self.u[c] } else { self.v[c - n] };
                self.derivative.column(c, a, Derivative::beside(x) - x);
                self.asked = EvaluatedAt::Column(c + 1);
            }
        }
        if self.asked != EvaluatedAt::Column(2 * n) {
            return Progress::Ask;
        }
        self.derivative.known = true;
        (self.fresh, self.renew, self.lu_h) = (true, false, f64::NAN);
        if self.correct() { self.update(free, nv) } else { Progress::Failed }
    }

    /// Without a derivative that can be solved with.
    fn unknown(&self) -> Judgement {
        if self.k >= self.cap { Judgement::Failed } else { Judgement::Renew }
    }

    fn residual(&mut self, a: &[f64]) {
        let h = self.h;
        self.r.iter_mut().for_each(Vec::clear);
        for j in 0..a.len() {
            self.r[0].push(self.u[j] - h * self.v[j]);
            self.r[1].push(self.v[j] - self.v_start[j] - h * a[j]);
        }
    }

    /// (Δu, Δv) with the derivative at hand; false where the matrix is singular.
    fn correct(&mut self) -> bool {
        let (n, h) = (self.u.len(), self.h);
        if self.lu_h != h {
            self.derivative.matrix(h, &mut self.lu);
            if !self.lu.factor() {
                self.lu_h = f64::NAN;
                return false;
            }
            self.lu_h = h;
        }
        self.dv.clear();
        for i in 0..n {
            let coupled: f64 = self.derivative.by_u(i).iter().zip(&self.r[0]).map(|(a, r)| a * r).sum();
            self.dv.push(-self.r[1][i] - h * coupled);
        }
        self.lu.solve(&mut self.dv);
        self.du.clear();
        self.du.extend(self.dv.iter().zip(&self.r[0]).map(|(dv, r)| h * dv - r));
        self.dv.iter().chain(&self.du).all(|x| x.is_finite())
    }

    /// |Δ|, m/s.
    fn size(&self) -> f64 {
        self.dv.iter().chain(&self.du).fold(0.0, |m, x| m.max(x.abs()))
    }

    /// With Θ = |Δ^k|/|Δ^{k−1}| for one derivative, the error of the iterate x^k is Θ/(1 − Θ) |Δ^{k−1}| = |Δ^k|/(1 − Θ)
    /// (Hairer and Wanner II, IV.8); the iterate, at which everything stands evaluated, is what is accepted.
    fn judge(&self, imbalance: f64) -> Judgement {
        let (size, tol, k) = (self.size(), self.tolerance, self.k);
        let theta = self.last.map(|last| size / last);
        tracing::trace!(k, size, theta, imbalance, "Newton");
        let close = match theta {
            Some(theta) => theta < 1.0 && size <= (1.0 - theta) * tol,
            None => k == 0 && self.known_guess && size <= tol,
        };
        let fastest = self.v.iter().fold(1.0_f64, |m, v| m.max(v.abs()));
        // What is left to correct is rounding.
        let tiny = size <= ROUNDING * fastest && (size == 0.0 || k > 0);
        let is_last = k >= if close || tiny { POLISH * self.cap } else { self.cap };
        let settled = size == 0.0 || is_last || !(imbalance < BETTER * self.imbalance);
        if tiny && settled || (close || tiny) && imbalance <= self.balance {
            return Judgement::Converged;
        }
        if is_last {
            return Judgement::Failed;
        }
        let diverges = size > tol && theta.is_some_and(|theta| theta >= 1.0);
        if self.full {
            let hopeless = diverges && k >= 2 && !self.endures;
            return if hopeless { Judgement::Failed } else { Judgement::Renew };
        }
        let predicted = |theta: f64| theta.powi(self.cap.saturating_sub(k) as i32) / (1.0 - theta) * size;
        match theta {
            _ if self.renew => Judgement::Renew,
            _ if diverges => {
                if !self.fresh {
                    Judgement::Restart
                } else if self.endures {
                    Judgement::Renew
                } else {
                    Judgement::Failed
                }
            }
            // Small updates that no longer shrink: with this derivative the iteration never ends.
            Some(theta) if theta >= 1.0 => Judgement::Renew,
            // The updates are small enough, only the balance is not met yet.
            Some(theta) if close && theta > SLOW => Judgement::Renew,
            Some(theta) if predicted(theta) > tol => Judgement::Renew,
            _ => Judgement::Go,
        }
    }

    /// x ← x + α Δ.
    fn update(&mut self, free: &[u32], nv: usize) -> Progress {
        let size = self.size();
        self.dv_all.clear();
        self.dv_all.resize(nv, 0.0);
        for (&dof, dv) in free.iter().zip(&self.dv) {
            self.dv_all[dof as usize] = *dv;
        }
        let alpha = self.tals.map_or(1.0, |tals| self.slips.limit(&tals, &self.dv_all));
        if !(alpha > 0.0) {
            return Progress::Failed;
        }
        for (x, dx) in self.u.iter_mut().zip(&self.du).chain(self.v.iter_mut().zip(&self.dv)) {
            *x += alpha * dx;
        }
        tracing::trace!(k = self.k, size, alpha, "Newton's update");
        self.last = (alpha == 1.0).then_some(size);
        self.renew = alpha < 1.0;
        (self.k, self.asked) = (self.k + 1, EvaluatedAt::Iterate);
        Progress::Ask
    }

    /// A derivative that was given from outside stands for whatever was factorised.
    pub(crate) fn forget_factors(&mut self) {
        self.lu_h = f64::NAN;
    }
}

#[cfg(test)]
#[path = "newton_tests.rs"]
mod tests;
