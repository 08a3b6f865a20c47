//! Complementarity pairs as binaries: a [`Qpcc`] as a mixed-integer program.
//!
//! A pair 0 ≤ s_i ⟂ s_j ≥ 0 with s_i ≤ M_i and s_j ≤ M_j is, with b ∈ {0, 1},
//!
//! s_i/M_i − b ≤ 0,  s_j/M_j + b ≤ 1,
//!
//! so b = 0 says s_i = 0 (mode 1) and b = 1 says s_j = 0 (mode 2). The rows are divided by their M, so that a binary that
//! is integer within ε leaves at most ε M_i in s_i: a small M is what keeps the program honest.
//!
//! Exact where every M bounds its row over all lawful x. Such bounds come from intervals propagated through the rows
//! ([`QpccAsMilp::propagate`]), from whoever has better ones ([`QpccAsMilp::set`]), or from the user
//! ([`QpccAsMilp::guess`]); the last are remembered, and a solution that touches one is not to be believed
//! ([`QpccAsMilp::wall`]). A row without a bound is refused by name ([`QpccAsMilp::missing`]).

use crate::problem::Qpcc;

/// Rounds of propagation at most.
const ROUNDS: usize = 30;
/// Relative gain below which a tightened interval is no progress.
const PROGRESS: f64 = 1e-3;
/// Intervals are widened by this part of the terms they come from, so that rounding cuts nothing.
const OUTWARD: f64 = 1e-12;
/// Part of a guessed bound that counts as touching it.
const TOUCHED: f64 = 1e-6;

/// A row of a pair for which no finite bound is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoBound {
    /// The pair.
    pub pair: usize,
    /// Its row.
    pub row: usize,
}

impl std::fmt::Display for NoBound {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "row {} of pair {} has no finite bound, so the pair cannot be written with a binary; bound its unknowns, give a \
             bound (big_m), or take a solver that branches on pairs",
            self.row, self.pair
        )
    }
}

/// The bounds, with their memory. Arrays over pairs have two numbers each: for the first and the second row.
#[derive(Debug, Clone, Default)]
pub struct QpccAsMilp {
    bound: Vec<f64>,
    guessed: Vec<bool>,
    /// Intervals of the unknowns.
    low: Vec<f64>,
    high: Vec<f64>,
}

/// Sum of terms that may be infinite: the finite part, how many are infinite, and the size of the terms.
#[derive(Debug, Clone, Copy, Default)]
struct Reach {
    finite: f64,
    infinite: u32,
    size: f64,
}

impl Reach {
    fn add(&mut self, term: f64) {
        if term.is_finite() {
            self.finite += term;
            self.size += term.abs();
        } else {
            self.infinite += 1;
        }
    }

    /// The sum without one of its terms, widened towards `sign` infinity.
    fn without(&self, term: f64, sign: f64) -> f64 {
        let rest = if term.is_finite() { self.infinite } else { self.infinite - 1 };
        if rest > 0 {
            return sign * f64::INFINITY;
        }
        self.finite - if term.is_finite() { term } else { 0.0 } + sign * OUTWARD * self.size
    }

    fn total(&self, sign: f64) -> f64 {
        if self.infinite > 0 { sign * f64::INFINITY } else { self.finite + sign * OUTWARD * self.size }
    }
}

impl QpccAsMilp {
    /// Bounds of all rows of pairs by intervals: every row l ≤ G x + g ≤ u bounds each of its unknowns by the others. Valid
    /// for every lawful x; pairs are used as inequalities only. Nothing is allocated once warm.
    pub fn propagate(&mut self, p: &Qpcc<'_>) {
        let n = p.qp.n();
        self.low.clear();
        self.low.resize(n, f64::NEG_INFINITY);
        self.high.clear();
        self.high.resize(n, f64::INFINITY);
        for _ in 0..ROUNDS {
            let mut progress = false;
            for i in 0..p.qp.m() {
                progress |= self.tighten(p, i);
            }
            if !progress {
                break;
            }
        }
        self.bound.clear();
        self.guessed.clear();
        for &row in p.pairs {
            let (_, above) = self.reach(p, row as usize);
            self.bound.push((above.total(1.0) + p.qp.g[row as usize]).max(0.0));
            self.guessed.push(false);
        }
    }

