//! The lower bound of the optimum that a point and multipliers prove, whatever they are worth.

use crate::basis::Slot;
use crate::solver::{ActiveSet, Status};

/// Part of the cost along a direction that is left where multipliers do not balance it.
const LEFT: f64 = 1e-6;

impl ActiveSet {
    /// Objective and bound of the point, as the status allows.
    pub(crate) fn report(&mut self, status: Status) -> Status {
        let w = self.data.cost_scale;
        self.out.objective = self.data.objective(&self.x, &mut self.w.z) / w;
        self.out.bound = match status {
            Status::Optimal | Status::Numerical => self.proved_bound() / w,
            // The round that ended at it has proved it.
            Status::Cutoff => self.out.bound,
            Status::Infeasible => f64::INFINITY,
            Status::Unbounded | Status::IterationLimit => f64::NEG_INFINITY,
        };
        if !matches!(status, Status::Infeasible | Status::Unbounded) {
            self.out.certificate.clear();
        }
        status
    }

    /// A bound of the optimum, in scaled units, from any x̂ and any y. With e = P x̂ + c − Gᵀy, P ⪰ 0 and d = x − x̂, every
    /// feasible x has
    ///
    /// f(x) = f(x̂) + (Gᵀy + e)ᵀd + ½ dᵀP d ≥ Σ (y_i > 0 ? y_i l_i : y_i u_i) − ½ x̂ᵀP x̂ + eᵀx̂ + min_d (eᵀd + ½ dᵀP d),
    ///
    /// and the minimum is −½ |J₂ᵀe|² with the directions of no working set, J₂J₂ᵀ = P⁺. So x̂ need not be the minimiser on its working
    /// set: where P couples stiff and soft unknowns it is not, by much more than its gradient shows. Along flat directions |d| ≤ 2 max |x̂| is
    /// assumed where e is rounding; where it is a part of the cost itself the bound is −∞.
    pub(crate) fn proved_bound(&mut self) -> f64 {
        let value = self.price_of_bounds();
        self.stationarity();
        let x = &self.x;
        self.data.p.view().multiply(x, &mut self.w.z);
        let at_x = |(x, (z, e)): (&f64, (&f64, &f64))| x * (e - 0.5 * z);
        let at_x: f64 = x.iter().zip(self.w.z.iter().zip(&self.w.gradient)).map(at_x).sum();
        self.empty.products(&self.w.gradient, &mut self.w.b);
        let below: f64 = (0..self.data.n).map(|q| self.loss_along(q)).sum();
        value + at_x - below
    }

    /// Returns true if a cost along a flat direction was taken for rounding.
    pub(crate) fn is_cost_unseen(&mut self) -> bool {
        self.empty.slot.contains(&Slot::Flat) && self.proved_bound() == f64::NEG_INFINITY
    }

    /// Most that e may be worth along column q of no working set.
    fn loss_along(&self, q: usize) -> f64 {
        let e = self.w.b[q];
        match self.empty.slot[q] {
            Slot::Curved => 0.5 * e * e,
            _ if self.is_cost_left(q, e) => f64::INFINITY,
            _ => 2.0 * self.x_size * e.abs(),
        }
    }

    /// Returns true if e along flat direction q of no working set is a part of its cost: a cost of 1 beside one of 1e11 passes for rounding.
    fn is_cost_left(&self, q: usize, e: f64) -> bool {
        let cost = self.empty.size_along(q, &self.data.c);
        cost > 0.0 && e.abs() > LEFT * cost
    }

    /// Σ (y_i > 0 ? y_i l_i : y_i u_i) over the working set; a multiplier for which there is no such bound becomes 0.
    fn price_of_bounds(&mut self) -> f64 {
        let mut value = 0.0;
        for q in 0..self.data.n {
            if let Slot::Row(i, _) = self.basis.slot[q] {
                let bounds = (self.data.lower[i as usize], self.data.upper[i as usize]);
                let bound = if self.y[q] > 0.0 { bounds.0 } else { bounds.1 };
                if bound.is_infinite() {
                    (self.y[q], self.out.y[i as usize]) = (0.0, 0.0);
                }
                value += if self.y[q] == 0.0 { 0.0 } else { self.y[q] * bound };
            }
        }
        value
    }
}

#[cfg(test)]
mod tests {
    use crate::{ActiveSet, Settings, Status};
    use vinci_core::CsrBuf;

    /// min ½ x_0² + ½ K x_1² + ½ x_2² − x_0 − x_2 over x_0 + x_2 ≥ 4, x_1 ≥ −1 and a box of no interest: 0 at (2, 0, 2).
    fn solved(k: f64) -> ActiveSet {
        let p = CsrBuf::from_triplets(3, 3, &[(0, 0, 1.0), (1, 1, k), (2, 2, 1.0)]);
        let rows = [(0, 0, 1.0), (0, 2, 1.0), (1, 1, 1.0), (2, 0, 1.0)];
        let g = CsrBuf::from_triplets(3, 3, &rows);
        let mut qp = ActiveSet::new(Settings::default());
        qp.set_up(p.view(), g.view()).unwrap();
        qp.set_cost(&[-1.0, 0.0, -1.0]).unwrap();
        qp.set_bounds(&[4.0, -1.0, -9.0], &[f64::INFINITY, f64::INFINITY, 9.0]).unwrap();
        assert_eq!(qp.solve(f64::INFINITY), Status::Optimal);
        qp
    }

    /// Points that are no minimisers and multipliers that are none, of either sign: the bound is low, and never above the optimum, 0.
    #[test]
    fn a_bound_holds_at_any_point_and_any_multipliers() {
        for k in [1e-3, 1.0, 1e6] {
            let best = solved(k);
            let exact = best.clone().proved_bound() / best.data.cost_scale;
            assert!(exact.abs() < 1e-12, "K {k}: {exact}");
            for turn in 0..200 {
                let noise = |i: usize| 0.5 * (turn as f64 * (1.0 + 0.7 * i as f64)).sin();
                let mut qp = best.clone();
                qp.x.iter_mut().enumerate().for_each(|(i, x)| *x += noise(i));
                qp.y.iter_mut().enumerate().for_each(|(i, y)| *y *= 1.0 + 4.0 * noise(i + 3));
                let bound = qp.proved_bound() / qp.data.cost_scale;
                assert!(bound <= 1e-12, "K {k}, {turn}: {bound}");
                assert!(bound.is_finite());
            }
        }
    }
}
