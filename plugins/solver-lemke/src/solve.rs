//! The order in which runs are tried, and the judgement of what they find.

use crate::branch::{Branch, Verdict};
use crate::config::Config;
use crate::dense::Dense;
use crate::relax::Relaxation;
use crate::sparse::path::{self, Path};
use crate::tableau;
use std::fmt::Write as _;
use vinci_core::problem::{Mlcp, Solution, Status, check_farkas};

/// Lemke's method with everything around it; see the crate's documentation.
#[derive(Debug, Default)]
pub struct Lemke {
    config: Config,
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
    work: Vec<f64>,
    prox: Vec<f64>,
    note: String,
    limit_met: bool,
}

/// Most nodes when solvability is settled by cases.
const NODE_LIMIT: u32 = 20_000;

/// Proximal steps per regularisation.
const PROXIMAL_STEPS: usize = 12;

/// What one run came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Run {
    Solved,
    Infeasible,
    Undecided,
}

impl Lemke {
    /// A solver with these options.
    pub fn new(config: Config) -> Self {
        Self { config, ..Self::default() }
    }

    /// Solves a checked problem.
    pub(crate) fn solve_mlcp(&mut self, p: &Mlcp<'_>) -> Solution<'_> {
        self.open(p);
        let run = self.try_everything(p);
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

    fn open(&mut self, p: &Mlcp<'_>) {
        let n = p.n();
        self.tolerance = self.config.tolerance.unwrap_or(p.tolerance);
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

    fn try_everything(&mut self, p: &Mlcp<'_>) -> Run {
        let reduced = self.dense.reduce(p).is_ok();
        if reduced && self.dense.n() <= self.config.dense_limit {
            let run = self.try_dense(p);
            if run != Run::Undecided {
                return run;
            }
        }
        let mut run = self.try_sparse(p, reduced);
        if run == Run::Undecided {
            run = self.try_relaxation(p);
        }
        for k in 0..self.config.regularization.len() {
            if run == Run::Undecided {
                run = self.try_regularized(p, self.config.regularization[k]);
            }
        }
        if run == Run::Undecided && reduced && self.dense.n() <= self.config.enumeration_limit {
            run = self.try_cases(p);
        }
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

    /// Branching on pairs: finds a solution or excludes every case.
    fn try_cases(&mut self, p: &Mlcp<'_>) -> Run {
        self.dense.load(p);
        let n = self.dense.n();
        let (t, stride) = self.dense.tableau.equations();
        let m = t.chunks_exact(stride).flat_map(|row| row[1..=n].iter().copied());
        let q = t.chunks_exact(stride).map(|row| row[0]);
        let verdict = self.branch.search(m, q, NODE_LIMIT);
        let _ = write!(self.note, "{} cases: {verdict:?}; ", self.branch.nodes);
        match verdict {
            Verdict::Open => Run::Undecided,
            Verdict::Exhausted => Run::Infeasible,
            Verdict::Found => {
                let mut z = std::mem::take(&mut self.z);
                self.dense.expand(&self.branch.z, &mut z);
                self.work.clear();
                self.work.extend((0..p.n()).map(|i| p.m.row_dot(i, &z) + p.q[i]));
                self.z = z;
                if self.accept(p) {
                    return Run::Solved;
                }
                self.path.m.load(p, 0.0);
                let begun = self.path.begin_at(&self.z, &self.work);
                if begun && self.settle(p, self.rules(0)) { Run::Solved } else { Run::Undecided }
            }
        }
    }

    /// Proximal steps (M + ε I, q − ε z_k) from z_0 = 0; after each the basis is tried on the problem itself.
    fn try_regularized(&mut self, p: &Mlcp<'_>, eps: f64) -> Run {
        let rules = self.rules(0);
        self.prox.clear();
        self.prox.resize(p.n(), 0.0);
        for k in 0..PROXIMAL_STEPS {
            self.path.m.load(p, eps);
            self.path.m.q.iter_mut().zip(&self.prox).for_each(|(q, z)| *q -= eps * z);
            let begun = if k == 0 { self.path.begin_cold() } else { self.path.resume() };
            if !begun || self.path.follow(rules) != path::End::Solved {
                return Run::Undecided;
            }
            self.path.restore_q();
            if !self.path.refactor() {
                return Run::Undecided;
            }
            self.path.scaled_z(&mut self.prox);
            self.path.remember();
            self.path.m.load(p, 0.0);
            self.path.restore_q();
            if self.path.resume() && self.settle(p, rules) {
                let _ = write!(self.note, "regularised by {eps:e}, {} steps; ", k + 1);
                return Run::Solved;
            }
            self.path.recall();
        }
        Run::Undecided
    }

    /// Dense tableau: from the guess, then from the slack basis.
    fn try_dense(&mut self, p: &Mlcp<'_>) -> Run {
        let rules =
            tableau::Rules { max_pivots: self.config.max_pivots, refactor_every: self.config.refactor_every };
        self.dense.load(p);
        if self.config.warm_start && !p.guess.is_empty() {
            let few = tableau::Rules { max_pivots: 2 * p.n() as u32 + 10, ..rules };
            if self.dense.run_warm(p, few) == tableau::End::Solved && self.accept_dense(p) {
                return Run::Solved;
            }
        }
        match self.dense.run_cold(rules) {
            tableau::End::Solved if self.accept_dense(p) => Run::Solved,
            tableau::End::Ray(entering) => {
                let mut y = std::mem::take(&mut self.work);
                y.resize(p.n(), 0.0);
                self.dense.write_certificate(p, entering, &mut y);
                let run = self.keep_ray(p, &y);
                self.work = y;
                run
            }
            end => {
                self.limit_met |= end == tableau::End::Limit;
                Run::Undecided
            }
        }
    }

    fn accept_dense(&mut self, p: &Mlcp<'_>) -> bool {
        let mut z = std::mem::take(&mut self.z);
        self.dense.write_z(&mut z);
        self.z = z;
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

    /// Sparse bases: other perturbations and covering vectors, then regularised matrices.
    fn try_sparse(&mut self, p: &Mlcp<'_>, reduced: bool) -> Run {
        self.path.m.load(p, 0.0);
        for variant in 0..self.config.covers {
            if !self.path.begin_cold() {
                let _ = write!(self.note, "cover {variant}: singular start; ");
                break;
            }
            let rules = self.rules(variant);
            let end = self.path.follow(rules);
            let _ = write!(self.note, "cover {variant}: {end:?} after {} pivots; ", self.path.pivots);
            match end {
                path::End::Solved => {
                    if self.settle(p, rules) {
                        return Run::Solved;
                    }
                }
                path::End::Ray => {
                    if self.sparse_ray(p, reduced) == Run::Infeasible {
                        return Run::Infeasible;
                    }
                }
                path::End::Limit => self.limit_met = true,
                path::End::Broken => {}
            }
        }
        Run::Undecided
    }

    fn rules(&self, variant: u32) -> path::Rules {
        path::Rules {
            max_pivots: self.config.max_pivots,
            refactor_every: self.config.refactor_every,
            perturbation: self.config.perturbation,
            variant,
        }
    }

    /// Takes the perturbation back: values on the found basis, and further pivoting with less of it where they are not
    /// feasible. True if the problem is solved.
    fn settle(&mut self, p: &Mlcp<'_>, mut rules: path::Rules) -> bool {
        for _ in 0..5 {
            self.path.restore_q();
            if !self.path.refactor() {
                return false;
            }
            let mut z = std::mem::take(&mut self.z);
            self.path.write_z(p, &mut z);
            self.path.refine(p, &mut z);
            self.z = z;
            if self.accept(p) {
                return true;
            }
            let _ = write!(
                self.note,
                "settle: violation {:.1e} best {:.1e}; ",
                self.path.violation(),
                self.best_residual
            );
            rules.perturbation *= 1e-2;
            if self.path.follow(rules) != path::End::Solved {
                return false;
            }
        }
        false
    }

    fn sparse_ray(&mut self, p: &Mlcp<'_>, reduced: bool) -> Run {
        let n = p.n();
        let mut y = std::mem::take(&mut self.work);
        y.clear();
        y.resize(n, 0.0);
        let col = &self.path.m.scaling.col;
        for j in 0..n {
            y[j] = self.path.ray[j] * col[j] * if p.is_free(j) { -1.0 } else { 1.0 };
        }
        let _ = reduced;
        let run = self.keep_ray(p, &y);
        self.work = y;
        run
    }
}