    /// Smallest and largest G x of a row.
    fn reach(&self, p: &Qpcc<'_>, i: usize) -> (Reach, Reach) {
        let (mut below, mut above) = (Reach::default(), Reach::default());
        for (j, v) in p.qp.rows.entries(i).filter(|e| e.1 != 0.0) {
            below.add(if v > 0.0 { v * self.low[j] } else { v * self.high[j] });
            above.add(if v > 0.0 { v * self.high[j] } else { v * self.low[j] });
        }
        (below, above)
    }

    /// Tightens the unknowns of a row; whether any gained much. The sums are formed anew for every entry: rows are short.
    fn tighten(&mut self, p: &Qpcc<'_>, i: usize) -> bool {
        let (lower, upper) = (p.qp.lower[i] - p.qp.g[i], p.qp.upper[i] - p.qp.g[i]);
        let mut progress = false;
        for (j, v) in p.qp.rows.entries(i).filter(|e| e.1 != 0.0) {
            let (below, above) = self.reach(p, i);
            let (at_low, at_high) = (v * self.low[j], v * self.high[j]);
            let (least, most) = if v > 0.0 { (at_low, at_high) } else { (at_high, at_low) };
            // The term v x_j is at most the upper bound − the least of the others, and so on.
            let top = (upper - below.without(least, -1.0)) / v;
            let bottom = (lower - above.without(most, 1.0)) / v;
            let (low, high) = if v > 0.0 { (bottom, top) } else { (top, bottom) };
            progress |= gain(&mut self.high[j], high, -1.0) | gain(&mut self.low[j], low, 1.0);
        }
        progress
    }

    /// M of the rows of pair k.
    pub fn bounds(&self, k: usize) -> [f64; 2] {
        [self.bound[2 * k], self.bound[2 * k + 1]]
    }

    /// A proved bound of one row of pair k (side 0 or 1), taken if it is smaller than what is known.
    pub fn set(&mut self, k: usize, side: usize, bound: f64) {
        let known = &mut self.bound[2 * k + side];
        *known = known.min(bound.max(0.0));
    }

    /// The user's bound for every row that has no proved one.
    pub fn guess(&mut self, bound: f64) {
        for (known, guessed) in self.bound.iter_mut().zip(&mut self.guessed) {
            if known.is_infinite() {
                (*known, *guessed) = (bound, true);
            }
        }
    }

    /// Returns true if any bound is the user's word only.
    pub fn is_guessed(&self) -> bool {
        self.guessed.contains(&true)
    }

    /// The first row of a pair without a finite bound.
    pub fn missing(&self, p: &Qpcc<'_>) -> Option<NoBound> {
        let at = self.bound.iter().position(|b| b.is_infinite())?;
        Some(NoBound { pair: at / 2, row: p.pairs[at] as usize })
    }

    /// The first row whose guessed bound x touches or passes: x may be best only because the guess cut better points away.
    pub fn wall(&self, p: &Qpcc<'_>, x: &[f64]) -> Option<NoBound> {
        let touches = |at: &usize| {
            self.guessed[*at] && p.qp.s(p.pairs[*at] as usize, x) >= (1.0 - TOUCHED) * self.bound[*at]
        };
        let at = (0..self.bound.len()).find(touches)?;
        Some(NoBound { pair: at / 2, row: p.pairs[at] as usize })
    }

    /// The mode of pair k that a binary says: 1 (s_i = 0) for b near 0, 2 (s_j = 0) for b near 1.
    pub fn mode(b: f64) -> u32 {
        if b < 0.5 { 1 } else { 2 }
    }

    /// The binary of a mode; unknown modes are undecided.
    pub fn binary(mode: u32) -> Option<f64> {
        match mode {
            1 => Some(0.0),
            2 => Some(1.0),
            _ => None,
        }
    }
}

