//! The order in which runs are tried, and the judgement of what they find.

use crate::branch::{Branch, Verdict};
use crate::config::Config;
use crate::dense::{Dense, clean};
use crate::relax::Relaxation;
use crate::sparse::path::{self, Path};
use crate::tableau;
use std::fmt::Write as _;
use vinci_sdk::core::problem::{Mlcp, Solution, Status, check_farkas};

/// Memory of a solve.
#[derive(Debug, Default)]
pub(crate) struct Work {
    dense: Dense,
    path: Path,
    relaxation: Relaxation,
    branch: Branch,
    z: Vec<f64>,
    best: Vec<f64>,
    best_residual: f64,
    tolerance: f64,
    certificate: Vec<f64>,
    has_ray: bool,
    w: Vec<f64>,
    prox: Vec<f64>,
    note: String,
    limit_met: bool,
    reduced: bool,
}

/// What one run came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Run {
    Solved,
    Infeasible,
    Undecided,
}

impl Run {
    fn or_else(self, next: impl FnOnce() -> Self) -> Self {
        if self == Self::Undecided { next() } else { self }
    }
}

/// Most nodes when solvability is settled by cases.
const NODE_LIMIT: u32 = 20_000;
/// Proximal steps at most …
const PROXIMAL_STEPS: usize = 300;
/// … failed ones among them …
const PROXIMAL_FAILURES: usize = 40;
/// … and the residual below which the basis of a proximal point is tried on the problem itself.
const CLOSE: f64 = 1e-4;

