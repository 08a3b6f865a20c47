//! The program as its user sees it.

use crate::basis::{Basis, Slot};
use crate::curvature::Curvature;
use crate::data::Data;
use crate::{MOST_VARIABLES, QpError};

use crate::working_set::{ActiveRow, Side};
use vinci_core::sparse::Csr;

/// Smallest a_q that may become a pivot, by round; rows and columns are scaled to entries of about 1. Small pivots spoil J,
/// none at all loses answers: so they are tried where larger ones have led nowhere.
pub(crate) const PIVOTS: [f64; 4] = [1e-7, 1e-8, 1e-9, 1e-10];

/// Settings of a solve: tolerance and limits.
#[derive(Debug, Clone, Copy)]
pub struct Settings {
    /// Largest residual of an answer called optimal, relative as [`ActiveSet::residual`] is; > 0.
    pub tolerance: f64,
    /// Most pivots of one solve.
    pub max_pivots: u32,
}

impl Default for Settings {
    fn default() -> Self {
        Self { tolerance: 1e-10, max_pivots: 20_000 }
    }
}

/// How a solve ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// x and y meet the tolerance, recomputed from the data.
    Optimal,
    /// [`ActiveSet::certificate`] is a Farkas vector y (m): Gᵀy = 0, Σ (y_i > 0 ? y_i l_i : y_i u_i) > 0.
    Infeasible,
    /// [`ActiveSet::certificate`] is a direction d (n): P d = 0, G d in the recession cone, cᵀd < 0.
    Unbounded,
    /// The optimum lies above the cutoff: [`ActiveSet::bound`] is a lower bound of it that does. x is not feasible.
    Cutoff,
    /// More pivots than allowed.
    IterationLimit,
    /// Rounding has won: x and y are there, their residual is larger than the tolerance.
    Numerical,
}

/// The working set, its directions and the point, to go back to: see [`ActiveSet::save`].
#[derive(Debug, Clone, Default)]
pub struct SavedWorkingSet {
    basis: Basis,
    x: Vec<f64>,
}

/// Vectors to work in.
#[derive(Debug, Clone, Default)]
pub(crate) struct QpScratch {
    /// Length ld: Jᵀ times something.
    pub(crate) a: Vec<f64>,
    pub(crate) b: Vec<f64>,
    pub(crate) reflect: Vec<f64>,
    pub(crate) rest: Vec<f64>,
    /// Length n.
    pub(crate) z: Vec<f64>,
    pub(crate) column: Vec<f64>,
    pub(crate) gradient: Vec<f64>,
    /// Sizes of the terms of P x + c where multipliers were computed last.
    pub(crate) terms: Vec<f64>,
    /// Length m.
    pub(crate) slope: Vec<f64>,
    pub(crate) mark: Vec<u8>,
    pub(crate) rows: Vec<ActiveRow>,
    pub(crate) list: Vec<u32>,
}

/// A program with fixed P and G; c and the bounds may change between solves. Every solve starts from the working set of
/// the one before, unless told otherwise. Nothing is allocated after the first solve of a size.
#[derive(Debug, Clone, Default)]
pub struct ActiveSet {
    pub(crate) settings: Settings,
    pub(crate) data: Data,
    curvature: Curvature,
    pub(crate) empty: Basis,
    pub(crate) basis: Basis,
    /// x̂, ŝ = Ĝ x̂, and the multiplier of every slot (0 for free ones).
    pub(crate) x: Vec<f64>,
    pub(crate) s: Vec<f64>,
    pub(crate) y: Vec<f64>,
    pub(crate) w: QpScratch,
    /// Largest |x̂| and |ŷ| met: what tolerances are relative to.
    pub(crate) x_size: f64,
    pub(crate) y_size: f64,
    pub(crate) c_size: f64,
    /// Multipliers were set aside: the dual loop does not see the true cost.
    pub(crate) shifted: bool,
    /// Multipliers are judged by their own terms: one of 1 beside one of 1e12 counts.
    pub(crate) fine: bool,
    pub(crate) pivots: u32,
    pub(crate) rebuilds: u32,
    pub(crate) stalled: u32,
    /// Smallest pivot of this round.
    pub(crate) pivot: f64,
    pub(crate) out: Answer,
}

/// The answer in original units.
#[derive(Debug, Clone, Default)]
pub(crate) struct Answer {
    pub(crate) x: Vec<f64>,
    pub(crate) y: Vec<f64>,
    pub(crate) s: Vec<f64>,
    pub(crate) certificate: Vec<f64>,
    pub(crate) objective: f64,
    pub(crate) bound: f64,
    pub(crate) residual: f64,
}

impl ActiveSet {
    /// An empty program.
    pub fn new(settings: Settings) -> Self {
        Self { settings, ..Self::default() }
    }

    /// The settings, to be changed between solves.
    pub fn settings_mut(&mut self) -> &mut Settings {
        &mut self.settings
    }

    /// Takes P (n × n, both triangles; without rows for P = 0) and G (m × n), factors P, and starts from no active row,
    /// x = 0, c = 0 and no bounds.
    pub fn set_up(&mut self, p: Csr<'_>, g: Csr<'_>) -> Result<(), QpError> {
        if g.n_cols > MOST_VARIABLES {
            return Err(QpError::TooLarge(g.n_cols));
        }
        self.data.load(p, g)?;
        let (n, m) = (self.data.n, self.data.m);
        self.curvature.factor(self.data.p.view())?;
        self.empty.install(n, m, &self.curvature);
        let ld = self.empty.ld;
        let w = &mut self.w;
        let out = &mut self.out;
        for v in [&mut self.y, &mut w.a, &mut w.b, &mut w.reflect, &mut w.rest] {
            v.clear();
            v.resize(ld, 0.0);
        }
        for v in [&mut self.x, &mut w.z, &mut w.column, &mut w.gradient, &mut w.terms, &mut out.x] {
            v.clear();
            v.resize(n, 0.0);
        }
        for v in [&mut self.s, &mut w.slope, &mut out.y, &mut out.s] {
            v.clear();
            v.resize(m, 0.0);
        }
        w.mark.clear();
        w.mark.resize(m, 0);
        self.c_size = 0.0;
        self.pivot = PIVOTS[0];
        self.start_cold();
        Ok(())
    }

