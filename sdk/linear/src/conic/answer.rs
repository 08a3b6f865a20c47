//! The best point of a solve, judged by core's residual on the problem as it was given.

use super::proximal::Proximal;
use super::{Balanced, Newton};
use vinci_core::problem::Conic;

/// Plain Newton steps of one polish at most.
const STEPS: u32 = 20;
/// Steps without a smaller residual after which a polish gives up.
const PATIENCE: u32 = 4;
/// Problems of up to this many unknowns and rows are polished always: there it costs little.
const CHEAP: usize = 500;
/// Part of the tolerance at which a polish ends.
const MARGIN: f64 = 1e-4;
/// Residual up to which a point is near enough for the proximal method to be worth while.
const NEAR: f64 = 1e-2;
/// Part of the tolerance at which the proximal method ends, and above which it starts where it costs little.
const ENOUGH: f64 = 1e-2;
/// Newton steps of the proximal method at most.
const PROXIMAL_STEPS: u32 = 300;

/// The best point (x, y) so far and the current one in balanced units.
#[derive(Debug, Default)]
pub struct Answer {
    /// x of the best point, n.
    pub x: Vec<f64>,
    /// y of the best point, m.
    pub y: Vec<f64>,
    /// Its residual.
    pub residual: f64,
    /// The current x̂.
    pub x_hat: Vec<f64>,
    /// The current ŷ.
    pub y_hat: Vec<f64>,
    /// Newton steps made.
    pub steps: u32,
    /// (x̂, ŷ) of the best point.
    best: (Vec<f64>, Vec<f64>),
    newton: Newton,
    proximal: Proximal,
    trial: (Vec<f64>, Vec<f64>),
    stationarity: Vec<f64>,
}

impl Answer {
    /// Forgets the last problem; the best point is 0, with no claim to anything.
    pub fn begin(&mut self, p: &Conic<'_>) {
        for (v, len) in [(&mut self.x, p.n()), (&mut self.y, p.m())] {
            v.clear();
            v.resize(len, 0.0);
        }
        for (v, len) in [(&mut self.x_hat, p.n()), (&mut self.y_hat, p.m())] {
            v.clear();
            v.resize(len, 0.0);
        }
        (self.residual, self.steps) = (f64::INFINITY, 0);
    }

    /// Judges (x̂, ŷ) and keeps it where it is better; whether it is.
    pub fn offer(&mut self, p: &Conic<'_>, balanced: &Balanced) -> bool {
        let (x, y) = (&mut self.trial.0, &mut self.trial.1);
        balanced.expand(&self.x_hat, &self.y_hat, x, y);
        let residual = p.residual_with(x, y, &mut self.stationarity).natural;
        let better = residual < self.residual;
        if better {
            self.residual = residual;
            self.x.clone_from(x);
            self.y.clone_from(y);
            self.best.0.clone_from(&self.x_hat);
            self.best.1.clone_from(&self.y_hat);
        }
        better
    }

    /// Returns true if Newton steps are worth while from a point that may already meet the tolerance.
    pub fn wants_polish(&self, p: &Conic<'_>, tolerance: f64) -> bool {
        self.residual > tolerance || (p.n() + p.m() <= CHEAP && self.residual > MARGIN * tolerance)
    }

    /// Newton steps from (x̂, ŷ) until the tolerance is met with a margin or nothing improves; where they do not, the
    /// proximal method from the best point. Whether one of them met the tolerance.
    pub fn polish(&mut self, p: &Conic<'_>, balanced: &Balanced, tolerance: f64, dense_limit: usize) -> bool {
        let met = self.newton_steps(p, balanced, tolerance, dense_limit);
        let cheap = p.n() + p.m() <= CHEAP;
        let wanted = self.residual > if cheap { ENOUGH * tolerance } else { tolerance };
        let near = self.residual <= NEAR;
        (wanted && near && self.proximal_passes(p, balanced, tolerance, dense_limit)) || met
    }

    /// Plain Newton steps; whether one of them met the tolerance.
    fn newton_steps(
        &mut self,
        p: &Conic<'_>,
        balanced: &Balanced,
        tolerance: f64,
        dense_limit: usize,
    ) -> bool {
        self.newton.begin(p, balanced);
        let (mut idle, mut met) = (0, false);
        for _ in 0..STEPS {
            self.steps += 1;
            let (x, y) = (&mut self.x_hat, &mut self.y_hat);
            if !self.newton.step(p, balanced, x, y, dense_limit) {
                break;
            }
            let before = self.residual;
            let better = self.offer(p, balanced);
            idle = if better && self.residual < 0.5 * before { 0 } else { idle + 1 };
            met |= better && self.residual <= tolerance;
            if idle >= PATIENCE || (met && self.residual <= MARGIN * tolerance) {
                break;
            }
        }
        met
    }

    /// Passes of the proximal method from the best point; whether it meets the tolerance then.
    pub(super) fn proximal_passes(
        &mut self,
        p: &Conic<'_>,
        balanced: &Balanced,
        tolerance: f64,
        dense_limit: usize,
    ) -> bool {
        self.proximal.begin(p, balanced);
        self.x_hat.clone_from(&self.best.0);
        self.y_hat.clone_from(&self.best.1);
        let (mut idle, mut made) = (0, 0);
        while idle < PATIENCE && made < PROXIMAL_STEPS && self.residual > ENOUGH * tolerance {
            let (x, y) = (&mut self.x_hat, &mut self.y_hat);
            let Some(steps) = self.proximal.pass(p, balanced, x, y, dense_limit) else { break };
            made += steps.max(1);
            let before = self.residual;
            self.offer(p, balanced);
            idle = if self.residual < 0.5 * before { 0 } else { idle + 1 };
        }
        self.steps += made;
        self.residual <= tolerance
    }
}
