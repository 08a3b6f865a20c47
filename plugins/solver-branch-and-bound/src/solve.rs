//! One problem from beginning to end: its components one after the other, and what is said of the whole.

use crate::components::Components;
use crate::config::Config;
use crate::part::{Part, Verdict, Work};
use crate::search::Limits;
use crate::units::{BalancedUnits, RowsThatAsk, are_wild};
use std::time::{Duration, Instant};
use vinci_sdk::core::problem::LIMIT_IN_UNITS;
use vinci_sdk::prelude::*;

/// Memory kept between problems, and the answer.
#[derive(Debug, Default)]
pub(crate) struct BranchAndBoundWorkspace {
    part: Part,
    components: Components,
    units: BalancedUnits,
    rows: RowsThatAsk,
    pub(crate) x: Vec<f64>,
    pub(crate) y: Vec<f64>,
    pub(crate) bound: f64,
    pub(crate) residual: f64,
    pub(crate) certificate: Vec<f64>,
    pub(crate) note: String,
    /// Work of all components.
    pub(crate) work: Work,
}

/// Sizes that are tried as the typical one of a program in wild units, each this part of the one before: where rows ask for very different
/// things, slack by the size of the largest opens the others.
const SIZES: usize = 3;
const SMALLER: f64 = 1e-3;
/// Nodes that a second search may take for each of the first, and besides.
const MORE_NODES: (u32, u32) = (4, 200);

impl BranchAndBoundWorkspace {
    /// Solves a problem that has been checked, in its own units or in balanced ones.
    pub(crate) fn solve(&mut self, q: &Qpcc<'_>, config: &Config) -> Result<Status, StageError> {
        let mut rows = std::mem::take(&mut self.rows);
        let status = self.solve_rows(&rows.of(q), config);
        self.rows = rows;
        status
    }

    fn solve_rows(&mut self, q: &Qpcc<'_>, config: &Config) -> Result<Status, StageError> {
        let deadline = config.time_limit.map(|limit| Instant::now() + Duration::from_secs_f64(limit));
        let is_wild = are_wild(&q.qp);
        if !is_wild {
            let verdict = self.search(q, config, deadline)?;
            let status = self.status(q, verdict);
            if self.is_believed(q, config, status) {
                return Ok(status);
            }
        }
        let mut units = std::mem::take(&mut self.units);
        let balanced = self.solve_in(&mut units, q, config, deadline);
        self.units = units;
        if let Some(status) = balanced {
            return Ok(status);
        }
        // Few programs are worse off in balanced units: they have a chance in their own.
        let verdict = self.search(q, config, deadline)?;
        let status = self.status(q, verdict);
        if is_wild && status == Status::Converged && !self.is_right(q) {
            self.note.push_str("the best point is right in large rows only");
            return Ok(Status::NumericalFailure);
        }
        Ok(status)
    }

    /// Searches in balanced units; nothing where that leads to no answer that is right in all rows.
    fn solve_in(
        &mut self,
        units: &mut BalancedUnits,
        q: &Qpcc<'_>,
        config: &Config,
        deadline: Option<Instant>,
    ) -> Option<Status> {
        units.build(q);
        let absolute_gap = config.absolute_gap.map(|gap| units.gap(gap));
        let config = Config { absolute_gap, ..config.clone() };
        (0..SIZES).find_map(|_| {
            let verdict = self.search(&units.view(q), &config, deadline);
            units.expand(&mut self.x, &mut self.y, &mut self.bound, &mut self.certificate);
            units.shrink(SMALLER);
            match self.status(q, verdict.ok()?) {
                Status::NumericalFailure => None,
                Status::Converged => self.is_enough(q, &config).then_some(Status::Converged),
                other => Some(other),
            }
        })
    }

    /// Returns true unless the search failed, or found a point that whoever asks for sizes of one in every row will deny.
    fn is_believed(&self, q: &Qpcc<'_>, config: &Config, status: Status) -> bool {
        match status {
            Status::NumericalFailure => false,
            Status::Converged => self.is_near(q, config),
            _ => true,
        }
    }

    /// Returns true if point and bound are near enough in sizes of one, and in those of the objective's own terms.
    fn is_near(&self, q: &Qpcc<'_>, config: &Config) -> bool {
        let limit = LIMIT_IN_UNITS * q.qp.tolerance;
        q.residual_in_units(&self.x, &self.y) <= limit
            && (has_own_gap(config) || q.gap_in_units(&self.x, self.bound) <= limit)
    }

    /// Returns true if the answer is right and its bound, in the given units, proves it; where other gaps are asked for, those counted.
    fn is_enough(&self, q: &Qpcc<'_>, config: &Config) -> bool {
        self.is_right(q)
            && (has_own_gap(config) || q.is_proved(&self.x, self.bound) && self.is_near(q, config))
    }