    /// Number of variables.
    pub fn n(&self) -> usize {
        self.data.n
    }

    /// Number of rows.
    pub fn m(&self) -> usize {
        self.data.m
    }

    /// Takes the linear cost (length n).
    pub fn set_cost(&mut self, c: &[f64]) -> Result<(), QpError> {
        if c.len() != self.data.n || c.iter().any(|v| !v.is_finite()) {
            return Err(QpError::Shape(format!("a cost of {} finite numbers expected", self.data.n)));
        }
        self.data.set_cost(c);
        self.c_size = self.data.c.iter().fold(0.0, |a, v| a.max(v.abs()));
        Ok(())
    }

    /// Takes the bounds of all rows (length m each).
    pub fn set_bounds(&mut self, lower: &[f64], upper: &[f64]) -> Result<(), QpError> {
        if lower.len() != self.data.m || upper.len() != self.data.m {
            return Err(QpError::Shape(format!("bounds of {} rows expected", self.data.m)));
        }
        (0..lower.len()).try_for_each(|i| self.set_bound(i, lower[i], upper[i]))
    }

    /// Takes the bounds of row i: −∞ ≤ l ≤ u ≤ ∞, l = u for an equation.
    pub fn set_bound(&mut self, i: usize, lower: f64, upper: f64) -> Result<(), QpError> {
        if !(lower <= upper) || lower == f64::INFINITY || upper == f64::NEG_INFINITY {
            return Err(QpError::Bounds(i, lower, upper));
        }
        self.data.set_bound(i, lower, upper);
        Ok(())
    }

    /// Starts the next solve from no active row and x = 0.
    pub fn start_cold(&mut self) {
        self.basis.copy_from(&self.empty);
        self.x.fill(0.0);
    }

    /// Starts the next solve from this working set; rows that depend on the others, or that G has
    /// not got, are left out. Costs one update per row that differs from the working set there is.
    pub fn start_from(&mut self, rows: &[ActiveRow]) {
        self.install(rows);
    }

    /// Moves the start of the next solve to x (length n), as far as the working set and the objective leave it free.
    pub fn set_start_point(&mut self, x: &[f64]) {
        for ((to, from), d) in self.x.iter_mut().zip(x).zip(&self.data.column_scale) {
            *to = from / d;
        }
    }

    /// Remembers the working set and its directions; one copy of n² numbers.
    pub fn save(&self, to: &mut SavedWorkingSet) {
        to.basis.copy_from(&self.basis);
        to.x.clone_from(&self.x);
    }

    /// Goes back to what was saved from this program (after the same [`set_up`](Self::set_up)); bounds and cost stay as
    /// they are now.
    pub fn restore(&mut self, from: &SavedWorkingSet) {
        self.basis.copy_from(&from.basis);
        self.x.clone_from(&from.x);
    }

    /// The working set, in the order of its slots.
    pub fn working_set(&self, rows: &mut Vec<ActiveRow>) {
        rows.clear();
        rows.extend(self.basis.slot.iter().filter_map(|slot| match *slot {
            Slot::Row(i, side) => Some((i, side)),
            _ => None,
        }));
    }

    /// The side at which row i is in the working set, if it is.
    pub fn active_side(&self, i: usize) -> Option<Side> {
        let q = self.basis.slot_of[i];
        match self.basis.slot.get(q as usize) {
            Some(&Slot::Row(_, side)) => Some(side),
            _ => None,
        }
    }

    /// x of the last solve (n).
    pub fn x(&self) -> &[f64] {
        &self.out.x
    }

    /// Multipliers of the last solve (m).
    pub fn y(&self) -> &[f64] {
        &self.out.y
    }

    /// s = G x of the last solve (m).
    pub fn s(&self) -> &[f64] {
        &self.out.s
    }

    /// ½ xᵀP x + cᵀx of the last solve.
    pub fn objective(&self) -> f64 {
        self.out.objective
    }

    /// A lower bound of the optimum: the dual objective Σ y_i b_i − ½ xᵀP x, b_i the bound of the row, less what the rest of the
    /// gradient may be worth, after [`Status::Optimal`], [`Status::Cutoff`] and [`Status::Numerical`], +∞ after [`Status::Infeasible`],
    /// else −∞.
    pub fn bound(&self) -> f64 {
        self.out.bound
    }

    /// max(|P x + c − Gᵀy|∞, |s − Π(s − y)|∞) with the projection Π onto [l, u], over the largest of |c|∞ and the finite
    /// bounds (1 if all are zero).
    pub fn residual(&self) -> f64 {
        self.out.residual
    }

    /// The proof of infeasibility (m) or unboundedness (n) of the last solve; empty otherwise.
    pub fn certificate(&self) -> &[f64] {
        &self.out.certificate
    }

    /// Directions that neither the objective nor the working set determines: x is one of many there.
    pub fn undetermined(&self) -> usize {
        self.basis.flat_count
    }

    /// Pivots of the last solve.
    pub fn pivots(&self) -> u32 {
        self.pivots
    }

    /// How often the last solve rebuilt its directions from the original data.
    pub fn rebuilds(&self) -> u32 {
        self.rebuilds
    }
}
