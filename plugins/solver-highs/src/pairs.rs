//! Complementarity pairs with a linear objective: a mixed-integer program chooses the modes, a linear one gives x and y.

use vinci_linear::conic::Balanced;
use vinci_sdk::core::bridge::QpccAsMilp;
use vinci_sdk::prelude::*;

use crate::config::Config;
use crate::convert::{Cut, Ended, Outcome, Program, TOLERANCES, run};
use crate::solve::{HighsWorkspace, minimum, refused};
use crate::tree::{self, NoMode};

/// Bounds from linear programs are widened by this part, so that their tolerance cuts nothing.
const OUTWARD: f64 = 1e-6;

impl HighsWorkspace {
    /// Solves `p` to `tolerance`: bounds, modes, then the program of these modes.
    pub(crate) fn solve_pairs<'s>(
        &'s mut self,
        p: &Qpcc<'_>,
        config: &Config,
        tolerance: f64,
    ) -> Result<Solution<'s>, StageError> {
        if p.n_pairs() == 0 {
            let status = self.run_conic(&p.qp, config, tolerance)?;
            let bound = if status == Status::Converged { p.qp.objective(&self.answer.x) } else { f64::NAN };
            return Ok(self.solution(status, bound));
        }
        if p.qp.p.value.iter().any(|v| *v != 0.0) {
            return Err(StageError::unsupported(
                "HiGHS has no mixed-integer programs with a quadratic objective; take a solver that branches on the pairs \
                 (vinci.solver.branch-and-bound), or a linear objective",
            ));
        }
        self.find_bounds(p, config)?;
        self.balanced.build(&p.qp);
        let program = Program {
            conic: self.balanced.view(&p.qp),
            binaries: p.n_pairs(),
            cuts: cuts(p, &self.bridge, &self.balanced),
        };
        let outcome = run(&program, config, TOLERANCES[0]).map_err(refused)?;
        let bound = self.balanced.objective(outcome.bound);
        let nodes = outcome.iterations;
        let (status, bound) = match outcome.x.is_empty() {
            true => (self.without_point(p, &outcome, config)?, f64::NAN),
            false => self.with_modes(p, &outcome, bound, config, tolerance)?,
        };
        self.iterations = nodes;
        Ok(self.solution(status, bound))
    }

    /// M of every row of a pair: intervals, then linear programs where these say nothing, then the user's word.
    fn find_bounds(&mut self, p: &Qpcc<'_>, config: &Config) -> Result<(), StageError> {
        self.bridge.propagate(p);
        for k in 0..p.n_pairs() {
            let (i, j) = p.pair(k);
            for (side, row, partner) in [(0, i, j), (1, j, i)] {
                if self.bridge.bounds(k)[side].is_infinite()
                    && let Some(bound) = largest(p, row, partner, config)?
                {
                    self.bridge.set(k, side, bound);
                }
            }
        }
        if let Some(bound) = config.big_m {
            self.bridge.guess(bound);
        }
        match self.bridge.missing(p) {
            Some(missing) => Err(StageError::unsupported(missing.to_string())),
            None => Ok(()),
        }
    }

    /// The program of the modes found: x and y. The search's bound holds for all modes, or up to the user's word.
    fn with_modes(
        &mut self,
        p: &Qpcc<'_>,
        outcome: &Outcome,
        bound: f64,
        config: &Config,
        tolerance: f64,
    ) -> Result<(Status, f64), StageError> {
        let mut upper = p.qp.upper.to_vec();
        for (k, b) in outcome.x[p.qp.n()..].iter().enumerate() {
            let (i, j) = p.pair(k);
            upper[if QpccAsMilp::mode(*b) == 1 { i } else { j }] = 0.0;
        }
        let status = self.run_conic(&Conic { upper: &upper, ..p.qp }, config, tolerance)?;
        self.proof.clear();
        if status != Status::Converged {
            self.note = format!("the program of the modes found ended with {}", status.name());
            return Ok((Status::NumericalFailure, f64::NAN));
        }
        self.answer.residual = p.residual(&self.answer.x, &self.answer.y).natural;
        if let Some(wall) = self.bridge.wall(p, &self.answer.x) {
            let (row, pair) = (wall.row, wall.pair);
            self.note = format!(
                "row {row} of pair {pair} reaches big_m, which may cut better points away: give a larger one"
            );
            return Ok((Status::NumericalFailure, f64::NAN));
        }
        if self.bridge.is_guessed() {
            self.note = "proved for rows of pairs up to big_m".into();
        }
        let objective = p.qp.objective(&self.answer.x);
        let status = proved(p, outcome.ended, &self.answer.x, bound);
        Ok((status, if bound > objective { objective } else { bound }))
    }

    /// No mode was found: a tree of proofs, or nothing is claimed.
    fn without_point(
        &mut self,
        p: &Qpcc<'_>,
        outcome: &Outcome,
        config: &Config,
    ) -> Result<Status, StageError> {
        self.answer.begin(&p.qp);
        self.proof.clear();
        self.note.clear();
        match outcome.ended {
            Ended::Limit => return Ok(Status::NodeLimit),
            Ended::Time => return Ok(Status::TimeLimit),
            _ => {}
        }
        match tree::prove(p, config)? {
            NoMode::Proved(leaves) => {
                self.proof = leaves;
                Ok(Status::Infeasible)
            }
            NoMode::Unproved(why) => {
                self.note = why.into();
                Ok(Status::NumericalFailure)
            }
        }
    }
}

