//! The order in which runs are tried, and the judgement of what they find.

use crate::branch::Branch;
use crate::config::Config;
use crate::dense::Dense;
use crate::relax::Relaxation;
use crate::sparse::path::{self, Path};
use vinci_sdk::core::problem::{Mlcp, Solution, Status, check_farkas};

/// Memory of a solve.
#[derive(Debug, Default)]
pub(crate) struct LemkeWorkspace {
    pub(crate) dense: Dense,
    pub(crate) path: Path,
    pub(crate) relaxation: Relaxation,
    pub(crate) branch: Branch,
    pub(crate) z: Vec<f64>,
    pub(crate) best: Vec<f64>,
    pub(crate) best_residual: f64,
    pub(crate) tolerance: f64,
    pub(crate) certificate: Vec<f64>,
    pub(crate) has_ray: bool,
    pub(crate) w: Vec<f64>,
    pub(crate) prox: Vec<f64>,
    pub(crate) note: String,
    pub(crate) limit_met: bool,
    pub(crate) reduced: bool,
}

/// Outcome of one run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Run {
    Solved,
    Infeasible,
    Undecided,
}

impl Run {
    fn or_else(self, next: impl FnOnce() -> Self) -> Self {
        if self == Self::Undecided { next() } else { self }
    }
}

impl LemkeWorkspace {
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
            certificate,
            bound: f64::NAN,
            iterations: self.dense.tableau.pivots + self.path.pivots,
            factorizations: self.dense.tableau.rebuilds + self.path.factor.count,
            residual: self.best_residual,
            note: self.note.trim_end_matches("; "),
            ..Solution::default()
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
        }
        run = run.or_else(|| if small { Run::Undecided } else { self.try_warm(p, config) });
        run = run.or_else(|| if self.reduced { Run::Undecided } else { self.try_contradiction(p) });
        run = run.or_else(|| self.try_cover(p, config, 0, p.n() + 100));
        run = run.or_else(|| if self.has_ray { self.try_relaxation(p) } else { Run::Undecided });
        run = run.or_else(|| if few_pairs { self.try_cases(p, config) } else { Run::Undecided });
        run = run.or_else(|| self.try_proximal(p, config));
        run.or_else(|| self.try_all_covers(p, config))
    }

    /// Slacks again, with more pivots and every covering vector.
    fn try_all_covers(&mut self, p: &Mlcp<'_>, config: &Config) -> Run {
        self.path.m.load(p, 0.0);
        let pivots = 10 * p.n() + 1000;
        let next = |run: Run, variant| run.or_else(|| self.try_cover(p, config, variant, pivots));
        (0..config.covers).fold(Run::Undecided, next)
    }

    /// Judges z by the problem's own residual and keeps the best.
    pub(crate) fn accept(&mut self, p: &Mlcp<'_>) -> bool {
        let residual = p.residual(&self.z).natural;
        if residual < self.best_residual {
            self.best_residual = residual;
            self.best.copy_from_slice(&self.z);
        }
        residual <= self.tolerance
    }

    /// Keeps a ray's certificate candidate; infeasible if it is a proof.
    pub(crate) fn keep_ray(&mut self, p: &Mlcp<'_>, y: &[f64]) -> Run {
        let proves = check_farkas(p, y).proves();
        if proves || !self.has_ray {
            self.certificate.copy_from_slice(y);
            self.has_ray = true;
        }
        if proves { Run::Infeasible } else { Run::Undecided }
    }
}

/// Rules of a sparse run with the given covering vector.
pub(crate) fn rules(config: &Config, variant: u32) -> path::Rules {
    path::Rules {
        max_pivots: config.max_pivots,
        refactor_every: config.refactor_every,
        perturbation: config.perturbation,
        variant,
    }
}
