//! The outer loop: sweeps, acceleration, polish, and an honest end.

use vinci_sdk::core::anderson::Anderson;
use vinci_sdk::core::problem::{Mlcp, Status, check_farkas};

use crate::blocks::Blocks;
use crate::config::Config;
use crate::free::Free;
use crate::polish::Polish;
use crate::sweep::Sweeper;

/// Buffers and bookkeeping of one solve; memory is kept between solves.
#[derive(Debug, Default)]
pub(crate) struct PgsWorkspace {
    free: Free,
    blocks: Blocks,
    sweeper: Sweeper,
    anderson: Anderson,
    polish: Polish,
    z: Vec<f64>,
    /// Point before the last double sweep.
    before: Vec<f64>,
    /// Image of the last plain double sweep, to fall back on.
    plain: Vec<f64>,
    /// Point at the last check for growth.
    checkpoint: Vec<f64>,
    scale: Vec<f64>,
    /// Best point so far and its residual.
    pub(crate) best: Vec<f64>,
    pub(crate) best_residual: f64,
    /// Proof of infeasibility, or empty.
    pub(crate) certificate: Vec<f64>,
    /// Sweeps made.
    pub(crate) sweeps: u32,
}

/// A solve's end in words.
type End = (Status, &'static str);

impl PgsWorkspace {
    /// Factorisations of the polish.
    pub(crate) fn factorizations(&self) -> u32 {
        self.polish.factorizations
    }

    /// Solves; returns the status the best point deserves, with a note.
    pub(crate) fn solve(&mut self, p: &Mlcp<'_>, config: &Config) -> End {
        self.start(p, config);
        if !self.free.factor(p) {
            return (Status::NumericalFailure, "the free rows are singular even when shifted");
        }
        self.blocks.build(p, &self.free);
        self.sweeper.start(self.blocks.len());
        self.free.recentre(&self.z);
        self.free.update(p, &mut self.z);
        if self.judge(p) {
            return (Status::Converged, "the guess solves the problem");
        }
        self.iterate(p, config)
    }

    fn start(&mut self, p: &Mlcp<'_>, config: &Config) {
        let n = p.n();
        self.z.clear();
        let guessed = config.warm_start && !p.guess.is_empty() && p.guess.iter().all(|x| x.is_finite());
        self.z.extend((0..n).map(|i| if guessed { p.guess[i] } else { 0.0 }.max(p.lower[i]).min(p.upper[i])));
        for x in [&mut self.before, &mut self.plain, &mut self.checkpoint, &mut self.best] {
            x.clear();
            x.extend_from_slice(&self.z);
        }
        self.scale.clear();
        self.scale.extend_from_slice(p.z_scale);
        self.best_residual = f64::INFINITY;
        self.certificate.clear();
        self.sweeps = 0;
        self.anderson.start(n, config.acceleration);
    }

    fn iterate(&mut self, p: &Mlcp<'_>, config: &Config) -> End {
        let mut progress = Progress::new(self.best_residual);
        while self.sweeps < config.max_sweeps {
            self.before.copy_from_slice(&self.z);
            let changed = self.double_sweep(p, config);
            let step = self.step_length();
            if !step.is_finite() {
                return (Status::NumericalFailure, "the sweeps diverged");
            }
            if self.judge(p) {
                return (Status::Converged, "by sweeps");
            }
            progress.note(self.best_residual, self.sweeps, changed == 0);
            if progress.is_time_for_checkup(self.sweeps)
                && let Some(end) = self.checkup(p, config)
            {
                return end;
            }
            let waited = self.sweeps - progress.better_at;
            if waited > config.patience {
                return self.give_up(p, config, "stagnation: the residual no longer falls");
            }
            if !progress.plain && waited > config.patience / 2 {
                progress.plain = true;
                progress.accelerated = false;
                self.z.copy_from_slice(&self.best);
                continue;
            }
            self.next_start(p, step, &mut progress);
        }
        self.give_up(p, config, "the sweep limit came first")
    }

    /// From the image of a double sweep to the start of the next one.
    fn next_start(&mut self, p: &Mlcp<'_>, step: f64, progress: &mut Progress) {
        if self.free.is_shifted() {
            self.free.recentre(&self.z);
            self.free.update(p, &mut self.z);
        } else if progress.accelerated && step > 2.0 * progress.last_step {
            // The accelerated point was worse: back to the plain image it replaced.
            self.z.copy_from_slice(&self.plain);
            self.anderson.clear();
            progress.accelerated = false;
            progress.last_step = f64::INFINITY;
        } else if !progress.plain {
            progress.last_step = step;
            self.plain.copy_from_slice(&self.z);
            progress.accelerated = self.anderson.accelerate(&self.before, &mut self.z, &self.scale);
            if progress.accelerated {
                self.project(p);
            }
        }
    }

    /// One sweep forwards and, if symmetric, one backwards; blocks whose mode changed.
    fn double_sweep(&mut self, p: &Mlcp<'_>, config: &Config) -> usize {
        let mut changed = 0;
        for backwards in [false, true] {
            if backwards && !config.symmetric {
                break;
            }
            self.sweeper.sweep(p, &self.blocks, &self.free, &mut self.z, config.relaxation, backwards);
            self.sweeps += 1;
            changed += self.sweeper.changed;
        }
        changed
    }

    /// Largest change of the last double sweep, in typical sizes.
    fn step_length(&self) -> f64 {
        let mut sum = 0.0;
        for i in 0..self.z.len() {
            let change = (self.z[i] - self.before[i]) / self.scale[i];
            sum += change * change;
        }
        sum.sqrt()
    }

    fn project(&mut self, p: &Mlcp<'_>) {
        for i in 0..p.n() {
            self.z[i] = self.z[i].max(p.lower[i]).min(p.upper[i]);
        }
        self.free.update(p, &mut self.z);
    }

    /// Recomputes the velocities, keeps the point if it is the best; true when it meets the tolerance.
    fn judge(&mut self, p: &Mlcp<'_>) -> bool {
        self.free.update(p, &mut self.z);
        let residual = p.residual(&self.z).natural;
        if residual < self.best_residual {
            self.best_residual = residual;
            self.best.copy_from_slice(&self.z);
        }
        residual <= p.tolerance
    }

    /// Polish and growth check.
    fn checkup(&mut self, p: &Mlcp<'_>, config: &Config) -> Option<End> {
        if config.polish && self.try_polish(p) {
            return Some((Status::Converged, "by sweeps and polish"));
        }
        if self.proves_infeasible(p) {
            return Some((Status::Infeasible, "a squeeze that moves nothing contradicts the rows (Farkas)"));
        }
        self.checkpoint.copy_from_slice(&self.z);
        None
    }

    fn try_polish(&mut self, p: &Mlcp<'_>) -> bool {
        self.polish.start(p);
        let mut residual = self.polish.run(p, &self.z, 8);
        if residual >= self.best_residual {
            return false;
        }
        self.best.copy_from_slice(&self.polish.best);
        if !self.free.is_shifted() {
            // The momentum balance to the last digit: what is left of the residual belongs to the bounded rows.
            self.free.update(p, &mut self.polish.best);
            let balanced = p.residual(&self.polish.best).natural;
            if balanced <= residual.max(p.tolerance) {
                residual = balanced;
                self.best.copy_from_slice(&self.polish.best);
            }
        }
        self.best_residual = residual;
        residual <= p.tolerance
    }

    /// Returns true if the problem can be proved to have no solution, by one of two candidates y: the growth of the bounded
    /// unknowns since the last check (a squeeze), or what every bounded w lacks at the iterate.
    fn proves_infeasible(&mut self, p: &Mlcp<'_>) -> bool {
        let growth = |i: usize, z: &[f64], from: &[f64]| z[i] - from[i];
        let lack = |i: usize, z: &[f64]| {
            let w = p.m.row_dot(i, z) + p.q[i];
            match (p.lower[i].is_finite(), p.upper[i].is_finite()) {
                (true, false) => (-w).max(0.0),
                (false, true) => (-w).min(0.0),
                _ => 0.0,
            }
        };
        for candidate in 0..2 {
            self.certificate.clear();
            for i in 0..p.n() {
                self.certificate.push(match candidate {
                    _ if p.is_free(i) => 0.0,
                    0 => growth(i, &self.z, &self.checkpoint),
                    _ => lack(i, &self.z),
                });
            }
            clean(&mut self.certificate);
            if check_farkas(p, &self.certificate).proves() {
                return true;
            }
        }
        self.certificate.clear();
        false
    }

    fn give_up(&mut self, p: &Mlcp<'_>, config: &Config, reason: &'static str) -> End {
        self.checkpoint.copy_from_slice(&self.z);
        for _ in 0..20 {
            self.double_sweep(p, config);
        }
        if let Some(end) = self.checkup(p, config) {
            return end;
        }
        (Status::MaxIterations, reason)
    }
}

/// Drops what is only rounding beside the largest entry.
fn clean(y: &mut [f64]) {
    let largest = y.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
    for v in y {
        if v.abs() < 1e-10 * largest {
            *v = 0.0;
        }
    }
}

/// How the sweeps get on.
#[derive(Debug)]
struct Progress {
    /// Residual that has to be improved on by a tenth, and the sweep at which that happened last.
    reference: f64,
    better_at: u32,
    /// Double sweeps in a row without a change of mode.
    settled: u32,
    next_checkup: u32,
    /// Length of the last double sweep's step.
    last_step: f64,
    /// True if the last start was an accelerated point.
    accelerated: bool,
    /// Acceleration has been given up: large frictional piles sometimes do better without.
    plain: bool,
}

impl Progress {
    fn new(residual: f64) -> Self {
        Self {
            reference: residual,
            better_at: 0,
            settled: 0,
            next_checkup: 4,
            last_step: f64::INFINITY,
            accelerated: false,
            plain: false,
        }
    }

    fn note(&mut self, best: f64, sweeps: u32, same_modes: bool) {
        if best < 0.9 * self.reference {
            (self.reference, self.better_at) = (best, sweeps);
        }
        self.settled = if same_modes { self.settled + 1 } else { 0 };
    }

    /// At sweeps 4, 8, 16, … and whenever the modes have just settled.
    fn is_time_for_checkup(&mut self, sweeps: u32) -> bool {
        let due = sweeps >= self.next_checkup;
        if due {
            self.next_checkup = 2 * sweeps;
        }
        due || self.settled == 3
    }
}
