//! One component from beginning to end: what is known before, the search, and what it has found.

use crate::blocks::Accuracy;
use crate::config::Config;
use crate::nogoods::Literal;
use crate::products::Products;
use crate::proof;
use crate::search::{Ended, Limits, Search};
use vinci_qp::QpError;
use vinci_sdk::prelude::*;

/// How a component ended, the worst last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Verdict {
    /// A point, proved to be the best within the gap.
    Solved,
    /// A mode without a lowest value.
    Unbounded,
    /// A mode whose program could not be certified.
    Unresolved,
    /// Time or node limit.
    Late,
    Limit,
    /// No mode has a point; not proved, or proved by `certificate`.
    NoModeUnproved,
    NoMode,
}

/// Nodes, programs solved and no-goods learned.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Work {
    pub(crate) nodes: u32,
    pub(crate) programs: u32,
    pub(crate) learned: usize,
}

impl Work {
    /// Adds the work of another search, or of all of another part.
    pub(crate) fn add(&mut self, other: Self) {
        self.nodes = self.nodes.saturating_add(other.nodes);
        self.programs = self.programs.saturating_add(other.programs);
        self.learned += other.learned;
    }
}

/// Memory kept between components, and the answer to one.
#[derive(Debug, Default)]
pub(crate) struct Part {
    pub(crate) search: Search,
    pub(crate) x: Vec<f64>,
    pub(crate) y: Vec<f64>,
    pub(crate) bound: f64,
    pub(crate) certificate: Vec<f64>,
    /// Nodes, programs and no-goods of all searches.
    pub(crate) work: Work,
    /// The best bound of searches with more slack: what holds for them holds for those with less.
    floor: f64,
    /// The objective found is one that the slack of pairs has bought.
    hangs_on_slack: bool,
    products: Products,
    least: Vec<f64>,
    scratch: (Vec<f64>, Vec<f64>),
}

/// How far rows of pairs may miss 0 in a search: this part of the tolerance times their size. And the part of that by which the best mode is
/// tried again, for whether its objective hangs on the slack.
#[derive(Debug, Clone, Copy)]
struct Slack {
    part: f64,
    trial: f64,
}

/// The slack of the first search, and those that are tried where a mode stays uncertain: it is mostly one that the slack opens by as much as
/// its program can be told from an empty one.
const SLACKS: [Slack; 3] =
    [Slack { part: 1e-2, trial: 3e-4 }, Slack { part: 3e-3, trial: 1e-3 }, Slack { part: 3e-6, trial: 0.1 }];
/// Those that are tried where the objective hangs on it.
const LESS_SLACK: [Slack; 2] = [SLACKS[2], Slack { part: 0.0, trial: 0.0 }];
/// Wanted residual of the relaxations, relative to the wanted one, and the coarsest and finest that are asked for.
const NODE: f64 = 0.01;
const NODE_RANGE: (f64, f64) = (1e-13, 1e-9);

impl Part {
    /// Solves a problem that has been checked.
    pub(crate) fn solve(
        &mut self,
        q: &Qpcc<'_>,
        config: &Config,
        limits: Limits,
    ) -> Result<Verdict, StageError> {
        self.certificate.clear();
        (self.floor, self.work) = (f64::NEG_INFINITY, Work::default());
        self.products.find(q);
        let mut searched = self.search_with_products(q, config, limits, SLACKS[0]);
        for slack in &SLACKS[1..] {
            if matches!(searched, Ok(Verdict::Unresolved)) {
                searched = self.search_with_products(q, config, limits, *slack);
            }
        }
        // Products leave the objective at the edge of convexity. Rounding may take it beyond, or leave modes uncertain.
        if self.products.any() && matches!(searched, Err(_) | Ok(Verdict::Unresolved)) {
            self.products.remove();
            self.floor = f64::NEG_INFINITY;
            searched = self.search_with_products(q, config, limits, SLACKS[0]);
        }
        for slack in LESS_SLACK {
            if matches!(searched, Ok(Verdict::Solved)) && self.hangs_on_slack {
                searched = self.search_with_products(q, config, limits, slack);
            }
        }
        searched
    }

    /// Searches with the products that were found, if any. All searches share the nodes.
    fn search_with_products(
        &mut self,
        q: &Qpcc<'_>,
        config: &Config,
        limits: Limits,
        slack: Slack,
    ) -> Result<Verdict, StageError> {
        let node = (NODE * q.qp.tolerance).clamp(NODE_RANGE.0, NODE_RANGE.1);
        let accuracy = Accuracy { residual: node, slack: slack.part * q.qp.tolerance };
        self.search.blocks.load(&self.products.apply(q), accuracy).map_err(|e| match e {
            QpError::TooLarge(_) => StageError::unsupported(e.to_string()),
            _ => StageError::bad_input(format!("the objective or the rows: {e}")),
        })?;
        let nodes = limits.nodes.saturating_sub(self.work.nodes).max(1);
        self.prepare(q, config, Limits { nodes, ..limits });
        let ended = self.search.run();
        let verdict = self.conclude(q, ended, slack);
        let Search { nodes, programs, learned, .. } = self.search;
        self.work.add(Work { nodes, programs, learned });
        Ok(verdict)
    }