/// Moves `end` to `to` if that tightens (sign −1: an upper end, 1: a lower end); whether the gain is worth another round.
fn gain(end: &mut f64, to: f64, sign: f64) -> bool {
    if to.is_nan() || !to.is_finite() || sign * (to - *end) <= 0.0 {
        return false;
    }
    let worth = end.is_infinite() || (to - *end).abs() > PROGRESS * (1.0 + end.abs());
    *end = to;
    worth
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::{ConicBuf, NO_GROUP, QpccBuf};
    use crate::sparse::CsrBuf;
    use nalgebra::DMatrix;

    const INF: f64 = f64::INFINITY;

    /// Pair (x_0, x_1); rows besides as given.
    fn program(rows: &[([f64; 2], f64, f64)]) -> QpccBuf {
        let m = 2 + rows.len();
        let mut g = DMatrix::zeros(m, 2);
        (g[(0, 0)], g[(1, 1)]) = (1.0, 1.0);
        let (mut lower, mut upper) = (vec![0.0; m], vec![INF; m]);
        for (i, (row, l, u)) in rows.iter().enumerate() {
            (0..2).for_each(|j| g[(i + 2, j)] = row[j]);
            (lower[i + 2], upper[i + 2]) = (*l, *u);
        }
        let mut none = CsrBuf::default();
        none.clear(2);
        (0..2).for_each(|_| none.end_row());
        let rows = CsrBuf::from_dense(&g);
        let qp = ConicBuf::from_parts(none, vec![-1.0; 2], rows, vec![0.0; m], (lower, upper));
        let mut problem = QpccBuf { qp, ..QpccBuf::default() };
        problem.push_pair(0, 1, NO_GROUP);
        problem
    }

    #[test]
    fn a_sum_bounds_its_terms() {
        // x_0 + 2 x_1 ≤ 4 with both at least 0.
        let problem = program(&[([1.0, 2.0], -INF, 4.0)]);
        let mut milp = QpccAsMilp::default();
        milp.propagate(&problem.view());
        let [a, b] = milp.bounds(0);
        assert!((4.0..4.0 + 1e-9).contains(&a) && (2.0..2.0 + 1e-9).contains(&b), "{a} {b}");
        assert_eq!((milp.missing(&problem.view()), milp.is_guessed()), (None, false));
        assert_eq!(milp.wall(&problem.view(), &[4.0, 0.0]), None, "a proved bound may be touched");
    }

    #[test]
    fn bounds_travel_through_rows() {
        // x_0 ≤ 3 and x_1 ≤ x_0 + 1.
        let problem = program(&[([-1.0, 1.0], -INF, 1.0), ([1.0, 0.0], -INF, 3.0)]);
        let mut milp = QpccAsMilp::default();
        milp.propagate(&problem.view());
        let [a, b] = milp.bounds(0);
        assert!((3.0..3.0 + 1e-9).contains(&a) && (4.0..4.0 + 1e-9).contains(&b), "{a} {b}");
    }

    #[test]
    fn a_row_without_bound_is_named_and_a_guess_is_watched() {
        let problem = program(&[([1.0, 0.0], -INF, 3.0)]);
        let p = problem.view();
        let mut milp = QpccAsMilp::default();
        milp.propagate(&p);
        let missing = milp.missing(&p).unwrap();
        assert_eq!(missing, NoBound { pair: 0, row: 1 });
        assert!(missing.to_string().starts_with("row 1 of pair 0 has no finite bound"));
        milp.guess(10.0);
        assert!(milp.missing(&p).is_none() && milp.is_guessed());
        assert_eq!(milp.wall(&p, &[0.0, 10.0]), Some(missing));
        assert_eq!(milp.wall(&p, &[3.0, 0.0]), None, "the proved bound of the other row");
        milp.set(0, 0, 2.5);
        assert_eq!(milp.bounds(0), [2.5, 10.0]);
    }

    #[test]
    fn binaries_and_modes() {
        assert_eq!([QpccAsMilp::mode(0.0), QpccAsMilp::mode(1.0)], [1, 2]);
        assert_eq!([1, 2, 0].map(QpccAsMilp::binary), [Some(0.0), Some(1.0), None]);
    }
}
