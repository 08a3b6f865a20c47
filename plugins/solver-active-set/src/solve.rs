//! The start of a solve, and the judgement of its outcome by the problem as it was given.

use crate::config::Config;
use std::fmt::Write;
use vinci_linear::conic::{Balanced, Certificate, rays};
use vinci_qp::{ActiveRow, ActiveSet, QpError, Side, working_set_of_dual};
use vinci_sdk::core::problem::{Conic, Solution, Status};
use vinci_sdk::core::problem::{check_conic_infeasible, check_conic_unbounded};
use vinci_sdk::core::{Csr, CsrBuf};

/// Multipliers of a guess below this times the largest are rounding.
const ROUNDING: f64 = 1e-9;
/// The method aims at this part of the tolerance.
const AIM: f64 = 0.1;

/// Memory of a solve, and the matrices that the directions in `qp` belong to.
#[derive(Debug, Default)]
pub(crate) struct ActiveSetWorkspace {
    qp: ActiveSet,
    p: CsrBuf,
    rows: CsrBuf,
    known: bool,
    start: Vec<ActiveRow>,
    lower: Vec<f64>,
    upper: Vec<f64>,
    residual: Vec<f64>,
    balanced: Balanced,
    certificate: Certificate,
    /// y or d of the proof.
    proof: Vec<f64>,
    /// A point from which the objective falls for ever.
    point: Vec<f64>,
    note: String,
}

impl ActiveSetWorkspace {
    /// Solves a checked problem without cones.
    pub(crate) fn solve(
        &mut self,
        p: &Conic<'_>,
        config: &Config,
        tolerance: f64,
    ) -> Result<Solution<'_>, QpError> {
        self.load(p)?;
        let settings = self.qp.settings_mut();
        settings.tolerance = AIM * tolerance;
        settings.max_pivots = config.max_iterations;
        self.qp.start_cold();
        if config.warm_start {
            self.guess(p);
            self.qp.start_from(&self.start);
        }
        let found = self.qp.solve(f64::INFINITY);
        let residual = p.residual_with(self.qp.x(), self.qp.y(), &mut self.residual).natural;
        let mut status = self.judge(p, found, residual <= tolerance);
        if status == Status::Unbounded {
            status = self.settle(p, config)?;
        }
        self.remark(status, found);
        Ok(Solution {
            status,
            z: if status == Status::Unbounded { &self.point } else { self.qp.x() },
            dual: self.qp.y(),
            certificate: &self.proof,
            iterations: self.qp.pivots(),
            factorizations: 1 + self.qp.rebuilds(),
            residual,
            note: &self.note,
            ..Solution::default()
        })
    }

    /// Takes the data; P and G are set up anew only where they have changed.
    fn load(&mut self, p: &Conic<'_>) -> Result<(), QpError> {
        if !(self.known && same(&self.p, &p.p) && same(&self.rows, &p.rows)) {
            self.known = false;
            self.qp.set_up(p.p, p.rows)?;
            self.p.copy_from(&p.p);
            self.rows.copy_from(&p.rows);
            self.known = true;
        }
        self.qp.set_cost(p.c)?;
        self.lower.clear();
        self.lower.extend(p.lower.iter().zip(p.g).map(|(l, g)| l - g));
        self.upper.clear();
        self.upper.extend(p.upper.iter().zip(p.g).map(|(u, g)| u - g));
        self.qp.set_bounds(&self.lower, &self.upper)
    }

    /// The working set of the guess: rows with a multiplier, or else rows at their bound.
    fn guess(&mut self, p: &Conic<'_>) {
        self.start.clear();
        if !p.dual_guess.is_empty() {
            let largest = p.dual_guess.iter().fold(0.0, |a: f64, y| a.max(y.abs()));
            working_set_of_dual(p.dual_guess, ROUNDING * largest, &mut self.start);
        } else if !p.guess.is_empty() {
            let near = ROUNDING * p.scale();
            for i in 0..p.m() {
                let s = p.s(i, p.guess);
                if (s - p.lower[i]).abs() <= near {
                    self.start.push((i as u32, Side::Lower));
                } else if (s - p.upper[i]).abs() <= near {
                    self.start.push((i as u32, Side::Upper));
                }
            }
        }
    }

    /// The residual and core's checks of proofs have the last word.
    fn judge(&mut self, p: &Conic<'_>, found: vinci_qp::Status, solved: bool) -> Status {
        use vinci_qp::Status as Found;
        self.proof.clear();
        self.certificate.begin();
        match found {
            Found::Infeasible | Found::Unbounded => self.prove(p, found),
            Found::Optimal | Found::Numerical if solved => Status::Converged,
            Found::IterationLimit => Status::MaxIterations,
            _ => Status::NumericalFailure,
        }
    }

    /// The ray that the method ended with as a proof: as it is, or without the entries that are rounding in balanced units.
    fn prove(&mut self, p: &Conic<'_>, found: vinci_qp::Status) -> Status {
        let infeasible = found == vinci_qp::Status::Infeasible;
        let check = if infeasible { check_conic_infeasible } else { check_conic_unbounded };
        self.proof.extend_from_slice(self.qp.certificate());
        let mut proved = check(p, &self.proof).proves();
        if !proved {
            self.balanced.build(p);
            let (d, e) = self.balanced.units();
            proved = if infeasible {
                self.certificate.infeasible(p, e, &mut self.proof)
            } else {
                self.certificate.unbounded(p, d, &mut self.proof)
            };
        }
        match (proved, infeasible) {
            (false, _) => {
                self.proof.clear();
                Status::NumericalFailure
            }
            (true, true) => Status::Infeasible,
            (true, false) => Status::Unbounded,
        }
    }

    /// A direction that falls for ever proves that there is no lowest value if there is a point. The nearest one to x = 0 is sought: its
    /// rows are those of `p`, and so is a proof that there is none.
    fn settle(&mut self, p: &Conic<'_>, config: &Config) -> Result<Status, QpError> {
        self.balanced.build(p);
        let nearest = rays::nearest(p, self.balanced.units().0);
        let mut inner = Self::default();
        let found = inner.solve(&nearest.view(), config, p.tolerance)?;
        if p.is_point(found.z) {
            self.point = found.z.to_vec();
            return Ok(Status::Unbounded);
        }
        self.proof.clear();
        if found.status == Status::Infeasible && check_conic_infeasible(p, found.certificate).proves() {
            self.proof.extend_from_slice(found.certificate);
            return Ok(Status::Infeasible);
        }
        Ok(Status::NumericalFailure)
    }

    fn remark(&mut self, status: Status, found: vinci_qp::Status) {
        self.note.clear();
        let free = self.qp.undetermined();
        // Writing to a string does not fail.
        let _ = match status {
            Status::Converged if free > 0 => {
                write!(self.note, "{free} directions that neither objective nor active rows determine")
            }
            Status::NumericalFailure => match self.certificate.remark() {
                Some(reach) => write!(self.note, "{reach}"),
                None => write!(self.note, "ended as {found:?}, which the problem does not confirm"),
            },
            _ => Ok(()),
        };
    }
}

/// Returns true if a matrix is the same to the bit.
fn same(a: &CsrBuf, b: &Csr<'_>) -> bool {
    let a = a.view();
    a.n_cols == b.n_cols && a.row_start == b.row_start && a.column == b.column && a.value == b.value
}