fn proved(p: &Qpcc<'_>, ended: Ended, x: &[f64], bound: f64) -> Status {
    match ended {
        Ended::Limit => Status::NodeLimit,
        Ended::Time => Status::TimeLimit,
        Ended::Optimal if p.is_proved(x, bound) => Status::Converged,
        _ => Status::NumericalFailure,
    }
}

/// s_i/M_i − b ≤ 0 and s_j/M_j + b ≤ 1 for every pair, in balanced unknowns.
fn cuts(p: &Qpcc<'_>, bridge: &QpccAsMilp, balanced: &Balanced) -> Vec<Cut> {
    let view = balanced.view(&p.qp);
    let mut all = Vec::new();
    for k in 0..p.n_pairs() {
        let (i, j) = p.pair(k);
        for (row, bound, sign, upper) in
            [(i, bridge.bounds(k)[0], -1.0, 0.0), (j, bridge.bounds(k)[1], 1.0, 1.0)]
        {
            let m = bound * balanced.row_unit(row);
            // A row that can only be zero needs no binary.
            let (scale, b) = if m > 0.0 { (1.0 / m, sign) } else { (1.0, 0.0) };
            let upper = if m > 0.0 { upper } else { 0.0 };
            let mut entries: Vec<_> = view.rows.entries(row).map(|(c, v)| (c, scale * v)).collect();
            entries.push((p.qp.n() + k, b));
            all.push(Cut { entries, lower: f64::NEG_INFINITY, upper: upper - scale * view.g[row] });
        }
    }
    all
}

/// max s_row over the relaxation with s_partner = 0, widened; None where it has no end or is not found.
fn largest(p: &Qpcc<'_>, row: usize, partner: usize, config: &Config) -> Result<Option<f64>, StageError> {
    let mut upper = p.qp.upper.to_vec();
    upper[partner] = 0.0;
    let mut c = vec![0.0; p.qp.n()];
    p.qp.rows.entries(row).for_each(|(j, v)| c[j] = -v);
    let program = Conic { c: &c, upper: &upper, ..p.qp };
    let x = minimum(&program, config)?;
    Ok(x.map(|x| p.qp.s(row, &x).max(0.0)).map(|s| s + OUTWARD * (s + p.qp.scale())))
}
