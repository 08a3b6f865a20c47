//! The method: sweeps with Nesterov's momentum, adaptive restarts, and an honest end.

use vinci_sdk::core::problem::{Cone, Status};

use crate::config::Config;
use crate::inertia::{Inertia, NONE};
use crate::map::Reference;
use crate::momentum::{Momentum, Trend, Watch};
use crate::sites::Sites;
use crate::sweep::Iterate;

/// Buffers and bookkeeping of one solve; memory is kept between solves.
#[derive(Debug, Default)]
pub(crate) struct AcceleratedGsWorkspace {
    in_block: Vec<bool>,
    inertia: Inertia,
    sites: Sites,
    /// v̂ of free motion, L⁻¹ b.
    free: Vec<f64>,
    x: Iterate,
    reference: Reference,
    scratch: Vec<f64>,
    /// Impulses of the best look so far, and its own residual.
    best_p: Vec<[f64; 3]>,
    best_own: f64,
    /// The answer, and core's residual of it.
    pub(crate) z: Vec<f64>,
    pub(crate) residual: f64,
    pub(crate) swept: u32,
}

/// A solve's end in words.
type End = (Status, &'static str);

impl AcceleratedGsWorkspace {
    /// Solves the problem; the best point, its residual and the count are left in `self`.
    pub(crate) fn solve(&mut self, p: &Cone<'_>, config: &Config) -> End {
        p.mark_block_rows(&mut self.in_block);
        self.z.clear();
        self.z.resize(p.n(), 0.0);
        self.swept = 0;
        if let Err(reason) = self.inertia.load(p, &self.in_block) {
            self.residual = p.residual_marked(&self.z, &self.in_block).natural;
            return (Status::NumericalFailure, reason);
        }
        self.sites.load(p, &self.in_block, &self.inertia);
        if self.sites.any_massless() {
            self.residual = p.residual_marked(&self.z, &self.in_block).natural;
            return (
                Status::NumericalFailure,
                "a velocity without inertia (a quasi-static body): A is singular",
            );
        }
        self.start(p, config);
        let own = self.look();
        if own <= p.rows.tolerance && self.answer(p, own) {
            return (Status::Converged, "the guess holds");
        }
        self.iterate(p, config)
    }

    /// Free motion, the reference of residuals, and the iterate at the guess or at zero.
    fn start(&mut self, p: &Cone<'_>, config: &Config) {
        self.free.clear();
        self.free.extend(self.inertia.row.iter().map(|&i| -p.rows.q[i as usize]));
        self.inertia.weigh(&mut self.free);
        self.x.start(self.sites.list.len(), &self.free);
        self.reference = Reference::new(&self.sites, &self.free, &self.x.p);
        self.best_p.clone_from(&self.x.p);
        self.best_own = f64::INFINITY;
        let guess = p.rows.guess;
        if !(config.warm_start && !guess.is_empty() && guess.iter().all(|x| x.is_finite())) {
            return;
        }
        for (site, x) in self.sites.list.iter().zip(&mut self.x.p) {
            for (&row, x) in site.rows.iter().zip(x).filter(|(row, _)| **row != NONE) {
                let row = row as usize;
                *x = guess[row].max(p.rows.lower[row]).min(p.rows.upper[row]);
            }
        }
        self.x.refresh(&self.sites, &self.free);
    }

    /// x ← sweep(x + β (x − x_prev)) until a point satisfies both judges, or nothing gets better.
    fn iterate(&mut self, p: &Cone<'_>, config: &Config) -> End {
        // Forces that act on other rows directly, as on an elastic bed, are carried past their place by momentum, sweep after sweep.
        let most = if self.sites.any_linked() { 0.0 } else { config.max_momentum };
        let mut momentum = Momentum::new(most);
        let mut watch = Watch::new(p.rows.tolerance, config.patience);
        while self.swept < config.max_sweeps {
            self.x.extrapolate(momentum.next()); // y
            let swept = self.x.sweep(&self.sites); // x⁺
            self.swept += 1;
            if swept.uphill > 0.0 {
                momentum.restart();
            }
            if !watch.due(self.swept, swept.change <= self.reference.small(watch.target)) {
                continue;
            }
            let own = self.look();
            if own <= watch.target && self.accept(p) {
                return (Status::Converged, "");
            }
            match watch.judge(own, self.swept) {
                Trend::On => momentum.raise(),
                Trend::Worse => momentum.lower(),
                Trend::Slow => momentum.swap(),
                Trend::Stalled => return self.give_up(p, Status::NumericalFailure, "stalled; best point"),
            }
        }
        self.give_up(p, Status::MaxIterations, "best point")
    }

    /// The own residual of the iterate; the best one is kept, and an iterate that is no number goes back to it.
    fn look(&mut self) -> f64 {
        let own = self.reference.residual(&self.sites, &self.x.v, &self.x.p);
        if own < self.best_own {
            self.best_own = own;
            self.best_p.copy_from_slice(&self.x.p);
        } else if own == f64::INFINITY {
            self.recall();
        }
        own
    }

    fn recall(&mut self) {
        self.x.p.copy_from_slice(&self.best_p);
        self.x.refresh(&self.sites, &self.free);
        self.x.forget();
    }

    /// Returns true if the iterate, with v̂ anew from p, satisfies core's residual and its own; it is the answer from then on.
    fn accept(&mut self, p: &Cone<'_>) -> bool {
        self.x.refresh(&self.sites, &self.free);
        let own = self.reference.residual(&self.sites, &self.x.v, &self.x.p);
        self.answer(p, own)
    }

    /// Makes the iterate the answer, and returns true if it satisfies both residuals: its v̂ is that of its p to rounding, `own` is its own residual.
    fn answer(&mut self, p: &Cone<'_>, own: f64) -> bool {
        self.x.write(&self.sites, &self.inertia, &mut self.scratch, &mut self.z);
        self.residual = p.residual_marked(&self.z, &self.in_block).natural;
        own.max(self.residual) <= p.rows.tolerance
    }

    /// Back to the best point. Core's residual is what all solvers are held to: a point that it accepts is a solution, if not one that
    /// is as exact in every row as is aimed at here.
    fn give_up(&mut self, p: &Cone<'_>, status: Status, note: &'static str) -> End {
        self.recall();
        if self.accept(p) {
            (Status::Converged, "")
        } else if self.residual <= p.rows.tolerance {
            (Status::Converged, "best point: not every row is as exact as the largest")
        } else {
            (status, note)
        }
    }
}
