//! The order of the loops, and the judgement of what they find in original units.

use crate::basis::{NONE, Slot};
use crate::dual::{Entering, Loop};
use crate::solver::{ActiveSet, PIVOTS, Status};
use crate::start::SMALL;
use crate::vectors::{axpy, larger, largest};
use crate::working_set::Side;

/// Refinements of an answer before J is rebuilt.
const REFINEMENTS: u32 = 3;
/// |Gᵀy|∞ and the like of a proof, relative to its largest entry.
const PROOF: f64 = 1e-9;
/// A proof of infeasibility holds for all x up to this size in scaled units, and 1000 times the largest that was met. A row of
/// 2.000000002 beside one of 2 is no proof: they meet at 1e6.
const FAR: f64 = 1e9;
/// Part of Gᵀy that rounding and dropped entries leave: of the sizes of its terms, and of the largest entry of y.
const ROUNDED: f64 = 1e-11;

impl ActiveSet {
    /// Solves the program from the working set there is. Stops as soon as the optimum is proved to lie above `cutoff`.
    pub fn solve(&mut self, cutoff: f64) -> Status {
        (self.pivots, self.rebuilds) = (0, 0);
        self.out.certificate.clear();
        for (round, pivot) in PIVOTS.into_iter().enumerate() {
            self.pivot = pivot;
            if round > 0 {
                self.rebuild();
            }
            self.prepare();
            if let Some(status) = self.round(cutoff) {
                return self.report(status);
            }
        }
        // No round has come to its end properly, but the point may be right: the residual alone decides.
        self.multipliers();
        self.out_point();
        let status = if self.refine() { Status::Optimal } else { Status::Numerical };
        let status = self.report(status);
        if status == Status::Numerical {
            // The next solve must not start from what rounding has left.
            self.rebuild();
        }
        status
    }

    /// Both loops and the judgement; None: rounding has spoilt J.
    fn round(&mut self, cutoff: f64) -> Option<Status> {
        let mut proof = None;
        let cutoff = cutoff * self.data.cost_scale;
        let mut dual = self.dual_loop(cutoff, &mut proof);
        if dual == Loop::Cutoff {
            self.multipliers();
            self.out_point();
            let bound = self.proved_bound();
            if bound > cutoff {
                self.out.bound = bound / self.data.cost_scale;
                return Some(Status::Cutoff);
            }
            // The objective of the point is above it, but no bound is: the program is solved to its end.
            dual = self.dual_loop(f64::INFINITY, &mut proof);
        }
        match (dual, proof) {
            (Loop::Done, _) => {}
            (Loop::Proof, Some(p)) => return self.prove_infeasible(&p).then_some(Status::Infeasible),
            (Loop::Stalled, _) => return None,
            _ => {
                self.multipliers();
                self.out_point();
                return Some(Status::IterationLimit);
            }
        }
        let mut primal = self.primal_loop();
        self.out_point();
        if primal == Loop::Done && self.is_cost_unseen() {
            // A cost that was taken for rounding beside others is none.
            self.fine = true;
            primal = self.primal_loop();
            self.out_point();
        }
        match primal {
            Loop::Limit => Some(Status::IterationLimit),
            Loop::Stalled => None,
            Loop::Proof => self.prove_unbounded().then_some(Status::Unbounded),
            _ => self.refine().then_some(Status::Optimal),
        }
    }

    /// Refines x and y by J until the residual is no longer worth it; whether it meets the tolerance.
    fn refine(&mut self) -> bool {
        for _ in 0..REFINEMENTS {
            if self.out.residual <= 1e-3 * self.settings.tolerance {
                break;
            }
            self.refine_once();
        }
        self.out.residual <= self.settings.tolerance
    }

    /// Refines an optimum once more, with every equation in the working set that depends on no other: a row that is off by little
    /// beside the largest of all, but by much beside its own terms, is met too. Whether the residual still meets the tolerance.
    pub fn refine_equations(&mut self) -> bool {
        for i in 0..self.data.m {
            if self.data.is_equation(i) && self.basis.slot_of[i] == NONE {
                self.put_in(i, Side::Lower);
            }
        }
        self.refine_once();
        self.report(Status::Optimal);
        self.out.residual <= self.settings.tolerance
    }

    fn refine_once(&mut self) {
        self.onto_working_set();
        self.minimize_curved();
        self.multipliers();
        self.correct_multipliers();
        self.out_point();
    }

    /// y += J₁ᵀ(P x + c − Gᵀy).
    fn correct_multipliers(&mut self) {
        self.stationarity();
        self.basis.products(&self.w.gradient, &mut self.w.a);
        for q in 0..self.data.n {
            if matches!(self.basis.slot[q], Slot::Row(..)) {
                self.y[q] += self.w.a[q];
            }
        }
    }

    /// `gradient` = P x + c − Gᵀy over the rows of the working set.
    pub(crate) fn stationarity(&mut self) {
        self.data.gradient(&self.x, &mut self.w.gradient);
        for q in 0..self.data.n {
            if let Slot::Row(i, _) = self.basis.slot[q] {
                self.data.g.view().add_row_scaled(i as usize, -self.y[q], &mut self.w.gradient);
            }
        }
    }

