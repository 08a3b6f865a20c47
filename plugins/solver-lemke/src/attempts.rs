//! The single runs: dense, sparse, relaxed, by cases.

use crate::branch::{Case, Verdict};
use crate::cases::is_empty_case;
use crate::config::Config;
use crate::dense::clean;
use crate::dependent::contradiction;
use crate::solve::{LemkeWorkspace, Run, rules};
use crate::sparse::path;
use crate::tableau;
use std::fmt::Write as _;
use vinci_sdk::core::problem::{Mlcp, check_farkas};

/// Most nodes when solvability is settled by cases.
const NODE_LIMIT: u32 = 20_000;

impl LemkeWorkspace {
    /// Dense tableau: from the guess, then from the slack basis.
    pub(crate) fn try_dense(&mut self, p: &Mlcp<'_>, config: &Config) -> Run {
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

    /// Sparse bases from the guess.
    pub(crate) fn try_warm(&mut self, p: &Mlcp<'_>, config: &Config) -> Run {
        if !config.warm_start || p.guess.is_empty() {
            return Run::Undecided;
        }
        self.w.clear();
        self.w.extend((0..p.n()).map(|i| p.m.row_dot(i, p.guess) + p.q[i]));
        let few = path::Rules { max_pivots: config.max_pivots.min(p.n() as u32 + 100), ..rules(config, 0) };
        let solved = self.path.begin_at(p.guess, &self.w) && self.settle(p, few);
        if solved { Run::Solved } else { Run::Undecided }
    }

    /// Sparse bases from slacks, with one of the covering vectors and at most so many pivots.
    pub(crate) fn try_cover(&mut self, p: &Mlcp<'_>, config: &Config, variant: u32, pivots: usize) -> Run {
        if !self.path.begin_cold() {
            let _ = write!(self.note, "the free rows have no regular basis; ");
            return Run::Undecided;
        }
        let rules =
            path::Rules { max_pivots: config.max_pivots.min(pivots as u32), ..rules(config, variant) };
        let end = self.path.follow(rules);
        let run = match end {
            path::End::Solved if self.settle(p, rules) => Run::Solved,
            path::End::Ray => self.sparse_ray(p),
            _ => Run::Undecided,
        };
        self.limit_met |= end == path::End::Limit;
        if run == Run::Undecided {
            let _ = write!(self.note, "cover {variant}: {end:?}; ");
        }
        run
    }

    /// Takes the perturbation back: values on the found basis, and further pivoting with less of it where they are not
    /// feasible. True if the problem is solved.
    pub(crate) fn settle(&mut self, p: &Mlcp<'_>, mut rules: path::Rules) -> bool {
        for _ in 0..5 {
            self.path.restore_q();
            if !self.path.refactor() {
                return false;
            }
            self.path.write_z(p, &mut self.z);
            self.path.refine(p, &mut self.z);
            if self.accept(p) {
                self.note_undetermined(p);
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
    pub(crate) fn try_relaxation(&mut self, p: &Mlcp<'_>) -> Run {
        if !self.relaxation.seems_empty(p) {
            return Run::Undecided;
        }
        let y = std::mem::take(&mut self.relaxation.y);
        let run = self.keep_ray(p, &y);
        self.relaxation.y = y;
        run
    }

    /// Free rows that contradict each other, where they depend on each other; only a proof is kept.
    pub(crate) fn try_contradiction(&mut self, p: &Mlcp<'_>) -> Run {
        let mut y = std::mem::take(&mut self.w);
        let proved = contradiction(p, &mut y) && check_farkas(p, &y).proves();
        let run = if proved { self.keep_ray(p, &y) } else { Run::Undecided };
        self.w = y;
        run
    }

    /// Says which free unknowns a solution on sparse bases leaves at 0 because nothing determines them.
    fn note_undetermined(&mut self, p: &Mlcp<'_>) {
        let mut idle = (0..p.n()).filter(|&j| p.is_free(j) && !self.path.basic[j]);
        let Some(first) = idle.next() else { return };
        let others = idle.count();
        let more = if others > 0 { format!(" and {others} more") } else { String::new() };
        let _ = write!(
            self.note,
            "free unknown {first}{more} not determined by the free rows and active contacts, left at 0; "
        );
    }

    /// Branching on pairs: finds a solution or excludes every case.
    pub(crate) fn try_cases(&mut self, p: &Mlcp<'_>, config: &Config) -> Run {
        self.dense.load(p);
        let (equations, stride) = self.dense.equations();
        let equations = equations.to_vec();
        let Self { branch, dense, .. } = self;
        let mut judge = |cases: &[Case], y: &[f64]| is_empty_case(dense, p, cases, y);
        let verdict = branch.search((&equations, stride), NODE_LIMIT, &mut judge);
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
