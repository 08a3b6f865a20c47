//! One problem from beginning to end.

use crate::blocks::Accuracy;
use crate::config::Config;
use crate::nogoods::Literal;
use crate::proof;
use crate::search::{Ended, Limits, Search};
use vinci_qp::QpError;
use vinci_sdk::prelude::*;

/// Memory kept between problems, and the answer.
#[derive(Debug, Default)]
pub(crate) struct Work {
    pub(crate) search: Search,
    pub(crate) x: Vec<f64>,
    pub(crate) y: Vec<f64>,
    pub(crate) bound: f64,
    pub(crate) residual: f64,
    pub(crate) certificate: Vec<f64>,
    pub(crate) note: String,
    /// No-goods learned.
    pub(crate) learned: usize,
    least: Vec<f64>,
}

/// Slack of a row relative to its size, as part of the tolerance.
const ZERO: f64 = 0.01;
/// Wanted residual of the relaxations, relative to the wanted one, and the coarsest and finest that are asked for.
const NODE: f64 = 0.01;
const NODE_RANGE: (f64, f64) = (1e-13, 1e-9);

impl Work {
    /// Solves a problem that has been checked.
    pub(crate) fn solve(&mut self, q: &Qpcc<'_>, config: &Config) -> Result<Status, StageError> {
        self.note.clear();
        self.certificate.clear();
        self.bound = f64::NAN;
        let node = (NODE * q.qp.tolerance).clamp(NODE_RANGE.0, NODE_RANGE.1);
        self.search.blocks.load(q, Accuracy { residual: node, slack: ZERO * q.qp.tolerance }).map_err(
            |e| match e {
                QpError::TooLarge(_) => StageError::unsupported(e.to_string()),
                _ => StageError::bad_input(format!("the objective or the rows: {e}")),
            },
        )?;
        self.prepare(q, config);
        let ended = self.search.run();
        Ok(self.conclude(q, ended))
    }

    fn prepare(&mut self, q: &Qpcc<'_>, config: &Config) {
        let s = &mut self.search;
        s.reset(q.pairs, q.qp.m());
        // Half of what core's `Qpcc::is_proved` allows, so that rounding cannot spoil it.
        let (sized, absolute, relative) = match (config.absolute_gap, config.relative_gap) {
            (None, None) => (0.5 * q.qp.tolerance, 0.0, 0.0),
            (a, r) => (0.0, a.unwrap_or(0.0), r.unwrap_or(0.0)),
        };
        s.typical = q.typical_objective();
        s.limits = Limits {
            nodes: config.max_nodes,
            time: config.time_limit,
            sized_gap: sized,
            absolute_gap: absolute,
            relative_gap: relative,
            shorten: config.shorten,
            probe: config.probe,
        };
        s.exclude_by_bounds(&q.qp, &mut self.least);
        if config.dominance {
            s.exclude_dominated(q);
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

    fn conclude(&mut self, q: &Qpcc<'_>, ended: Ended) -> Status {
        let s = &mut self.search;
        self.learned = s.nogoods.len();
        let found = s.best.objective < f64::INFINITY;
        self.bound = s.bound(ended);
        self.x.clone_from(&s.best.x);
        self.y.clone_from(&s.best.y);
        if !found {
            self.x.clear();
            self.x.resize(q.qp.n(), 0.0);
            self.y.clear();
            self.y.resize(q.qp.m(), 0.0);
        }
        self.residual = q.residual(&self.x, &self.y).natural;
        if found {
            self.polish(q);
        }
        let s = &mut self.search;
        match ended {
            Ended::Nodes => Status::NodeLimit,
            Ended::Time => Status::TimeLimit,
            Ended::Unbounded => Status::Unbounded,
            Ended::Exhausted if s.unresolved => self.unresolved(),
            Ended::Exhausted if !found => self.no_mode(q),
            Ended::Exhausted if self.residual <= q.qp.tolerance => Status::Converged,
            Ended::Exhausted => {
                self.note.push_str("the best point's residual is larger than the tolerance");
                Status::NumericalFailure
            }
        }
    }

    /// The best point's mode with its zero rows as equations proper. Kept where it is as good: modes that noise of the data
    /// makes empty, or much dearer, stay as they were found, lawful up to a part of the tolerance.
    fn polish(&mut self, q: &Qpcc<'_>) {
        let s = &mut self.search;
        if !s.solve_exactly() {
            return;
        }
        s.blocks.gather(&mut s.best.x, &mut s.best.y, q.qp.n());
        let residual = q.residual(&s.best.x, &s.best.y).natural;
        let (old, new) = (q.qp.objective(&self.x), q.qp.objective(&s.best.x));
        if residual <= self.residual && (new <= old || q.is_proved(&s.best.x, self.bound.min(new))) {
            self.x.clone_from(&s.best.x);
            self.y.clone_from(&s.best.y);
            self.residual = residual;
            self.bound = self.bound.min(new);
        }
    }

    fn unresolved(&mut self) -> Status {
        self.note.push_str("the program of a mode could not be certified");
        Status::NumericalFailure
    }

    fn no_mode(&mut self, q: &Qpcc<'_>) -> Status {
        self.bound = f64::NAN;
        if proof::tree(&mut self.search, q, &mut self.certificate) {
            return Status::Infeasible;
        }
        self.certificate.clear();
        self.note
            .push_str("no mode has a point, but the proof is larger or less certain than core's check takes");
        Status::NumericalFailure
    }
}