    /// x, s, y and their residual in original units; multipliers of the wrong sign by rounding become 0.
    fn out_point(&mut self) {
        for q in 0..self.data.n {
            let wrong = self.wrong_by(q, false);
            let small =
                if self.fine { !self.is_wrong(q, false) } else { wrong <= 10.0 * SMALL * self.y_size };
            if wrong > 0.0 && small {
                self.y[q] = 0.0;
            }
        }
        self.stationarity();
        self.data.rows_times(&self.x, &mut self.s);
        let (d, w) = (&self.data.column_scale, self.data.cost_scale);
        let mut residual: f64 = 0.0;
        let mut size: f64 = 0.0;
        for j in 0..self.data.n {
            self.out.x[j] = d[j] * self.x[j];
            residual = larger(residual, (self.w.gradient[j] / (w * d[j])).abs());
            size = larger(size, (self.data.c[j] / (w * d[j])).abs());
        }
        self.out.y.fill(0.0);
        for q in 0..self.data.n {
            if let Slot::Row(i, _) = self.basis.slot[q] {
                self.out.y[i as usize] = self.y[q] * self.data.row_scale[i as usize] / w;
            }
        }
        let rows = self.data.row_unit.iter().zip(&self.data.lower).zip(&self.data.upper);
        let out = self.out.s.iter_mut().zip(&self.s).zip(&self.out.y);
        for (((unit, lower), upper), ((out, s), y)) in rows.zip(out) {
            let (s, l, u) = (s * unit, lower * unit, upper * unit);
            *out = s;
            residual = larger(residual, (s - (s - y).clamp(l, u)).abs());
            for b in [l.abs(), u.abs()] {
                size = if b < f64::INFINITY { larger(size, b) } else { size };
            }
        }
        self.out.residual = residual / if size > 0.0 { size } else { 1.0 };
    }

    /// The Farkas vector of a row that nothing can satisfy: y = ±(e_p − r), judged in original units.
    fn prove_infeasible(&mut self, p: &Entering) -> bool {
        for _ in 0..2 {
            self.farkas(p);
            if self.is_farkas() {
                return true;
            }
            // One refinement: r += J₁ᵀ(g_p − G_Wᵀr).
            self.w.gradient.fill(0.0);
            let g = self.data.g.view();
            g.add_row_scaled(p.row, 1.0, &mut self.w.gradient);
            for q in 0..self.data.n {
                if let Slot::Row(i, _) = self.basis.slot[q] {
                    g.add_row_scaled(i as usize, -self.w.a[q], &mut self.w.gradient);
                }
            }
            self.basis.products(&self.w.gradient, &mut self.w.b);
            axpy(1.0, &self.w.b, &mut self.w.a);
        }
        false
    }

    fn farkas(&mut self, p: &Entering) {
        let y = &mut self.out.certificate;
        y.clear();
        y.resize(self.data.m, 0.0);
        y[p.row] = p.sign * self.data.row_scale[p.row];
        for q in 0..self.data.n {
            if let Slot::Row(i, _) = self.basis.slot[q] {
                let i = i as usize;
                let (value, lower, upper) = (-p.sign * self.w.a[q], self.data.lower[i], self.data.upper[i]);
                let bounded = if value > 0.0 { lower.is_finite() } else { upper.is_finite() };
                if bounded && value.abs() > SMALL {
                    y[i] = value * self.data.row_scale[i];
                }
            }
        }
    }

    /// Returns true if `certificate` proves that no x of size up to [`FAR`] is feasible: Gᵀy = 0, Σ (y_i > 0 ? y_i l_i : y_i u_i) > 0,
    /// and what is left of Gᵀy beyond the rounding of its terms is too little for such an x to make up for.
    fn is_farkas(&mut self) -> bool {
        self.w.gradient.fill(0.0);
        self.w.z.fill(0.0);
        let (mut gain, mut scale, mut size) = (0.0, 0.0, 0.0_f64);
        for i in 0..self.data.m {
            let yi = self.out.certificate[i] / self.data.row_scale[i];
            if yi != 0.0 {
                self.data.g.view().add_row_scaled(i, yi, &mut self.w.gradient);
                self.data.g.view().entries(i).for_each(|(j, g)| self.w.z[j] += (yi * g).abs());
                let term = yi * if yi > 0.0 { self.data.lower[i] } else { self.data.upper[i] };
                gain += term;
                scale += term.abs();
                size = size.max(yi.abs());
            }
        }
        let left = largest(&self.w.gradient);
        let beyond = |(v, terms): (&f64, &f64)| (v.abs() - ROUNDED * (terms + size)).max(0.0);
        let tilt: f64 = self.w.gradient.iter().zip(&self.w.z).map(beyond).sum();
        let reach = FAR.max(1e3 * self.x_size) * tilt;
        left <= PROOF * size && gain > 1e-13 * scale && gain > reach
    }

    /// Returns true if `column` is a direction of unbounded descent: P d = 0, G d in the recession cone, cᵀd < 0.
    fn prove_unbounded(&mut self) -> bool {
        let d = &self.w.column;
        let size = largest(d);
        self.data.p.view().multiply(d, &mut self.w.z);
        let flat = self.w.z.iter().all(|v| v.abs() <= PROOF * size);
        self.data.rows_times(d, &mut self.w.slope);
        let open = (0..self.data.m).all(|i| {
            let v = self.w.slope[i];
            (v >= -PROOF * size || self.data.lower[i] == f64::NEG_INFINITY)
                && (v <= PROOF * size || self.data.upper[i] == f64::INFINITY)
        });
        let descent: f64 = d.iter().zip(&self.data.c).map(|(d, c)| d * c).sum();
        self.out.certificate.clear();
        self.out.certificate.extend(d.iter().zip(&self.data.column_scale).map(|(d, s)| d * s));
        flat && open && descent < -1e-12 * size * self.c_size
    }
}