    /// Returns true if the answer holds in units in which rows and unknowns are of size one.
    fn is_right(&self, q: &Qpcc<'_>) -> bool {
        q.residual_in_units(&self.x, &self.y) <= q.qp.tolerance
    }

    /// Searches all components of a problem.
    fn search(
        &mut self,
        q: &Qpcc<'_>,
        config: &Config,
        deadline: Option<Instant>,
    ) -> Result<Verdict, StageError> {
        self.components.split(q);
        let limits = limits_of(q, config, deadline);
        let verdict = self.solve_components(q, config, limits)?;
        // Parts of objectives of both signs may be more than the same part of their sum.
        if verdict == Verdict::Solved && !self.is_within_gap(q, config) {
            return self.solve_components(q, config, Limits { relative_gap: 0.0, ..limits });
        }
        if verdict == Verdict::Solved && !self.is_within_own_gap(q, config) {
            self.close_gap(q, config, limits)?;
        }
        Ok(verdict)
    }

    /// Searches again with gaps by the objective's own terms: an unknown that is 0 and would cost 1e8 excuses any gap. The answer stays as it
    /// is where that leads to none within a few nodes.
    fn close_gap(&mut self, q: &Qpcc<'_>, config: &Config, limits: Limits) -> Result<(), StageError> {
        let (x, y, bound) = (self.x.clone(), self.y.clone(), self.bound);
        let nodes =
            self.work.nodes.saturating_mul(MORE_NODES.0).saturating_add(MORE_NODES.1).min(limits.nodes);
        let verdict = self.solve_components(q, config, Limits { nodes, by_terms: true, ..limits })?;
        if verdict != Verdict::Solved || q.residual(&self.x, &self.y).natural > q.qp.tolerance {
            (self.x, self.y, self.bound) = (x, y, bound);
            self.certificate.clear();
            self.note.push_str("gap small beside a typical objective, not beside this one");
        }
        Ok(())
    }

    /// Returns true if the gap is none beside the objective's own terms, or another one was asked for.
    fn is_within_own_gap(&self, q: &Qpcc<'_>, config: &Config) -> bool {
        let gap = (q.qp.objective(&self.x) - self.bound) / q.qp.tolerance;
        has_own_gap(config) || gap <= q.size_of_terms(&self.x) || gap <= q.least_objective()
    }

    fn solve_components(
        &mut self,
        q: &Qpcc<'_>,
        config: &Config,
        limits: Limits,
    ) -> Result<Verdict, StageError> {
        self.begin(q);
        let count = self.components.list().len();
        if count == 0 {
            let verdict = self.part.solve(q, config, limits)?;
            self.work.add(self.part.work);
            self.bound = self.part.bound;
            std::mem::swap(&mut self.x, &mut self.part.x);
            std::mem::swap(&mut self.y, &mut self.part.y);
            std::mem::swap(&mut self.certificate, &mut self.part.certificate);
            return Ok(verdict);
        }
        let mut verdict = Verdict::Solved;
        for k in 0..count {
            let shared = share(limits, q, count, k, self.work.nodes);
            verdict = verdict.max(self.solve_component(q, config, shared, k)?);
            if verdict == Verdict::NoMode {
                break;
            }
        }
        Ok(verdict)
    }

    /// Solves component k and adds its answer to that of the whole.
    fn solve_component(
        &mut self,
        q: &Qpcc<'_>,
        config: &Config,
        limits: Limits,
        k: usize,
    ) -> Result<Verdict, StageError> {
        let component = &self.components.list()[k];
        let verdict = self.part.solve(&component.problem.view(), config, limits)?;
        component.unknowns.iter().zip(&self.part.x).for_each(|(&j, v)| self.x[j as usize] = *v);
        component.rows.iter().zip(&self.part.y).for_each(|(&i, v)| self.y[i as usize] = *v);
        self.bound += self.part.bound;
        if verdict == Verdict::NoMode {
            component.lift_leaves(&self.part.certificate, q.qp.m(), &mut self.certificate);
        }
        self.work.add(self.part.work);
        Ok(verdict)
    }

    fn begin(&mut self, q: &Qpcc<'_>) {
        self.note.clear();
        self.certificate.clear();
        (self.work, self.bound) = (Work::default(), 0.0);
        for (v, len) in [(&mut self.x, q.qp.n()), (&mut self.y, q.qp.m())] {
            v.clear();
            v.resize(len, 0.0);
        }
    }

    fn is_within_gap(&self, q: &Qpcc<'_>, config: &Config) -> bool {
        let Some(relative) = config.relative_gap else { return true };
        let objective = q.qp.objective(&self.x);
        let allowed = config.absolute_gap.unwrap_or(0.0).max(relative * objective.abs());
        self.components.list().is_empty() || objective - self.bound <= allowed
    }