    fn prepare(&mut self, q: &Qpcc<'_>, config: &Config, limits: Limits) {
        let s = &mut self.search;
        s.reset(q.pairs, q.qp.m());
        s.typical = q.typical_objective();
        s.least_size = if limits.by_terms { q.least_objective() } else { s.typical };
        s.constant = self.products.constant();
        s.with_products = self.products.any();
        s.limits = limits;
        s.exclude_by_bounds(&q.qp, &mut self.least);
        if config.dominance {
            s.exclude_dominated(q);
            s.exclude_images(q);
        }
        if config.warm_start && !q.modes.is_empty() {
            let literal = |(k, &side): (usize, &u32)| match side {
                0 => Literal::MAX,
                side => 2 * k as Literal + side - 1,
            };
            s.guess.extend(q.modes.iter().enumerate().map(literal));
            let _ = s.complete_guess();
        }
    }

    fn conclude(&mut self, q: &Qpcc<'_>, ended: Ended, slack: Slack) -> Verdict {
        let s = &mut self.search;
        s.learned = s.nogoods.len();
        let found = s.best.objective < f64::INFINITY;
        self.floor = self.floor.max(s.bound(ended) + s.constant);
        self.bound = self.floor;
        self.x.clone_from(&s.best.x);
        self.y.clone_from(&s.best.y);
        if !found {
            self.x.clear();
            self.x.resize(q.qp.n(), 0.0);
            self.y.clear();
            self.y.resize(q.qp.m(), 0.0);
        }
        if found {
            self.products.take_out(q, &self.x, &mut self.y);
            self.polish(q, slack);
        }
        let s = &self.search;
        // A mode that rounding left uncertain counts with its bound: is that near enough?
        let objective = q.qp.objective(&self.x);
        let gap = 2.0 * s.limits.gap(objective, q.objective_size(&self.x));
        let unresolved = is_unresolved(found.then_some(objective - self.bound), gap, s.unresolved);
        match ended {
            Ended::Nodes => Verdict::Limit,
            Ended::Time => Verdict::Late,
            Ended::Unbounded => Verdict::Unbounded,
            Ended::Exhausted if unresolved => Verdict::Unresolved,
            Ended::Exhausted if !found => self.no_mode(q),
            Ended::Exhausted => Verdict::Solved,
        }
    }

    /// The best point's mode with its zero rows as equations proper. Kept where it is as good: modes that noise of the data
    /// makes empty, or much dearer, stay as they were found, lawful up to a part of the tolerance. Noise is what a smaller slack
    /// hides as well; an objective that changes with the slack hangs on it. Below the first slack an empty mode is noise.
    fn polish(&mut self, q: &Qpcc<'_>, slack: Slack) {
        self.hangs_on_slack = false;
        let has_point = self.search.solve_exactly();
        if has_point && self.take_exact(q) || !has_point && slack.part < SLACKS[1].part {
            return;
        }
        let old = q.qp.objective(&self.x);
        let is_solved = self.search.solve_mode(slack.trial);
        let trial = if is_solved { self.objective_of_mode(q) } else { f64::INFINITY };
        let gap = 2.0 * self.search.limits.gap(old, q.objective_size(&self.x));
        self.hangs_on_slack = !((trial - old).abs() <= gap);
    }

    /// Takes the exact solution of the best point's mode where that is no less exact; false where it is dearer than the point and the bound
    /// by more than the gap.
    fn take_exact(&mut self, q: &Qpcc<'_>) -> bool {
        let s = &mut self.search;
        s.blocks.gather(&mut s.best.x, &mut s.best.y, q.qp.n());
        self.products.take_out(q, &s.best.x, &mut s.best.y);
        let better = q.residual(&s.best.x, &s.best.y).natural <= q.residual(&self.x, &self.y).natural;
        let (old, new) = (q.qp.objective(&self.x), q.qp.objective(&s.best.x));
        if new - old.max(self.bound) > 2.0 * s.limits.gap(new, q.objective_size(&s.best.x)) {
            return false;
        }
        if better {
            self.x.clone_from(&s.best.x);
            self.y.clone_from(&s.best.y);
            self.bound = self.bound.min(new);
        }
        true
    }

    /// Objective of the mode that was solved last.
    fn objective_of_mode(&mut self, q: &Qpcc<'_>) -> f64 {
        let (x, y) = &mut self.scratch;
        self.search.blocks.gather(x, y, q.qp.n());
        q.qp.objective(x)
    }

    fn no_mode(&mut self, q: &Qpcc<'_>) -> Verdict {
        self.bound = f64::NAN;
        if proof::tree(&mut self.search, q, &mut self.certificate) {
            return Verdict::NoMode;
        }
        self.certificate.clear();
        if self.search.is_late() { Verdict::Late } else { Verdict::NoModeUnproved }
    }
}

/// Returns true if what was found is not proved. `above`: how far the best point is above the bound, if there is one. The bound
/// stays at the root's where a mode is uncertain, so a point that is no more than the gap above it is proved all the same. A point
/// below it obeys its rows by the slack only.
fn is_unresolved(above: Option<f64>, gap: f64, uncertain: bool) -> bool {
    above.map_or(uncertain, |above| !(above.abs() <= gap))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_uncertain_mode_does_not_matter_where_the_roots_bound_proves_the_point() {
        assert!(!is_unresolved(Some(1e-12), 1e-9, true), "the bound is near enough");
        assert!(is_unresolved(Some(1e-8), 1e-9, true) && is_unresolved(Some(1e-8), 1e-9, false));
        assert!(is_unresolved(Some(f64::NAN), 1e-9, false), "no bound proves nothing");
        assert!(is_unresolved(Some(-1e-8), 1e-9, false), "the slack of rows has bought it");
        assert!(is_unresolved(None, 1e-9, true) && !is_unresolved(None, 1e-9, false), "no point");
    }
}
