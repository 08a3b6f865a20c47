//! Lemke's method on the whole mixed problem with bounds, by basis factors instead of a tableau.
//!
//! M z − w + d z₀ + q = 0. Of every pair (z_i, w_i) one is basic, except for the pair whose turn it is while z₀ is basic:
//!
//! | z_i | w_i |
//! |---|---|
//! | nonbasic at l_i | basic, ≥ 0 |
//! | basic in \[l_i, u_i\] | nonbasic, 0 |
//! | nonbasic at u_i | basic, ≤ 0 |
//!
//! Free z_i are basic from the start and never leave. The variable that enters is the complement of the one that left;
//! the step ends where the first basic variable meets a bound, or the entering z its other bound. So two-sided bounds
//! need no extra rows (Dirkse & Ferris 1995 do the same). The lexicographic rule is the limit ε → 0 of a perturbed right
//! side; here the perturbation is carried out, with distinct multiples of one small ε, and taken back at the end.

use super::factor::Factor;
use super::matrix::Columns;

/// Bound at which z_i stands while w_i is basic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Side {
    /// z_i = l_i, w_i ≥ 0.
    #[default]
    Lower,
    /// z_i = u_i, w_i ≤ 0.
    Upper,
}

/// How a path ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// z₀ has left the basis.
    Solved,
    /// Nothing stops the entering variable.
    Ray,
    /// The pivot limit came first.
    Limit,
    /// The basis became singular or its numbers meaningless.
    Broken,
}

/// Numbers a path is ruled by.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rules {
    pub(crate) max_pivots: u32,
    pub(crate) refactor_every: u32,
    /// Size ε of the perturbation, in units of |q′|∞ = 1.
    pub(crate) perturbation: f64,
    /// Which of the deterministic perturbations and covering vectors.
    pub(crate) variant: u32,
}

/// Distance a basic variable may overshoot its bound when that allows a larger pivot (Harris 1973).
pub(super) const OVERSHOOT: f64 = 1e-11;

/// State of a pivoting run over one problem.
#[derive(Debug, Clone, Default)]
pub(crate) struct Path {
    pub(crate) m: Columns,
    pub(crate) factor: Factor,
    pub(crate) side: Vec<Side>,
    /// Membership of every variable in the basis.
    pub(crate) basic: Vec<bool>,
    /// Values of the basic variables by slot.
    pub(crate) x: Vec<f64>,
    /// Change of the basic variables per unit of the entering one.
    pub(super) delta: Vec<f64>,
    pub(super) rhs: Vec<f64>,
    pub(super) column: Vec<f64>,
    /// q′ with its perturbation.
    pub(super) q: Vec<f64>,
    /// Direction of the last ray: z part.
    pub(crate) ray: Vec<f64>,
    pub(crate) pivots: u32,
    pub(super) kept_basic: Vec<bool>,
    pub(super) kept_side: Vec<Side>,
}

/// An entering variable and the sign of its change.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entering {
    pub(super) var: usize,
    pub(super) sign: f64,
}

impl Path {
    pub(super) fn n(&self) -> usize {
        self.m.n
    }

    /// Slack basis: every bounded z at a bound, every free z basic.
    pub(crate) fn start_cold(&mut self) {
        let n = self.n();
        self.side.clear();
        self.basic.clear();
        self.basic.resize(2 * n + 1, false);
        for i in 0..n {
            let has_lower = self.m.lower[i].is_finite();
            self.side.push(if has_lower { Side::Lower } else { Side::Upper });
            let free = self.m.is_free(i);
            (self.basic[i], self.basic[n + i]) = (free, !free);
        }
    }

    /// Factors the present basis and recomputes the basic values; false if singular.
    pub(crate) fn refactor(&mut self) -> bool {
        if !self.factor.factor(&self.m, &self.basic) {
            return false;
        }
        self.recompute();
        self.x.iter().all(|v| v.is_finite())
    }

    /// x_B = −B⁻¹ (q + N x_N).
    fn recompute(&mut self) {
        let n = self.n();
        self.rhs.clear();
        self.rhs.extend(self.q.iter().map(|q| -q));
        for j in 0..n {
            let z = self.nonbasic_z(j);
            if !self.basic[j] && z != 0.0 {
                self.m.add_column(j, -z, &mut self.rhs);
            }
        }
        self.x.resize(n, 0.0);
        self.factor.solve(&self.m, &self.rhs, &mut self.x);
    }

    /// Value of z_j while nonbasic.
    pub(crate) fn nonbasic_z(&self, j: usize) -> f64 {
        let bound = match self.side[j] {
            Side::Lower => self.m.lower[j],
            Side::Upper => self.m.upper[j],
        };
        if bound.is_finite() { bound } else { 0.0 }
    }

    /// Bounds of a variable while it is basic.
    pub(crate) fn bounds(&self, var: usize) -> (f64, f64) {
        let n = self.n();
        match var {
            j if j < n => (self.m.lower[j], self.m.upper[j]),
            z0 if z0 == 2 * n => (0.0, f64::INFINITY),
            w if self.m.is_free(w - n) => (f64::NEG_INFINITY, f64::INFINITY),
            w if self.side[w - n] == Side::Lower => (0.0, f64::INFINITY),
            _ => (f64::NEG_INFINITY, 0.0),
        }
    }