    fn status(&mut self, q: &Qpcc<'_>, verdict: Verdict) -> Status {
        self.residual = q.residual(&self.x, &self.y).natural;
        let (status, note) = match verdict {
            Verdict::Limit => (Status::NodeLimit, ""),
            Verdict::Late => (Status::TimeLimit, ""),
            Verdict::Unbounded => (Status::Unbounded, ""),
            Verdict::NoMode => (Status::Infeasible, ""),
            Verdict::Unresolved => (Status::NumericalFailure, "the program of a mode could not be certified"),
            Verdict::NoModeUnproved => (
                Status::NumericalFailure,
                "the search found no mode with a point, and no proof that core can check: there may be one",
            ),
            Verdict::Solved if self.residual <= q.qp.tolerance => (Status::Converged, ""),
            Verdict::Solved => {
                (Status::NumericalFailure, "the best point's residual is larger than the tolerance")
            }
        };
        self.note.push_str(note);
        if status == Status::Converged {
            self.remark_rounding(q);
        }
        if matches!(verdict, Verdict::NoMode | Verdict::NoModeUnproved) {
            self.bound = f64::NAN;
        }
        status
    }
}

impl BranchAndBoundWorkspace {
    /// Notes that a row of the answer holds to a part of its terms only, if one does.
    fn remark_rounding(&mut self, q: &Qpcc<'_>) {
        let missed = worst_row(q, &self.x);
        if missed > ROUNDING {
            let link = if self.note.is_empty() { "" } else { "; " };
            let text = format!(
                "{link}a row holds to {missed:.0e} of its terms: exact numbers may have no such point"
            );
            self.note.push_str(&text);
        }
    }
}

/// Part of the terms of a row that a rounded x may leave, and a little more.
const ROUNDING: f64 = 16.0 * f64::EPSILON;

/// The largest that a row misses its bounds by, or the smaller side of a pair 0, as a part of the terms of the row: those at x, or of
/// unknowns of their typical sizes.
fn worst_row(q: &Qpcc<'_>, x: &[f64]) -> f64 {
    let part = |i: usize, missed: f64| {
        let terms = q.qp.rows.entries(i).map(|(j, v)| v.abs() * x[j].abs().max(q.qp.x_scale[j]));
        let terms = terms.fold(q.qp.g[i].abs(), |sum, term| sum + term);
        if terms > 0.0 { missed / terms } else { 0.0 }
    };
    let rows = (0..q.qp.m()).map(|i| {
        let s = q.qp.exact_s(i, x);
        part(i, (q.qp.lower[i] - s).max(s - q.qp.upper[i]))
    });
    let side = |i: usize| part(i, q.qp.exact_s(i, x).abs());
    let pairs = (0..q.n_pairs()).map(|k| q.pair(k)).map(|(i, j)| side(i).min(side(j)));
    rows.chain(pairs).fold(0.0, f64::max)
}

/// Returns true if a gap is asked for.
fn has_own_gap(config: &Config) -> bool {
    config.absolute_gap.or(config.relative_gap).is_some()
}

fn limits_of(q: &Qpcc<'_>, config: &Config, deadline: Option<Instant>) -> Limits {
    // Half of what core's `Qpcc::is_proved` allows, so that rounding cannot spoil it.
    let (sized, absolute, relative) = match (config.absolute_gap, config.relative_gap) {
        (None, None) => (0.5 * q.qp.tolerance, 0.0, 0.0),
        (a, r) => (0.0, a.unwrap_or(0.0), r.unwrap_or(0.0)),
    };
    Limits {
        nodes: config.max_nodes,
        deadline,
        sized_gap: sized,
        absolute_gap: absolute,
        relative_gap: relative,
        by_terms: false,
        shorten: config.shorten,
        probe: config.probe,
    }
}

/// Limits of component k of `count` when `used` nodes are gone: all that is left but one node for each of the others, and
/// its part of the gaps. The size of an objective is the largest of four sums over components; each component takes a quarter of the
/// largest of its own four terms, and an equal part of a quarter of the whole's: together no more than the whole may.
fn share(limits: Limits, q: &Qpcc<'_>, count: usize, k: usize, used: u32) -> Limits {
    let others = (count - 1 - k) as u32;
    let size = if limits.by_terms { q.least_objective() } else { q.typical_objective() };
    let equal = 0.25 * limits.sized_gap * size;
    Limits {
        nodes: limits.nodes.saturating_sub(used).saturating_sub(others).max(1),
        sized_gap: 0.25 * limits.sized_gap,
        absolute_gap: (limits.absolute_gap + equal) / count as f64,
        ..limits
    }
}