impl Work {
    /// Solves a checked problem.
    pub(crate) fn solve(&mut self, p: &Mlcp<'_>, config: &Config, tolerance: f64) -> Solution<'_> {
        self.open(p, tolerance);
        let run = self.try_everything(p, config);
        let status = match run {
            Run::Solved => Status::Converged,
            Run::Infeasible => Status::Infeasible,
            Run::Undecided if self.limit_met => Status::MaxIterations,
            Run::Undecided if self.has_ray => Status::RayTermination,
            Run::Undecided => Status::NumericalFailure,
        };
        let certificate = if run != Run::Solved && self.has_ray { &self.certificate[..] } else { &[] };
        Solution {
            status,
            z: &self.best,
            dual: &[],
            certificate,
            iterations: self.dense.tableau.pivots + self.path.pivots,
            factorizations: self.dense.tableau.rebuilds + self.path.factor.count,
            residual: self.best_residual,
            note: &self.note,
        }
    }

    fn open(&mut self, p: &Mlcp<'_>, tolerance: f64) {
        let n = p.n();
        self.tolerance = tolerance;
        for v in [&mut self.z, &mut self.best, &mut self.certificate] {
            v.clear();
            v.resize(n, 0.0);
        }
        self.best_residual = f64::INFINITY;
        self.has_ray = false;
        self.limit_met = false;
        self.note.clear();
        self.dense.tableau.pivots = 0;
        self.dense.tableau.rebuilds = 0;
        self.path.pivots = 0;
        self.path.factor.count = 0;
    }

    fn try_everything(&mut self, p: &Mlcp<'_>, config: &Config) -> Run {
        self.reduced = self.dense.reduce(p).is_ok();
        let small = self.reduced && self.dense.n() <= config.dense_limit;
        let few_pairs = self.reduced && self.dense.n() <= config.enumeration_limit;
        let mut run = if small { self.try_dense(p, config) } else { Run::Undecided };
        if run == Run::Undecided {
            self.path.m.load(p, 0.0);
            run = if small { run } else { self.try_warm(p, config) };
        }
        run = run.or_else(|| self.try_covers(p, config));
        run = run.or_else(|| if self.has_ray { self.try_relaxation(p) } else { Run::Undecided });
        run = run.or_else(|| if few_pairs { self.try_cases(p, config) } else { Run::Undecided });
        run.or_else(|| self.try_proximal(p, config))
    }

    /// Dense tableau: from the guess, then from the slack basis.
    fn try_dense(&mut self, p: &Mlcp<'_>, config: &Config) -> Run {
        let rules = tableau::Rules { max_pivots: config.max_pivots, refactor_every: config.refactor_every };
        self.dense.load(p);
        if config.warm_start && !p.guess.is_empty() {
            let few = tableau::Rules { max_pivots: config.max_pivots.min(2 * p.n() as u32 + 10), ..rules };
            if self.dense.run_warm(p, few) == tableau::End::Solved && self.accept_dense(p) {
                return Run::Solved;
            }
        }
        match self.dense.run_cold(rules) {
            tableau::End::Solved if self.accept_dense(p) => Run::Solved,
            tableau::End::Ray(entering) => {
                let mut y = std::mem::take(&mut self.w);
                y.resize(p.n(), 0.0);
                self.dense.write_certificate(p, entering, &mut y);
                let run = self.keep_ray(p, &y);
                self.w = y;
                run
            }
            end => {
                self.limit_met |= end == tableau::End::Limit;
                Run::Undecided
            }
        }
    }

    fn accept_dense(&mut self, p: &Mlcp<'_>) -> bool {
        self.dense.write_z(&mut self.z);
        self.accept(p)
    }

    /// Judges z by the problem's own residual and keeps the best.
    fn accept(&mut self, p: &Mlcp<'_>) -> bool {
        let residual = p.residual(&self.z).natural;
        if residual < self.best_residual {
            self.best_residual = residual;
            self.best.copy_from_slice(&self.z);
        }
        residual <= self.tolerance
    }

    /// Keeps a ray's certificate candidate; infeasible if it is a proof.
    fn keep_ray(&mut self, p: &Mlcp<'_>, y: &[f64]) -> Run {
        let proves = check_farkas(p, y).proves();
        if proves || !self.has_ray {
            self.certificate.copy_from_slice(y);
            self.has_ray = true;
        }
        if proves { Run::Infeasible } else { Run::Undecided }
    }

    /// Sparse bases from the guess.
    fn try_warm(&mut self, p: &Mlcp<'_>, config: &Config) -> Run {
        if !config.warm_start || p.guess.is_empty() {
            return Run::Undecided;
        }
        self.w.clear();
        self.w.extend((0..p.n()).map(|i| p.m.row_dot(i, p.guess) + p.q[i]));
        let few = path::Rules { max_pivots: config.max_pivots.min(p.n() as u32 + 100), ..rules(config, 0) };
        let solved = self.path.begin_at(p.guess, &self.w) && self.settle(p, few);
        if solved { Run::Solved } else { Run::Undecided }
    }

    /// Sparse bases from slacks, with several covering vectors.
    fn try_covers(&mut self, p: &Mlcp<'_>, config: &Config) -> Run {
        for variant in 0..config.covers {
            if !self.path.begin_cold() {
                let _ = write!(self.note, "the free rows have no regular basis; ");
                return Run::Undecided;
            }
            let rules = path::Rules {
                max_pivots: config.max_pivots.min(4 * p.n() as u32 + 100),
                ..rules(config, variant)
            };
            let end = self.path.follow(rules);
            match end {
                path::End::Solved if self.settle(p, rules) => return Run::Solved,
                path::End::Ray => {
                    if self.sparse_ray(p) == Run::Infeasible {
                        return Run::Infeasible;
                    }
                }
                end => self.limit_met |= end == path::End::Limit,
            }
            let _ = write!(self.note, "cover {variant}: {end:?}; ");
        }
        Run::Undecided
    }

    /// Takes the perturbation back: values on the found basis, and further pivoting with less of it where they are not
    /// feasible. True if the problem is solved.
    fn settle(&mut self, p: &Mlcp<'_>, mut rules: path::Rules) -> bool {
        for _ in 0..5 {
            self.path.restore_q();
            if !self.path.refactor() {
                return false;
            }
            self.path.write_z(p, &mut self.z);
            self.path.refine(p, &mut self.z);
            if self.accept(p) {
                return true;
            }
            rules.perturbation *= 1e-2;
            if self.path.follow(rules) != path::End::Solved {
                return false;
            }
        }
        false
    }

    /// Farkas candidate of a secondary ray: y = z̃ on bounded rows, which is a proof when M is copositive-plus, and the
    /// solution of (Mᵀy)_F = 0 on free rows (−z̃_F where the free block is singular: right for skew couplings).
    fn sparse_ray(&mut self, p: &Mlcp<'_>) -> Run {
        let n = p.n();
        let mut y = std::mem::take(&mut self.w);
        y.clear();
        y.extend(self.path.ray.iter().zip(&self.path.m.scaling.col).map(|(r, c)| r * c));
        clean(&mut y);
        if self.reduced {
            self.dense.certify(p, &mut y);
        } else {
            (0..n).filter(|&j| p.is_free(j)).for_each(|j| y[j] = -y[j]);
        }
        let run = self.keep_ray(p, &y);
        self.w = y;
        run
    }

    /// A Farkas proof sought for itself, not as a by-product of a ray.
    fn try_relaxation(&mut self, p: &Mlcp<'_>) -> Run {
        if !self.relaxation.seems_empty(p) {
            return Run::Undecided;
        }
        let y = std::mem::take(&mut self.relaxation.y);
        let run = self.keep_ray(p, &y);
        self.relaxation.y = y;
        run
    }

    /// Proximal points: z_{k+1} solves the problem with (M + ε I, q − ε z_k), from the basis of z_k. ε falls while the
    /// steps are easy and rises when one fails; the limit of the z_k solves the problem itself, and a z_k is only accepted
    /// by its residual there.
    fn try_proximal(&mut self, p: &Mlcp<'_>, config: &Config) -> Run {
        let Some(&largest) = config.regularization.first() else { return Run::Undecided };
        let smallest = config.regularization[config.regularization.len() - 1].min(largest);
        let (mut eps, mut failures, mut begun) = (largest, 0, false);
        self.prox.clear();
        self.prox.resize(p.n(), 0.0);
        for step in 1..=PROXIMAL_STEPS {
            let before = self.path.pivots;
            if !self.proximal_step(p, config, eps, begun) {
                failures += 1;
                if !begun || failures > PROXIMAL_FAILURES {
                    break;
                }
                eps = (eps * 3.0).min(largest);
                continue;
            }
            begun = true;
            let close = self.best_residual;
            self.path.write_z(p, &mut self.z);
            if self.accept(p)
                || (self.best_residual < CLOSE && self.best_residual < close && self.cross_over(p, config))
            {
                let _ = write!(self.note, "proximal points, {step} steps, last regularisation {eps:.0e}; ");
                return Run::Solved;
            }
            if self.path.pivots - before < p.n() as u32 / 8 + 5 {
                eps = (0.5 * eps).max(smallest);
            }
        }
        let _ = write!(self.note, "proximal points: best residual {:.1e}; ", self.best_residual);
        Run::Undecided
    }

    /// One proximal step; on success z_{k+1} and its basis replace those kept, on failure those kept stay.
    fn proximal_step(&mut self, p: &Mlcp<'_>, config: &Config, eps: f64, begun: bool) -> bool {
        self.path.m.load(p, eps);
        self.path.m.q.iter_mut().zip(&self.prox).for_each(|(q, z)| *q -= eps * z);
        let n = p.n() as u32;
        let rules = path::Rules {
            max_pivots: config.max_pivots.min(if begun { n / 2 + 50 } else { 10 * n + 100 }),
            ..rules(config, 0)
        };
        if begun {
            self.path.recall();
        }
        let ready = if begun { self.path.resume() } else { self.path.begin_cold() };
        if !ready || self.path.follow(rules) != path::End::Solved {
            return false;
        }
        self.path.restore_q();
        if !self.path.refactor() {
            return false;
        }
        self.path.scaled_z(&mut self.prox);
        self.path.remember();
        true
    }

    /// Brings the basis of a proximal point to the problem itself.
    fn cross_over(&mut self, p: &Mlcp<'_>, config: &Config) -> bool {
        self.path.m.load(p, 0.0);
        let few =
            path::Rules { max_pivots: config.max_pivots.min(p.n() as u32 / 4 + 50), ..rules(config, 0) };
        self.path.resume() && self.settle(p, few)
    }

    /// Branching on pairs: finds a solution or excludes every case.
    fn try_cases(&mut self, p: &Mlcp<'_>, config: &Config) -> Run {
        self.dense.load(p);
        let verdict = self.branch.search(self.dense.equations(), NODE_LIMIT);
        let _ = write!(self.note, "settled by cases: {verdict:?} after {} programs; ", self.branch.nodes);
        match verdict {
            Verdict::Open => Run::Undecided,
            Verdict::Exhausted => Run::Infeasible,
            Verdict::Found => {
                self.dense.expand(&self.branch.z, &mut self.z);
                if self.accept(p) {
                    return Run::Solved;
                }
                self.w.clear();
                self.w.extend((0..p.n()).map(|i| p.m.row_dot(i, &self.z) + p.q[i]));
                self.path.m.load(p, 0.0);
                let begun = self.path.begin_at(&self.z, &self.w);
                if begun && self.settle(p, rules(config, 0)) { Run::Solved } else { Run::Undecided }
            }
        }
    }
}

fn rules(config: &Config, variant: u32) -> path::Rules {
    path::Rules {
        max_pivots: config.max_pivots,
        refactor_every: config.refactor_every,
        perturbation: config.perturbation,
        variant,
    }
}