    /// Largest violation of bounds by basic variables.
    pub(crate) fn violation(&self) -> f64 {
        let slots = self.factor.slot_var.iter().zip(&self.x);
        slots.fold(0.0, |worst: f64, (&var, &x)| {
            let (lower, upper) = self.bounds(var as usize);
            worst.max(lower - x).max(x - upper)
        })
    }

    /// Puts every basic z with two finite bounds that lies outside of them nonbasic at the bound it violates.
    fn clip_boxes(&mut self) -> bool {
        let n = self.n();
        let mut changed = false;
        for slot in 0..n {
            let j = self.factor.slot_var[slot] as usize;
            if j >= n || !(self.m.lower[j].is_finite() && self.m.upper[j].is_finite()) {
                continue;
            }
            let x = self.x[slot];
            if x < self.m.lower[j] || x > self.m.upper[j] {
                self.side[j] = if x < self.m.lower[j] { Side::Lower } else { Side::Upper };
                (self.basic[j], self.basic[n + j]) = (false, true);
                changed = true;
            }
        }
        changed
    }

    /// Runs Lemke's method from the present complementary basis (factored, x computed without perturbation).
    pub(crate) fn follow(&mut self, rules: Rules) -> End {
        let limit = self.pivots.saturating_add(rules.max_pivots);
        for _ in 0..8 {
            if !self.clip_boxes() {
                break;
            }
            if !self.refactor() {
                return End::Broken;
            }
        }
        if self.violation() <= OVERSHOOT {
            return End::Solved;
        }
        // Nothing is violated by more than the perturbation: the basis solves the perturbed problem as it is.
        let Some(mut entering) = self.enter_cover(rules) else { return End::Solved };
        loop {
            if self.pivots >= limit {
                return End::Limit;
            }
            if (self.factor.updates() >= rules.refactor_every as usize || self.factor.is_heavy())
                && !self.refactor()
            {
                return End::Broken;
            }
            self.direction(entering);
            match self.blocking(entering) {
                Block::Nothing => {
                    self.keep_ray(entering);
                    return End::Ray;
                }
                Block::Doubtful => {
                    if !self.refactor() {
                        return End::Broken;
                    }
                }
                Block::OtherBound { step } => entering = self.flip(entering, step),
                Block::Slot { r, step, at_upper } => {
                    let leaving = self.pivot(entering, r, step);
                    if leaving == 2 * self.n() {
                        return End::Solved;
                    }
                    entering = self.complement(leaving, at_upper);
                }
            }
        }
    }

    /// The variable that must enter now that `leaving` is nonbasic, and which way.
    pub(super) fn complement(&mut self, leaving: usize, at_upper: bool) -> Entering {
        let n = self.n();
        if leaving < n {
            self.side[leaving] = if at_upper { Side::Upper } else { Side::Lower };
            Entering { var: leaving + n, sign: if at_upper { -1.0 } else { 1.0 } }
        } else {
            let j = leaving - n;
            Entering { var: j, sign: if self.side[j] == Side::Lower { 1.0 } else { -1.0 } }
        }
    }

    /// column ← B⁻¹ a_e and delta ← −sign · column.
    pub(super) fn direction(&mut self, entering: Entering) {
        let n = self.n();
        self.rhs.clear();
        self.rhs.resize(n, 0.0);
        if entering.var >= n {
            self.rhs[entering.var - n] = -1.0;
        } else {
            self.m.add_column(entering.var, 1.0, &mut self.rhs);
        }
        self.column.resize(n, 0.0);
        self.factor.solve(&self.m, &self.rhs, &mut self.column);
        self.delta.clear();
        self.delta.extend(self.column.iter().map(|a| -entering.sign * a));
    }

    /// The entering z runs to its other bound; now its w must change sign there.
    fn flip(&mut self, entering: Entering, step: f64) -> Entering {
        let n = self.n();
        let j = entering.var;
        self.x.iter_mut().zip(&self.delta).for_each(|(x, d)| *x += step * d);
        self.side[j] = if entering.sign > 0.0 { Side::Upper } else { Side::Lower };
        self.pivots += 1;
        Entering { var: j + n, sign: -entering.sign }
    }

    /// Exchanges the entering variable for the one in slot r; returns the latter.
    fn pivot(&mut self, entering: Entering, r: usize, step: f64) -> usize {
        let leaving = self.factor.slot_var[r] as usize;
        let start = if entering.var < self.n() { self.nonbasic_z(entering.var) } else { 0.0 };
        self.x.iter_mut().zip(&self.delta).for_each(|(x, d)| *x += step * d);
        self.x[r] = start + entering.sign * step;
        self.factor.replace(r, entering.var, &self.column);
        self.basic[leaving] = false;
        self.basic[entering.var] = true;
        self.pivots += 1;
        leaving
    }

    fn keep_ray(&mut self, entering: Entering) {
        let n = self.n();
        self.ray.clear();
        self.ray.resize(n, 0.0);
        for (slot, &d) in self.delta.iter().enumerate() {
            let var = self.factor.slot_var[slot] as usize;
            if var < n {
                self.ray[var] = d;
            }
        }
        if entering.var < n {
            self.ray[entering.var] = entering.sign;
        }
    }

    /// Forgets the perturbation: q back to q′.
    pub(crate) fn restore_q(&mut self) {
        self.q.clone_from(&self.m.q);
    }
}

/// Outcome of the ratio test.
pub(super) enum Block {
    Slot { r: usize, step: f64, at_upper: bool },
    OtherBound { step: f64 },
    Nothing,
    Doubtful,
}
